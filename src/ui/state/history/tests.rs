use super::super::Msg;
use super::*;
use crate::model::{TimestampMs, by_hand};

const SHOWN: ViewRange = ViewRange {
    from_ms: 0.0,
    to_ms: 1_000.0,
};

/// A window with its ways back, and a clock.
#[derive(Default)]
struct Window {
    state: UiState,
    undo: Undo,
    places: Places,
    now_s: f64,
    press: Option<u64>,
}

impl Window {
    fn does(&mut self, wait_s: f64, msg: Msg) {
        self.now_s += wait_s;
        let way = match &msg {
            Msg::ShowRecord(_) => Some(Way::Record),
            Msg::Select(_) | Msg::ClearSelection => Some(Way::Span),
            _ => None,
        };
        let (seen, place) = (Seen::of(&self.state), Place::of(&self.state));
        self.state.apply(msg, SHOWN);
        let now = Moment {
            at_s: self.now_s,
            press: self.press,
        };
        self.undo.note(seen, &Seen::of(&self.state), now);
        if let Some(way) = way {
            self.places
                .arrive(place, Place::of(&self.state), way, self.now_s);
        }
    }

    fn undo(&mut self) {
        self.undo.undo(&mut self.state);
    }

    fn redo(&mut self) {
        self.undo.redo(&mut self.state);
    }

    fn left_edge(&self) -> Option<i64> {
        self.state.view.map(|view| view.from().0)
    }

    fn record(&self) -> Option<i64> {
        self.state.record.as_ref().map(|record| record.offset.0)
    }
}

fn view(from: f64) -> Msg {
    Msg::View(ViewRange::new(from, from + 1_000.0))
}

fn span(from: i64) -> Msg {
    Msg::Select(Selection::between(
        TimestampMs(from),
        TimestampMs(from + 10),
        vec![],
    ))
}

fn record(offset: i64) -> Msg {
    Msg::ShowRecord(Arc::new(by_hand::record("orders", 0, offset)))
}

#[test]
fn a_run_of_wheel_steps_is_one_step() {
    let mut window = Window::default();
    for step in 1..=5 {
        window.does(0.1, view(f64::from(step)));
    }
    window.does(0.7, view(100.0));
    assert_eq!(window.left_edge(), Some(100));
    window.undo();
    assert_eq!(window.left_edge(), Some(5));
    window.undo();
    assert_eq!(window.left_edge(), None);
    assert!(!window.undo.can_undo());
    window.redo();
    window.redo();
    assert_eq!(window.left_edge(), Some(100));
    assert!(!window.undo.can_redo());
}

#[test]
fn a_drag_is_one_step_however_long_the_hand_rests() {
    let mut window = Window {
        press: Some(1),
        ..Window::default()
    };
    window.does(0.0, view(1.0));
    window.does(5.0, view(2.0));
    window.press = Some(2);
    window.does(5.0, view(3.0));
    window.undo();
    assert_eq!(window.left_edge(), Some(2));
    window.undo();
    assert_eq!(window.left_edge(), None);
}

#[test]
fn topics_opened_one_after_the_other_are_steps_of_their_own() {
    let mut window = Window::default();
    window.does(0.0, Msg::Toggle("a".into()));
    window.does(0.1, Msg::Toggle("b".into()));
    window.undo();
    assert_eq!(window.state.open_topics, ["a".into()].into());
    window.undo();
    assert!(window.state.open_topics.is_empty());
}

#[test]
fn filter_group_and_selection_come_back() {
    let mut window = Window::default();
    window.does(0.0, Msg::Filter("o".into()));
    window.does(0.1, Msg::Filter("or".into()));
    window.does(0.1, Msg::SelectGroup(Some(Text::from("billing"))));
    window.does(0.1, span(10));
    window.undo();
    assert_eq!(window.state.selection, None);
    assert_eq!(window.state.group, Some(Text::from("billing")));
    window.undo();
    assert_eq!(window.state.group, None);
    window.undo();
    assert_eq!(window.state.filter, "");
}

#[test]
fn another_change_ends_what_could_be_done_again() {
    let mut window = Window::default();
    window.does(0.0, view(1.0));
    window.undo();
    assert!(window.undo.can_redo());
    window.does(0.1, Msg::ShowInternal(true));
    assert!(!window.undo.can_redo());
    window.undo();
    assert!(!window.state.internal);
}

#[test]
fn what_follows_an_undo_at_once_is_a_step_of_its_own() {
    let mut window = Window::default();
    window.does(0.0, view(1.0));
    window.does(1.0, view(2.0));
    window.undo();
    window.does(0.1, view(3.0));
    window.undo();
    assert_eq!(window.left_edge(), Some(1));
}

#[test]
fn no_more_than_a_hundred_steps_are_kept() {
    let mut window = Window::default();
    for step in 1..=130 {
        window.does(1.0, view(f64::from(step)));
    }
    let mut undone = 0;
    while window.undo.can_undo() {
        window.undo();
        undone += 1;
    }
    assert_eq!((undone, window.left_edge()), (100, Some(30)));
}

#[test]
fn back_and_forward_lead_through_spans_and_records() {
    let mut window = Window::default();
    window.does(0.0, span(10));
    window.does(1.0, record(7));
    window.does(1.0, view(500.0));
    window.does(1.0, record(9));
    window.places.back(&mut window.state);
    // As it looked when it was left.
    assert_eq!((window.record(), window.left_edge()), (Some(7), Some(500)));
    window.places.back(&mut window.state);
    assert_eq!((window.record(), window.left_edge()), (None, None));
    assert_eq!(
        window
            .state
            .selection
            .as_ref()
            .and_then(Selection::times)
            .map(|(from, _)| from.0),
        Some(10)
    );
    window.places.back(&mut window.state);
    assert_eq!(window.state.selection, None);
    assert!(!window.places.can_go_back());
    for _ in 0..3 {
        window.places.forward(&mut window.state);
    }
    assert_eq!(window.record(), Some(9));
    assert!(!window.places.can_go_forward());
}

#[test]
fn going_through_many_records_leaves_one_place() {
    let mut window = Window::default();
    window.does(0.0, record(1));
    for offset in 2..20 {
        window.does(0.1, record(offset));
    }
    window.places.back(&mut window.state);
    assert_eq!(window.record(), None);
    window.places.forward(&mut window.state);
    assert_eq!(window.record(), Some(19));
}

#[test]
fn a_new_place_ends_the_way_forward() {
    let mut window = Window::default();
    window.does(0.0, record(1));
    window.does(1.0, record(2));
    window.places.back(&mut window.state);
    window.does(0.1, record(3));
    assert!(!window.places.can_go_forward());
    window.places.back(&mut window.state);
    assert_eq!(window.record(), Some(1));
}

#[test]
fn the_same_record_again_is_no_other_place() {
    let mut window = Window::default();
    window.does(0.0, record(1));
    window.does(5.0, record(1));
    window.places.back(&mut window.state);
    assert!(!window.places.can_go_back());
}
