//! Totals, owners and orders, on a group made by hand.

use super::*;
use crate::inspect::samples::{GroupReading, Limits};
use crate::model::{
    Assignment, Commit, Group, GroupListing, GroupMembers, GroupType, Known, Problem, ProblemKind,
    RecordHead,
};

fn place(
    topic: &str,
    partition: i32,
    committed: Known<Option<i64>>,
    start: i64,
    end: i64,
) -> Place {
    let commit = Commit {
        at: TopicPartition::new(topic, partition),
        offset: committed.map(|committed| committed.map(Offset)),
        leader_epoch: None,
        metadata: Text::from(""),
    };
    Place::new(&commit, Ok(Offset(start)), Ok(Offset(end)))
}

fn at_time(mut place: Place, ms: i64) -> Place {
    let (offset, _) = place.reads_next().unwrap();
    place.next = Some(Ok(Some(RecordHead {
        offset,
        timestamp: Some(TimestampMs(ms)),
    })));
    place
}

fn lost() -> Problem {
    Problem::new(ProblemKind::NoLeader, "nobody leads it")
}

/// orders 0 to 4: 30 behind; 500 behind of which 10 were deleted; beyond the end; never committed; not known.
/// payments 0: at the end.
fn places() -> Vec<Place> {
    let mut unknown = place("orders", 4, Ok(Some(5)), 0, 9);
    unknown.high_watermark = Err(lost());
    let mut noted = place("payments", 0, Ok(Some(40)), 0, 40);
    noted.metadata = Text::from("note");
    vec![
        at_time(place("orders", 0, Ok(Some(70)), 0, 100), 5_000),
        at_time(place("orders", 1, Ok(Some(90)), 100, 600), 2_000),
        place("orders", 2, Ok(Some(8)), 0, 7),
        place("orders", 3, Ok(None), 0, 50),
        unknown,
        noted,
    ]
}

fn member(client: &str, topic: &str, partitions: &[i32]) -> Member {
    Member {
        member_id: Text::from(format!("{client}-id").as_str()),
        client_id: Text::from(client),
        host: Text::from("/10.0.0.7"),
        instance_id: None,
        assignment: vec![Assignment {
            topic: topic.into(),
            partitions: partitions.iter().map(|id| PartitionId(*id)).collect(),
        }],
    }
}

fn inventory(places: Vec<Place>) -> Arc<Inventory> {
    let group = GroupPlaces {
        group: Arc::new(Group {
            listing: GroupListing {
                name: Text::from("billing"),
                kind: GroupType::Classic,
                protocol_type: None,
                state: None,
                coordinator: None,
            },
            members: Ok(GroupMembers {
                assignor: None,
                coordinator: None,
                state: None,
                members: Ok(vec![
                    member("zoe", "orders", &[0, 2]),
                    member("adam", "orders", &[1]),
                ]),
            }),
            commits: Ok(vec![]),
        }),
        places,
    };
    Arc::new(Inventory {
        groups: Some(Ok(vec![group])),
        ..Inventory::default()
    })
}

fn model(column: GroupColumn, descending: bool) -> Model {
    let sort = GroupSort { column, descending };
    Model::new(&inventory(places()), 0, None, sort)
}

/// The rows as a person would call them.
fn rows(model: &Model) -> Vec<String> {
    let title = |row: &Row| {
        model
            .lane(*row)
            .map_or_else(|| "all".to_owned(), |lane| lane.title())
    };
    model.rows.iter().map(title).collect()
}

fn partitions(column: GroupColumn, descending: bool) -> Vec<String> {
    let rows = rows(&model(column, descending));
    rows[3..]
        .iter()
        .map(|title| title.replace("orders / ", "o").replace("payments / ", "p"))
        .collect()
}

#[test]
fn totals_count_what_is_known_and_say_what_is_not() {
    let model = model(GroupColumn::Topic, false);
    assert_eq!(
        model.all,
        Total {
            // 30 + 500: the ten that were deleted are no lag.
            lag: TotalLag {
                records: Some(530),
                incomplete: true
            },
            partitions: 6,
            unknown: 2,
            never: 1,
            beyond: 1,
            lost: 10,
            waiting_since: Some(TimestampMs(2_000)),
            untimed: 0,
        }
    );
    let payments = &model.topics[1];
    assert_eq!(&*payments.topic, "payments");
    assert_eq!(payments.total.lag.records, Some(0));
    assert_eq!(
        (payments.total.unknown, payments.total.waiting_since),
        (0, None)
    );
    assert_eq!(model.largest, Some(Offset(600)));
}

#[test]
fn totals_come_first_then_partitions_in_their_order() {
    assert_eq!(
        rows(&model(GroupColumn::Topic, false)),
        [
            "all",
            "orders",
            "payments",
            "orders / 0",
            "orders / 1",
            "orders / 2",
            "orders / 3",
            "orders / 4",
            "payments / 0"
        ]
    );
    assert_eq!(
        rows(&model(GroupColumn::Topic, true))[..4],
        ["all", "payments", "orders", "payments / 0"]
    );
}

#[test]
fn a_single_topic_is_the_whole_group() {
    let places: Vec<Place> = places().into_iter().take(2).collect();
    let model = Model::new(&inventory(places), 0, None, GroupSort::default());
    assert_eq!(rows(&model), ["orders", "orders / 0", "orders / 1"]);
}

#[test]
fn what_is_not_known_comes_last_either_way() {
    assert_eq!(
        partitions(GroupColumn::Lag, true),
        ["o1", "o0", "p0", "o2", "o3", "o4"]
    );
    assert_eq!(
        partitions(GroupColumn::Lag, false),
        ["p0", "o0", "o1", "o2", "o3", "o4"]
    );
    assert_eq!(
        partitions(GroupColumn::Committed, true),
        ["o1", "o0", "p0", "o2", "o4", "o3"]
    );
    assert_eq!(
        partitions(GroupColumn::End, false),
        ["o2", "p0", "o3", "o0", "o1", "o4"]
    );
}

#[test]
fn the_longest_delay_is_the_earliest_record() {
    assert_eq!(
        partitions(GroupColumn::Delay, true),
        ["o1", "o0", "p0", "o2", "o3", "o4"]
    );
}

#[test]
fn owners_are_ordered_by_name_and_found_by_partition() {
    assert_eq!(
        partitions(GroupColumn::Owner, false),
        ["o1", "o0", "o2", "o3", "o4", "p0"]
    );
    let model = model(GroupColumn::Topic, false);
    let owner = |partition| {
        let owner = model.owner(&TopicPartition::new("orders", partition));
        owner.map(|owner| owner.client_id.to_string())
    };
    assert_eq!(owner(1).as_deref(), Some("adam"));
    assert_eq!(owner(3), None);
}

#[test]
fn warnings_are_ordered_before_metadata() {
    assert_eq!(
        partitions(GroupColumn::Notes, false),
        ["o2", "o1", "p0", "o0", "o3", "o4"]
    );
}

#[test]
fn movement_and_trend_are_taken_from_the_samples() {
    let name = Text::from("billing");
    let mut samples = Samples::default();
    // 0 falls behind, 1 is stuck, payments is steady; 0 moves at each reading.
    for step in 0..10_i64 {
        let mut now = places();
        now[0].high_watermark = Ok(Offset(100 + step * 20));
        now[0].committed = Ok(Some(Offset(70 + step)));
        let reading = GroupReading {
            name: &name,
            places: Some(&now),
        };
        let at = TimestampMs(step * 4_000);
        samples = samples.with(at, &[reading], None, &Limits::default());
    }
    let ordered = |column, descending| {
        let sort = GroupSort { column, descending };
        let model = Model::new(&inventory(places()), 0, samples.group(&name), sort);
        rows(&model)[3..6].to_vec()
    };
    assert_eq!(
        ordered(GroupColumn::Trend, false),
        ["orders / 1", "orders / 0", "payments / 0"]
    );
    assert_eq!(ordered(GroupColumn::Moved, true)[0], "orders / 0");
}

#[test]
fn the_topic_that_is_farthest_behind_is_drawn_first() {
    let model = model(GroupColumn::Topic, false);
    assert_eq!(model.default_subject().unwrap().title(), "orders");
    assert!(model.has(&model.default_subject().unwrap()));
    assert!(!model.has(&LaneKey::topic(&"gone".into())));
}

#[test]
fn a_model_is_made_anew_only_when_its_sources_change() {
    let inventory = inventory(places());
    let samples = Arc::new(Samples::default());
    let mut cache = ModelCache::default();
    let sort = GroupSort::default();
    let first = cache.of(&inventory, &samples, 0, sort);
    let same = cache.of(&inventory, &samples, 0, sort);
    assert!(Arc::ptr_eq(&first, &same));
    let other = cache.of(&inventory, &samples, 0, sort.by(GroupColumn::Lag));
    assert!(!Arc::ptr_eq(&first, &other));
    let newer = cache.of(&inventory, &Arc::new(Samples::default()), 0, sort);
    assert!(!Arc::ptr_eq(&first, &newer));
}
