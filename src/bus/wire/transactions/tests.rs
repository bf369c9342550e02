//! Answers about producers and transactions, written by hand.

use crate::model::ProblemKind;

use super::*;

/// Partition 3 of `t`: producer 8 of epoch 1 wrote at 256 ms and has a transaction open from 6 on. Partition 4: error 6
/// with the words `no`. A tagged field that nobody knows.
fn producers_body() -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0, 2, 2, b't', 3];
    body.extend([0, 0, 0, 3, 0, 0, 0, 2]);
    body.extend(8_i64.to_be_bytes());
    body.extend([0, 0, 0, 1, 0, 0, 0, 5]);
    body.extend(256_i64.to_be_bytes());
    body.extend([0xff; 4]);
    body.extend(6_i64.to_be_bytes());
    body.extend([0, 0]);
    body.extend([0, 0, 0, 4, 0, 6, 3, b'n', b'o', 1, 0]);
    body.extend([1, 9, 2, 7, 7, 0]);
    body
}

/// One unknown state filter, then transaction `a` of producer 8, `Ongoing`.
fn listed_body() -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0, 0, 0, 2, 2, b'x', 2, 2, b'a'];
    body.extend(8_i64.to_be_bytes());
    body.extend(b"\x08Ongoing\0\0");
    body
}

/// Transaction `a`: ongoing since 256, time-out 60 s, in partitions 3 and 5 of `t`. Then `b`: error 105.
fn described_body() -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0, 3];
    body.extend(b"\0\0\x02a\x08Ongoing");
    body.extend(60_000_i32.to_be_bytes());
    body.extend(256_i64.to_be_bytes());
    body.extend(8_i64.to_be_bytes());
    body.extend([0, 1, 2, 2, b't', 3, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0]);
    body.extend([0, 105, 2, b'b', 1, 0, 0, 0, 0]);
    body.extend([0; 18]);
    body.extend([1, 0, 0]);
    body
}

#[test]
fn producers_come_by_partition_with_errors_of_their_own() {
    let told = Producers(Vec::new()).read(0, producers_body().into());
    let of = |partition, code, producers| ProducersOf {
        at: TopicPartition::new("t", partition),
        code,
        producers,
    };
    let producer = ActiveProducer {
        id: 8,
        epoch: 1,
        last_time: 256,
        open_from: 6,
    };
    assert_eq!(told, Ok(vec![of(3, 0, vec![producer]), of(4, 6, vec![])]));
}

#[test]
fn transactions_are_listed_by_name_and_producer() {
    let told = ListTransactions(vec![8]).read(0, listed_body().into());
    assert_eq!(
        told,
        Ok(ListedTransactions {
            code: 0,
            listed: vec![("a".to_owned(), 8)],
        })
    );
}

#[test]
fn transactions_are_described_with_their_partitions() {
    let told = DescribeTransactions(Vec::new()).read(0, described_body().into());
    let a = DescribedTransaction {
        code: 0,
        id: "a".to_owned(),
        state: "Ongoing".to_owned(),
        timeout_ms: 60_000,
        started: 256,
        producer: 8,
        partitions: vec![TopicPartition::new("t", 3), TopicPartition::new("t", 5)],
    };
    let b = DescribedTransaction {
        code: 105,
        id: "b".to_owned(),
        state: String::new(),
        timeout_ms: 0,
        started: 0,
        producer: 0,
        partitions: Vec::new(),
    };
    assert_eq!(told, Ok(vec![a, b]));
}

fn read_all(body: &[u8]) -> [Option<ProblemKind>; 3] {
    let body = Bytes::copy_from_slice(body);
    let kind = |problem: crate::model::Problem| problem.kind;
    [
        Producers(Vec::new()).read(0, body.clone()).err().map(kind),
        ListTransactions(Vec::new())
            .read(0, body.clone())
            .err()
            .map(kind),
        DescribeTransactions(Vec::new())
            .read(0, body)
            .err()
            .map(kind),
    ]
}

#[test]
fn answers_that_are_cut_off_are_refused_at_every_byte() {
    for (which, body) in [producers_body(), listed_body(), described_body()]
        .iter()
        .enumerate()
    {
        assert_eq!(read_all(body)[which], None);
        for length in 0..body.len() {
            let kind = read_all(&body[..length])[which];
            assert_eq!(kind, Some(ProblemKind::Malformed), "{which}, {length}");
        }
    }
}

#[test]
fn two_thousand_million_elements_in_a_few_bytes_are_refused() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for at in [4, 6] {
        let mut body = vec![0; at];
        body.extend(huge);
        body.extend([1; 60]);
        let refused = read_all(&body);
        let which = if at == 4 { [0, 2] } else { [1, 1] };
        for index in which {
            assert_eq!(
                refused[index],
                Some(ProblemKind::Malformed),
                "{at}, {index}"
            );
        }
    }
}

#[test]
fn mutated_answers_are_survived() {
    let mut random = fastrand::Rng::with_seed(6);
    for body in [producers_body(), listed_body(), described_body()] {
        for _ in 0..3_000 {
            let mut body = body.clone();
            for _ in 0..random.usize(1..5) {
                let at = random.usize(0..body.len());
                body[at] = random.u8(..);
            }
            let _whatever = read_all(&body);
        }
    }
}

#[test]
fn requests_name_each_topic_once_and_the_producers() {
    let at = |topic: &str, partition| TopicPartition::new(topic, partition);
    let request = Producers(vec![at("t", 1), at("u", 0), at("t", 2)]).request(0);
    let named: Vec<_> = request
        .topics
        .iter()
        .map(|topic| (topic.name.0.as_str(), topic.partition_indexes.clone()))
        .collect();
    assert_eq!(named, [("t", vec![1, 2]), ("u", vec![0])]);
    let request = ListTransactions(vec![8, 9]).request(0);
    assert_eq!(request.producer_id_filters, [ProducerId(8), ProducerId(9)]);
    let request = DescribeTransactions(vec!["a".to_owned()]).request(0);
    assert_eq!(request.transactional_ids[0].0.as_str(), "a");
}
