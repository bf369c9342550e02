//! A small server that answers as it is told, and remembers what it was asked.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

/// What is answered.
#[derive(Clone)]
pub enum Reply {
    /// Status, further lines of the head, body.
    Now(&'static str, String, String),
    /// Nothing, for half a minute.
    Never,
    /// A head, and then a byte now and then.
    Trickle,
    /// More than anybody wants.
    Flood,
    /// Anything.
    Raw(&'static [u8]),
}

impl Reply {
    pub fn json(status: &'static str, body: &str) -> Self {
        Self::Now(
            status,
            "Content-Type: application/json\r\n".to_owned(),
            body.to_owned(),
        )
    }
}

/// It serves until the test process ends.
pub struct Server {
    pub url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `reply` is given the path.
    pub fn new(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (kept, reply) = (Arc::clone(&heads), Arc::new(reply));
        thread("server", move || {
            for stream in listener.incoming() {
                let (kept, reply) = (Arc::clone(&kept), Arc::clone(&reply));
                thread("connection", move || {
                    let mut stream = stream.unwrap();
                    let head = head(&mut stream);
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    kept.lock().push(head);
                    answer(&mut stream, reply(&path));
                });
            }
        });
        Self { url, heads }
    }

    /// What was asked so far: first line and head of each request.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().clone()
    }

    /// The paths of that.
    pub fn paths(&self) -> Vec<String> {
        let heads = self.heads();
        let path = |head: &String| head.split(' ').nth(1).unwrap_or_default().to_owned();
        heads.iter().map(path).collect()
    }
}

fn thread(name: &str, run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .unwrap();
}

fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

fn answer(stream: &mut TcpStream, reply: Reply) {
    let long = Duration::from_secs(30);
    // Whoever asked may have gone away.
    let mut send = |bytes: &[u8]| stream.write_all(bytes).is_ok();
    match reply {
        Reply::Now(status, more, body) => {
            let length = body.len();
            let text = format!(
                "HTTP/1.1 {status}\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            send(text.as_bytes());
        }
        Reply::Never => std::thread::sleep(long),
        Reply::Trickle => {
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
            for _ in 0..30 {
                std::thread::sleep(Duration::from_secs(1));
                if !send(b" ") {
                    return;
                }
            }
        }
        Reply::Flood => {
            send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
            let block = vec![b' '; 1 << 20];
            while send(&block) {}
        }
        Reply::Raw(bytes) => drop(send(bytes)),
    }
}
