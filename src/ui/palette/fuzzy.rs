//! Finding a name by some of its letters. Pure.

/// How well a text answers a query, and where its letters are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The higher, the better.
    pub score: i32,
    /// The characters of the text that answer, counted from 0, in order.
    pub letters: Vec<usize>,
}

/// How well `text` answers `query`: each word of it must be there, letter by letter in its order, with
/// anything in between. Letters that follow each other and beginnings of words count more.
pub fn find(query: &str, text: &str) -> Option<Match> {
    let text: Vec<char> = text.chars().collect();
    let lower: Vec<char> = text.iter().map(|c| lowered(*c)).collect();
    let mut whole = Match {
        score: 0,
        letters: Vec::new(),
    };
    for word in query.split_whitespace() {
        let word: Vec<char> = word.chars().map(lowered).collect();
        let found = find_word(&word, &text, &lower)?;
        whole.score = whole.score.saturating_add(found.score);
        whole.letters.extend(found.letters);
    }
    whole.letters.sort_unstable();
    whole.letters.dedup();
    // Of two that answer alike the shorter one is meant.
    let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
    whole.score = whole.score.saturating_sub(length / 8);
    Some(whole)
}

/// One character for one, so that places stay what they are.
fn lowered(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

fn find_word(word: &[char], text: &[char], lower: &[char]) -> Option<Match> {
    let (first, rest) = word.split_first()?;
    let starts = lower
        .iter()
        .enumerate()
        .filter(|(_, c)| *c == first)
        .map(|(at, _)| at);
    let mut best: Option<Match> = None;
    for start in starts {
        // What does not fit from here on does not fit from farther on.
        let Some(found) = from(start, rest, text, lower) else {
            break;
        };
        if best.as_ref().is_none_or(|best| found.score > best.score) {
            best = Some(found);
        }
    }
    best
}

/// The nearest letters of `rest` behind `start`.
fn from(start: usize, rest: &[char], text: &[char], lower: &[char]) -> Option<Match> {
    let mut letters = vec![start];
    let mut score = worth(start, text);
    let mut at = start;
    for wanted in rest {
        let gap = lower
            .iter()
            .skip(at.saturating_add(1))
            .position(|c| c == wanted)?;
        at = at.saturating_add(gap).saturating_add(1);
        score += match gap {
            0 => 6,
            _ => worth(at, text) - i32::try_from(gap.min(6)).unwrap_or(6),
        };
        letters.push(at);
    }
    Some(Match { score, letters })
}

/// What a letter at `at` counts, by where it stands in its word.
fn worth(at: usize, text: &[char]) -> i32 {
    let Some(before) = at.checked_sub(1).and_then(|before| text.get(before)) else {
        return 10;
    };
    let begins_part = text
        .get(at)
        .is_some_and(|c| c.is_uppercase() && before.is_lowercase());
    if !before.is_alphanumeric() || begins_part {
        8
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(query: &str, texts: &[&'a str]) -> Vec<&'a str> {
        let mut found: Vec<(i32, &str)> = texts
            .iter()
            .filter_map(|text| Some((find(query, text)?.score, *text)))
            .collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn letters_must_all_be_there_in_order() {
        assert!(find("ords", "orders").is_some());
        assert!(find("odrs", "orders").is_some());
        assert!(find("sredro", "orders").is_none());
        assert!(find("orderss", "orders").is_none());
        assert_eq!(find("", "orders").map(|found| found.letters), Some(vec![]));
    }

    #[test]
    fn beginnings_of_words_and_runs_come_first() {
        assert_eq!(
            best(
                "pay",
                &["prod.analytics-yearly", "payments", "gateway.pay", "xpay"]
            ),
            ["payments", "gateway.pay", "xpay", "prod.analytics-yearly"]
        );
        assert_eq!(
            best("odlt", &["old-topic-list", "orders-dlt"])[0],
            "orders-dlt"
        );
        assert_eq!(
            best("orders", &["orders-dlt", "orders"]),
            ["orders", "orders-dlt"]
        );
    }

    #[test]
    fn words_may_come_in_any_order_and_case() {
        let found = find("THEME li", "Theme: light").unwrap();
        assert_eq!(found.letters, [0, 1, 2, 3, 4, 7, 8]);
        assert!(find("light theme", "Theme: light").is_some());
        assert!(find("light dark", "Theme: light").is_none());
    }

    #[test]
    fn letters_of_other_scripts_are_found() {
        assert_eq!(
            find("ß", "Straße").map(|found| found.letters),
            Some(vec![4])
        );
        assert_eq!(find("群", "群组").map(|found| found.letters), Some(vec![0]));
        assert!(find("İ", "istanbul").is_some());
    }
}
