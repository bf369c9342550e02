//! What pointer and keys on the timeline mean. Pure: gestures in, messages out.

use egui::{Key, Pos2, Vec2};

use crate::model::TimestampMs;

use super::super::num::i64_from_f64;
use super::super::state::{LaneKey, Msg, Selection, UiState};
use super::layout::Geometry;
use super::model::Lanes;

/// How much a key press zooms.
const KEY_ZOOM: f64 = 1.25;
/// How far a key press pans, as a part of the screen.
const KEY_PAN: f64 = 0.1;
/// A span narrower than this is a click that moved a little.
const LEAST_DRAG: f32 = 3.0;

/// What pointer and keys did in this frame.
#[derive(Clone, Debug, Default)]
pub struct Gestures {
    /// The pointer, when it is over lanes or ruler.
    pub pointer: Option<Pos2>,
    /// How far wheel or trackpad scrolled, in points.
    pub scroll: Vec2,
    /// How much they zoomed; 1 when not at all.
    pub zoom: f32,
    /// A span is being drawn out: where it began, where it is now, and whether it was let go.
    pub drag: Option<Drag>,
    /// Where was clicked.
    pub click: Option<Pos2>,
    /// A double-click.
    pub double_click: bool,
    /// How far a drag with the middle button went, in points.
    pub pan: f32,
    /// Keys, each as often as it was pressed.
    pub keys: Vec<Key>,
}

/// A drag with the first button.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where it began.
    pub from: Pos2,
    /// Where it is.
    pub to: Pos2,
    /// Whether it began in the ruler, which stands for all lanes.
    pub in_ruler: bool,
    /// Whether the button was let go.
    pub released: bool,
}

/// What `gestures` ask for in `state`.
pub fn messages(
    gestures: &Gestures,
    geometry: &Geometry,
    lanes: &Lanes,
    state: &UiState,
) -> Vec<Msg> {
    let mut messages = Vec::new();
    let axis = &geometry.axis;
    if (gestures.zoom - 1.0).abs() > f32::EPSILON
        && let Some(pointer) = gestures.pointer
    {
        messages.push(Msg::Zoom {
            factor: f64::from(gestures.zoom),
            at_ms: axis.time_from_x(pointer.x),
        });
    }
    let panned = gestures.scroll.x + gestures.pan;
    if panned != 0.0 {
        messages.push(Msg::Pan(-axis.ms_from_points(panned)));
    }
    if let Some(drag) = &gestures.drag {
        messages.push(drag_message(drag, geometry, lanes));
    }
    if gestures.double_click {
        messages.push(Msg::Follow);
        messages.push(Msg::ClearSelection);
    } else if let Some(at) = gestures.click {
        messages.extend(click_messages(at, geometry, lanes));
    }
    let middle = gestures.pointer.map_or_else(
        || f64::midpoint(axis.range().from_ms, axis.range().to_ms),
        |pointer| axis.time_from_x(pointer.x),
    );
    for key in &gestures.keys {
        messages.extend(match key {
            Key::W => Some(Msg::Zoom {
                factor: KEY_ZOOM,
                at_ms: middle,
            }),
            Key::S => Some(Msg::Zoom {
                factor: 1.0 / KEY_ZOOM,
                at_ms: middle,
            }),
            Key::A => Some(Msg::Pan(-KEY_PAN * axis.range().span_ms())),
            Key::D => Some(Msg::Pan(KEY_PAN * axis.range().span_ms())),
            Key::Escape if state.dragged.is_some() => Some(Msg::DropSpan),
            Key::Escape if state.selection.is_some() => Some(Msg::ClearSelection),
            _ => None,
        });
    }
    messages
}

fn drag_message(drag: &Drag, geometry: &Geometry, lanes: &Lanes) -> Msg {
    let axis = &geometry.axis;
    let edge = |pos: Pos2| {
        let x = pos.x.clamp(geometry.lanes.left(), geometry.lanes.right());
        axis.time_from_x(x)
    };
    let (a, b) = (edge(drag.from), edge(drag.to));
    let selection = Selection {
        from: TimestampMs(i64_from_f64(a.min(b).floor())),
        to: TimestampMs(i64_from_f64(a.max(b).ceil())),
        lanes: if drag.in_ruler {
            Vec::new()
        } else {
            lanes_of(drag, geometry, lanes)
        },
    };
    let is_wide = (drag.to.x - drag.from.x).abs() >= LEAST_DRAG;
    match (drag.released, is_wide) {
        (false, _) => Msg::DragSpan(selection),
        (true, true) => Msg::Select(selection),
        (true, false) => Msg::DropSpan,
    }
}

/// The lanes that a drag covers, without partitions whose topic is covered too.
fn lanes_of(drag: &Drag, geometry: &Geometry, lanes: &Lanes) -> Vec<LaneKey> {
    let (Some(a), Some(b)) = (
        geometry.nearest_lane(drag.from),
        geometry.nearest_lane(drag.to),
    ) else {
        return Vec::new();
    };
    let covered = lanes.between(a, b);
    covered
        .iter()
        .filter(|lane| {
            lane.is_topic()
                || !covered
                    .iter()
                    .any(|other| other.is_topic() && other.key.topic == lane.key.topic)
        })
        .map(|lane| lane.key.clone())
        .collect()
}

/// A click shows the records of the column it is in.
fn click_messages(at: Pos2, geometry: &Geometry, lanes: &Lanes) -> Vec<Msg> {
    let Some(lane) = geometry.lane_at(at).and_then(|index| lanes.get(index)) else {
        return Vec::new();
    };
    let columns = &geometry.columns;
    let column = columns.column_of(geometry.axis.time_from_x(at.x));
    vec![
        Msg::FocusLane(lane.key.clone()),
        Msg::Select(Selection {
            from: columns.edge(column),
            to: columns.edge(column.saturating_add(1)),
            lanes: vec![lane.key.clone()],
        }),
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::model::Choice;
    use super::*;
    use crate::engine::Inventory;
    use crate::model::{Offset, Partition, PartitionId, Topic, TopicConfig};
    use crate::ui::scroll::{RowScroll, Rows};
    use crate::ui::state::ViewRange;
    use egui::{Rect, pos2};

    fn lanes() -> Lanes {
        let topic = |name: &str| {
            let partitions = (0..2)
                .map(|id| Partition {
                    id: PartitionId(id),
                    leader: None,
                    replicas: vec![],
                    isr: vec![],
                    log_start: Ok(Offset(0)),
                    high_watermark: Ok(Offset(1)),
                    last_stable: Ok(Offset(1)),
                    error: None,
                })
                .collect();
            Arc::new(Topic {
                name: name.into(),
                topic_id: None,
                internal: false,
                config: Ok(TopicConfig::default()),
                partitions,
                error: None,
            })
        };
        let inventory = Inventory {
            topics: Some(Ok(vec![topic("a"), topic("b")])),
            ..Inventory::default()
        };
        Lanes::build(
            &inventory,
            &Choice {
                filter: String::new(),
                internal: false,
                open: ["a".into()].into(),
            },
        )
    }

    /// Lanes from x 200 to 1,200, one second a point; a, a/0, a/1, b from y 30, 34 and 26 high.
    fn geometry(lanes: &Lanes) -> Geometry {
        let area = Rect::from_min_max(pos2(0.0, 0.0), pos2(1_208.0, 300.0));
        let mut geometry = Geometry::new(area, 200.0, ViewRange::new(0.0, 1_000_000.0), 3.0);
        let height = |row| lanes.height(row);
        let rows = Rows {
            count: 4,
            height: &height,
            viewport: 270.0,
        };
        geometry.place(&rows, RowScroll::default());
        geometry
    }

    fn said(gestures: &Gestures) -> Vec<Msg> {
        let lanes = lanes();
        messages(gestures, &geometry(&lanes), &lanes, &with_selection())
    }

    fn with_selection() -> UiState {
        let selection = Selection {
            from: TimestampMs(0),
            to: TimestampMs(1),
            lanes: vec![],
        };
        UiState {
            selection: Some(selection),
            ..UiState::default()
        }
    }

    fn still() -> Gestures {
        Gestures {
            zoom: 1.0,
            ..Gestures::default()
        }
    }

    fn titles(selection: &Selection) -> Vec<String> {
        selection.lanes.iter().map(LaneKey::title).collect()
    }

    #[test]
    fn nothing_done_says_nothing() {
        assert!(said(&still()).is_empty());
    }

    #[test]
    fn zooming_is_around_the_pointer() {
        let gestures = Gestures {
            pointer: Some(pos2(450.0, 50.0)),
            zoom: 1.5,
            ..Gestures::default()
        };
        match said(&gestures).as_slice() {
            [Msg::Zoom { factor, at_ms }] => {
                assert!((factor - 1.5).abs() < 1e-6 && (at_ms - 250_000.0).abs() < 1.0);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn dragging_to_the_right_goes_back_in_time() {
        let gestures = Gestures {
            pan: 10.0,
            ..still()
        };
        assert!(
            matches!(said(&gestures).as_slice(), [Msg::Pan(ms)] if (ms + 10_000.0).abs() < 1.0)
        );
    }

    #[test]
    fn a_drag_over_lanes_selects_their_span() {
        let drag = Drag {
            from: pos2(300.0, 70.0),
            to: pos2(500.0, 100.0),
            in_ruler: false,
            released: true,
        };
        match said(&Gestures {
            drag: Some(drag),
            ..still()
        })
        .as_slice()
        {
            [Msg::Select(selection)] => {
                assert_eq!(
                    (selection.from, selection.to),
                    (TimestampMs(100_000), TimestampMs(300_000))
                );
                assert_eq!(titles(selection), vec!["a / 0", "a / 1"]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_drag_over_a_topic_needs_no_partitions_of_it() {
        let drag = Drag {
            from: pos2(500.0, 40.0),
            to: pos2(300.0, 130.0),
            in_ruler: false,
            released: false,
        };
        match said(&Gestures {
            drag: Some(drag),
            ..still()
        })
        .as_slice()
        {
            [Msg::DragSpan(selection)] => assert_eq!(titles(selection), vec!["a", "b"]),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_drag_in_the_ruler_stands_for_all_lanes_and_stays_inside() {
        let drag = Drag {
            from: pos2(300.0, 10.0),
            to: pos2(5_000.0, 900.0),
            in_ruler: true,
            released: true,
        };
        match said(&Gestures {
            drag: Some(drag),
            ..still()
        })
        .as_slice()
        {
            [Msg::Select(selection)] => {
                assert!(selection.lanes.is_empty());
                assert_eq!(selection.to, TimestampMs(1_000_000));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_drag_of_no_width_is_dropped() {
        let drag = Drag {
            from: pos2(300.0, 70.0),
            to: pos2(301.0, 100.0),
            in_ruler: false,
            released: true,
        };
        assert!(matches!(
            said(&Gestures {
                drag: Some(drag),
                ..still()
            })
            .as_slice(),
            [Msg::DropSpan]
        ));
    }

    #[test]
    fn a_click_selects_its_column_in_its_lane() {
        let gestures = Gestures {
            click: Some(pos2(307.0, 70.0)),
            ..still()
        };
        match said(&gestures).as_slice() {
            [Msg::FocusLane(lane), Msg::Select(selection)] => {
                assert_eq!(lane.title(), "a / 0");
                // Three points are three seconds; the next length that people count in is five.
                assert_eq!(
                    (selection.from, selection.to),
                    (TimestampMs(105_000), TimestampMs(110_000))
                );
                assert_eq!(titles(selection), vec!["a / 0"]);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_double_click_fits() {
        let gestures = Gestures {
            double_click: true,
            click: Some(pos2(300.0, 70.0)),
            ..still()
        };
        assert!(matches!(
            said(&gestures).as_slice(),
            [Msg::Follow, Msg::ClearSelection]
        ));
    }

    #[test]
    fn keys_zoom_pan_and_clear() {
        let gestures = Gestures {
            keys: vec![Key::W, Key::D, Key::Escape, Key::Q],
            ..still()
        };
        match said(&gestures).as_slice() {
            [Msg::Zoom { at_ms, .. }, Msg::Pan(ms), Msg::ClearSelection] => {
                assert!((at_ms - 500_000.0).abs() < 1.0 && (ms - 100_000.0).abs() < 1.0);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn escape_gives_up_a_drag_before_it_clears() {
        let lanes = lanes();
        let gestures = Gestures {
            keys: vec![Key::Escape],
            ..still()
        };
        let mut state = with_selection();
        state.dragged.clone_from(&state.selection);
        let said = messages(&gestures, &geometry(&lanes), &lanes, &state);
        assert!(matches!(said.as_slice(), [Msg::DropSpan]));
    }
}
