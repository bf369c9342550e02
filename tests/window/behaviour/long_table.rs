//! Scrolling over a thousand million rows.

use super::*;
use crate::long_list::{ALL, LongList, settle};

struct Long {
    harness: Harness<'static, App>,
    fake: Fake,
    list: LongList,
}

/// The window on the long list, oldest first when so asked.
fn long(oldest_first: bool) -> Long {
    let (harness, fake) = open(LongList::snapshot());
    let mut long = Long {
        harness,
        fake,
        list: LongList::new(),
    };
    long.settle();
    if oldest_first {
        long.click("Time, sorted descending");
    }
    long
}

impl Long {
    fn settle(&mut self) {
        settle(&mut self.harness, &self.fake, &mut self.list);
    }

    fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.settle();
    }

    fn press(&mut self, key: Key) {
        self.harness.key_press(key);
        self.settle();
    }

    fn wheel(&mut self, points: f32) {
        let rows = self.harness.get_by_label("Table of records").rect();
        self.harness.hover_at(rows.center());
        self.harness.run();
        wheel(&mut self.harness, egui::vec2(0.0, points), Modifiers::NONE);
        self.settle();
    }

    /// How far below the upper edge of the rows a row begins, when it is on screen.
    fn top_of(&self, row: i64) -> Option<f32> {
        let body = self.harness.get_by_label("Table of records").rect();
        let label = LongList::label(row);
        let node = self.harness.query_by_label(&label)?;
        // What is cut at the upper edge begins above it.
        let rect = node.rect();
        Some(rect.bottom() - 24.0 - body.top())
    }

    fn is_shown(&self, row: i64) -> bool {
        self.harness.query_by_label(&LongList::label(row)).is_some()
    }

    fn shown(&self) -> Option<i64> {
        let record = self.harness.state().state().record.clone()?;
        Some(record.offset.0 * 4 + i64::from(record.partition.0))
    }

    fn is_focused(&self, row: i64) -> bool {
        self.harness
            .get_by_label(&LongList::label(row))
            .is_focused()
    }

    fn height(&self) -> f32 {
        self.harness
            .get_by_label("Table of records")
            .rect()
            .height()
    }
}

fn is_near(a: f32, b: f32) -> bool {
    (a - b).abs() < 0.01
}

#[test]
fn it_opens_at_the_newest() {
    let long = long(false);
    assert!(is_near(long.top_of(ALL - 1).unwrap(), 0.0));
    assert!(is_near(long.top_of(ALL - 2).unwrap(), 24.0));
    assert!(shows_part(&long.harness, "of up to 1,000,000,000 records"));
    assert!(shows_part(&long.harness, "rows 1–"));
}

#[test]
fn a_wheel_step_is_exact_near_the_last_of_a_thousand_million_rows() {
    let mut long = long(true);
    assert!(is_near(long.top_of(0).unwrap(), 0.0));
    long.click(&LongList::label(0));
    long.press(Key::End);
    assert_eq!(long.shown(), Some(ALL - 1));
    assert!(long.is_focused(ALL - 1));
    let bottom = long.height() - 24.0;
    assert!(is_near(long.top_of(ALL - 1).unwrap(), bottom));
    let before = long.top_of(999_999_990).unwrap();
    assert!(is_near(before, bottom - 9.0 * 24.0));
    long.wheel(24.0);
    assert!(is_near(long.top_of(999_999_990).unwrap(), before + 24.0));
    for _ in 0..10 {
        long.wheel(1.0);
    }
    assert!(is_near(long.top_of(999_999_990).unwrap(), before + 34.0));
    long.wheel(-34.0);
    assert!(is_near(long.top_of(999_999_990).unwrap(), before));
}

#[test]
fn home_and_end_jump_to_the_edges_of_the_whole_list() {
    let mut long = long(false);
    long.click(&LongList::label(ALL - 3));
    long.press(Key::End);
    assert_eq!(long.shown(), Some(0));
    assert!(long.is_focused(0));
    assert!(is_near(long.top_of(0).unwrap(), long.height() - 24.0));
    long.press(Key::ArrowUp);
    assert_eq!(long.shown(), Some(1));
    long.press(Key::Home);
    assert_eq!(long.shown(), Some(ALL - 1));
    assert!(is_near(long.top_of(ALL - 1).unwrap(), 0.0));
}

#[test]
fn pages_and_arrows_go_on_where_the_piece_at_hand_ends() {
    let mut long = long(true);
    long.click(&LongList::label(0));
    for _ in 0..60 {
        long.press(Key::PageDown);
    }
    let page = i64::from(u16::try_from(long.shown().unwrap()).unwrap()) / 60;
    assert!((8..20).contains(&page), "{page}");
    assert_eq!(long.shown(), Some(page * 60));
    assert!(long.is_focused(page * 60));
    long.press(Key::ArrowUp);
    assert_eq!(long.shown(), Some(page * 60 - 1));
}

#[test]
fn a_bar_dragged_to_the_middle_jumps_there_and_is_exact_there() {
    let mut long = long(true);
    let bar = long.harness.get_by_label("Scroll records").rect();
    long.harness
        .drag_at(bar.center_top() + egui::vec2(0.0, 4.0));
    long.harness.run();
    long.harness.hover_at(bar.center());
    long.harness.run();
    // Rows that are on their way are no blank.
    assert!(!long.is_shown(0));
    assert!(shows(&long.harness, "Reading…"));
    assert!(shows_part(&long.harness, "reading…"));
    long.harness.drop_at(bar.center());
    long.settle();
    let TablePlace::Rank(rank) = long.harness.state().state().table.place else {
        panic!("no jump by rank");
    };
    let rank = i64::try_from(rank).unwrap();
    assert!((400_000_000..600_000_000).contains(&rank), "{rank}");
    assert!(is_near(long.top_of(rank).unwrap(), 0.0));
    long.wheel(-24.0);
    assert!(!long.is_shown(rank));
    assert!(is_near(long.top_of(rank + 1).unwrap(), 0.0));
    long.wheel(5.0);
    assert!(is_near(long.top_of(rank + 1).unwrap(), 5.0));
}

#[test]
fn turning_the_wheel_far_goes_on_without_a_jump() {
    let mut long = long(false);
    let jump = long.harness.state().state().table.jump;
    for _ in 0..40 {
        long.wheel(-240.0);
    }
    assert_eq!(long.harness.state().state().table.jump, jump);
    assert!(is_near(long.top_of(ALL - 1 - 400).unwrap(), 0.0));
}

#[test]
fn rows_on_screen_are_told_in_the_engines_count() {
    let (mut harness, fake) = open(LongList::snapshot());
    let mut list = LongList::new();
    settle(&mut harness, &fake, &mut list);
    harness.get_by_label("Time, sorted descending").click();
    harness.run();
    let request = fake.last_table().unwrap();
    assert_eq!(request.place, TablePlace::Start);
    list.publish(&fake);
    settle(&mut harness, &fake, &mut list);
    let rows = harness.get_by_label("Table of records").rect();
    harness.hover_at(rows.center());
    harness.run();
    wheel(&mut harness, egui::vec2(0.0, -48.0), Modifiers::NONE);
    harness.run_steps(3);
    let (jump, first, last) = fake.last_rows().unwrap();
    assert_eq!((jump, first), (request.jump, 2));
    assert!((10..20).contains(&(last - first)), "{first} {last}");
}

#[test]
fn what_comes_is_shown_at_once_to_those_who_are_at_the_end() {
    let mut long = long(false);
    long.list.grow(12);
    long.list.publish(&long.fake);
    // The engine hears of the rows on screen and appends.
    long.wheel(-48.0);
    long.wheel(48.0);
    assert!(is_near(long.top_of(ALL + 11).unwrap(), 0.0));
    assert!(!shows_part(&long.harness, "0 new") && !shows_part(&long.harness, "2 new"));
}

#[test]
fn rows_keep_their_place_under_those_who_read_and_what_came_is_counted() {
    let mut long = long(false);
    long.wheel(-24.0 * 40.0);
    let top = ALL - 1 - 40;
    assert!(is_near(long.top_of(top).unwrap(), 0.0));
    long.list.grow(1_200);
    long.list.publish(&long.fake);
    long.settle();
    assert!(is_near(long.top_of(top).unwrap(), 0.0));
    long.click("up to 1,200 new");
    assert!(is_near(long.top_of(ALL + 1_199).unwrap(), 0.0));
    assert!(!shows_part(&long.harness, "0 new") && !shows_part(&long.harness, "2 new"));
}

#[test]
fn what_came_is_counted_beside_the_rows_and_never_over_them() {
    for oldest_first in [false, true] {
        let mut long = long(oldest_first);
        long.wheel(-24.0 * 40.0);
        long.list.grow(1_200);
        long.list.publish(&long.fake);
        long.settle();
        let button = long.harness.get_by_label_contains("up to 1,200 new").rect();
        let rows = long.harness.get_by_label("Table of records").rect();
        let head = long.harness.get_by_label("Offset").rect();
        assert!(!button.intersects(rows), "{button} {rows}");
        assert!(button.bottom() <= head.top(), "{button} {head}");
    }
}

#[test]
fn an_address_is_typed_and_gone_to() {
    let mut long = long(false);
    long.harness.key_press_modifiers(Modifiers::COMMAND, Key::G);
    long.harness.run();
    let field = long.harness.get_by_label("Go to");
    assert!(field.is_focused());
    field.type_text("topic-00000/2/250000000");
    long.harness.run();
    long.harness.key_press(Key::Enter);
    long.harness.run();
    assert!(shows(
        &long.harness,
        "topic-00000/2 has no offset 250,000,000 yet: the next record will get 250,000,000"
    ));
    assert_eq!(long.harness.state().state().table.jump, 0);
    long.harness.key_press(Key::Escape);
    long.harness.run();
    assert!(long.harness.query_by_label("Go to").is_none());
    paste(&mut long.harness, "topic-00000/2/123,456,789");
    long.settle();
    let row = 123_456_789 * 4 + 2;
    assert_eq!(long.shown(), Some(row));
    assert!(long.is_focused(row));
    // In the middle, with rows above and below.
    let middle = (long.height() - 24.0) / 2.0;
    assert!((long.top_of(row).unwrap() - middle).abs() < 1.0);
    assert!(long.is_shown(row - 3) && long.is_shown(row + 3));
    // It lies long before what the timeline showed.
    let state = long.harness.state().state();
    let time = to_f64_ms(LongList::row(row).timestamp.unwrap());
    let view = state.view.unwrap();
    assert!((f64::midpoint(view.from_ms, view.to_ms) - time).abs() < 1.0);
    assert_eq!(state.revealed.as_ref().unwrap().offset.0, 123_456_789);
}

fn to_f64_ms(time: TimestampMs) -> f64 {
    let seconds = i32::try_from(time.0 / 1_000).unwrap();
    let rest = i32::try_from(time.0 % 1_000).unwrap();
    f64::from(seconds) * 1_000.0 + f64::from(rest)
}

pub(super) fn paste(harness: &mut Window, text: &str) {
    harness.event(Event::Paste(text.to_owned()));
    harness.run();
}

#[test]
fn an_address_leads_back_from_another_tab() {
    let mut long = long(false);
    long.harness
        .key_press_modifiers(Modifiers::COMMAND, Key::Num2);
    long.settle();
    assert!(!long.is_shown(ALL - 1));
    paste(&mut long.harness, "topic-00000/1/5000");
    long.settle();
    assert_eq!(long.shown(), Some(20_001));
    assert!(long.is_shown(20_001));
}

#[test]
fn a_time_is_gone_to_in_a_partition() {
    let mut long = long(true);
    let time = LongList::row(500_000_000).timestamp.unwrap().0;
    paste(&mut long.harness, &format!("topic-00000/3@{time}"));
    long.settle();
    assert_eq!(long.shown(), Some(500_000_003));
    assert!(is_near(long.top_of(500_000_000).unwrap(), 0.0));
}

#[test]
fn what_is_no_address_is_said_and_nothing_moves() {
    let mut long = long(false);
    paste(&mut long.harness, "hello there");
    assert!(shows_part(&long.harness, "“hello there” is not an address"));
    assert!(is_near(long.top_of(ALL - 1).unwrap(), 0.0));
    assert_eq!(long.harness.state().state().table.jump, 0);
}

#[test]
fn a_frame_makes_no_more_rows_than_come_on_screen() {
    let mut long = long(false);
    // Thirteen rows fit, and one is seen in part.
    let most = 16;
    assert!(long.height() < 24.0 * 14.0, "{}", long.height());
    long.harness.step();
    let cost = long.harness.state().table_cost();
    assert_eq!(cost.made, 0);
    assert!(cost.rows > 5 && cost.rows <= most, "{cost:?}");
    let shapes = long.harness.output().shapes.len();
    assert!(shapes < 1_100, "{shapes}");
    // One row more is one row made.
    let rows = long.harness.get_by_label("Table of records").rect();
    long.harness.hover_at(rows.center());
    long.harness.run();
    let mut made = 0;
    long.harness.event(Event::MouseWheel {
        source: egui::MouseWheelSource::Wheel,
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -24.0),
        phase: egui::TouchPhase::Move,
        modifiers: Modifiers::NONE,
    });
    for _ in 0..20 {
        long.harness.step();
        made += long.harness.state().table_cost().made;
    }
    assert_eq!(made, 1);
    // Another piece costs one screen.
    long.click(&LongList::label(ALL - 3));
    long.harness.key_press(Key::End);
    let mut most_made = 0;
    for _ in 0..6 {
        long.harness.run();
        most_made = most_made.max(long.harness.state().table_cost().made);
        long.settle();
    }
    assert!(most_made <= most, "{most_made}");
}
