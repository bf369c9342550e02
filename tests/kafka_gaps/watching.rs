//! `tideline watch`: what appears and what clears, while it goes on.

use std::io::{BufRead as _, BufReader};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::Value;

use crate::Lab;
use crate::support::cli;

/// The lines of a running program.
fn lines(child: &mut std::process::Child) -> Receiver<Value> {
    let (told, heard) = mpsc::sync_channel(100);
    let out = child.stdout.take().unwrap();
    std::thread::Builder::new()
        .name("lines".to_owned())
        .spawn(move || {
            for line in BufReader::new(out).lines() {
                let Ok(line) = line else { return };
                let value = serde_json::from_str(&line).unwrap();
                if told.send(value).is_err() {
                    return;
                }
            }
        })
        .unwrap();
    heard
}

fn next(heard: &Receiver<Value>) -> Value {
    heard
        .recv_timeout(Duration::from_mins(1))
        .expect("a line within a minute")
}

#[test]
fn a_loss_appears_as_a_line_and_clears_when_the_group_has_moved() {
    let lab = Lab::get();
    lab.topic("watched", 1);
    lab.fill("watched", 0, 0..50);
    lab.cluster.commit("watched-group", &[("watched", 0, 10)]);
    let home = tempfile::tempdir().unwrap();
    let bootstrap = lab.kafka.bootstrap();
    let mut child = cli::start(
        home.path(),
        &[
            "watch",
            "--bootstrap",
            &bootstrap,
            "--json",
            "--topic",
            "watched",
        ],
    );
    let heard = lines(&mut child);
    std::thread::sleep(Duration::from_secs(4));
    lab.cluster.delete_records_before("watched", 0, 30);
    let new = next(&heard);
    assert_eq!(new["change"], "new");
    assert_eq!(new["finding"]["kind"], "G4");
    assert_eq!(new["finding"]["from_offset"], 10);
    assert_eq!(new["finding"]["to_offset"], 29);
    lab.cluster.commit("watched-group", &[("watched", 0, 50)]);
    // That somebody moved it by hand is a question of its own.
    let cleared = loop {
        let line = next(&heard);
        if line["change"] == "cleared" {
            break line;
        }
        assert_eq!(line["finding"]["kind"], "G7", "{line}");
    };
    assert_eq!(cleared["finding"]["id"], new["finding"]["id"]);
    child.kill().unwrap();
    child.wait().unwrap();
}
