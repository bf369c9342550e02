//! Error codes in plain words.

use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaConfRes;

use crate::model::{Problem, ProblemKind};

use super::ffi::Code;
use super::ffi::admin::Failure;

/// The broker's and librdkafka's error codes that deserve words of their own.
///
/// Numbers below 0 are librdkafka's (`rd_kafka_resp_err_t`), the others the protocol's (Kafka, `Errors.java`).
fn plain(code: Code) -> Option<(ProblemKind, &'static str)> {
    use ProblemKind as Kind;
    Some(match code.0 {
        -195 => (Kind::Unreachable, "the broker cannot be reached"),
        -193 => (
            Kind::Unreachable,
            "the broker's host name cannot be resolved",
        ),
        -187 => (Kind::Unreachable, "no broker can be reached"),
        -185 | 7 => (Kind::TimedOut, "no answer in time"),
        -181 => (Kind::Refused, "the TLS connection failed"),
        -169 | 58 => (Kind::Refused, "the user name or password was not accepted"),
        -197 => (Kind::Cancelled, "the connection was closed"),
        -165 => (Kind::Unsupported, "the broker does not offer this"),
        -190 => (Kind::NotFound, "there is no such partition"),
        -188 | 3 => (Kind::NotFound, "there is no such topic or partition"),
        1 | -140 => (Kind::Invalid, "the offset lies outside the partition"),
        2 => (Kind::Malformed, "the record is damaged"),
        5 => (Kind::NoLeader, "the partition has no leader at the moment"),
        6 => (Kind::Retriable, "the partition's leader has just moved"),
        9 => (
            Kind::NoLeader,
            "a replica of the partition is not available",
        ),
        14 => (Kind::Retriable, "the group's coordinator is still loading"),
        15 => (Kind::NoLeader, "the group has no coordinator at the moment"),
        16 => (Kind::Retriable, "the group's coordinator has just moved"),
        12 => (
            Kind::Invalid,
            "the text beside the offset is longer than the broker accepts",
        ),
        17 => (Kind::Invalid, "the topic's name is not valid"),
        24 => (Kind::Invalid, "the group's name is not valid"),
        25 | 68 => (
            Kind::GroupActive,
            "the group has members, and they alone may move it now",
        ),
        27 => (Kind::NoLeader, "the group is rebalancing"),
        28 => (
            Kind::Invalid,
            "the group's offsets are more than the broker accepts at once",
        ),
        29 => (
            Kind::Forbidden,
            "this user is not allowed to read the topic",
        ),
        30 => (
            Kind::Forbidden,
            "this user is not allowed to read the group",
        ),
        31 => (
            Kind::Forbidden,
            "this user is not allowed to ask the cluster",
        ),
        35 => (Kind::Unsupported, "the broker is too old for this"),
        69 => (Kind::NotFound, "there is no such group"),
        72 => (
            Kind::NoLeader,
            "the listener of the partition's leader is not available",
        ),
        86 => (
            Kind::GroupActive,
            "members of the group are subscribed to the topic",
        ),
        _ => return None,
    })
}

/// The problem of settings that librdkafka does not take. Names the setting, never its value.
pub(super) fn refused_settings(error: &KafkaError) -> Problem {
    let words = match error {
        KafkaError::ClientConfig(RDKafkaConfRes::RD_KAFKA_CONF_UNKNOWN, _, name, _) => {
            format!("there is no setting named {name}")
        }
        KafkaError::ClientConfig(_, _, name, _) => {
            format!("the value of the setting {name} is not accepted")
        }
        KafkaError::ClientCreation(words) => format!("the settings are not accepted: {words}"),
        _ => "the settings are not accepted".to_owned(),
    };
    Problem::new(ProblemKind::Invalid, words)
}

/// The problem that `code` stands for.
pub(super) fn problem(code: Code) -> Problem {
    match plain(code) {
        Some((kind, words)) => Problem::new(kind, words),
        None => Problem::new(
            ProblemKind::Other,
            format!("{} (error {})", code.describe(), code.0),
        ),
    }
}

/// The problem that `code` stands for where a group's offsets were to be changed: what may succeed when it is
/// asked once more is [`ProblemKind::Retriable`], and nobody merely wanted to read.
pub(super) fn change_problem(code: Code) -> Problem {
    use ProblemKind as Kind;
    let known = problem(code);
    match code.0 {
        7 | 14 | 15 | 16 | 27 => Problem::new(Kind::Retriable, known.message),
        29 => Problem::new(
            Kind::Forbidden,
            "this user is not allowed to commit offsets in the topic",
        ),
        30 => Problem::new(
            Kind::Forbidden,
            "this user is not allowed to change the group's offsets",
        ),
        _ if code == Code::NOT_NAMED => Problem::new(
            Kind::Retriable,
            "the broker did not say what became of this partition",
        ),
        _ => known,
    }
}

/// The problem that a failure stands for; librdkafka's words are added where they say more.
pub(super) fn problem_of(failure: &Failure) -> Problem {
    let problem = problem(failure.code);
    let described = failure.code.describe();
    if failure.words.is_empty() || failure.words == described || failure.code == Code::TIMED_OUT {
        return problem;
    }
    Problem::new(
        problem.kind,
        format!("{} ({})", problem.message, failure.words),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_codes_have_plain_words() {
        assert_eq!(problem(Code(29)).kind, ProblemKind::Forbidden);
        assert_eq!(problem(Code(5)).kind, ProblemKind::NoLeader);
        assert_eq!(&*problem(Code::TIMED_OUT).message, "no answer in time");
    }

    #[test]
    fn codes_that_nobody_knows_are_shown_as_their_number() {
        for code in [-12_345, 9_999, i32::MIN, i32::MAX] {
            let problem = problem(Code(code));
            assert_eq!(problem.kind, ProblemKind::Other);
            assert!(problem.message.contains(&code.to_string()), "{problem}");
        }
    }

    #[test]
    fn a_refused_change_says_whether_to_ask_again() {
        use ProblemKind as Kind;
        let kinds = [
            (25, Kind::GroupActive),
            (68, Kind::GroupActive),
            (86, Kind::GroupActive),
            (7, Kind::Retriable),
            (14, Kind::Retriable),
            (15, Kind::Retriable),
            (16, Kind::Retriable),
            (27, Kind::Retriable),
            (Code::NOT_NAMED.0, Kind::Retriable),
            (3, Kind::NotFound),
            (12, Kind::Invalid),
            (29, Kind::Forbidden),
            (30, Kind::Forbidden),
            (69, Kind::NotFound),
            (-1, Kind::Other),
            (30_000, Kind::Other),
        ];
        for (code, kind) in kinds {
            assert_eq!(change_problem(Code(code)).kind, kind, "{code}");
        }
    }

    #[test]
    fn a_mistyped_setting_is_named_without_its_value() {
        let settings = std::collections::BTreeMap::from([
            ("bootstrap.servers".to_owned(), "b:9092".to_owned()),
            ("sasl.pasword".to_owned(), "hunter2".to_owned()),
        ]);
        let config = crate::bus::kafka::config::client_config(&settings);
        let error = config.create_native_config().err().unwrap();
        let problem = refused_settings(&error);
        assert!(problem.message.contains("sasl.pasword"), "{problem}");
        assert!(!problem.message.contains("hunter2"), "{problem}");
    }

    #[test]
    fn the_clients_words_are_kept_when_they_say_more() {
        let failure = Failure {
            code: Code(-195),
            words: "Connect to ipv4#127.0.0.1:9 failed".into(),
        };
        assert_eq!(
            &*problem_of(&failure).message,
            "the broker cannot be reached (Connect to ipv4#127.0.0.1:9 failed)"
        );
    }
}
