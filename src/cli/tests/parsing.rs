//! What may be written, and what is refused.

use crate::cli::DemoOptions;
use crate::engine::{ConnectTarget, DemoSize, Edge, Order, RecordScope, Request};
use crate::model::{ConnectionSettings, Isolation, Offset, PartitionId, Text, TimestampMs};

use super::super::plan::Plan;
use super::{NOW, Written, question, read, read_arguments};

fn refused(line: &str) -> Written {
    let written = read(line).expect_err(line);
    assert_eq!((written.code, written.out.as_str()), (2, ""), "{line}");
    assert!(!written.err.is_empty(), "{line}");
    written
}

fn records(line: &str) -> crate::engine::RecordsRequest {
    match question(line).request {
        Request::Records(request) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn connecting_options_may_stand_before_and_after_the_command() {
    let asked = question("--bootstrap a:1 -X x=1 topics -X sasl.password=p=q --timeout 1m30s");
    assert_eq!(
        asked.settings,
        ConnectionSettings {
            bootstrap: "a:1".to_owned(),
            config_text: None,
            config_path: None,
            properties: vec![
                ("x".to_owned(), "1".to_owned()),
                ("sasl.password".to_owned(), "p=q".to_owned())
            ],
            profile: None,
            schema_files: Vec::new(),
        }
    );
    assert_eq!(asked.timeout.unwrap().as_secs(), 90);
    refused("--bootstrap a:1 topics --bootstrap b:1");
}

#[test]
fn a_configuration_file_is_read_and_one_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("client.properties");
    std::fs::write(&file, "security.protocol=SSL\n").unwrap();
    let plan = read_arguments(&["cluster", "--command-config", file.to_str().unwrap()]);
    let Ok(Plan::Ask(asked)) = plan else {
        panic!("{plan:?}");
    };
    assert_eq!(
        asked.settings.config_text.as_deref(),
        Some("security.protocol=SSL\n")
    );
    assert_eq!(asked.settings.config_path.as_deref(), file.to_str());
    let written = refused("cluster --command-config /no/such/file");
    assert!(written.err.contains("/no/such/file"), "{}", written.err);
}

#[test]
fn no_value_of_a_setting_is_repeated() {
    for line in [
        "topics -X hunter2",
        "topics -X =hunter2",
        "topics -Xsasl.password=hunter2 --nope",
        "-X sasl.password=hunter2 nope",
        "topics -X sasl.password=x hunter2",
        "-X sasl.password=x hunter2",
        "topics -X sasl.password=hunter2 --timeout soon",
        "--timeout 1s -X sasl.password=hunter2",
    ] {
        let written = refused(line);
        assert!(!written.err.contains("hunter2"), "{line}: {}", written.err);
    }
    let plan = format!("{:?}", read("topics -X sasl.password=hunter2"));
    assert!(
        plan.contains("sasl.password") && !plan.contains("hunter2"),
        "{plan}"
    );
}

#[test]
fn what_is_not_built_yet_is_unknown_and_not_in_the_help() {
    let written = refused("topics --map a:1=b:2");
    assert!(
        written.err.contains("unexpected argument"),
        "{}",
        written.err
    );
    for line in ["check", "find x", "why", "dead-letters", "journey"] {
        refused(line);
    }
    let help = read("records --help").unwrap_err();
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for absent in ["--map", "parent-pipe"] {
        assert!(!help.out.contains(absent), "{absent}");
    }
}

#[test]
fn the_help_of_each_command_names_every_field() {
    for (command, fields) in [
        ("cluster", "cluster_id controller brokers id host port rack"),
        (
            "topics",
            "topic_id internal cleanup_policy retention_ms timestamp_type error config_error partitions leader replicas isr log_start_offset last_stable_offset high_watermark",
        ),
        (
            "groups",
            "type protocol_type state assignor coordinator members_error offsets_error member_id client_id host instance_id assignment committed_offset leader_epoch metadata lag next_record_offset next_record_ms lag_ms missing",
        ),
        (
            "timeline",
            "from_ms to_ms bucket_ms counts before after resolution_ms cursors at_ms zone_assumed",
        ),
        (
            "records",
            "timestamp_ms timestamp_type key value headers leader_epoch size visibility coverage complete stopped_by records_scanned bytes_scanned matched from_offset to_offset next_offset",
        ),
        ("demo", "bootstrap --broker-only --port"),
    ] {
        for flag in ["-h", "--help"] {
            let help = read(&format!("{command} {flag}")).unwrap_err();
            assert_eq!(help.code, 0);
            for field in fields.split(' ') {
                assert!(help.out.contains(field), "{command} {flag} lacks {field}");
            }
        }
    }
}

#[test]
fn a_scope_is_a_topic_a_partition_or_a_place() {
    let scope = |topic: &str, partition: Option<i32>, offset: Option<i64>| RecordScope {
        topic: topic.into(),
        partition: partition.map(PartitionId),
        offset: offset.map(Offset),
    };
    let request = records("records --topic a --topic b/2 --topic c/0/17");
    assert_eq!(
        request.scope,
        [
            scope("a", None, None),
            scope("b", Some(2), None),
            scope("c", Some(0), Some(17))
        ]
    );
    for wrong in [
        "/1",
        "a/x",
        "a/-1",
        "a/1/x",
        "a/1/-1",
        "a/1/2/3",
        "a/",
        "a/99999999999",
    ] {
        refused(&format!("records --topic {wrong}"));
    }
    refused("records");
}

#[test]
fn edges_are_times_or_offsets() {
    let request = records("records --topic t --from offset:3 --to now");
    assert_eq!(
        (request.from, request.to),
        (Some(Edge::Offset(Offset(3))), Some(Edge::Time(NOW)))
    );
    let request = records("records --topic t --from -90m --to 1796043720001");
    assert_eq!(
        (request.from, request.to),
        (
            Some(Edge::Time(NOW.moved_ms(-5_400_000))),
            Some(Edge::Time(TimestampMs(NOW.0 + 1)))
        )
    );
    for wrong in [
        "--from offset:x",
        "--from offset:-1",
        "--from yesterday",
        "--from now --to -1h",
        "--from offset:5 --to offset:4",
    ] {
        refused(&format!("records --topic t {wrong}"));
    }
    refused("timeline --from offset:1");
    refused("timeline --from now --to now");
    refused("timeline --buckets 0");
}

#[test]
fn options_that_say_where_to_begin_exclude_one_another() {
    for wrong in [
        "--newest 5 --from now",
        "--group-position g --from now",
        "--newest 5 --group-position g",
    ] {
        let written = refused(&format!("records --topic t {wrong}"));
        assert!(
            written.err.contains("cannot be used with"),
            "{}",
            written.err
        );
    }
}

#[test]
fn the_options_of_records_reach_the_question() {
    let request = records(
        "records --topic t --group-position g --limit 7 --order offset --isolation read_committed",
    );
    assert_eq!(request.group_position, Some(Text::from("g")));
    assert_eq!((request.limit, request.newest), (Some(7), None));
    assert_eq!(
        (request.order, request.isolation),
        (Order::Offset, Isolation::ReadCommitted)
    );
    let request = records("records --topic t --newest 3 --order time");
    assert_eq!((request.newest, request.order), (Some(3), Order::Time));
    assert_eq!(request.isolation, Isolation::ReadUncommitted);
}

#[test]
fn groups_and_topics_may_be_repeated() {
    let Request::Groups(request) = question("groups --group a#b --group p%40c --no-times").request
    else {
        panic!("not a question about groups");
    };
    assert_eq!(request.groups, [Text::from("a#b"), Text::from("p%40c")]);
    assert!(!request.times);
    let Request::Topics(request) = question("topics --topic b --topic a --internal").request else {
        panic!("not a question about topics");
    };
    assert_eq!(request.topics, ["b".into(), "a".into()]);
    assert!(request.internal);
}

#[cfg(unix)]
#[test]
fn a_group_may_be_named_in_any_bytes() {
    use std::os::unix::ffi::OsStringExt as _;
    let arguments = [
        "tideline".into(),
        "groups".into(),
        "--group".into(),
        std::ffi::OsString::from_vec(vec![0xff, b'g']),
    ];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let plan = crate::cli::read(
        arguments,
        None,
        &super::no_files(),
        &mut super::streams(&mut out, &mut err),
    );
    let Ok(Plan::Ask(asked)) = plan else {
        panic!("{plan:?}");
    };
    let Request::Groups(request) = asked.request else {
        panic!("not a question about groups");
    };
    assert_eq!(request.groups, [Text::from_bytes(&[0xff, b'g'])]);
}

#[test]
fn the_window_opens_on_the_welcome_screen_connected_or_on_the_demo_bus() {
    let window = |line: &str| match read(line) {
        Ok(Plan::Window(start)) => start,
        other => panic!("{line}: {other:?}"),
    };
    let welcome = window("");
    assert!(welcome.connect.is_none());
    assert_eq!(welcome.bootstrap_env.as_deref(), Some("from-env:1"));
    let Some(ConnectTarget::Bus(settings)) = window("--bootstrap a:1").connect else {
        panic!("not connected");
    };
    assert_eq!(settings, ConnectionSettings::to("a:1"));
    let Some(ConnectTarget::Demo(size)) = window("demo --topics 10 --partitions 3").connect else {
        panic!("no demo bus");
    };
    assert_eq!((size.topics, size.partitions, size.records), (10, 3, 0));
    refused("--timeout 5s");
}

#[test]
fn the_demo_bus_alone_takes_its_sizes() {
    let serve = |line: &str| match read(line) {
        Ok(Plan::ServeDemo(options)) => options,
        other => panic!("{line}: {other:?}"),
    };
    let plain = DemoOptions {
        port: 0,
        size: DemoSize {
            topics: 0,
            partitions: 1,
            groups: 0,
            records: 0,
            rate: 0,
        },
        parent_pipe: false,
    };
    assert_eq!(serve("demo --broker-only"), plain);
    assert_eq!(
        serve(
            "demo --broker-only --port 5 --topics 10 --partitions 3 --groups 2 --records 1000 --rate 7 --parent-pipe"
        ),
        DemoOptions {
            port: 5,
            size: DemoSize {
                topics: 10,
                partitions: 3,
                groups: 2,
                records: 1_000,
                rate: 7
            },
            parent_pipe: true,
        }
    );
    refused("demo --port 5");
    refused("demo --bootstrap a:1");
    refused("--bootstrap a:1 demo");
    refused("demo --broker-only --port 65536");
}
