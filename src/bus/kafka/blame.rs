//! Where a setting that is wrong was written: file, line and name, never its value.

use crate::model::{ConnectionSettings, Problem, ProblemKind};

use super::properties::{line_of, parse_properties};

/// Settings that only Java names so, by what the client calls them.
const JAVA_NAMES: [(&str, &str); 8] = [
    ("ssl.ca.location", "ssl.truststore.location"),
    ("ssl.ca.pem", "ssl.truststore.certificates"),
    ("ssl.certificate.location", "ssl.keystore.location"),
    ("ssl.key.location", "ssl.keystore.location"),
    ("ssl.key.pem", "ssl.keystore.key"),
    ("ssl.certificate.pem", "ssl.keystore.certificate.chain"),
    ("sasl.username", "sasl.jaas.config"),
    ("sasl.password", "sasl.jaas.config"),
];

/// What the file is called in a message.
pub(super) fn file_name(settings: &ConnectionSettings) -> &str {
    let path = settings.config_path.as_deref();
    path.unwrap_or("the configuration file")
}

/// `problem` with the place at which the setting that it names was written, when it names one that was.
pub(super) fn located(settings: &ConnectionSettings, problem: Problem) -> Problem {
    if problem.kind != ProblemKind::Invalid {
        return problem;
    }
    let given = given(settings);
    let mut named: Vec<(usize, usize, &str)> = Vec::new();
    for name in &given {
        let java = JAVA_NAMES.iter().filter(|(_, java)| java == name);
        for word in java.map(|(ours, _)| *ours).chain([name.as_str()]) {
            let at = word_in(&problem.message, word);
            named.extend(at.map(|at| (at, word.len(), name.as_str())));
        }
    }
    let Some((_, _, name)) = named.into_iter().min() else {
        return problem;
    };
    let single = settings.properties.iter();
    let is_single = single.into_iter().any(|(known, _)| known.trim() == name);
    let text = settings.config_text.as_deref().unwrap_or_default();
    let place = match line_of(text, name) {
        _ if is_single => format!("-X {name}"),
        Some(line) => format!("{}, line {line}, {name}", file_name(settings)),
        None => return problem,
    };
    Problem::new(problem.kind, format!("{place}: {}", problem.message))
}

/// The names of all settings that were given.
fn given(settings: &ConnectionSettings) -> Vec<String> {
    let text = settings.config_text.as_deref().unwrap_or_default();
    let in_file = parse_properties(text).unwrap_or_default();
    let single = settings.properties.iter();
    in_file
        .into_keys()
        .chain(single.map(|(name, _)| name.trim().to_owned()))
        .collect()
}

/// Where `word` stands in `text` as a name of its own, not as a part of another.
fn word_in(text: &str, word: &str) -> Option<usize> {
    let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut found = text.match_indices(word);
    let found = found.find(|(at, _)| {
        let (before, from) = text.split_at(*at);
        let after = from.get(word.len()..).unwrap_or_default();
        let mut after = after.chars();
        let is_end = match after.next() {
            Some('.') => !after.next().is_some_and(belongs),
            Some(c) => !belongs(c),
            None => true,
        };
        is_end && !before.ends_with(|c: char| belongs(c) || c == '.')
    });
    found.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> ConnectionSettings {
        ConnectionSettings {
            config_text: Some(text.into()),
            config_path: Some("/etc/client.properties".into()),
            ..ConnectionSettings::to("kafka:9092")
        }
    }

    fn said(settings: &ConnectionSettings, message: &str) -> String {
        let problem = Problem::new(ProblemKind::Invalid, message.to_owned());
        located(settings, problem).message.to_string()
    }

    #[test]
    fn a_wrong_setting_is_named_with_file_and_line() {
        let settings = settings("# ours\nsasl.mechanism=PLAIN\nsasl.pasword=hunter2\n");
        assert_eq!(
            said(&settings, "there is no setting named sasl.pasword"),
            "/etc/client.properties, line 3, sasl.pasword: there is no setting named sasl.pasword"
        );
        // What was not written has no place.
        let unknown = "there is no setting named sasl";
        assert_eq!(said(&settings, unknown), unknown);
    }

    #[test]
    fn what_the_client_calls_otherwise_is_found_by_the_name_that_was_written() {
        let settings = settings("ssl.truststore.type=PEM\nssl.truststore.location=/no/such\n");
        let found = said(
            &settings,
            "the value of the setting ssl.ca.location is not accepted",
        );
        assert!(
            found.starts_with("/etc/client.properties, line 2, ssl.truststore.location: "),
            "{found}"
        );
    }

    #[test]
    fn a_single_setting_wins_over_the_file() {
        let mut settings = settings("security.protocol=SSL\n");
        settings.properties = vec![("security.protocol".into(), "x".into())];
        let found = said(&settings, "security.protocol “x” is none of them");
        assert!(found.starts_with("-X security.protocol: "), "{found}");
    }

    #[test]
    fn a_name_within_another_is_none() {
        assert_eq!(word_in("ssl.key.location is wrong", "ssl.key"), None);
        assert_eq!(word_in("set ssl.key. Then", "ssl.key"), Some(4));
        assert_eq!(word_in("x.ssl.key", "ssl.key"), None);
    }
}
