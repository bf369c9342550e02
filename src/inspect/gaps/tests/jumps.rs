//! Committed offsets that jumped, and who moved them.

use super::*;

/// Steps of a hundred by a member, a minute apart, then this move of so many milliseconds ago.
fn steps(to: i64, epoch: Option<i32>, members: Option<bool>, after: &[i64]) -> World {
    let mut moves: Vec<Moved> = (1..=6)
        .map(|n| ((20 - n) * MINUTE, Some(n * 100), Some(1), Some(true)))
        .collect();
    moves.push((13 * MINUTE, Some(to), epoch, members));
    for (offset, n) in after.iter().zip(1..) {
        moves.push(((13 - n) * MINUTE, Some(*offset), Some(1), Some(true)));
    }
    let last = after.last().copied().unwrap_or(to);
    world(&[(0, 50_000)])
        .group("g", &[(0, Some(last))], &[&[0]])
        .moves("g", 0, &moves)
}

#[test]
fn a_bookmark_moved_while_nobody_was_there_jumped() {
    let world = steps(1_804, None, Some(false), &[1_900, 2_000]);
    assert_eq!(world.told(), [told("G7", "g", (0, 600, 1_803), "strong")]);
    let finding = only(&world);
    assert!(
        finding.sentence.contains("1,204 events"),
        "{}",
        finding.sentence
    );
    assert_eq!(finding.from_time, Some(ago(14 * MINUTE)));
    assert_eq!(finding.to_time, Some(ago(13 * MINUTE)));
}

#[test]
fn steps_of_any_usual_size_are_none() {
    // Twice, and ten times as large as the others.
    assert_eq!(steps(800, Some(1), Some(true), &[900]).told(), []);
    assert_eq!(steps(1_600, Some(1), Some(true), &[1_700]).told(), []);
    // Few steps say nothing of what is usual.
    let few = world(&[(0, 50_000)])
        .group("g", &[(0, Some(50_000))], &[&[0]])
        .moves(
            "g",
            0,
            &[
                (10 * MINUTE, Some(10), Some(1), Some(true)),
                (MINUTE, Some(50_000), Some(1), Some(true)),
            ],
        );
    assert_eq!(few.told(), []);
}

#[test]
fn a_step_far_larger_than_all_others_is_a_jump_surely_when_it_ends_at_the_end() {
    let question = steps(40_000, Some(1), Some(true), &[40_100]);
    assert_eq!(question.told(), [told("G7", "g", (0, 600, 39_999), "hint")]);
    let with_ends = |before: i64, then: i64| {
        steps(40_000, Some(1), Some(true), &[40_100]).with(|world| {
            world.ends_at.push((0, ago(14 * MINUTE), Some(before)));
            world.ends_at.push((0, ago(13 * MINUTE), Some(then)));
        })
    };
    let to_end = with_ends(39_000, 40_000);
    assert_eq!(to_end.told(), [told("G7", "g", (0, 600, 39_999), "strong")]);
    assert_eq!(
        evidence(&only(&to_end), "waited_before"),
        Some(&Fact::Number(38_400))
    );
    let not_to_end = with_ends(39_000, 45_000);
    assert_eq!(
        not_to_end.told(),
        [told("G7", "g", (0, 600, 39_999), "hint")]
    );
    // It had read everything, and was given a lot at once.
    assert_eq!(with_ends(600, 40_000).told(), []);
    assert_eq!(with_ends(10_000, 40_000).told(), []);
}

#[test]
fn both_ends_of_a_jump_are_asked_for() {
    let asked = steps(40_000, Some(1), Some(true), &[40_100]).look(questions);
    assert_eq!(
        asked.ends_at,
        BTreeSet::from([(at(0), ago(14 * MINUTE)), (at(0), ago(13 * MINUTE))])
    );
}

#[test]
fn readings_do_not_see_who_came_and_went_between_them() {
    let seen = |epoch: Option<i32>| {
        let mut world = steps(1_804, epoch, Some(false), &[1_900]);
        world.history.coverage.source = HistorySource::Readings;
        world.told()
    };
    assert_eq!(seen(Some(1)), [told("G7", "g", (0, 600, 1_803), "hint")]);
    // Only a tool leaves the epoch out among moves that carry it.
    assert_eq!(seen(None), [told("G7", "g", (0, 600, 1_803), "strong")]);
}

#[test]
fn a_member_may_leave_the_epoch_out_and_so_may_a_new_release() {
    assert_eq!(steps(700, None, Some(true), &[800]).told(), []);
    // From then on all are without.
    let moves = [
        (9 * MINUTE, Some(100), Some(1), None),
        (8 * MINUTE, Some(200), Some(1), None),
        (7 * MINUTE, Some(300), None, None),
        (6 * MINUTE, Some(400), None, None),
    ];
    let released = world(&[(0, 400)])
        .group("g", &[(0, Some(400))], &[&[0]])
        .moves("g", 0, &moves);
    assert_eq!(released.told(), []);
    let one = [
        moves[0],
        moves[1],
        moves[2],
        (6 * MINUTE, Some(400), Some(1), None),
    ];
    let moved = world(&[(0, 400)])
        .group("g", &[(0, Some(400))], &[&[0]])
        .moves("g", 0, &one);
    assert_eq!(moved.told(), [told("G7", "g", (0, 200, 299), "hint")]);
}

#[test]
fn a_rewind_that_was_taken_back_jumped_over_nothing() {
    let moves = [
        (9 * MINUTE, Some(1_000), Some(1), Some(true)),
        (8 * MINUTE, Some(600), None, Some(false)),
        (7 * MINUTE, Some(1_000), None, Some(false)),
    ];
    let back = world(&[(0, 1_000)])
        .group("g", &[(0, Some(1_000))], &[])
        .moves("g", 0, &moves);
    assert_eq!(back.told(), []);
}

#[test]
fn records_that_were_jumped_over_twice_are_missing_once() {
    let moves = [
        (9 * MINUTE, Some(100), Some(1), Some(true)),
        (8 * MINUTE, Some(500), None, Some(false)),
        (7 * MINUTE, Some(100), None, Some(false)),
        (6 * MINUTE, Some(700), None, Some(false)),
    ];
    let twice = world(&[(0, 700)])
        .group("g", &[(0, Some(700))], &[])
        .moves("g", 0, &moves);
    assert_eq!(
        twice.told(),
        [
            told("G7", "g", (0, 100, 499), "strong"),
            told("G7", "g", (0, 500, 699), "strong"),
        ]
    );
}

#[test]
fn a_jump_to_where_the_log_begins_follows_from_a_deletion() {
    let mut world = steps(1_804, Some(1), Some(false), &[1_900]);
    world.topics[0].partitions[0].log_start = Ok(Offset(1_804));
    assert_eq!(world.told(), [told("G7", "g", (0, 600, 1_803), "hint")]);
    assert_eq!(
        evidence(&only(&world), "to_log_start"),
        Some(&Fact::Flag(true))
    );
}

#[test]
fn a_group_that_cannot_be_read_at_present_is_left_alone() {
    let mut world = steps(1_804, None, Some(false), &[1_900]);
    world.groups[0].0.commits = Err(Problem::new(ProblemKind::Forbidden, "no"));
    world.groups[0].1.clear();
    assert_eq!(world.told(), []);
}

/// Moves of a hundred while nobody is in the group, the last a minute ago, so far apart each.
fn alone(count: i64, apart: i64, epoch: Option<i32>) -> World {
    let moves: Vec<Moved> = (0..count)
        .map(|n| {
            let before = MINUTE + (count - 1 - n) * apart;
            (before, Some((n + 1) * 100), epoch, Some(false))
        })
        .collect();
    world(&[(0, count * 100)])
        .group("alone", &[(0, Some(count * 100))], &[])
        .moves("alone", 0, &moves)
}

fn kinds(world: &World) -> Vec<(&'static str, &'static str)> {
    let told = world.told();
    told.iter().map(|told| (told.0, told.5)).collect()
}

#[test]
fn a_reader_that_is_no_member_is_told_from_a_hand() {
    // The first commit is no step.
    assert_eq!(kinds(&alone(4, MINUTE, None)), [("G18", "proof")]);
    assert_eq!(kinds(&alone(3, MINUTE, Some(1))), [("G18", "proof")]);
    // So seldom as somebody's hand; but a hand does not go on and on.
    assert_eq!(
        kinds(&alone(4, 20 * MINUTE, None)),
        [("G7", "hint"), ("G7", "hint")]
    );
    assert_eq!(kinds(&alone(6, 20 * MINUTE, None)), [("G18", "proof")]);
    // Two steps may be either, as long as nobody waits for the third.
    assert_eq!(kinds(&alone(3, MINUTE, None)), []);
    let once = alone(3, MINUTE, None).with(|world| world.once = true);
    assert_eq!(kinds(&once), [("G7", "hint"), ("G7", "hint")]);
}

#[test]
fn a_hand_that_moves_a_group_twice_is_no_hidden_member() {
    let moves = [
        (9 * MINUTE, Some(100), Some(1), Some(true)),
        (5 * MINUTE, Some(300), None, Some(false)),
        (4 * MINUTE, Some(500), None, Some(false)),
    ];
    let twice = world(&[(0, 500)])
        .group("g", &[(0, Some(500))], &[])
        .moves("g", 0, &moves);
    assert_eq!(kinds(&twice), [("G7", "strong"), ("G7", "strong")]);
}

#[test]
fn programs_that_come_and_go_between_readings_look_like_hidden_members() {
    let seen = |apart: i64| {
        let mut world = alone(5, apart, None);
        world.history.coverage.source = HistorySource::Readings;
        kinds(&world)
    };
    assert_eq!(seen(MINUTE), [("G18", "hint")]);
    // Nobody joins, reads and leaves every few seconds.
    assert_eq!(seen(4_000), [("G18", "strong")]);
}

#[test]
fn a_hidden_member_keeps_its_name_while_it_goes_on() {
    let id = |count: i64| only(&alone(count, MINUTE, None)).id;
    assert_eq!(id(4), id(9));
}

#[test]
fn a_hidden_member_of_several_partitions_is_one_of_the_topic() {
    let moves = |first: i64| -> Vec<Moved> {
        (1..=4)
            .map(|n| ((6 - n) * MINUTE, Some(first + n), Some(1), Some(false)))
            .collect()
    };
    let both = world(&[(0, 4), (0, 8)])
        .group("alone", &[(0, Some(4)), (1, Some(8))], &[])
        .moves("alone", 0, &moves(0))
        .moves("alone", 1, &moves(4));
    let finding = only(&both);
    assert_eq!(finding.topic.as_deref(), Some("t"));
    assert_eq!(finding.partition, None);
    // Committed together, so that it is three and not six.
    assert_eq!(evidence(&finding, "commits"), Some(&Fact::Number(3)));
}

#[test]
fn a_text_beside_the_bookmark_may_explain_a_jump() {
    let mut world = steps(1_804, None, Some(false), &[1_900]);
    let group = world.history.groups.get_mut(&Text::from("g")).unwrap();
    let place = Arc::make_mut(group).places.get_mut(&at(0)).unwrap();
    if let Some(to) = &mut place.moves[5].to {
        to.metadata = Text::from("bQAFAQ==");
    }
    assert_eq!(world.told(), [told("G7", "g", (0, 600, 1_803), "hint")]);
}

#[test]
fn what_was_read_after_all_was_not_jumped_over() {
    // Turned back to 700 and read on to 1,500 by members.
    let mut world = steps(1_804, None, Some(false), &[1_900]);
    let group = world.history.groups.get_mut(&Text::from("g")).unwrap();
    let place = Arc::make_mut(group).places.get_mut(&at(0)).unwrap();
    for (offset, before) in [(700, 9), (1_100, 8), (1_500, 7)] {
        let mut step = place.moves[6].clone();
        step.at = ago(before * MINUTE);
        step.had_members = Some(true);
        if let Some(to) = &mut step.to {
            to.offset = Offset(offset);
        }
        place.moves.push(step);
    }
    world.groups[0].1 = vec![(0, Some(1_500))];
    let found: Vec<Told> = world
        .told()
        .into_iter()
        .filter(|told| told.0 == "G7")
        .collect();
    assert_eq!(found, [told("G7", "g", (0, 600, 1_803), "strong")]);
    let jump = world
        .found()
        .into_iter()
        .find(|finding| finding.kind == FindingKind::JumpedOver);
    // 600 to 699, and 1,500 to 1,803.
    assert_eq!(jump.unwrap().records, Some(404));
}

#[test]
fn commits_of_somebody_who_is_no_member_are_hidden_and_no_jumps() {
    let moves: Vec<_> = (1..=5)
        .map(|n| ((10 - n) * MINUTE, Some(n * 100), None, Some(false)))
        .collect();
    let hidden = world(&[(0, 1_000)])
        .group("assigns", &[(0, Some(500))], &[])
        .moves("assigns", 0, &moves);
    let finding = only(&hidden);
    assert_eq!(finding.kind, FindingKind::HiddenMember);
    assert_eq!(finding.certainty.name(), "proof");
    let long_ago: Vec<_> = moves
        .iter()
        .map(|(before, ..)| (before + 3 * DAY, Some(before * 2), None, Some(false)))
        .collect();
    let past = world(&[(0, 100_000_000)])
        .group("assigned", &[(0, Some(500))], &[])
        .moves("assigned", 0, &long_ago);
    assert!(
        past.found()
            .iter()
            .all(|finding| finding.kind != FindingKind::HiddenMember)
    );
}

#[test]
fn moves_by_hand_are_told_for_the_journal() {
    let world = steps(1_804, None, Some(false), &[1_900, 700]);
    let group: &GroupHistory = &world.history.groups[&Text::from("g")];
    let moves: Vec<_> = hand_moves(group)
        .into_iter()
        .map(|step| (step.from.unwrap().0, step.to.unwrap().0, step.is_sure))
        .collect();
    assert_eq!(moves, [(1_900, 700, false), (600, 1_804, true)]);
}
