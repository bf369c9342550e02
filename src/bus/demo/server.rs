//! Sockets and threads: one thread accepts, and each connection has its own, which serves its requests in
//! their order as Kafka does.

use std::io::{self, Read, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use parking_lot::{Condvar, Mutex};

use super::broker::Broker;
use super::dispatch::{self, Outcome};
use super::{DemoOptions, limits, live, seed};
use crate::model::TimestampMs;
use crate::model::time::Clock;

/// A demo bus that runs in this process, until it is dropped.
#[derive(Debug)]
pub struct Server {
    broker: Arc<Broker>,
    connections: Arc<Connections>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Fills a bus as `options` say and serves it on the loopback address.
    ///
    /// # Errors
    /// When the port is taken, or a thread cannot be started.
    pub fn start(options: &DemoOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let address = listener.local_addr()?;
        let fixed = options.now_ms.map(TimestampMs);
        let clock = fixed.map_or(Clock::System, Clock::Fixed);
        let (state, simulation) = seed::fill(options, clock.now().0);
        let broker = Arc::new(Broker::new(address, clock, options.seed, state));
        let connections = Arc::new(Connections::default());
        let mut server = Self {
            broker: Arc::clone(&broker),
            connections: Arc::clone(&connections),
            threads: Vec::new(),
        };
        let accepting = Arc::clone(&broker);
        server.thread("demo-accept", move || {
            accept(&listener, &accepting, &connections);
        })?;
        server.thread("demo-clock", move || live::run(&broker, simulation))?;
        Ok(server)
    }

    fn thread(&mut self, name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads
            .push(Builder::new().name(name.to_owned()).spawn(body)?);
        Ok(())
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.broker.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.broker.stop();
        // A connection of our own wakes the thread that waits for one.
        drop(TcpStream::connect_timeout(
            &self.broker.address,
            Duration::from_secs(1),
        ));
        self.connections.close_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing left to end.
            drop(thread.join());
        }
        self.connections.wait_until_none(Duration::from_secs(5));
    }
}

/// Fills a bus as `options` say, calls `on_ready` with its address, and serves it until the process ends.
///
/// # Errors
/// As [`Server::start`].
pub fn serve(options: &DemoOptions, on_ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let mut server = Server::start(options)?;
    on_ready(server.addr());
    for thread in server.threads.drain(..) {
        thread
            .join()
            .map_err(|_panic| io::Error::other("the demo bus stopped"))?;
    }
    Ok(())
}

/// The open connections, and the memory that their large requests take.
#[derive(Debug, Default)]
struct Connections {
    open: Mutex<Open>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    streams: Vec<(u64, TcpStream)>,
    next: u64,
    large_bytes: usize,
    closed: bool,
}

impl Connections {
    /// Takes a connection in, if there is room for one more.
    fn enter(&self, stream: &TcpStream) -> Option<u64> {
        let mut open = self.open.lock();
        if open.closed || open.streams.len() >= limits::CONNECTIONS {
            return None;
        }
        let number = open.next;
        open.next = number.wrapping_add(1);
        open.streams.push((number, stream.try_clone().ok()?));
        Some(number)
    }

    fn leave(&self, number: u64) {
        self.open
            .lock()
            .streams
            .retain(|(known, _)| *known != number);
        self.changed.notify_all();
    }

    fn close_all(&self) {
        let mut open = self.open.lock();
        open.closed = true;
        for (_, stream) in &open.streams {
            // The other side may have closed it already.
            drop(stream.shutdown(Shutdown::Both));
        }
        self.changed.notify_all();
    }

    fn wait_until_none(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut open = self.open.lock();
        while !open.streams.is_empty() {
            if self.changed.wait_until(&mut open, deadline).timed_out() {
                return;
            }
        }
    }

    /// Waits for a share of the memory for large requests; given back when dropped.
    fn reserve(&self, bytes: usize) -> Option<Reserved<'_>> {
        let mut open = self.open.lock();
        while open.large_bytes.saturating_add(bytes) > limits::LARGE_FRAMES_TOTAL {
            if open.closed {
                return None;
            }
            self.changed.wait(&mut open);
        }
        open.large_bytes = open.large_bytes.saturating_add(bytes);
        Some(Reserved {
            connections: self,
            bytes,
        })
    }
}

struct Reserved<'a> {
    connections: &'a Connections,
    bytes: usize,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock();
        open.large_bytes = open.large_bytes.saturating_sub(self.bytes);
        self.connections.changed.notify_all();
    }
}

fn accept(listener: &TcpListener, broker: &Arc<Broker>, connections: &Arc<Connections>) {
    while !broker.is_stopping() {
        let Ok((stream, peer)) = listener.accept() else {
            // Out of file descriptors, most likely; trying again at once would only burn a core.
            if broker.pause(Duration::from_millis(50)) {
                return;
            }
            continue;
        };
        let Some(number) = connections.enter(&stream) else {
            continue;
        };
        let (broker, open) = (Arc::clone(broker), Arc::clone(connections));
        let started = Builder::new()
            .name(format!("demo-{number}"))
            .stack_size(512 * 1024)
            .spawn(move || {
                // However a connection ends, it concerns nobody but its client.
                drop(converse(&stream, peer, &broker, &open));
                drop(stream.shutdown(Shutdown::Both));
                open.leave(number);
            });
        if started.is_err() {
            connections.leave(number);
        }
    }
}

/// Serves one connection until its client leaves or sends what cannot be served.
fn converse(
    mut stream: &TcpStream,
    peer: SocketAddr,
    broker: &Broker,
    connections: &Connections,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let host = format!("/{}", peer.ip());
    while !broker.is_stopping() {
        stream.set_read_timeout(None)?;
        let mut start = [0; 4];
        stream.read_exact(&mut start)?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(start)) else {
            return Ok(());
        };
        if !(8..=limits::PRODUCE_FRAME).contains(&length) {
            return Ok(());
        }
        stream.set_read_timeout(Some(Duration::from_secs(limits::FRAME_SECONDS)))?;
        let _reserved = if length > limits::SMALL_FRAME {
            let Some(reserved) = connections.reserve(length) else {
                return Ok(());
            };
            Some(reserved)
        } else {
            None
        };
        let frame = read_frame(stream, length)?;
        match dispatch::answer(broker, &host, &frame) {
            Outcome::Reply(bytes) => stream.write_all(&bytes)?,
            Outcome::Silent => {}
            Outcome::Close => return Ok(()),
        }
    }
    Ok(())
}

/// Reads a request of this length. Memory grows with what arrives, not with what was announced, and all
/// of it must arrive within one span of time.
fn read_frame(mut stream: impl Read, length: usize) -> io::Result<Bytes> {
    let deadline = Instant::now() + Duration::from_secs(limits::FRAME_SECONDS);
    let mut frame = BytesMut::new();
    let mut chunk = [0; 16 * 1024];
    while frame.len() < length {
        let left = length.saturating_sub(frame.len()).min(chunk.len());
        let part = chunk.get_mut(..left).unwrap_or_default();
        let read = stream.read(part)?;
        if read == 0 || Instant::now() > deadline {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        frame.extend_from_slice(part.get(..read).unwrap_or_default());
        if frame.len() >= 2 && length > limits::FRAME && frame.first_chunk() != Some(&[0, 0]) {
            // Only a `Produce` request, whose number is 0, may be that large.
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(frame.freeze())
}
