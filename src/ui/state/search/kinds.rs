//! The kinds of filters, and how each is written.

/// A kind of filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterKind {
    /// A text in the value.
    #[default]
    Text,
    /// The same in capital or small letters.
    AnyCase,
    /// A regular expression over the value.
    Regex,
    /// The whole key.
    Key,
    /// A header's whole value.
    Header,
    /// A field's whole value.
    Field,
    /// An expression of jq.
    Jq,
}

impl FilterKind {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::AnyCase,
        Self::Regex,
        Self::Key,
        Self::Header,
        Self::Field,
        Self::Jq,
    ];

    /// What it begins with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Text => "text:",
            Self::AnyCase => "itext:",
            Self::Regex => "regex:",
            Self::Key => "key:",
            Self::Header => "header:",
            Self::Field => "field:",
            Self::Jq => "jq:",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "Text",
            Self::AnyCase => "Text in any case",
            Self::Regex => "Regular expression",
            Self::Key => "Key",
            Self::Header => "Header",
            Self::Field => "Field",
            Self::Jq => "jq",
        }
    }

    /// What passes it, in one line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Text => "The value holds exactly this text: text:o-4711",
            Self::AnyCase => "The same, in capital or small letters: itext:paid",
            Self::Regex => "The value holds a match: regex:o-47[0-9]+",
            Self::Key => "The whole key is this: key:o-4711",
            Self::Header => "A header has this value: header:retries=2",
            Self::Field => "A field of the value is this: field:.status=PLACED",
            Self::Jq => "An expression is true: jq:.value.amount > 100",
        }
    }

    /// The kind that `written` begins with; `None` for plain words.
    pub fn of(written: &str) -> Option<Self> {
        let written = written.trim_start();
        Self::ALL
            .into_iter()
            .find(|kind| written.starts_with(kind.prefix()))
    }
}

/// What was typed as a filter: plain words mean a text. And how many bytes stand before what was typed, less those
/// that were left out.
pub fn as_filter(typed: &str) -> (String, Shift) {
    let from = typed.len().saturating_sub(typed.trim_start().len());
    let shift = |added| Shift {
        left_out: from,
        added,
    };
    if FilterKind::of(typed).is_some() {
        return (typed.trim_start().to_owned(), shift(0));
    }
    let prefix = FilterKind::Text.prefix();
    (format!("{prefix}{}", typed.trim()), shift(prefix.len()))
}

/// How places in a filter differ from those in what was typed, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// Bytes that were left out in front.
    left_out: usize,
    /// Bytes that were put in front.
    added: usize,
}

impl Shift {
    /// The place in what was typed of a place in the filter.
    pub fn back(self, at: usize) -> usize {
        at.saturating_sub(self.added).saturating_add(self.left_out)
    }
}

/// `typed` turned into a filter of `kind`: what stands after the old prefix stays.
pub fn of_kind(typed: &str, kind: FilterKind) -> String {
    let rest = match FilterKind::of(typed) {
        Some(old) => typed
            .trim_start()
            .strip_prefix(old.prefix())
            .unwrap_or(typed),
        None => typed,
    };
    if kind == FilterKind::Text {
        rest.to_owned()
    } else {
        format!("{}{rest}", kind.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_mean_a_text() {
        let (filter, shift) = as_filter("  o-4711 paid ");
        assert_eq!(filter, "text:o-4711 paid");
        // The first letter of the filter's text is the third that was typed.
        assert_eq!(shift.back(5), 2);
    }

    #[test]
    fn a_prefix_is_understood_and_what_follows_stays_as_it_is() {
        let (filter, shift) = as_filter(" regex:a  ");
        assert_eq!(filter, "regex:a  ");
        assert_eq!(shift.back(6), 7);
        assert_eq!(FilterKind::of("itext:x"), Some(FilterKind::AnyCase));
        assert_eq!(FilterKind::of("unknown:x"), None);
    }

    #[test]
    fn another_kind_keeps_the_words() {
        assert_eq!(of_kind("o-1", FilterKind::Key), "key:o-1");
        assert_eq!(of_kind("key:o-1", FilterKind::Regex), "regex:o-1");
        assert_eq!(of_kind("regex:o-1", FilterKind::Text), "o-1");
    }
}
