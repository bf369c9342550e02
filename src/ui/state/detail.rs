//! How the chosen record is looked at.

use std::collections::BTreeSet;

use crate::decode::rows::Form;
pub use crate::decode::value::Part;

use super::super::scroll::RowScroll;

/// As what a part is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Look {
    /// What it was decoded to.
    Decoded,
    /// The bytes as they were sent, in a form.
    Raw(Form),
}

/// What stands together in the detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Time, sizes, visibility.
    Facts,
    /// Who has read it.
    Readers,
    /// Its value.
    Value,
    /// Its key.
    Key,
    /// Its headers.
    Headers,
}

/// Groups of which only the first are named until more are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fold {
    /// Those that have not read it.
    NotYet,
    /// Those of which it is not known.
    Unknown,
    /// Those that have.
    Read,
    /// Those that never committed anything there.
    Never,
}

/// Rows of a section that were picked, to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The section.
    pub section: Section,
    /// Where picking began, as a row of the section.
    pub anchor: u64,
    /// Where it went.
    pub head: u64,
    /// The width of the rows in characters; rows of another width are other rows.
    pub columns: usize,
}

impl Picked {
    /// Whether `row` of its section is picked.
    pub fn holds(&self, row: u64) -> bool {
        (self.anchor.min(self.head)..=self.anchor.max(self.head)).contains(&row)
    }
}

/// How the chosen record is looked at.
#[derive(Clone, Debug, Default)]
pub struct DetailState {
    /// Where it is scrolled to.
    pub scroll: RowScroll,
    /// As what values are wanted; `None` is the best for each.
    pub value_look: Option<Look>,
    /// As what keys are wanted.
    pub key_look: Option<Look>,
    /// The parts of this record that are to be decoded though they are large.
    pub large: BTreeSet<Part>,
    /// Which groups are all named.
    pub unfolded: BTreeSet<Fold>,
    /// The rows that were picked.
    pub picked: Option<Picked>,
}

/// What the person did to the detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DetailMsg {
    /// Scroll to a place.
    Scroll(RowScroll),
    /// Show a part as this.
    Look(Part, Look),
    /// Decode a part though it is large.
    Large(Part),
    /// Name all groups of a sort, or only the first.
    Fold(Fold),
    /// Pick these rows.
    Pick(Option<Picked>),
}

impl DetailState {
    /// As what a part is wanted.
    pub fn look(&self, part: Part) -> Option<Look> {
        match part {
            Part::Value => self.value_look,
            Part::Key => self.key_look,
        }
    }

    fn set_look(&mut self, part: Part, look: Option<Look>) {
        match part {
            Part::Value => self.value_look = look,
            Part::Key => self.key_look = look,
        }
        self.picked = None;
    }

    /// A part is read as something else: it is shown as what is best for that.
    pub(super) fn read_anew(&mut self, part: Part) {
        self.set_look(part, None);
    }

    pub(super) fn apply(&mut self, msg: DetailMsg) {
        match msg {
            DetailMsg::Scroll(scroll) => self.scroll = scroll,
            DetailMsg::Look(part, look) => self.set_look(part, Some(look)),
            DetailMsg::Large(part) => {
                self.large.insert(part);
            }
            DetailMsg::Fold(fold) => {
                if !self.unfolded.remove(&fold) {
                    self.unfolded.insert(fold);
                }
                self.picked = None;
            }
            DetailMsg::Pick(picked) => self.picked = picked,
        }
    }

    /// Whether `msg` would leave everything as it is.
    pub(super) fn is_settled(&self, msg: DetailMsg) -> bool {
        match msg {
            DetailMsg::Scroll(scroll) => self.scroll == scroll,
            DetailMsg::Look(part, look) => self.look(part) == Some(look),
            DetailMsg::Large(part) => self.large.contains(&part),
            DetailMsg::Pick(picked) => self.picked == picked,
            DetailMsg::Fold(_) => false,
        }
    }

    /// Another record is shown. How it is looked at stays, so that one can walk along; only one of another
    /// topic begins at the top.
    pub(super) fn turn(&mut self, is_same_topic: bool) {
        self.picked = None;
        self.large.clear();
        if !is_same_topic {
            self.scroll = RowScroll::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICKED: Picked = Picked {
        section: Section::Value,
        anchor: 4,
        head: 2,
        columns: 40,
    };

    #[test]
    fn a_chosen_form_stays_while_one_walks_on() {
        let mut state = DetailState::default();
        state.apply(DetailMsg::Look(Part::Value, Look::Raw(Form::Hex)));
        state.apply(DetailMsg::Pick(Some(PICKED)));
        state.apply(DetailMsg::Scroll(RowScroll {
            row: 7,
            hidden: 0.0,
        }));
        state.turn(true);
        assert_eq!(state.look(Part::Value), Some(Look::Raw(Form::Hex)));
        assert_eq!((state.look(Part::Key), state.picked), (None, None));
        assert_eq!(state.scroll.row, 7);
        state.turn(false);
        assert_eq!(state.scroll.row, 0);
        assert_eq!(state.look(Part::Value), Some(Look::Raw(Form::Hex)));
    }

    #[test]
    fn a_large_part_is_decoded_for_one_record_only() {
        let mut state = DetailState::default();
        state.apply(DetailMsg::Large(Part::Value));
        assert!(state.is_settled(DetailMsg::Large(Part::Value)));
        assert!(!state.is_settled(DetailMsg::Large(Part::Key)));
        state.turn(true);
        assert!(state.large.is_empty());
    }

    #[test]
    fn rows_are_picked_in_both_directions() {
        let held: Vec<u64> = (0..9).filter(|row| PICKED.holds(*row)).collect();
        assert_eq!(held, [2, 3, 4]);
    }

    #[test]
    fn a_fold_opens_and_closes() {
        let mut state = DetailState::default();
        state.apply(DetailMsg::Fold(Fold::Never));
        assert!(state.unfolded.contains(&Fold::Never));
        state.apply(DetailMsg::Fold(Fold::Never));
        assert!(state.unfolded.is_empty());
    }
}
