//! The tables of `topics`.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::{PartitionView, TopicView, TopicsView};
use crate::cli::table::{Side, Table};
use crate::cli::text::{known, known_number, number, visible};
use crate::model::time::format_duration;
use crate::model::{BrokerId, TimestampType};

use super::{Notice, Shown};

impl Shown for TopicsView<'_> {
    fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for topic in &self.topics {
            let name = visible(topic.topic);
            if let Some(reason) = &topic.error {
                notices.push(Notice::error(format!("topic {name}"), reason));
            }
            if let Some(reason) = topic
                .config_error
                .as_ref()
                .filter(|_| topic.error.is_none())
            {
                notices.push(Notice::aside(format!("settings of topic {name}"), reason));
            }
            for partition in topic.partitions.iter().flatten() {
                if let Some(reason) = &partition.error {
                    notices.push(Notice::error(
                        format!("{name}/{}", partition.partition),
                        reason,
                    ));
                }
            }
        }
        notices
    }

    fn tables(&self, _zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        if self.topics.is_empty() {
            return writeln!(out, "No topics.");
        }
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("PARTITIONS", Side::Right),
            ("CLEANUP", Side::Left),
            ("RETENTION", Side::Left),
            ("TIME TYPE", Side::Left),
            ("INTERNAL", Side::Left),
            ("ID", Side::Left),
        ]);
        for topic in &self.topics {
            table.row(topic_row(topic));
        }
        table.write(out)?;
        let mut table = Table::new(&[
            ("TOPIC", Side::Left),
            ("PARTITION", Side::Right),
            ("LEADER", Side::Right),
            ("REPLICAS", Side::Left),
            ("IN STEP", Side::Left),
            ("LOG START", Side::Right),
            ("LAST STABLE", Side::Right),
            ("HIGH WATERMARK", Side::Right),
        ]);
        for topic in &self.topics {
            for partition in topic.partitions.iter().flatten() {
                table.row(partition_row(topic.topic, partition));
            }
        }
        if !table.is_empty() {
            writeln!(out)?;
        }
        table.write(out)
    }
}

fn topic_row(topic: &TopicView<'_>) -> [String; 7] {
    let partitions = topic.partitions.as_ref();
    let yes_or_no = |internal: bool| (if internal { "yes" } else { "no" }).to_owned();
    [
        visible(topic.topic),
        known(partitions, |partitions| partitions.len().to_string()),
        known(topic.cleanup_policy, visible),
        known(topic.retention_ms, retention),
        known(topic.timestamp_type, time_type),
        known(topic.internal, yes_or_no),
        known(topic.topic_id, visible),
    ]
}

fn partition_row(topic: &str, partition: &PartitionView<'_>) -> [String; 8] {
    [
        visible(topic),
        partition.partition.to_string(),
        known(partition.leader, |leader| leader.0.to_string()),
        brokers(partition.replicas),
        brokers(partition.isr),
        known_number(partition.log_start_offset.map(|offset| offset.0)),
        known_number(partition.last_stable_offset.map(|offset| offset.0)),
        known_number(partition.high_watermark.map(|offset| offset.0)),
    ]
}

fn retention(ms: i64) -> String {
    match ms {
        -1 => "for ever".to_owned(),
        ms => format!("{} ({} ms)", format_duration(ms), number(ms)),
    }
}

fn brokers(ids: &[BrokerId]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| id.0.to_string()).collect();
    if ids.is_empty() {
        "none".to_owned()
    } else {
        ids.join(",")
    }
}

pub(super) fn time_type(kind: TimestampType) -> String {
    match kind {
        TimestampType::CreateTime => "CreateTime".to_owned(),
        TimestampType::LogAppendTime => "LogAppendTime".to_owned(),
    }
}
