//! What the words in the lanes mean, for the place under the pointer. Pure.

use super::super::num::f64_from_i64;
use super::super::{format, glossary};
use super::axis::Axis;
use super::cache::LaneData;

/// What lies at `x` in a lane and may need a word: what was deleted, or what is held back.
pub fn at(data: &LaneData, axis: &Axis, x: f32) -> Option<String> {
    let place = |value: i64| axis.x_near(f64_from_i64(value));
    if let Some(deleted) = data
        .deleted
        .filter(|deleted| x < place(deleted.before.place()))
    {
        let said = match deleted.unread {
            Some(unread) if unread > 0 => format!(
                "Deleted, and {} that the chosen group had not read",
                format::counted(unread, "offset", "offsets")
            ),
            _ => "Deleted".to_owned(),
        };
        return Some(glossary::explained(&said, "log start"));
    }
    let held = data.held_back?;
    (place(held.from)..=place(held.to)).contains(&x).then(|| {
        let said = format!("{} held back", format::count(held.count));
        glossary::explained(&said, "held back")
    })
}
