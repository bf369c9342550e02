//! Stands between Tideline and the broker and writes down the type of every request.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use crate::support::kafka::{Kafka, proxy_port};

/// The way to the listener `PROXIED`, where its clients are sent.
pub struct Proxy {
    seen: Arc<Mutex<BTreeMap<i16, u64>>>,
}

impl Proxy {
    /// Listens as long as the tests run. There is one.
    pub fn to(kafka: &Kafka) -> Self {
        let seen: Arc<Mutex<BTreeMap<i16, u64>>> = Arc::default();
        let broker = kafka.listener("PROXIED");
        let listener = TcpListener::bind(("127.0.0.1", proxy_port())).unwrap();
        let counts = Arc::clone(&seen);
        spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&broker) else {
                    continue;
                };
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let counts = Arc::clone(&counts);
                spawn(move || requests(from, to, &counts));
                spawn(move || answers(server, client));
            }
        });
        Self { seen }
    }

    pub fn address() -> String {
        format!("127.0.0.1:{}", proxy_port())
    }

    /// The types of all requests so far, each with how often it was sent.
    pub fn seen(&self) -> BTreeMap<i16, u64> {
        self.seen.lock().clone()
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) {
    thread::Builder::new()
        .name("proxy".to_owned())
        .spawn(work)
        .unwrap();
}

/// A request is its length in four bytes, then its type in two.
fn requests(mut from: TcpStream, mut to: TcpStream, seen: &Mutex<BTreeMap<i16, u64>>) {
    let mut length = [0; 4];
    while from.read_exact(&mut length).is_ok() {
        let mut frame = vec![0; usize::try_from(i32::from_be_bytes(length)).unwrap()];
        if from.read_exact(&mut frame).is_err() {
            break;
        }
        let key = i16::from_be_bytes([frame[0], frame[1]]);
        *seen.lock().entry(key).or_default() += 1;
        if to.write_all(&[&length[..], &frame].concat()).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}

fn answers(mut from: TcpStream, mut to: TcpStream) {
    drop(std::io::copy(&mut from, &mut to));
    drop(to.shutdown(Shutdown::Both));
}
