//! The raw client against peers that answer what a test tells them to.

use tokio::net::TcpListener;

use super::*;
use crate::bus::wire::ListGroups;
use crate::model::{GroupListing, GroupType, Text};

/// Listens once and answers each request with the next of `answers`: a body, to which length and
/// correlation id are added, or raw bytes.
async fn peer(answers: Vec<Vec<u8>>, raw: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for (id, answer) in (1_i32..).zip(answers) {
            let length = stream.read_u32().await.unwrap();
            let mut request = vec![0; usize::try_from(length).unwrap()];
            stream.read_exact(&mut request).await.unwrap();
            if raw {
                stream.write_all(&answer).await.unwrap();
                continue;
            }
            let length = u32::try_from(answer.len() + 4).unwrap();
            stream.write_all(&length.to_be_bytes()).await.unwrap();
            stream.write_all(&id.to_be_bytes()).await.unwrap();
            stream.write_all(&answer).await.unwrap();
        }
    });
    address
}

async fn open(address: &str) -> Connection {
    Connection::open(address, Duration::from_secs(5))
        .await
        .unwrap()
}

/// `ApiVersions` version 0 naming `ListGroups` (key 16) up to `max`.
fn offers(max: i16) -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0, 0, 1, 0, 16, 0, 0];
    body.extend_from_slice(&max.to_be_bytes());
    body
}

fn compact(text: &str) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(text.len() + 1).unwrap()];
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

#[tokio::test]
async fn groups_of_every_type_come_with_state_and_type() {
    // Header tags, throttle, error, two groups, tags.
    let mut body = vec![0, 0, 0, 0, 0, 0, 0, 3];
    for text in ["s", "share", "Stable", "Share"] {
        body.extend(compact(text));
    }
    body.push(0);
    for text in ["x", "", "Empty", "Classic"] {
        body.extend(compact(text));
    }
    body.extend([0, 0]);
    let address = peer(vec![offers(6), body], false).await;
    let groups = open(&address).await.ask(&ListGroups).await.unwrap();
    assert_eq!(
        groups,
        vec![
            GroupListing {
                name: Text::from("s"),
                kind: GroupType::Share,
                protocol_type: Some("share".into()),
                state: Some("Stable".into()),
                coordinator: None,
            },
            GroupListing {
                name: Text::from("x"),
                kind: GroupType::Classic,
                protocol_type: Some(String::new()),
                state: Some("Empty".into()),
                coordinator: None,
            },
        ]
    );
}

#[tokio::test]
async fn an_old_broker_gives_groups_without_state_and_type() {
    let mut body = vec![0, 0, 0, 0, 0, 1, 0, 1, b'g', 0, 8];
    body.extend_from_slice(b"consumer");
    let address = peer(vec![offers(0), body], false).await;
    let groups = open(&address).await.ask(&ListGroups).await.unwrap();
    assert_eq!(groups[0].kind, GroupType::Unknown);
    assert_eq!(groups[0].state, None);
    assert_eq!(groups[0].protocol_type.as_deref(), Some("consumer"));
}

#[tokio::test]
async fn a_list_that_claims_two_billion_groups_is_refused() {
    let body = vec![0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1];
    let address = peer(vec![offers(5), body], false).await;
    let problem = open(&address).await.ask(&ListGroups).await.unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Malformed);
}

#[tokio::test]
async fn a_peer_that_speaks_something_else_is_malformed_or_closed() {
    let address = peer(vec![b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()], true).await;
    let problem = open(&address).await.api_versions().await.unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Malformed);
    let address = peer(vec![vec![0, 0, 0, 9, 1]], true).await;
    let problem = open(&address).await.api_versions().await.unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Unreachable);
}

#[tokio::test]
async fn answers_of_random_bytes_are_survived() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let body: Vec<u8> = (0..random.usize(0..64)).map(|_| random.u8(..)).collect();
        let address = peer(vec![offers(5), body], false).await;
        // Whatever comes of it, it comes back.
        let _outcome = open(&address).await.ask(&ListGroups).await;
    }
}

#[tokio::test]
async fn nothing_listening_and_unknown_hosts_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let wait = Duration::from_secs(5);
    assert!(
        connect(&address, wait)
            .await
            .unwrap_err()
            .message
            .contains("refused")
    );
    assert!(
        connect("no-such-host.invalid:9092", wait)
            .await
            .unwrap_err()
            .message
            .contains("not known")
    );
    assert!(
        connect("no-port", wait)
            .await
            .unwrap_err()
            .message
            .contains("HOST:PORT")
    );
}
