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
    let to_end = steps(40_000, Some(1), Some(true), &[40_100])
        .with(|world| world.ends_at.push((0, ago(13 * MINUTE), Some(40_000))));
    assert_eq!(to_end.told(), [told("G7", "g", (0, 600, 39_999), "strong")]);
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
