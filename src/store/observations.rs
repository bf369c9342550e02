//! What was seen of clusters over time, and findings that were put aside.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use crate::model::{
    CommitMove, Committed, Dismissal, GroupHistory, History, HistorySource, Known, KnownTopic,
    Observations, Offset, PartitionId, Remembered, SeenCommit, SeenPartition, SeenTopic, Sighting,
    Text, TimestampMs, TopicPartition,
};

use super::kept::Kept;

/// Movements that are kept of one cluster, the newest ones, and for how long.
const MOVES: i64 = 200_000;
const MOVES_MS: i64 = 30 * 86_400_000;
/// How long a topic is kept that was not seen any more.
const TOPICS_MS: i64 = 90 * 86_400_000;
/// How often what is too old or too much is thrown away.
const PRUNE_MS: i64 = 600_000;

/// Observations in the file.
#[derive(Debug)]
pub struct ObservationsFile {
    kept: Kept,
    pruned: Mutex<Option<TimestampMs>>,
}

impl ObservationsFile {
    /// Observations in `file`, which is opened when it is first needed and made when something is first kept.
    pub fn new(file: PathBuf) -> Self {
        Self {
            kept: Kept::new(file),
            pruned: Mutex::default(),
        }
    }

    /// Whether it is time to throw away what is too old.
    fn is_time_to_prune(&self, now: TimestampMs) -> bool {
        let mut pruned = self.pruned.lock();
        let is_time = pruned.is_none_or(|at| now.since_ms(at) >= PRUNE_MS);
        if is_time {
            *pruned = Some(now);
        }
        is_time
    }
}

impl Observations for ObservationsFile {
    fn see(&self, sighting: &Sighting) -> Known<()> {
        let prunes = self.is_time_to_prune(sighting.at);
        self.kept.write(|change| {
            for topic in &sighting.topics {
                see_topic(change, sighting, topic)?;
            }
            for commit in &sighting.commits {
                see_commit(change, sighting, commit)?;
            }
            if prunes {
                prune(change, &sighting.cluster, sighting.at)?;
            }
            Ok(Ok(()))
        })
    }

    fn remembered(&self, cluster: &str) -> Known<Remembered> {
        self.kept.read(|read| {
            let topics = topics(read, cluster)?;
            let history = history(read, cluster, &topics)?;
            Ok(Ok(Remembered { topics, history }))
        })
    }

    fn dismiss(&self, cluster: &str, dismissal: &Dismissal) -> Known<()> {
        self.kept.write(|change| {
            change.execute(
                "INSERT OR REPLACE INTO dismissals (cluster, finding, reason, at_ms, user)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    cluster,
                    dismissal.finding,
                    dismissal.reason,
                    dismissal.at.0,
                    dismissal.user
                ],
            )?;
            Ok(Ok(()))
        })
    }

    fn restore(&self, cluster: &str, finding: &str) -> Known<()> {
        self.kept.write(|change| {
            change.execute(
                "DELETE FROM dismissals WHERE cluster = ?1 AND finding = ?2",
                params![cluster, finding],
            )?;
            Ok(Ok(()))
        })
    }

    fn dismissed(&self, cluster: &str) -> Known<Vec<Dismissal>> {
        self.kept.read(|read| {
            let mut statement = read.prepare(
                "SELECT finding, reason, at_ms, user FROM dismissals
                 WHERE cluster = ?1 ORDER BY at_ms DESC, finding",
            )?;
            let found = statement.query_map([cluster], |row| {
                Ok(Dismissal {
                    finding: row.get(0)?,
                    reason: row.get(1)?,
                    at: TimestampMs(row.get(2)?),
                    user: row.get(3)?,
                })
            })?;
            found.collect::<rusqlite::Result<_>>().map(Ok)
        })
    }
}

fn see_topic(
    change: &Transaction<'_>,
    sighting: &Sighting,
    topic: &SeenTopic,
) -> rusqlite::Result<()> {
    let (cluster, now) = (&sighting.cluster, sighting.at.0);
    let known: Option<(u32, i64)> = change
        .query_row(
            "SELECT count, last_ms FROM seen_topics WHERE cluster = ?1 AND topic_id = ?2",
            params![cluster, topic.topic_id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    match known {
        None => change.execute(
            "INSERT INTO seen_topics (cluster, topic_id, topic, first_ms, last_ms, count)
             VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
            params![cluster, topic.topic_id, &*topic.name, now, topic.count],
        )?,
        Some((count, last)) => {
            if count != topic.count {
                change.execute(
                    "INSERT OR REPLACE INTO seen_counts (cluster, topic_id, until_ms, count)
                     VALUES (?1, ?2, ?3, ?4)",
                    params![cluster, topic.topic_id, last, count],
                )?;
            }
            change.execute(
                "UPDATE seen_topics SET last_ms = ?3, count = ?4 WHERE cluster = ?1 AND topic_id = ?2",
                params![cluster, topic.topic_id, now, topic.count],
            )?
        }
    };
    for partition in &topic.partitions {
        change.execute(
            "INSERT INTO seen_partitions
             (cluster, topic_id, partition, log_start, high_watermark) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (cluster, topic_id, partition) DO UPDATE SET log_start = excluded.log_start,
             high_watermark = MAX(high_watermark, excluded.high_watermark)",
            params![
                cluster,
                topic.topic_id,
                partition.id.0,
                partition.log_start.0,
                partition.high_watermark.0
            ],
        )?;
    }
    Ok(())
}

fn see_commit(
    change: &Transaction<'_>,
    sighting: &Sighting,
    commit: &SeenCommit,
) -> rusqlite::Result<()> {
    let offset = commit.offset.map(|offset| offset.0);
    // Another Tideline may have seen the same.
    let last: Option<Option<i64>> = change
        .query_row(
            "SELECT to_offset FROM seen_commits WHERE cluster = ?1 AND group_name = ?2
             AND topic_id = ?3 AND partition = ?4 ORDER BY number DESC LIMIT 1",
            params![
                sighting.cluster,
                commit.group.as_bytes(),
                commit.topic_id,
                commit.partition.0
            ],
            |row| row.get(0),
        )
        .optional()?;
    if last == Some(offset) {
        return Ok(());
    }
    change.execute(
        "INSERT INTO seen_commits (cluster, group_name, topic, topic_id, partition, at_ms, to_offset,
         epoch, log_end, had_members) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            sighting.cluster,
            commit.group.as_bytes(),
            &*commit.topic,
            commit.topic_id,
            commit.partition.0,
            sighting.at.0,
            offset,
            commit.leader_epoch,
            commit.end.map(|end| end.0),
            commit.had_members
        ],
    )?;
    Ok(())
}

fn prune(change: &Transaction<'_>, cluster: &str, now: TimestampMs) -> rusqlite::Result<()> {
    change.execute(
        "DELETE FROM seen_commits WHERE cluster = ?1 AND at_ms < ?2",
        params![cluster, now.moved_ms(-MOVES_MS).0],
    )?;
    change.execute(
        "DELETE FROM seen_commits WHERE cluster = ?1 AND number <= (SELECT number FROM seen_commits
         WHERE cluster = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
        params![cluster, MOVES],
    )?;
    let gone = "SELECT topic_id FROM seen_topics WHERE cluster = ?1 AND last_ms < ?2";
    let long_ago = now.moved_ms(-TOPICS_MS).0;
    for table in ["seen_partitions", "seen_counts", "seen_topics"] {
        change.execute(
            &format!("DELETE FROM {table} WHERE cluster = ?1 AND topic_id IN ({gone})"),
            params![cluster, long_ago],
        )?;
    }
    Ok(())
}

/// Each of a topic's parts, by its id.
type ByTopic<T> = BTreeMap<String, Vec<T>>;

fn by_topic<T>(
    read: &Transaction<'_>,
    cluster: &str,
    query: &str,
    part: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<ByTopic<T>> {
    let mut statement = read.prepare(query)?;
    let rows = statement.query_map([cluster], |row| Ok((row.get(0)?, part(row)?)))?;
    let mut found: ByTopic<T> = BTreeMap::new();
    for row in rows {
        let (topic, part) = row?;
        found.entry(topic).or_default().push(part);
    }
    Ok(found)
}

fn topics(read: &Transaction<'_>, cluster: &str) -> rusqlite::Result<Vec<KnownTopic>> {
    let mut partitions = by_topic(
        read,
        cluster,
        "SELECT topic_id, partition, log_start, high_watermark FROM seen_partitions
         WHERE cluster = ?1 ORDER BY partition",
        |row| {
            Ok(SeenPartition {
                id: PartitionId(row.get(1)?),
                log_start: Offset(row.get(2)?),
                high_watermark: Offset(row.get(3)?),
            })
        },
    )?;
    let mut counts = by_topic(
        read,
        cluster,
        "SELECT topic_id, until_ms, count FROM seen_counts WHERE cluster = ?1 ORDER BY until_ms",
        |row| Ok((TimestampMs(row.get(1)?), row.get(2)?)),
    )?;
    let mut statement = read.prepare(
        "SELECT topic, topic_id, first_ms, last_ms, count FROM seen_topics
         WHERE cluster = ?1 ORDER BY topic, first_ms",
    )?;
    let found = statement.query_map([cluster], |row| {
        let name: String = row.get(0)?;
        let topic_id: String = row.get(1)?;
        Ok(KnownTopic {
            first_seen: TimestampMs(row.get(2)?),
            last_seen: TimestampMs(row.get(3)?),
            earlier_counts: counts.remove(&topic_id).unwrap_or_default(),
            seen: SeenTopic {
                name: name.into(),
                partitions: partitions.remove(&topic_id).unwrap_or_default(),
                topic_id,
                count: row.get(4)?,
            },
        })
    })?;
    found.collect()
}

/// Movements in the topics as they were last seen: those of a topic of the same name that is gone are not theirs.
fn history(
    read: &Transaction<'_>,
    cluster: &str,
    topics: &[KnownTopic],
) -> rusqlite::Result<History> {
    let mut newest: BTreeMap<&str, &KnownTopic> = BTreeMap::new();
    for topic in topics {
        let known = newest.entry(&topic.seen.name).or_insert(topic);
        if topic.last_seen >= known.last_seen {
            *known = topic;
        }
    }
    let mut statement = read.prepare(
        "SELECT group_name, topic, topic_id, partition, at_ms, to_offset, epoch, log_end, had_members
         FROM seen_commits WHERE cluster = ?1 ORDER BY number",
    )?;
    let rows = statement.query_map([cluster], |row| {
        let group: Vec<u8> = row.get(0)?;
        let topic: String = row.get(1)?;
        let topic_id: String = row.get(2)?;
        let at = TopicPartition::new(topic, row.get(3)?);
        let offset: Option<i64> = row.get(5)?;
        let leader_epoch = row.get(6)?;
        let end: Option<i64> = row.get(7)?;
        let step = CommitMove {
            at: TimestampMs(row.get(4)?),
            to: offset.map(|offset| Committed {
                offset: Offset(offset),
                leader_epoch,
                metadata: Text::from(""),
            }),
            had_members: row.get(8)?,
            end: end.map(Offset),
        };
        Ok((Text::from_bytes(&group), topic_id, at, step))
    })?;
    let mut groups: BTreeMap<Text, GroupHistory> = BTreeMap::new();
    let mut history = History::default();
    for row in rows {
        let (group, topic_id, at, step) = row?;
        let is_present = newest
            .get(&*at.topic)
            .is_none_or(|known| known.seen.topic_id == topic_id);
        if !is_present {
            continue;
        }
        history.coverage.source = HistorySource::Readings;
        history.coverage.since.get_or_insert(step.at);
        history.coverage.commits = history.coverage.commits.saturating_add(1);
        let place = groups
            .entry(group)
            .or_default()
            .places
            .entry(at)
            .or_default();
        place.last_commit = step.to.as_ref().map(|_| step.at).or(place.last_commit);
        place.moves.push(step);
    }
    history.groups = groups
        .into_iter()
        .map(|(name, group)| (name, Arc::new(group)))
        .collect();
    Ok(history)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn topic(id: &str, count: u32, end: i64) -> SeenTopic {
        SeenTopic {
            name: "t".into(),
            topic_id: id.to_owned(),
            partitions: vec![SeenPartition {
                id: PartitionId(0),
                log_start: Offset(0),
                high_watermark: Offset(end),
            }],
            count,
        }
    }

    fn commit(topic_id: &str, offset: Option<i64>) -> SeenCommit {
        SeenCommit {
            group: Text::from_bytes(b"g\xff"),
            topic: "t".into(),
            topic_id: topic_id.to_owned(),
            partition: PartitionId(0),
            offset: offset.map(Offset),
            leader_epoch: Some(3),
            end: Some(Offset(50)),
            had_members: Some(true),
        }
    }

    fn sighting(at: i64, topics: Vec<SeenTopic>, commits: Vec<SeenCommit>) -> Sighting {
        Sighting {
            cluster: "c".to_owned(),
            at: TimestampMs(at),
            topics,
            commits,
        }
    }

    fn file() -> (tempfile::TempDir, ObservationsFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = ObservationsFile::new(folder.path().join("tideline.db"));
        (folder, file)
    }

    fn offsets(remembered: &Remembered) -> Vec<Option<i64>> {
        let at = TopicPartition::new("t", 0);
        let place = remembered.history.place(&Text::from_bytes(b"g\xff"), &at);
        let moves = place
            .map(|place| place.moves.as_slice())
            .unwrap_or_default();
        moves
            .iter()
            .map(|step| step.to.as_ref().map(|to| to.offset.0))
            .collect()
    }

    #[test]
    fn who_only_reads_makes_no_file() {
        let (folder, file) = file();
        assert_eq!(file.remembered("c"), Ok(Remembered::default()));
        assert_eq!(file.dismissed("c"), Ok(Vec::new()));
        assert!(!folder.path().join("tideline.db").exists());
    }

    #[test]
    fn a_topic_that_grows_keeps_its_earlier_counts() {
        let (_folder, file) = file();
        file.see(&sighting(1, vec![topic("a", 1, 10)], vec![]))
            .unwrap();
        file.see(&sighting(5, vec![topic("a", 1, 20)], vec![]))
            .unwrap();
        file.see(&sighting(9, vec![topic("a", 3, 30)], vec![]))
            .unwrap();
        let topics = file.remembered("c").unwrap().topics;
        assert_eq!(topics.len(), 1);
        assert_eq!(topics[0].first_seen, TimestampMs(1));
        assert_eq!(topics[0].last_seen, TimestampMs(9));
        assert_eq!(topics[0].earlier_counts, [(TimestampMs(5), 1)]);
        assert_eq!(topics[0].seen, topic("a", 3, 30));
        assert_eq!(file.remembered("other"), Ok(Remembered::default()));
    }

    #[test]
    fn the_furthest_end_of_a_log_stays_known() {
        let (_folder, file) = file();
        for (at, end) in [(1, 50), (2, 30), (3, 40)] {
            let seen = sighting(at, vec![topic("id-1", 1, end)], vec![]);
            file.see(&seen).unwrap();
        }
        let known = file.remembered("c").unwrap().topics;
        assert_eq!(known[0].seen.partitions[0].high_watermark, Offset(50));
        assert_eq!(known[0].last_seen, TimestampMs(3));
    }

    #[test]
    fn movements_of_a_topic_that_was_made_anew_begin_anew() {
        let (_folder, file) = file();
        file.see(&sighting(
            1,
            vec![topic("a", 1, 10)],
            vec![commit("a", Some(5))],
        ))
        .unwrap();
        file.see(&sighting(2, vec![], vec![commit("a", Some(5))]))
            .unwrap();
        file.see(&sighting(3, vec![], vec![commit("a", Some(7))]))
            .unwrap();
        file.see(&sighting(4, vec![], vec![commit("a", None)]))
            .unwrap();
        let before = file.remembered("c").unwrap();
        assert_eq!(offsets(&before), [Some(5), Some(7), None]);
        assert_eq!(before.history.coverage.source, HistorySource::Readings);
        assert_eq!(before.history.coverage.since, Some(TimestampMs(1)));
        file.see(&sighting(
            6,
            vec![topic("b", 1, 2)],
            vec![commit("b", Some(1))],
        ))
        .unwrap();
        let after = file.remembered("c").unwrap();
        assert_eq!(offsets(&after), [Some(1)]);
        let ids: Vec<&str> = after
            .topics
            .iter()
            .map(|topic| &*topic.seen.topic_id)
            .collect();
        assert_eq!(ids, ["a", "b"]);
    }

    #[test]
    fn what_is_old_goes() {
        let (_folder, file) = file();
        file.see(&sighting(
            0,
            vec![topic("a", 1, 10)],
            vec![commit("a", Some(5))],
        ))
        .unwrap();
        file.see(&sighting(31 * DAY, vec![], vec![commit("a", Some(6))]))
            .unwrap();
        assert_eq!(offsets(&file.remembered("c").unwrap()), [Some(6)]);
        file.see(&sighting(91 * DAY, vec![], vec![commit("b", Some(6))]))
            .unwrap();
        assert_eq!(file.remembered("c").unwrap().topics, []);
    }

    #[test]
    fn a_finding_is_put_aside_and_taken_back() {
        let (_folder, file) = file();
        let dismissal = |finding: &str, at| Dismissal {
            finding: finding.to_owned(),
            reason: "known".to_owned(),
            at: TimestampMs(at),
            user: "ada".to_owned(),
        };
        file.dismiss("c", &dismissal("G4-1", 1)).unwrap();
        file.dismiss("c", &dismissal("G5-2", 2)).unwrap();
        file.dismiss("c", &dismissal("G4-1", 3)).unwrap();
        file.dismiss("other", &dismissal("G4-9", 3)).unwrap();
        assert_eq!(
            file.dismissed("c"),
            Ok(vec![dismissal("G4-1", 3), dismissal("G5-2", 2)])
        );
        file.restore("c", "G4-1").unwrap();
        assert_eq!(file.dismissed("c"), Ok(vec![dismissal("G5-2", 2)]));
    }
}
