//! The program ends between any two steps of the walk: what the journal tells then is true, and leads back.

use std::time::Duration;

use super::bus::{World, at};
use super::{applied, ask, request};
use crate::engine::tasks::rewind::write;
use crate::model::{Bookmark, JournalState, Offset, RowOutcome, Text};
use crate::rewind::target::Target;

/// Partition 0 has a bookmark with a text beside it, partition 1 one behind its log start, partition 2 none.
fn world() -> World {
    let world = World::new(&[(0, 100, Some(80)), (10, 50, Some(30)), (0, 40, None)]);
    world.state.lock().bookmarks.insert(
        at(0),
        Bookmark {
            offset: Offset(80),
            leader_epoch: Some(4),
            metadata: Text::from("billing"),
        },
    );
    world
}

#[tokio::test(start_paused = true)]
async fn whatever_ends_the_program_the_journal_knows_the_way_back() {
    let all = |mut asked: crate::engine::changing::RewindRequest| {
        asked.plan.parts[0].scope = crate::rewind::target::Scope::Topic("t".into());
        asked
    };
    let mut ended_whole = false;
    let (mut unwritten, mut changed_unknown, mut told) = (0, 0, 0);
    for step in 1..200 {
        let world = world();
        let original = world.state.lock().bookmarks.clone();
        world.fuse.burn_at(step);
        let walk = ask(&world, all(request(Target::Offset(Offset(20)))));
        let walked = tokio::time::timeout(Duration::from_mins(10), walk).await;
        let burnt = world.fuse.is_burnt();
        world.fuse.burn_at(0);
        if !burnt {
            applied(&walked.unwrap().unwrap());
            ended_whole = true;
            break;
        }
        let now = world.state.lock().bookmarks.clone();
        let entry = world.state.lock().entries.first().cloned();
        let Some(mut entry) = entry else {
            assert_eq!(now, original, "step {step}: changed without a word kept");
            unwritten += 1;
            continue;
        };
        for row in &entry.rows {
            assert_eq!(row.before.as_ref(), original.get(&row.at), "step {step}");
        }
        match entry.state {
            JournalState::Sending => changed_unknown += usize::from(now != original),
            JournalState::Answered | JournalState::Watching => told += 1,
            other => panic!("step {step}: {other:?}"),
        }
        // Checked after the start: what the bus has decides.
        write::read_back(&world.desk(), &mut entry).await;
        let state = write::judged(&entry);
        if now == original {
            assert_eq!(state, JournalState::Refused, "step {step}");
            let refused =
                |row: &crate::model::JournalRow| matches!(row.outcome, RowOutcome::Refused(_));
            assert!(entry.rows.iter().all(refused), "step {step}");
        } else {
            assert_eq!(state, JournalState::Watching, "step {step}");
        }
        // Undone, everything is as it was: offsets, epochs, texts, and nothing where nothing was.
        let mut undoing = request(Target::undoing(&entry));
        undoing.plan.undoes = Some(entry.id.clone());
        ask(&world, undoing).await.unwrap();
        assert_eq!(world.state.lock().bookmarks, original, "step {step}");
    }
    assert!(ended_whole);
    // The walk was broken off before anything was kept, between write and answer, and after it.
    assert!(unwritten > 0 && changed_unknown > 0 && told > 0);
}
