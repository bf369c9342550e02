//! The demo bus through the tools that come with Kafka.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use tideline::bus::demo::Server;

use super::{NOON, at_noon, end, live};

/// The folder with Kafka's jars, which `.ci/test` fills.
fn jars() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    let folder = cache.join("tideline/kafka-4.4.0");
    assert!(
        folder.is_dir(),
        "no Kafka in {}: run .ci/test, which fetches it",
        folder.display()
    );
    folder
}

fn run(server: &Server, tool: &str, arguments: &[&str]) -> String {
    let mut classes = OsString::from(jars());
    classes.push("/*");
    let output = Command::new("java")
        .args(["-Xmx256m", "-XX:TieredStopAtLevel=1"])
        .arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
        .arg("-cp")
        .arg(classes)
        .arg(format!("org.apache.kafka.tools.{tool}"))
        .args(["--bootstrap-server", &server.addr().to_string()])
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("java must be installed");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{tool} {arguments:?}: {printed}{complaint}"
    );
    printed
}

/// The rows of a table, split into their cells.
fn rows(printed: &str) -> Vec<Vec<&str>> {
    let lines = printed
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.filter(|cells| !cells.is_empty()).collect()
}

#[test]
fn the_groups_command_lists_groups_with_their_type() {
    let server = at_noon();
    let printed = run(&server, "GroupsCommand", &["--list"]);
    let mut listed = rows(&printed).split_off(1);
    listed.sort();
    let row = |name| vec![name, "Classic", "consumer"];
    assert_eq!(
        listed,
        ["audit", "billing", "fraud-check", "reports", "shipping"].map(row)
    );
}

#[test]
fn the_consumer_group_command_describes_offsets_and_members() {
    let server = at_noon();
    let tool = "consumer.group.ConsumerGroupCommand";
    let printed = run(&server, tool, &["--describe", "--group", "shipping"]);
    let described = rows(&printed).split_off(1);
    assert_eq!(described.len(), 6);
    for row in described {
        assert_eq!(row[0], "shipping");
        // Committed, end, lag.
        assert_eq!((row[3], row[5]), (row[4], "0"));
    }
    let printed = run(
        &server,
        tool,
        &["--describe", "--group", "audit", "--members", "--verbose"],
    );
    let member = rows(&printed).pop().unwrap();
    assert_eq!((member[2], member[3]), ("/10.2.0.30", "audit-3d55"));
    assert!(printed.contains("orders:0,1,2,3"), "{printed}");
    let printed = run(&server, tool, &["--describe", "--all-groups", "--state"]);
    assert!(printed.contains("Empty"), "{printed}");
}

#[test]
fn the_consumer_group_command_resets_the_offsets_of_a_group_without_members() {
    let server = at_noon();
    let tool = "consumer.group.ConsumerGroupCommand";
    let reset = [
        "--reset-offsets",
        "--to-offset",
        "100",
        "--execute",
        "--topic",
        "payments:0",
    ];
    let printed = run(
        &server,
        tool,
        &[["--group", "reports"].as_slice(), &reset].concat(),
    );
    let expected = vec!["reports", "payments", "0", "100"];
    assert!(rows(&printed).contains(&expected), "{printed}");
    let printed = run(
        &server,
        tool,
        &["--describe", "--group", "reports", "--offsets"],
    );
    let described = rows(&printed);
    let row = described
        .iter()
        .find(|row| row.get(1..3) == Some(&["payments", "0"]))
        .unwrap();
    assert_eq!(row[3], "100");
}

#[test]
fn the_topic_command_makes_describes_and_deletes_topics() {
    let server = at_noon();
    let make = [
        "--create",
        "--topic",
        "made",
        "--partitions",
        "3",
        "--config",
        "retention.ms=1000",
    ];
    run(&server, "TopicCommand", &make);
    let printed = run(&server, "TopicCommand", &["--describe", "--topic", "made"]);
    assert!(printed.contains("PartitionCount: 3"), "{printed}");
    assert!(printed.contains("retention.ms=1000"), "{printed}");
    run(
        &server,
        "TopicCommand",
        &["--alter", "--topic", "made", "--partitions", "5"],
    );
    let printed = run(&server, "TopicCommand", &["--describe", "--topic", "made"]);
    assert!(printed.contains("PartitionCount: 5"), "{printed}");
    run(&server, "TopicCommand", &["--delete", "--topic", "made"]);
    let printed = run(&server, "TopicCommand", &["--list"]);
    assert!(!printed.contains("made"), "{printed}");
}

#[test]
fn the_offset_shell_gives_ends_starts_and_times() {
    let server = at_noon();
    let at = |time: &str| {
        let printed = run(
            &server,
            "GetOffsetShell",
            &["--topic", "orders", "--time", time],
        );
        let lines = printed
            .lines()
            .map(|line| line.rsplit(':').next().unwrap().parse::<i64>());
        lines.map(Result::unwrap).collect::<Vec<_>>()
    };
    let ends: Vec<i64> = (0..4)
        .map(|partition| end(&server, "orders", partition))
        .collect();
    assert_eq!(at("latest"), ends);
    let starts = at("earliest");
    assert_eq!((starts[0], starts[1], starts[3]), (0, 0, 0));
    assert!(starts[2] > 100);
    let half = at(&(NOON - 3 * 3_600_000).to_string());
    for (half, (start, end)) in half.iter().zip(starts.iter().zip(&ends)) {
        assert!(start <= half && half < end);
    }
    for (newest, end) in at("max-timestamp").iter().zip(&ends) {
        assert!(newest < end);
    }
}

#[test]
fn the_transactions_command_lists_and_describes() {
    let server = at_noon();
    let printed = run(&server, "TransactionsCommand", &["list"]);
    let listed = rows(&printed).pop().unwrap();
    assert_eq!((listed[0], listed[3]), ("orders-import", "CompleteAbort"));
    let describe = ["describe", "--transactional-id", "orders-import"];
    let printed = run(&server, "TransactionsCommand", &describe);
    assert!(printed.contains("CompleteAbort"), "{printed}");
    let producers = [
        "describe-producers",
        "--topic",
        "orders",
        "--partition",
        "3",
    ];
    let printed = run(&server, "TransactionsCommand", &producers);
    // The aborted transaction's 82 records were numbered from 0.
    assert_eq!(rows(&printed).pop().unwrap()[3], "81");
}

#[test]
fn the_console_consumer_reads_as_a_member_of_a_group() {
    let server = live();
    let tool = "consumer.ConsoleConsumer";
    let read = [
        "--topic",
        "orders.DLT",
        "--from-beginning",
        "--max-messages",
        "5",
    ];
    let printed = run(
        &server,
        tool,
        &[read.as_slice(), &["--group", "java-readers"]].concat(),
    );
    assert_eq!(
        printed
            .lines()
            .filter(|line| line.contains("\"OrderConfirmed\""))
            .count(),
        5
    );
    let printed = run(
        &server,
        "consumer.group.ConsumerGroupCommand",
        &["--describe", "--group", "java-readers", "--offsets"],
    );
    let read: i64 = rows(&printed)
        .split_off(1)
        .iter()
        .filter_map(|row| row[3].parse::<i64>().ok())
        .sum();
    assert_eq!(read, 5);
}
