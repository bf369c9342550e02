//! What consumers tell one another through their group: subscriptions and assignments.
//!
//! Source: `ConsumerProtocolSubscription.json` and `ConsumerProtocolAssignment.json` of Apache Kafka,
//! version 1. Written and read by hand, because members send these bytes unchecked.

use bytes::{BufMut as _, Bytes, BytesMut};

/// A subscription to these topics.
pub(super) fn subscription(topics: &[&str]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_i16(1);
    put_count(&mut bytes, topics.len());
    for topic in topics {
        put_text(&mut bytes, topic);
    }
    // No user data, no owned partitions.
    bytes.put_i32(-1);
    bytes.put_i32(0);
    bytes.freeze()
}

/// An assignment of these partitions, given by topic.
pub(super) fn assignment(topics: &[(&str, Vec<i32>)]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_i16(1);
    put_count(&mut bytes, topics.len());
    for (topic, partitions) in topics {
        put_text(&mut bytes, topic);
        put_count(&mut bytes, partitions.len());
        for partition in partitions {
            bytes.put_i32(*partition);
        }
    }
    bytes.put_i32(-1);
    bytes.freeze()
}

/// Whether a subscription names a topic; one that cannot be read names none.
pub(super) fn subscribes_to(subscription: &[u8], topic: &str) -> bool {
    topics(subscription).is_some_and(|topics| topics.contains(&topic.as_bytes()))
}

fn topics(subscription: &[u8]) -> Option<Vec<&[u8]>> {
    let (count, mut rest) = subscription.get(2..)?.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_be_bytes(*count)).ok()?;
    let mut topics = Vec::new();
    for _ in 0..count {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let length = usize::try_from(i16::from_be_bytes(*length)).ok()?;
        let (topic, after) = after.split_at_checked(length)?;
        topics.push(topic);
        rest = after;
    }
    Some(topics)
}

fn put_count(bytes: &mut BytesMut, count: usize) {
    bytes.put_i32(i32::try_from(count).unwrap_or(i32::MAX));
}

fn put_text(bytes: &mut BytesMut, text: &str) {
    bytes.put_i16(i16::try_from(text.len()).unwrap_or(i16::MAX));
    bytes.put_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_is_laid_out_as_kafka_lays_it_out() {
        let expected = [
            0, 1, 0, 0, 0, 1, 0, 2, b'a', b'b', 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
        ];
        assert_eq!(subscription(&["ab"]), expected.as_slice());
    }

    #[test]
    fn an_assignment_is_laid_out_as_kafka_lays_it_out() {
        let expected = [
            0, 1, 0, 0, 0, 1, 0, 1, b'a', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff,
            0xff,
        ];
        assert_eq!(assignment(&[("a", vec![0, 3])]), expected.as_slice());
    }

    #[test]
    fn a_subscription_names_its_topics_and_no_others() {
        let bytes = subscription(&["orders", "payments"]);
        assert!(subscribes_to(&bytes, "payments"));
        assert!(!subscribes_to(&bytes, "payment"));
    }

    #[test]
    fn a_subscription_that_claims_more_topics_than_it_has_names_none() {
        let bytes = [0, 1, 0x7f, 0xff, 0xff, 0xff, 0, 1, b'a'];
        assert!(!subscribes_to(&bytes, "a"));
        assert!(!subscribes_to(&[], "a"));
    }
}
