//! Clients that send nonsense, half of something, or too much.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use fastrand::Rng;
use tideline::bus::demo::Server;

use super::{at_noon, wait_for};

/// `ApiVersions` in version 0: kind 18, version 0, number 5, no client id.
const API_VERSIONS: [u8; 10] = [0, 18, 0, 0, 0, 0, 0, 5, 0xff, 0xff];
/// Metadata in version 1 for all topics.
const METADATA: [u8; 14] = [0, 3, 0, 1, 0, 0, 0, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.addr()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    stream
}

fn framed(request: &[u8]) -> Vec<u8> {
    let length = u32::try_from(request.len()).unwrap().to_be_bytes();
    [length.as_slice(), request].concat()
}

/// Reads one answer; `None` when the connection ends instead.
fn answer(mut stream: &TcpStream) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

/// Fails unless a new client is served.
fn is_served(server: &Server) {
    let mut stream = connect(server);
    stream.write_all(&framed(&API_VERSIONS)).unwrap();
    let body = answer(&stream).expect("an answer");
    // Its number, then no error.
    assert_eq!(body[..6], [0, 0, 0, 5, 0, 0]);
}

#[test]
fn requests_on_one_connection_are_answered_in_their_order() {
    let server = at_noon();
    let mut stream = connect(&server);
    let all = [
        framed(&API_VERSIONS),
        framed(&METADATA),
        framed(&API_VERSIONS),
    ]
    .concat();
    stream.write_all(&all).unwrap();
    let numbers = [5, 6, 5];
    for number in numbers {
        assert_eq!(answer(&stream).unwrap()[..4], [0, 0, 0, number]);
    }
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let server = at_noon();
    let mut stream = connect(&server);
    stream.set_nodelay(true).unwrap();
    for byte in framed(&METADATA) {
        stream.write_all(&[byte]).unwrap();
        is_served(&server);
    }
    assert_eq!(answer(&stream).unwrap()[..4], [0, 0, 0, 6]);
}

#[test]
fn impossible_lengths_end_the_connection() {
    let server = at_noon();
    for length in [-1, i32::MIN, i32::MAX, 0, 7, 17 * 1024 * 1024] {
        let mut stream = connect(&server);
        stream.write_all(&length.to_be_bytes()).unwrap();
        assert_eq!(answer(&stream), None, "{length}");
    }
    // Only a Produce request may be larger than four mebibytes.
    let mut stream = connect(&server);
    stream
        .write_all(&(5 * 1024 * 1024_i32).to_be_bytes())
        .unwrap();
    stream.write_all(&METADATA).unwrap();
    assert_eq!(answer(&stream), None);
    is_served(&server);
}

#[test]
fn half_requests_keep_nobody_else_waiting() {
    let server = at_noon();
    let halves: Vec<TcpStream> = (0..50)
        .map(|number| {
            let mut stream = connect(&server);
            // Three of them announce more than all large requests together may take.
            let announced: i32 = if number < 40 { 100 } else { 16 * 1024 * 1024 };
            stream.write_all(&announced.to_be_bytes()).unwrap();
            stream.write_all(&[0, 0, 0, 9, 0]).unwrap();
            stream
        })
        .collect();
    is_served(&server);
    drop(halves);
    is_served(&server);
}

#[test]
fn thousands_of_damaged_requests_are_survived() {
    let server = at_noon();
    let mut rng = Rng::with_seed(99);
    for round in 0..3_000 {
        let mut request = if rng.bool() {
            API_VERSIONS.to_vec()
        } else {
            METADATA.to_vec()
        };
        request[1] = rng.u8(0..75);
        request[3] = rng.u8(0..14);
        request.extend((0..rng.usize(0..60)).map(|_| rng.u8(..)));
        for _ in 0..rng.u32(0..4) {
            let at = rng.usize(4..request.len());
            request[at] = rng.choice([0, 1, 2, 0x7f, 0x80, 0xff]).unwrap();
        }
        // Waiting is what Fetch and JoinGroup may do, and it would be waited for here.
        if matches!(request[1], 1 | 11) {
            continue;
        }
        let mut stream = connect(&server);
        stream.write_all(&framed(&request)).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        drop(answer(&stream));
        if round % 500 == 0 {
            is_served(&server);
        }
    }
    is_served(&server);
}

#[test]
fn connections_beyond_the_bound_are_closed_and_their_places_come_free() {
    let server = at_noon();
    let held: Vec<TcpStream> = (0..256).map(|_| connect(&server)).collect();
    let mut beyond = connect(&server);
    // The refusal may come before or after the request.
    drop(beyond.write_all(&framed(&API_VERSIONS)));
    assert_eq!(answer(&beyond), None);
    drop(held);
    wait_for("a free place", || {
        let mut stream = connect(&server);
        stream.write_all(&framed(&API_VERSIONS)).ok()?;
        answer(&stream)
    });
}

#[test]
fn a_server_that_is_dropped_leaves_no_connection_and_no_listener() {
    let server = at_noon();
    let stream = connect(&server);
    let address = server.addr();
    drop(server);
    assert_eq!(answer(&stream), None);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let server = at_noon();
    let options = tideline::bus::demo::DemoOptions {
        port: server.addr().port(),
        ..Default::default()
    };
    let error = Server::start(&options).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
}
