//! Lines to a peer that answers as it is told.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::bus::wire::EpochEnds;

/// What the peer does with a question about epochs.
#[derive(Clone, Copy)]
enum Manner {
    /// Answers that there is none.
    Answers,
    /// Closes the connection after the first question over it.
    ClosesLater,
    /// Says nothing.
    Silent,
    /// Answers with bytes that are no answer.
    Babbles,
}

struct Peer {
    broker: Broker,
    connections: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

async fn peer(manner: Manner) -> Peer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let broker = Broker {
        id: BrokerId(4),
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
        rack: None,
    };
    let connections = Arc::new(AtomicUsize::new(0));
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, peak) = (Arc::clone(&connections), Arc::clone(&most));
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let (open, peak) = (Arc::clone(&open), Arc::clone(&peak));
            tokio::spawn(async move {
                loop {
                    let Ok(length) = stream.read_u32().await else {
                        return;
                    };
                    let mut request = vec![0; usize::try_from(length).unwrap()];
                    stream.read_exact(&mut request).await.unwrap();
                    let now = open.fetch_add(1, Ordering::SeqCst) + 1;
                    peak.fetch_max(now, Ordering::SeqCst);
                    let versions = request[1] == 18;
                    let mut answer = request[4..8].to_vec();
                    if versions {
                        // Only OffsetForLeaderEpoch, up to version 3.
                        answer.extend([0, 0, 0, 0, 0, 1, 0, 23, 0, 0, 0, 3]);
                    } else {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        match manner {
                            Manner::Silent => return std::future::pending().await,
                            Manner::Babbles => answer.extend([9, 9]),
                            Manner::Answers | Manner::ClosesLater => answer.extend([0; 8]),
                        }
                    }
                    open.fetch_sub(1, Ordering::SeqCst);
                    let length = u32::try_from(answer.len()).unwrap();
                    stream.write_u32(length).await.unwrap();
                    stream.write_all(&answer).await.unwrap();
                    if !versions && matches!(manner, Manner::ClosesLater) {
                        return;
                    }
                }
            });
        }
    });
    Peer {
        broker,
        connections,
        most,
    }
}

async fn ask(lines: &Lines, peer: &Peer, deadline: Duration) -> Known<usize> {
    let question = EpochEnds(Vec::new());
    let answer = lines.ask(&peer.broker, &question, deadline).await;
    answer.map(|ends| ends.len())
}

const PATIENCE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_connection_is_kept_for_the_next_question() {
    let (lines, peer) = (Lines::default(), peer(Manner::Answers).await);
    for _ in 0..5 {
        assert_eq!(ask(&lines, &peer, PATIENCE).await, Ok(0));
    }
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn no_more_than_four_questions_are_under_way() {
    let (lines, peer) = (Lines::default(), peer(Manner::Answers).await);
    let asked = (0..20).map(|_| ask(&lines, &peer, PATIENCE));
    let answers = futures_util::future::join_all(asked).await;
    assert!(answers.iter().all(|answer| *answer == Ok(0)), "{answers:?}");
    assert_eq!(peer.connections.load(Ordering::SeqCst), 4);
    assert!(peer.most.load(Ordering::SeqCst) <= 4);
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_is_replaced_without_a_word() {
    let (lines, peer) = (Lines::default(), peer(Manner::ClosesLater).await);
    for _ in 0..3 {
        assert_eq!(ask(&lines, &peer, PATIENCE).await, Ok(0));
    }
    assert_eq!(peer.connections.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn silence_ends_with_the_deadline_and_its_connection_is_not_used_again() {
    let (lines, peer) = (Lines::default(), peer(Manner::Silent).await);
    for count in 1..=2 {
        let problem = ask(&lines, &peer, Duration::from_secs(1))
            .await
            .unwrap_err();
        assert_eq!(problem.kind, ProblemKind::TimedOut);
        assert_eq!(&*problem.message, "no answer within 1 s");
        assert_eq!(peer.connections.load(Ordering::SeqCst), count);
    }
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_ends_its_connection() {
    let (lines, peer) = (Lines::default(), peer(Manner::Babbles).await);
    for count in 1..=2 {
        let problem = ask(&lines, &peer, PATIENCE).await.unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Malformed);
        assert_eq!(peer.connections.load(Ordering::SeqCst), count);
    }
}

#[tokio::test]
async fn what_a_broker_does_not_know_leaves_its_connection_alone() {
    let (lines, peer) = (Lines::default(), peer(Manner::Answers).await);
    for _ in 0..2 {
        let question = crate::bus::wire::ListGroups;
        let answer = lines.ask(&peer.broker, &question, PATIENCE).await;
        assert_eq!(answer.unwrap_err().kind, ProblemKind::Unsupported);
    }
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_connection_over_which_the_broker_answers_is_taken_first() {
    let peer = peer(Manner::Answers).await;
    let lines = Lines::default();
    let line = lines.line(&peer.broker);
    assert!(line.kept().is_none());
    let now = Instant::now();
    for pause in [7, 0, 3] {
        let address = address(&peer.broker);
        let connection = Connection::open(&address, PATIENCE).await.unwrap();
        let quiet_until = now + Duration::from_secs(pause);
        line.idle.lock().push(Kept {
            connection,
            quiet_until,
        });
    }
    let order: Vec<u64> = std::iter::from_fn(|| line.kept())
        .map(|kept| (kept.quiet_until - now).as_secs())
        .collect();
    assert_eq!(order, [0, 3, 7]);
}

#[test]
fn an_address_of_numbers_gets_its_brackets() {
    let at = |host: &str| {
        address(&Broker {
            id: BrokerId(0),
            host: host.to_owned(),
            port: 9092,
            rack: None,
        })
    };
    assert_eq!(at("kafka-1"), "kafka-1:9092");
    assert_eq!(at("::1"), "[::1]:9092");
}
