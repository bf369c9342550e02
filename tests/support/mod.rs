//! What the tests against a real Kafka share: brokers, the stock tools as oracle, data, and the program under test.

pub mod cli;
pub mod cluster;
pub mod fixture;
pub mod kafka;
pub mod process;
pub mod raw;
pub mod tls;
pub mod tools;

use std::time::{Duration, Instant};

/// Asks until an answer comes. Generous, so that only a broken thing fails, never a slow machine.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_mins(2);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
