//! Undoing what was applied restores it, for groups and plans by chance.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fastrand::Rng;

use super::*;
use crate::model::Commit;
use crate::model::by_hand;
use crate::rewind::target::{Part, Scope, UndoRow};

type Bookmarks = BTreeMap<TopicPartition, Bookmark>;

/// A cluster by chance: the ends of its partitions, and where two groups stand.
struct Chance {
    ends: BTreeMap<TopicPartition, (i64, i64)>,
    ours: Bookmarks,
    theirs: Bookmarks,
}

fn bookmark(rng: &mut Rng, offset: i64) -> Bookmark {
    Bookmark {
        offset: Offset(offset),
        leader_epoch: rng.bool().then(|| rng.i32(0..5)),
        metadata: Text::from(*rng.choice(&["", "", "état", "{\"done\":[7]}"]).unwrap()),
    }
}

impl Chance {
    fn new(rng: &mut Rng) -> Self {
        let (mut ends, mut ours, mut theirs) =
            (BTreeMap::new(), Bookmarks::new(), Bookmarks::new());
        for topic in ["a", "b", "c"] {
            for partition in 0..rng.i32(1..5) {
                let at = TopicPartition::new(topic, partition);
                let start = rng.i64(0..50);
                let end = start + rng.i64(0..100);
                if rng.u8(0..4) > 0 {
                    // Below the log start and beyond the end as well.
                    let offset = rng.i64((start - 5).max(0)..end + 5);
                    ours.insert(at.clone(), bookmark(rng, offset));
                }
                if rng.bool() {
                    theirs.insert(at.clone(), bookmark(rng, start));
                }
                ends.insert(at, (start, end));
            }
        }
        Self { ends, ours, theirs }
    }

    fn facts(&self, wanted: &Wanted, rng: &mut Rng) -> RowFacts {
        let (start, end) = self.ends[&wanted.at];
        let aim = match &wanted.target {
            Target::Time(_) if start < end && rng.bool() => {
                Some(Ok(Aim::Found(Offset(rng.i64(start..end)))))
            }
            Target::Time(_) => Some(Ok(Aim::NoLaterRecord)),
            Target::Group(_) => Some(Ok(Aim::Bookmark(self.theirs.get(&wanted.at).cloned()))),
            _ => None,
        };
        RowFacts {
            topic_id: Some(format!("id-{}", wanted.at.topic)),
            log_start: Ok(Offset(start)),
            end: Ok(Offset(end)),
            committed: Ok(self.ours.get(&wanted.at).cloned()),
            aim,
            retention_ms: None,
        }
    }

    fn plan(&self, request: &PlanRequest, rng: &mut Rng) -> Plan {
        let commits = |bookmarks: &Bookmarks| -> Vec<Commit> {
            bookmarks
                .iter()
                .map(|(at, bookmark)| Commit {
                    at: at.clone(),
                    offset: Ok(Some(bookmark.offset)),
                    leader_epoch: bookmark.leader_epoch,
                    metadata: bookmark.metadata.clone(),
                })
                .collect()
        };
        let names: BTreeSet<&str> = self.ends.keys().map(|at| &*at.topic).collect();
        let topics = names
            .into_iter()
            .map(|name| {
                let partitions = self
                    .ends
                    .iter()
                    .filter(|(at, _)| &*at.topic == name)
                    .map(|(at, (start, end))| by_hand::partition(at.partition.0, *start, *end));
                let topic = by_hand::topic(name, partitions.collect());
                (Arc::clone(&topic.name), Arc::new(topic))
            })
            .collect();
        let others = BTreeMap::from([(Text::from("other"), commits(&self.theirs))]);
        let (wanted, problems) = scope(request, &commits(&self.ours), &topics, &others);
        assert_eq!(problems, vec![]);
        let rows = wanted
            .iter()
            .map(|want| Row::new(want, self.facts(want, rng), request.with_metadata))
            .collect();
        Plan::new(request, rows, problems, TimestampMs(0))
    }

    /// Does what the plan says; returns what undoing it needs.
    fn apply(&mut self, plan: &Plan) -> Vec<UndoRow> {
        let moves = plan.moves();
        moves
            .into_iter()
            .map(|wanted| {
                let before = match &wanted.to {
                    Some(to) => self.ours.insert(wanted.at.clone(), to.clone()),
                    None => self.ours.remove(&wanted.at),
                };
                UndoRow {
                    topic_id: Some(format!("id-{}", wanted.at.topic)),
                    at: wanted.at,
                    before,
                    after: wanted.to,
                }
            })
            .collect()
    }
}

fn request(parts: Vec<Part>, with_metadata: bool) -> PlanRequest {
    PlanRequest {
        group: Text::from("g"),
        parts,
        left_out: BTreeSet::new(),
        new_group: false,
        with_metadata,
        undoes: None,
    }
}

fn target(chance: &Chance, rng: &mut Rng) -> Target {
    match rng.u8(0..8) {
        0 => Target::Earliest,
        1 => Target::Latest,
        2 => Target::Offset(Offset(rng.i64(0..150))),
        3 => Target::Shift(rng.i64(-20..20)),
        4 => Target::Group(Text::from("other")),
        5 => {
            let rows: Vec<_> = chance
                .ends
                .iter()
                .map(|(at, (start, end))| (at.clone(), Offset(rng.i64(*start..=*end))))
                .collect();
            Target::Table(Arc::from(rows))
        }
        _ => Target::Time(TimestampMs(5)),
    }
}

#[test]
fn undoing_what_was_applied_restores_offsets_epochs_and_texts() {
    let (mut changed, mut deleted) = (0, 0);
    for seed in 0..2_000 {
        let mut rng = Rng::with_seed(seed);
        let mut chance = Chance::new(&mut rng);
        let original = chance.ours.clone();
        let mut parts = Vec::new();
        for topic in ["a", "b", "c"] {
            if rng.u8(0..3) > 0 {
                parts.push(Part {
                    scope: Scope::Topic(topic.into()),
                    target: target(&chance, &mut rng),
                });
            }
        }
        let with_metadata = rng.bool();
        let plan = chance.plan(&request(parts, with_metadata), &mut rng);
        for row in &plan.rows {
            let (start, end) = chance.ends[&row.at];
            if let Ok(Some(to)) = &row.to {
                let unmoved = Ok(Some(to.clone())) == row.from;
                let readable = (start..=end).contains(&to.offset.0);
                assert!(unmoved || readable, "seed {seed}: {row:?}");
            }
        }
        let rows = chance.apply(&plan);
        if rows.is_empty() {
            assert_eq!(chance.ours, original, "seed {seed}");
            continue;
        }
        changed += 1;
        deleted += usize::from(rows.iter().any(|row| row.before.is_none()));
        let undo = Part {
            scope: Scope::Committed,
            target: Target::Before {
                id: "1".to_owned(),
                rows: Arc::from(rows),
            },
        };
        let undo = chance.plan(&request(vec![undo], false), &mut rng);
        for row in &undo.rows {
            assert!(row.to.is_ok(), "seed {seed}: {row:?}");
        }
        let redo = chance.apply(&undo);
        assert_eq!(chance.ours, original, "seed {seed}");
        // And undoing the undoing gives the first change again.
        assert_eq!(redo.len(), undo.moves().len(), "seed {seed}");
    }
    assert!(changed > 1_000 && deleted > 100, "{changed} {deleted}");
}
