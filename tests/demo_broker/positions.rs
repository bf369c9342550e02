//! The demo bus lets groups be moved by the rules of a real broker.

use tideline::bus::Bus as _;
use tideline::bus::demo::Server;
use tideline::bus::kafka::KafkaBus;
use tideline::model::{
    Bookmark, ConnectionSettings, Known, Offset, ProblemKind, Text, TopicPartition,
};

use super::{at_noon, make_topic};

struct Client {
    bus: KafkaBus,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    fn of(server: &Server) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let settings = ConnectionSettings::to(server.addr().to_string());
        let bus = runtime.block_on(tideline::bus::kafka::connect(&settings));
        Self {
            bus: bus.unwrap(),
            runtime,
        }
    }

    fn set(&self, group: &str, to: &[(&str, i32, i64)]) -> Vec<Option<ProblemKind>> {
        let to = to.iter().map(|(topic, partition, offset)| {
            let bookmark = Bookmark {
                offset: Offset(*offset),
                leader_epoch: Some(0),
                metadata: Text::from("by hand ✓"),
            };
            (TopicPartition::new(*topic, *partition), bookmark)
        });
        let positions = self.bus.positions().unwrap();
        kinds(
            &self
                .runtime
                .block_on(positions.set(Text::from(group), to.collect())),
        )
    }

    fn delete(&self, group: &str, at: &[(&str, i32)]) -> Vec<Option<ProblemKind>> {
        let at = at.iter();
        let at = at.map(|(topic, partition)| TopicPartition::new(*topic, *partition));
        let positions = self.bus.positions().unwrap();
        kinds(
            &self
                .runtime
                .block_on(positions.delete(Text::from(group), at.collect())),
        )
    }

    fn bookmarks(&self, group: &str) -> Vec<(String, Bookmark)> {
        let commits = self.bus.commits(vec![Text::from(group)]);
        let commits = self.runtime.block_on(commits).remove(0).unwrap();
        let commits = commits.iter();
        commits
            .map(|commit| (commit.at.to_string(), Bookmark::of(commit).unwrap()))
            .collect()
    }
}

fn kinds(rows: &Known<Vec<Known<()>>>) -> Vec<Option<ProblemKind>> {
    let rows = rows.as_ref().unwrap().iter();
    rows.map(|row| row.as_ref().err().map(|problem| problem.kind))
        .collect()
}

#[test]
fn a_group_without_members_is_moved_and_one_with_members_is_not() {
    let server = at_noon();
    make_topic(&server, "quiet", 2);
    let client = Client::of(&server);
    let before = client.bookmarks("billing");
    let both = [("orders", 0, 1), ("quiet", 0, 0)];
    assert_eq!(
        client.set("billing", &both),
        [Some(ProblemKind::GroupActive); 2]
    );
    assert_eq!(
        client.delete("billing", &[("orders", 0), ("quiet", 0), ("orders", 99)]),
        [
            Some(ProblemKind::GroupActive),
            None,
            Some(ProblemKind::NotFound)
        ]
    );
    assert_eq!(client.bookmarks("billing"), before);

    let rows = [("quiet", 0, 3), ("quiet", 9, 1), ("quiet", 1, 4)];
    assert_eq!(
        client.set("群组/a#b", &rows),
        [None, Some(ProblemKind::NotFound), None]
    );
    let bookmark = |offset: i64| Bookmark {
        offset: Offset(offset),
        leader_epoch: Some(0),
        metadata: Text::from("by hand ✓"),
    };
    assert_eq!(
        client.bookmarks("群组/a#b"),
        [
            ("quiet/0".to_owned(), bookmark(3)),
            ("quiet/1".to_owned(), bookmark(4))
        ]
    );
    assert_eq!(client.delete("群组/a#b", &[("quiet", 0)]), [None]);
    assert_eq!(
        client.bookmarks("群组/a#b"),
        [("quiet/1".to_owned(), bookmark(4))]
    );
    assert_eq!(
        client.delete("never-heard-of", &[("quiet", 0)]),
        [Some(ProblemKind::NotFound)]
    );
}
