//! Kafka's own command-line tools: what they say is what Tideline has to say.

use super::kafka::{Kafka, java};
use super::process::{Supervised, new_folder};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

/// One line of `GroupsCommand --list`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    pub name: String,
    /// As Tideline writes it: in lower case.
    pub kind: String,
    pub protocol_type: String,
}

/// One line of `ConsumerGroupCommand --describe --offsets`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupOffset {
    pub group: String,
    pub topic: String,
    pub partition: i64,
    pub committed: Option<i64>,
    pub end: i64,
    /// Unlike Tideline's, below zero when the commit lies beyond the end.
    pub lag: Option<i64>,
    pub member_id: Option<String>,
}

/// One line of `ConsumerGroupCommand --describe --state`.
#[derive(Debug, PartialEq, Eq)]
pub struct GroupState {
    pub coordinator: i64,
    pub assignor: Option<String>,
    pub state: String,
    pub members: usize,
}

/// One line of `ConsumerGroupCommand --describe --members --verbose`.
#[derive(Debug, PartialEq, Eq)]
pub struct GroupMember {
    pub group: String,
    pub member_id: String,
    pub host: String,
    pub client_id: String,
    /// `topic:0,1,2`.
    pub assignment: String,
}

/// A topic as `TopicCommand --describe` shows it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Topic {
    pub id: String,
    pub partitions: Vec<Partition>,
}

/// One of its partitions.
#[derive(Debug, PartialEq, Eq)]
pub struct Partition {
    pub number: i64,
    /// None while it has no leader.
    pub leader: Option<i64>,
    pub replicas: Vec<i64>,
    pub isr: Vec<i64>,
}

/// Runs one of `org.apache.kafka.tools` against a cluster and returns what it prints.
pub fn run(kafka: &Kafka, tool: &str, arguments: &[&str]) -> String {
    run_words(&command(&kafka.bootstrap(), tool, arguments))
}

/// The same at another listener, with a file of client settings.
pub fn run_with_config(
    kafka: &Kafka,
    listener: &str,
    config: &str,
    tool: &str,
    arguments: &[&str],
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("client.properties");
    std::fs::write(&file, config).unwrap();
    let mut words = command(&kafka.listener(listener), tool, arguments);
    words.extend(["--command-config".into(), file.into()]);
    run_words(&words)
}

fn run_words(words: &[OsString]) -> String {
    let output = Command::new(&words[0])
        .args(&words[1..])
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {printed}{complaint}");
    printed
}

fn command(bootstrap: &str, tool: &str, arguments: &[&str]) -> Vec<OsString> {
    let mut words = java("-Xmx256m");
    words.push(format!("org.apache.kafka.tools.{tool}").into());
    words.extend(["--bootstrap-server", bootstrap].map(OsString::from));
    words.extend(arguments.iter().map(OsString::from));
    words
}

pub fn topics(kafka: &Kafka) -> BTreeMap<String, Topic> {
    let mut topics: BTreeMap<String, Topic> = BTreeMap::new();
    for line in run(kafka, "TopicCommand", &["--describe"]).lines() {
        let fields: BTreeMap<&str, &str> = line
            .split('\t')
            .filter_map(|field| field.trim().split_once(':'))
            .collect();
        let Some(name) = fields.get("Topic") else {
            continue;
        };
        let topic = topics.entry(name.trim().to_owned()).or_default();
        if let Some(id) = fields.get("TopicId") {
            id.trim().clone_into(&mut topic.id);
        } else {
            topic.partitions.push(Partition {
                number: fields["Partition"].trim().parse().unwrap(),
                leader: fields["Leader"].trim().parse().ok(),
                replicas: numbers(fields["Replicas"]),
                isr: numbers(fields["Isr"]),
            });
        }
    }
    topics
}

fn numbers(list: &str) -> Vec<i64> {
    list.trim()
        .split(',')
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().unwrap())
        .collect()
}

/// By topic and partition. `time` is `earliest` or `latest`: log start offsets or high watermarks.
pub fn offsets(kafka: &Kafka, time: &str) -> BTreeMap<(String, i64), i64> {
    run(kafka, "GetOffsetShell", &["--time", time])
        .lines()
        .map(|line| {
            let mut fields = line.rsplitn(3, ':');
            let offset = fields.next().unwrap().parse().unwrap();
            let partition = fields.next().unwrap().parse().unwrap();
            ((fields.next().unwrap().to_owned(), partition), offset)
        })
        .collect()
}

/// Groups of every type.
pub fn groups(kafka: &Kafka) -> Vec<Group> {
    let printed = run(kafka, "GroupsCommand", &["--list"]);
    let mut groups: Vec<Group> = table(&printed)
        .map(|row| Group {
            name: row["GROUP"].to_owned(),
            kind: row["TYPE"].to_lowercase(),
            protocol_type: row.get("PROTOCOL").copied().unwrap_or_default().to_owned(),
        })
        .collect();
    groups.sort();
    groups
}

/// Of all classic and consumer groups.
pub fn group_offsets(kafka: &Kafka) -> Vec<GroupOffset> {
    let printed = describe_groups(kafka, &["--offsets"]);
    let mut offsets: Vec<GroupOffset> = table(&printed)
        .map(|row| GroupOffset {
            group: row["GROUP"].to_owned(),
            topic: row["TOPIC"].to_owned(),
            partition: row["PARTITION"].parse().unwrap(),
            committed: row["CURRENT-OFFSET"].parse().ok(),
            end: row["LOG-END-OFFSET"].parse().unwrap(),
            lag: row["LAG"].parse().ok(),
            member_id: (row["CONSUMER-ID"] != "-").then(|| row["CONSUMER-ID"].to_owned()),
        })
        .collect();
    offsets.sort();
    offsets
}

/// What one group has committed, by topic and partition; members' partitions without a commit are left out.
pub fn committed(kafka: &Kafka, group: &str) -> BTreeMap<(String, i64), i64> {
    let printed = run(
        kafka,
        "consumer.group.ConsumerGroupCommand",
        &["--describe", "--group", group, "--offsets"],
    );
    table(&printed)
        .filter_map(|row| {
            let committed = row["CURRENT-OFFSET"].parse().ok()?;
            let place = (row["TOPIC"].to_owned(), row["PARTITION"].parse().unwrap());
            Some((place, committed))
        })
        .collect()
}

pub fn group_states(kafka: &Kafka) -> BTreeMap<String, GroupState> {
    let printed = describe_groups(kafka, &["--state"]);
    table(&printed.replace("COORDINATOR (ID)", "COORDINATOR ID"))
        .map(|row| {
            let state = GroupState {
                coordinator: row["ID"].trim_matches(['(', ')']).parse().unwrap(),
                assignor: row
                    .get("ASSIGNMENT-STRATEGY")
                    .filter(|name| **name != "-")
                    .map(|name| (*name).to_owned()),
                state: row["STATE"].to_owned(),
                members: row["#MEMBERS"].parse().unwrap(),
            };
            (row["GROUP"].to_owned(), state)
        })
        .collect()
}

pub fn group_members(kafka: &Kafka) -> Vec<GroupMember> {
    let printed = describe_groups(kafka, &["--members", "--verbose"]);
    table(&printed)
        .map(|row| GroupMember {
            group: row["GROUP"].to_owned(),
            member_id: row["CONSUMER-ID"].to_owned(),
            host: row["HOST"].to_owned(),
            client_id: row["CLIENT-ID"].to_owned(),
            assignment: row["CURRENT-ASSIGNMENT"].to_owned(),
        })
        .collect()
}

fn describe_groups(kafka: &Kafka, what: &[&str]) -> String {
    run(
        kafka,
        "consumer.group.ConsumerGroupCommand",
        &[&["--describe", "--all-groups"], what].concat(),
    )
}

/// Rows under headings; headings come again before each group.
fn table(printed: &str) -> impl Iterator<Item = BTreeMap<&str, &str>> {
    let mut headings: Vec<&str> = Vec::new();
    printed.lines().filter_map(move |line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.first() == Some(&"GROUP") {
            headings = cells;
            return None;
        }
        (cells.len() > 1 && !headings.is_empty())
            .then(|| headings.iter().copied().zip(cells).collect())
    })
}

/// What the only member of a share group has been given, as `topic:0,1,2`; None while that is nothing.
pub fn share_assignment(kafka: &Kafka, group: &str) -> Option<String> {
    let printed = run(
        kafka,
        "consumer.group.ShareGroupCommand",
        &["--describe", "--group", group, "--members"],
    );
    let assignment = table(&printed)
        .next()
        .and_then(|row| row.get("ASSIGNMENT").map(|given| (*given).to_owned()));
    assignment.filter(|given| given != "-")
}

/// A member of a share group, which librdkafka cannot be.
pub fn share_member(kafka: &Kafka, group: &str, topic: &str) -> Supervised {
    let words = command(
        &kafka.bootstrap(),
        "consumer.ConsoleShareConsumer",
        &["--topic", topic, "--group", group],
    );
    let mut member = Supervised::new(new_folder(), words);
    member.start();
    member
}
