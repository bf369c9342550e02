//! The demo bus through kcat (librdkafka as Debian has it).

use std::io::Write as _;
use std::process::{Command, Stdio};

use tideline::bus::demo::Server;

use super::{at_noon, end, live, make_topic};

fn kcat(server: &Server, arguments: &[&str]) -> String {
    let output = Command::new("kcat")
        .args(["-b", &server.addr().to_string()])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("kcat must be installed");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "kcat {arguments:?}: {complaint}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn it_lists_the_topics() {
    let server = at_noon();
    let listed = kcat(&server, &["-L"]);
    assert!(listed.contains("7 topics:"), "{listed}");
    assert!(
        listed.contains("topic \"orders\" with 4 partitions:"),
        "{listed}"
    );
    assert!(listed.contains("(controller)"), "{listed}");
}

#[test]
fn it_reads_a_topic_to_its_end() {
    let server = at_noon();
    let format = ["-f", "%o\n"];
    let read = kcat(
        &server,
        &[
            &[
                "-C",
                "-q",
                "-e",
                "-t",
                "payments",
                "-p",
                "0",
                "-o",
                "beginning",
            ],
            format.as_slice(),
        ]
        .concat(),
    );
    let offsets: Vec<i64> = read.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(
        offsets,
        (0..end(&server, "payments", 0)).collect::<Vec<_>>()
    );
}

#[test]
fn it_finds_an_offset_by_time() {
    let server = at_noon();
    let half = super::NOON - 3 * 3_600_000;
    let asked = format!("orders:0:{half}");
    let found = kcat(&server, &["-Q", "-t", &asked]);
    let offset = found.trim().strip_prefix("orders [0] offset ").unwrap();
    let read = kcat(
        &server,
        &[
            "-C", "-q", "-t", "orders", "-p", "0", "-o", offset, "-c", "1", "-f", "%T",
        ],
    );
    assert!(read.parse::<i64>().unwrap() >= half);
    let before = (offset.parse::<i64>().unwrap() - 1).to_string();
    let read = kcat(
        &server,
        &[
            "-C", "-q", "-t", "orders", "-p", "0", "-o", &before, "-c", "1", "-f", "%T",
        ],
    );
    assert!(read.parse::<i64>().unwrap() < half);
}

#[test]
fn it_writes_records() {
    let server = live();
    make_topic(&server, "from-kcat", 1);
    let mut child = Command::new("kcat")
        .args([
            "-b",
            &server.addr().to_string(),
            "-P",
            "-t",
            "from-kcat",
            "-K:",
            "-H",
            "a=b",
            "-z",
            "lz4",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .expect("kcat must be installed");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"k1:v1\nk2:v2\n")
        .unwrap();
    assert!(child.wait().unwrap().success());
    let read = kcat(
        &server,
        &["-C", "-q", "-e", "-t", "from-kcat", "-f", "%o %k %s %h\n"],
    );
    assert_eq!(read, "0 k1 v1 a=b\n1 k2 v2 a=b\n");
}

#[test]
fn it_reads_as_a_member_of_a_group() {
    let server = at_noon();
    let group = [
        "-G",
        "kcat-readers",
        "-q",
        "-e",
        "-X",
        "auto.offset.reset=earliest",
        "-f",
        "%o\n",
    ];
    let read = kcat(&server, &[group.as_slice(), &["shipments"]].concat());
    let all = end(&server, "shipments", 0) + end(&server, "shipments", 1);
    assert_eq!(i64::try_from(read.lines().count()).unwrap(), all);
    // It committed on leaving, so there is nothing left for the next.
    let read = kcat(&server, &[group.as_slice(), &["shipments"]].concat());
    assert_eq!(read, "");
}
