//! Groups that are not empty, or only seem to be.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::commands::{Desk, column, guard, told, twenty};
use crate::{Lab, plain};

fn thread<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let named = std::thread::Builder::new().name("members".to_owned());
    named.spawn(act).unwrap()
}

/// Reads all of the topic and commits twice a second.
const READS: [(&str, &str); 3] = [
    ("enable.auto.commit", "true"),
    ("auto.commit.interval.ms", "500"),
    ("client.id", "billing-7f9c"),
];

fn reads(protocol: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut settings = READS.to_vec();
    settings.push(("group.protocol", protocol));
    settings
}

/// Waits until the group has committed the end.
fn until_read(group: &str, expected: &[i64]) {
    crate::support::wait_for("the members' commits", || {
        let commits = Lab::get().commits(group);
        let offsets: Vec<i64> = commits
            .into_iter()
            .filter_map(|commit| commit.offset.unwrap())
            .map(|offset| offset.0)
            .collect();
        (offsets == expected).then_some(())
    });
}

#[test]
fn live_members_are_named_and_waited_for() {
    let lab = Lab::get();
    for protocol in ["classic", "consumer"] {
        let name = format!("live-{protocol}-members");
        twenty(&name, 2);
        let member = lab.cluster.join(&name, &name, &reads(protocol));
        until_read(&name, &[20, 20]);
        let desk = Desk::new();
        let answer = desk.rewind(&name, "offset:5", &["--execute"]).exits(3);
        let answer = answer.json();
        let (outcome, detail) = guard(&answer, "no_members");
        assert_eq!(outcome, "failed");
        assert!(detail.contains("billing-7f9c on 127.0.0.1"), "{detail}");
        assert_eq!(told(&name), [20, 20]);
        let leaving = thread(move || {
            std::thread::sleep(Duration::from_secs(4));
            drop(member);
        });
        let answer = desk
            .rewind(&name, "offset:5", &["--execute", "--wait=60s"])
            .exits(0)
            .json();
        leaving.join().unwrap();
        assert_eq!(column(&answer["results"], "before"), [20, 20]);
        assert_eq!(column(&answer["results"], "read_back"), [5, 5]);
        assert_eq!(told(&name), [5, 5]);
        let confirmed = desk.newest()["confirmed"].to_string();
        assert!(
            confirmed.contains("first moment without members"),
            "{confirmed}"
        );
    }
}

/// Does something again and again until it is dropped.
struct Again {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Again {
    fn and_again(mut act: impl FnMut() + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = self::thread(move || {
            while !told.load(Ordering::Relaxed) {
                act();
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Again {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

#[test]
fn between_two_runs_of_a_restarted_member_it_is_applied() {
    let lab = Lab::get();
    twenty("restarted", 1);
    lab.cluster.commit("restarted", &[("restarted", 0, 20)]);
    let looping = Again::and_again(|| {
        let member = Lab::get()
            .cluster
            .join("restarted", "restarted", &[("client.id", "looping")]);
        std::thread::sleep(Duration::from_secs(5));
        drop(member);
        std::thread::sleep(Duration::from_secs(1));
    });
    std::thread::sleep(Duration::from_secs(2));
    let desk = Desk::new();
    let answer = desk
        .rewind("restarted", "offset:5", &["--execute", "--wait=55s"])
        .exits(0)
        .json();
    assert_eq!(column(&answer["results"], "read_back"), [5]);
    drop(looping);
    // Its members commit nothing, so the place is still the one that was written.
    assert_eq!(told("restarted"), [5]);
}

#[test]
fn a_group_that_is_never_empty_is_left_as_it_is() {
    let lab = Lab::get();
    twenty("rolling", 2);
    lab.cluster
        .commit("rolling", &[("rolling", 0, 20), ("rolling", 1, 20)]);
    let first = lab.cluster.join("rolling", "rolling", &[]);
    let rolling = thread(move || {
        let mut present = first;
        for _ in 0..3 {
            let next = Lab::get().cluster.join("rolling", "rolling", &[]);
            std::thread::sleep(Duration::from_secs(2));
            drop(std::mem::replace(&mut present, next));
        }
        std::thread::sleep(Duration::from_secs(6));
    });
    let desk = Desk::new();
    desk.rewind("rolling", "offset:5", &["--execute", "--wait=8s"])
        .exits(3)
        .says(&["nothing was changed"]);
    rolling.join().unwrap();
    assert_eq!(told("rolling"), [20, 20]);
}

#[test]
fn a_static_member_that_has_stopped_is_still_there_for_a_while() {
    let lab = Lab::get();
    twenty("lingering", 1);
    lab.cluster.commit("lingering", &[("lingering", 0, 20)]);
    let settings = [
        ("group.instance.id", "host-1"),
        ("session.timeout.ms", "8000"),
    ];
    drop(lab.cluster.join("lingering", "lingering", &settings));
    let desk = Desk::new();
    let answer = desk
        .rewind("lingering", "offset:5", &["--execute"])
        .exits(3)
        .json();
    let (_, detail) = guard(&answer, "no_members");
    assert!(detail.contains("static members"), "{detail}");
    desk.rewind("lingering", "offset:5", &["--execute", "--wait=50s"])
        .exits(0);
    assert_eq!(told("lingering"), [5]);
}

#[test]
fn a_reader_without_membership_is_seen_before_and_after() {
    let lab = Lab::get();
    twenty("hidden", 1);
    lab.cluster.commit("hidden", &[("hidden", 0, 10)]);
    let desk = Desk::new();
    let mut offset = 10;
    let hidden = Again::and_again(move || {
        offset = if offset == 19 { 10 } else { offset + 1 };
        Lab::get()
            .set("hidden", vec![plain("hidden", 0, offset)])
            .unwrap();
        std::thread::sleep(Duration::from_millis(400));
    });
    let words = [
        "rewind",
        "--group",
        "hidden",
        "--to",
        "offset:5",
        "--observe",
        "3s",
    ];
    let answer = desk
        .run(&[&words[..], &["--execute"]].concat())
        .exits(3)
        .json();
    let (outcome, _) = guard(&answer, "no_hidden_reader");
    assert_eq!(outcome, "failed");
    drop(hidden);
    assert!(told("hidden")[0] >= 10);
    // Quiet while it is watched, and there again as soon as the write is done.
    let late = thread(|| {
        until_read("hidden", &[5]);
        std::thread::sleep(Duration::from_secs(2));
        Lab::get()
            .set("hidden", vec![plain("hidden", 0, 19)])
            .unwrap();
    });
    let answer = desk.run(&[&words[..], &["--execute"]].concat()).json();
    late.join().unwrap();
    assert!(answer["results"][0]["error"].is_string(), "{answer}");
    assert_eq!(desk.newest()["state"], "overwritten");
}
