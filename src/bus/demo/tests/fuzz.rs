//! Nothing that a client sends ends the process, stops the answers, or makes memory grow without bound.

use bytes::Bytes;
use fastrand::Rng;

use super::requests::plausible;
use super::shop;
use crate::bus::demo::dispatch::{APIS, answer};

/// The most that this process has ever had in memory, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0) * 1024
}

/// Damages a request the way that hurts: lengths and counts become huge, negative or slightly wrong.
fn damage(rng: &mut Rng, request: &mut Vec<u8>) {
    for _ in 0..rng.u32(1..4) {
        if request.len() < 10 {
            return;
        }
        let at = rng.usize(8..request.len());
        match rng.u8(0..6) {
            0 => request[at] = rng.u8(..),
            1 => request[at] ^= 1 << rng.u8(0..8),
            2 => request.truncate(at.max(9)),
            3 => {
                let huge = [
                    [0x7f, 0xff, 0xff, 0xff],
                    [0xff, 0xff, 0xff, 0x0f],
                    [0x80, 0, 0, 0],
                ];
                for (byte, new) in request[at..].iter_mut().zip(rng.choice(huge).unwrap()) {
                    *byte = new;
                }
            }
            4 => request.insert(at, rng.u8(..)),
            _ => drop(request.remove(at)),
        }
    }
}

#[test]
fn damaged_requests_are_survived_within_bounded_memory() {
    let broker = shop();
    let mut rng = Rng::with_seed(4_711);
    let requests: Vec<Bytes> = APIS
        .iter()
        .flat_map(|api| (api.from..=api.to).map(|version| plausible(api.key, version, "m", (1, 0))))
        .collect();
    let before = peak();
    for _ in 0..40 {
        for request in &requests {
            // Waiting belongs to other tests: a Fetch must not wait for records, nor a member for others.
            let mut damaged = request.to_vec();
            damage(&mut rng, &mut damaged);
            if damaged[..2] == [0, 1] || damaged[..2] == [0, 11] {
                continue;
            }
            drop(answer(&broker, "/127.0.0.1", &damaged.into()));
        }
    }
    assert!(peak().saturating_sub(before) < 512 * 1024 * 1024);
    let request = plausible(kafka_protocol::messages::ApiKey::Metadata, 12, "", (-1, -1));
    drop(answer(&broker, "/127.0.0.1", &request));
}

#[test]
fn damaged_fetches_and_joins_are_survived() {
    let broker = shop();
    // A broker that stops lets nobody wait.
    broker.stop();
    let mut rng = Rng::with_seed(4_712);
    for key in [1_i16, 11] {
        for api in APIS.iter().filter(|api| api.key as i16 == key) {
            for version in api.from..=api.to {
                for _ in 0..100 {
                    let mut damaged = plausible(api.key, version, "m", (1, 0)).to_vec();
                    damage(&mut rng, &mut damaged);
                    drop(answer(&broker, "/127.0.0.1", &damaged.into()));
                }
            }
        }
    }
}

#[test]
fn garbage_is_survived() {
    let broker = shop();
    broker.stop();
    let mut rng = Rng::with_seed(4_713);
    for _ in 0..5_000 {
        let mut garbage: Vec<u8> = (0..rng.usize(0..200)).map(|_| rng.u8(..)).collect();
        if garbage.len() > 4 {
            // Often a kind and a version that are served, so that the rest is looked at.
            garbage[..4].copy_from_slice(&[0, rng.u8(0..75), 0, rng.u8(0..14)]);
        }
        drop(answer(&broker, "/127.0.0.1", &garbage.into()));
    }
}
