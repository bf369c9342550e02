//! The tab of the chosen group: its head, its partitions, its members.

mod tabs;
mod trajectory;

use std::sync::Arc;

use egui::accesskit::Role;
use egui_kittest::kittest::NodeT as _;
use tideline::engine::GroupPlaces;
use tideline::inspect::lag::Place;
use tideline::model::{
    Assignment, Commit, Group, GroupMembers, GroupType, Member, Offset, Partition, PartitionId,
};

use super::*;
use crate::over_time::{change_group, sample};

/// How billing moves: partition, how the log grows, how far it gets, at each reading.
const MOVES: [(i32, i64, i64); 3] = [(0, 5, 40), (1, 5, 0), (3, 50, 10)];

/// The shop with billing's tab open.
fn open_tab(mut snapshot: Snapshot) -> (Window, Fake) {
    if snapshot.samples.readings() == 0 {
        sample(&mut snapshot, 20, &MOVES);
    }
    let (mut harness, fake) = open(snapshot);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run();
    (harness, fake)
}

pub fn labels(harness: &Window, role: Role) -> Vec<String> {
    harness
        .get_all_by_role(role)
        .filter_map(|node| node.accesskit_node().label())
        .filter(|label| !label.starts_with("Lane "))
        .collect()
}

/// The row that begins with `title`.
fn row(harness: &Window, title: &str) -> String {
    let begins = format!("{title}, ");
    labels(harness, Role::Row)
        .into_iter()
        .find(|label| label.starts_with(&begins))
        .unwrap_or_else(|| panic!("no row {title}: {:?}", labels(harness, Role::Row)))
}

fn click_row(harness: &mut Window, title: &str) {
    let label = row(harness, title);
    click(harness, &label);
}

fn billing(snapshot: &mut Snapshot, change: impl FnOnce(&mut GroupPlaces)) {
    change_group(snapshot, "billing", change);
}

/// The tab in a window of another size.
fn open_tab_of(size: (f32, f32)) -> Window {
    let mut snapshot = data::shop();
    sample(&mut snapshot, 20, &MOVES);
    let (mut harness, _fake) = window(Harness::builder(), size, snapshot);
    harness.run();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run();
    harness
}

#[test]
fn what_is_said_of_a_group_never_lies_under_the_button() {
    // The last is what is left of 1,024 by 640 at 140 %.
    for size in [(1_440.0, 900.0), (1_024.0, 640.0), (731.0, 457.0)] {
        let harness = open_tab_of(size);
        let button = harness.get_by_label("Show where it stands").rect();
        let mut said = 0;
        for name in ["State ", "Type ", "Protocol ", "Assignor ", "Coordinator "] {
            let of_head = |rect: egui::Rect| rect.y_range().contains(button.center().y);
            let nodes = harness.query_all_by_label_contains(name);
            for rect in nodes.map(|node| node.rect()).filter(|rect| of_head(*rect)) {
                assert!(!rect.intersects(button), "{size:?} {name} {rect} {button}");
                said += 1;
            }
        }
        // All is said, be it of those that had no room.
        assert_eq!(said, 5, "{size:?}");
    }
}

#[test]
fn the_line_above_the_tabs_stays_where_it_is() {
    for size in [(1_440.0, 900.0), (1_024.0, 640.0)] {
        let mut harness = open_tab_of(size);
        let bottom = |harness: &Window| harness.get_by_label("Timeline").rect().bottom();
        let group = bottom(&harness);
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Num1);
        harness.run();
        let records = bottom(&harness);
        assert!((group - records).abs() < 0.01, "{size:?} {group} {records}");
        let line = harness.get_by_label("Height of the records").rect();
        assert!((line.center().y - records).abs() < 0.01, "{line} {records}");
    }
}

#[test]
fn the_head_says_what_the_group_is() {
    let (harness, _) = open_tab(data::shop());
    for fact in [
        "State Stable",
        "Type classic",
        "Protocol consumer",
        "Assignor range",
        "Coordinator broker 1",
    ] {
        assert!(shows(&harness, fact), "{fact}");
    }
}

#[test]
fn what_the_bus_does_not_say_of_a_group_has_its_reason() {
    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        let inner = Arc::make_mut(&mut group.group);
        inner.listing.kind = GroupType::Unknown;
        inner.listing.state = None;
    });
    let (harness, _) = open_tab(snapshot);
    assert!(shows(&harness, "Type not known: The bus does not say"));
    assert!(shows(&harness, "State not known: The bus does not say"));
}

#[test]
fn each_partition_says_where_the_group_stands() {
    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        let Place {
            committed,
            high_watermark,
            next,
            ..
        } = &mut group.places[0];
        *committed = Ok(Some(Offset(88_000)));
        *high_watermark = Ok(Offset(88_401));
        *next = Some(Ok(Some(tideline::model::RecordHead {
            offset: Offset(88_000),
            timestamp: Some(TimestampMs(data::NOW.0 - 53 * 60_000)),
        })));
        group.places[0].metadata = Text::from("batch 7");
    });
    sample(&mut snapshot, 20, &MOVES);
    let (harness, _) = open_tab(snapshot);
    assert_eq!(
        row(&harness, "orders / 0"),
        "orders / 0, committed 88,000, log end 88,401, lag 401, in time 53 min, \
         last movement moved 0 s ago, trend catching up, owner nobody, batch 7"
    );
    let stuck = row(&harness, "orders / 1");
    // 76 s before 14:59:58.
    assert!(
        stuck.contains("last movement not moved since 14:58:42 UTC+01:00, trend stuck"),
        "{stuck}"
    );
    let third = row(&harness, "orders / 3");
    assert!(third.contains("trend falling behind"), "{third}");
}

#[test]
fn deleted_records_are_said_and_do_not_count() {
    let (harness, _) = open_tab(data::shop());
    let second = row(&harness, "orders / 2");
    assert!(
        second.ends_with("lost 1,204 before the log start"),
        "{second}"
    );
    let all = row(&harness, "orders");
    assert!(all.contains("lost 1,204 before the log start"), "{all}");
}

#[test]
fn totals_are_at_least_where_a_partition_is_not_known() {
    let mut snapshot = data::shop();
    let mut rest = 0;
    billing(&mut snapshot, |group| {
        group.places[1].high_watermark =
            Err(Problem::new(ProblemKind::NoLeader, "nobody leads it"));
        rest = group
            .places
            .iter()
            .filter_map(|place| place.lag().ok().flatten())
            .sum::<u64>();
    });
    let (harness, _) = open_tab(snapshot);
    let all = row(&harness, "orders");
    let thousands = format!("lag ≥ {},{:03}", rest / 1_000, rest % 1_000);
    assert!(all.contains(&thousands), "{all} without {thousands}");
    assert!(all.contains("1 partition not known"), "{all}");
    let unknown = row(&harness, "orders / 1");
    assert!(
        unknown.contains("lag not known: nobody leads it")
            && unknown.contains("log end not known: nobody leads it"),
        "{unknown}"
    );
}

#[test]
fn a_commit_beyond_the_end_is_a_warning() {
    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        group.places[0].committed = Ok(Some(Offset(99_999_999)));
    });
    let (harness, _) = open_tab(snapshot);
    let beyond = row(&harness, "orders / 0");
    assert!(beyond.ends_with("committed beyond the end"), "{beyond}");
    assert!(
        beyond.contains("lag not known: committed offset 99999999"),
        "{beyond}"
    );
}

#[test]
fn a_heading_orders_the_rows_and_turns_them_round() {
    let (mut harness, _) = open_tab(data::shop());
    let titles = |harness: &Window| -> Vec<String> {
        let rows = labels(harness, Role::Row).into_iter();
        rows.map(|label| label.split(',').next().unwrap().to_owned())
            .collect()
    };
    let by_partition = [
        "orders",
        "orders / 0",
        "orders / 1",
        "orders / 2",
        "orders / 3",
    ];
    assert_eq!(titles(&harness), by_partition);
    harness
        .get_by_role_and_label(Role::ColumnHeader, "Lag")
        .click();
    harness.run();
    assert!(shows(&harness, "Lag, largest first"));
    let lags: Vec<u64> = labels(&harness, Role::Row)[1..]
        .iter()
        .map(|label| {
            let lag = label.split(", lag ").nth(1).unwrap();
            lag.split(", in time")
                .next()
                .unwrap()
                .replace(',', "")
                .parse()
                .unwrap()
        })
        .collect();
    assert!(
        lags.is_sorted_by(|a, b| a >= b) && lags[0] > lags[3],
        "{lags:?}"
    );
    click(&mut harness, "Lag, largest first");
    assert!(shows(&harness, "Lag, smallest first"));
    assert_ne!(titles(&harness), by_partition);
}

#[test]
fn members_are_named_with_what_they_read() {
    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        let inner = Arc::make_mut(&mut group.group);
        let members = inner.members.as_mut().unwrap().members.as_mut().unwrap();
        members[0].assignment = vec![Assignment {
            topic: "orders".into(),
            partitions: [0, 1, 3].map(PartitionId).to_vec(),
        }];
        members[0].client_id = Text::from("billing-eu");
        members[1].instance_id = Some(Text::from("static-2"));
    });
    let (harness, _) = open_tab(snapshot);
    assert!(shows(
        &harness,
        "Member billing-eu, host /10.0.0.7, id billing-0, no instance id, reads orders 0–1, 3"
    ));
    assert!(shows(
        &harness,
        "Member billing, host /10.0.0.7, id billing-1, instance static-2, reads nothing"
    ));
    assert!(row(&harness, "orders / 1").contains("owner billing-eu"));
    assert!(row(&harness, "orders / 2").contains("owner nobody"));
}

#[test]
fn a_group_without_members_says_so_and_one_whose_type_tells_none_says_why() {
    let (mut harness, _) = open_tab(data::shop());
    let label = labels(&harness, Role::ListItem)
        .into_iter()
        .find(|label| label.starts_with("Group reports"))
        .unwrap();
    click(&mut harness, &label);
    assert!(shows(&harness, "No members"));
    assert!(row(&harness, "customers / 0").contains("owner no members"));

    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        let why = |text: &str| Problem::new(ProblemKind::Unsupported, text);
        let inner = Arc::make_mut(&mut group.group);
        inner.listing.kind = GroupType::Share;
        inner.members = Ok(GroupMembers {
            assignor: None,
            coordinator: None,
            state: None,
            members: Err(why("the members of share groups cannot be read yet")),
        });
        inner.commits = Err(why("share groups keep no committed offset"));
        group.places.clear();
    });
    let (mut harness, _) = open(snapshot);
    click(&mut harness, "Group billing, —");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    harness.run();
    // The table says so, and the trajectory.
    let why = "The committed offsets are not known: share groups keep no committed offset";
    assert_eq!(harness.query_all_by_label(why).count(), 2);
    assert!(shows(
        &harness,
        "Members not known: the members of share groups cannot be read yet"
    ));
}

#[test]
fn a_row_leads_to_its_lane_and_to_the_place_on_the_timeline() {
    let (mut harness, _) = open_tab(data::shop());
    assert!(
        harness
            .get_by_label("Show where it stands")
            .accesskit_node()
            .is_disabled()
    );
    click_row(&mut harness, "orders / 3");
    let state = harness.state().state();
    assert_eq!(state.lane.as_ref().unwrap().title(), "orders / 3");
    assert!(!state.open_topics.contains("orders") && state.view.is_none());
    click(&mut harness, "Show where it stands");
    assert!(shows(&harness, "Lane orders / 3"));
    let view = harness.state().state().view.unwrap();
    // billing stands at 14:38:42 there; the next record follows within seconds.
    let middle = f64::midpoint(view.from_ms, view.to_ms);
    let stands = 1_796_043_600_000.0 + 2_322_000.0;
    assert!((middle - stands).abs() < 10_000.0, "{middle} {stands}");
}

#[test]
fn rows_are_walked_by_keys_and_enter_leads_to_the_timeline() {
    let (mut harness, _) = open_tab(data::shop());
    harness.get_by_label(&row(&harness, "orders")).focus();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.run();
    let subject = harness.state().state().group_view.subject.clone();
    assert_eq!(subject.unwrap().title(), "orders / 1");
    harness.key_press(Key::End);
    harness.run();
    let subject = harness.state().state().group_view.subject.clone();
    assert_eq!(subject.unwrap().title(), "orders / 3");
    harness.key_press(Key::Enter);
    harness.run();
    assert!(harness.state().state().view.is_some());
}

/// billing in so many partitions, all of them behind.
fn wide(partitions: i32) -> Snapshot {
    let mut snapshot = data::shop();
    billing(&mut snapshot, |group| {
        let partition = Partition {
            id: PartitionId(0),
            leader: None,
            replicas: vec![],
            isr: vec![],
            log_start: Ok(Offset(0)),
            high_watermark: Ok(Offset(1_000)),
            last_stable: Ok(Offset(1_000)),
            error: None,
        };
        let commits: Vec<Commit> = (0..partitions)
            .map(|id| Commit {
                at: TopicPartition::new("wide", id),
                offset: Ok(Some(Offset(i64::from(id % 900)))),
                leader_epoch: None,
                metadata: Text::from(""),
            })
            .collect();
        group.places = commits
            .iter()
            .map(|commit| Place::in_partition(commit, Some(&partition)))
            .collect();
        let member = |number: i32| Member {
            member_id: Text::from(format!("m-{number:04}").as_str()),
            client_id: Text::from("wide"),
            host: Text::from("/10.0.0.7"),
            instance_id: None,
            assignment: vec![Assignment {
                topic: "wide".into(),
                partitions: vec![PartitionId(number)],
            }],
        };
        group.group = Arc::new(Group {
            commits: Ok(commits),
            members: Ok(GroupMembers {
                assignor: None,
                coordinator: None,
                state: None,
                members: Ok((0..1_000).map(member).collect()),
            }),
            ..Group::clone(&group.group)
        });
    });
    snapshot
}

#[test]
fn eight_thousand_partitions_build_only_the_rows_on_screen() {
    let mut snapshot = wide(8_000);
    sample(&mut snapshot, 2, &[(0, 1, 1)]);
    let (mut harness, _) = open_tab(snapshot);
    let table = harness
        .get_by_role_and_label(Role::ColumnHeader, "Lag")
        .rect();
    let rows = || labels(&harness, Role::Row);
    let shown = rows().len();
    assert!((6..16).contains(&shown), "{shown}");
    let members = labels(&harness, Role::ListItem);
    let members = members
        .iter()
        .filter(|label| label.starts_with("Member "))
        .count();
    assert!((1..8).contains(&members), "{members}");
    harness.hover_at(pos2(table.left(), table.bottom() + 40.0));
    harness.run();
    harness.get_by_label(&row(&harness, "wide")).focus();
    harness.run();
    harness.key_press(Key::End);
    harness.run();
    let last = row(&harness, "wide / 7999");
    assert!(
        last.contains("committed 799, log end 1,000, lag 201"),
        "{last}"
    );
    assert!(labels(&harness, Role::Row).len() <= shown + 1);
}
