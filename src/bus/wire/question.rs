//! What can be asked over a raw connection.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use bytes::Bytes;
use kafka_protocol::messages::ApiKey;
use kafka_protocol::protocol::{Encodable, HeaderVersion};

use crate::model::{Known, Problem, ProblemKind};

use super::cursor::Malformed;

/// A question to one broker, and how its answer is read.
pub(in crate::bus) trait Question: Sync {
    /// The request that is sent.
    type Request: Encodable + HeaderVersion + Send + Sync;
    /// What the answer tells.
    type Answer: Send;
    /// Its type in the protocol.
    const KEY: ApiKey;
    /// The versions that are understood here.
    const VERSIONS: RangeInclusive<i16>;
    /// What an older broker does, in words that follow “the broker”.
    const LACKING: &'static str;

    /// The request in `version`.
    fn request(&self, version: i16) -> Self::Request;

    /// The answer out of a body of `version`, in which no length may be believed.
    ///
    /// # Errors
    /// The body is not what it should be, or is a refusal of the whole question.
    fn read(&self, version: i16, body: Bytes) -> Known<Self::Answer>;

    /// How long the broker answers nothing over the same connection after this, because we took more than it allows.
    fn pause(_answer: &Self::Answer) -> Duration {
        Duration::ZERO
    }
}

/// The newest version of `Q` that both sides know.
pub(super) fn version<Q: Question>(offered: &BTreeMap<i16, (i16, i16)>) -> Known<i16> {
    offered
        .get(&(Q::KEY as i16))
        .map(|(from, to)| (*Q::VERSIONS.start().max(from), *Q::VERSIONS.end().min(to)))
        .filter(|(from, to)| from <= to)
        .map(|(_, newest)| newest)
        .ok_or_else(|| {
            let words = format!("the broker {}", Q::LACKING);
            Problem::new(ProblemKind::Unsupported, words)
        })
}

/// A topic with what is asked or told about some of its partitions.
pub(super) type ByTopic<T> = (String, Vec<T>);

/// The same partitions by topic, each topic once, in the order in which they first come.
pub(super) fn by_topic<'a, T>(places: impl Iterator<Item = (&'a str, T)>) -> Vec<ByTopic<T>> {
    let mut topics: Vec<ByTopic<T>> = Vec::new();
    let mut at = BTreeMap::new();
    for (topic, place) in places {
        let index = *at.entry(topic).or_insert_with(|| {
            topics.push((topic.to_owned(), Vec::new()));
            topics.len().saturating_sub(1)
        });
        if let Some((_, places)) = topics.get_mut(index) {
            places.push(place);
        }
    }
    topics
}

/// The problem of an answer that cannot be read.
pub(super) fn unreadable(what: &str) -> impl Fn(Malformed) -> Problem {
    move |Malformed| {
        Problem::new(
            ProblemKind::Malformed,
            format!("an answer about {what} cannot be read"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::wire::{EpochEnds, Fetch};

    fn offers(key: ApiKey, from: i16, to: i16) -> BTreeMap<i16, (i16, i16)> {
        BTreeMap::from([(key as i16, (from, to))])
    }

    #[test]
    fn the_newest_version_of_both_sides_is_taken() {
        assert_eq!(version::<Fetch>(&offers(ApiKey::Fetch, 4, 18)), Ok(11));
        assert_eq!(version::<Fetch>(&offers(ApiKey::Fetch, 0, 7)), Ok(7));
        assert_eq!(version::<Fetch>(&offers(ApiKey::Fetch, 11, 12)), Ok(11));
    }

    #[test]
    fn a_broker_that_knows_none_of_them_is_said_to_lack_it() {
        for offered in [
            offers(ApiKey::Fetch, 0, 4),
            offers(ApiKey::Fetch, 12, 18),
            offers(ApiKey::Produce, 0, 18),
        ] {
            let problem = version::<Fetch>(&offered).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::Unsupported);
            assert_eq!(
                &*problem.message,
                "the broker does not hand out its batches in a form that is understood here"
            );
        }
        let old = version::<EpochEnds>(&offers(ApiKey::OffsetForLeaderEpoch, 0, 1));
        assert!(old.is_err());
    }

    #[test]
    fn partitions_are_gathered_by_topic_wherever_they_stand() {
        let places = [("b", 1), ("a", 2), ("b", 3)];
        assert_eq!(
            by_topic(places.into_iter()),
            [("b".to_owned(), vec![1, 3]), ("a".to_owned(), vec![2])]
        );
    }
}
