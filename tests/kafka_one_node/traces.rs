//! Looking leaves no trace.

use crate::support::tools;
use crate::{oracle, tideline};

#[test]
fn looking_changes_neither_groups_nor_offsets_nor_topics() {
    let oracle = oracle::get();
    let commands: [&[&str]; 10] = [
        &["cluster"],
        &["topics", "--internal"],
        &["topics", "--topic", "misspelt-for-topics"],
        &["groups"],
        &["groups", "--group", "misspelt-group"],
        &["timeline"],
        &[
            "timeline",
            "--topic",
            "misspelt-for-timeline",
            "--group",
            "misspelt-group",
        ],
        &[
            "records",
            "--topic",
            "six",
            "--topic",
            "clock",
            "--isolation",
            "read_committed",
        ],
        &["records", "--topic", "misspelt-for-records"],
        &[
            "records",
            "--topic",
            "clock",
            "--group-position",
            "misspelt-group",
        ],
    ];
    for command in commands {
        let run = tideline(command);
        assert!(
            matches!(run.code, 0 | 6) && !run.stdout.is_empty(),
            "{command:?}: {run:?}"
        );
    }
    let kafka = oracle.data.kafka;
    assert_eq!(tools::topics(kafka), oracle.topics);
    assert_eq!(tools::groups(kafka), oracle.groups);
    assert_eq!(tools::group_offsets(kafka), oracle.offsets);
    let written = |offsets: &std::collections::BTreeMap<(String, i64), i64>| {
        let kept = offsets
            .iter()
            .filter(|((topic, _), _)| topic != "__share_group_state");
        kept.map(|(place, offset)| (place.clone(), *offset))
            .collect::<Vec<_>>()
    };
    // Not even the log in which groups are kept has grown.
    assert_eq!(
        written(&tools::offsets(kafka, "latest")),
        written(&oracle.high_watermarks)
    );
}
