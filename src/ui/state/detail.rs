//! How the chosen record is looked at.

use std::collections::BTreeSet;

use crate::decode::rows::Form;

use super::super::scroll::RowScroll;

/// A part of a record that is bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Its value.
    Value,
    /// Its key.
    Key,
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
    /// The form in which values are wanted; `None` is the best for each.
    pub value_form: Option<Form>,
    /// The form in which keys are wanted.
    pub key_form: Option<Form>,
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
    /// Show a part in this form.
    Form(Part, Form),
    /// Name all groups of a sort, or only the first.
    Fold(Fold),
    /// Pick these rows.
    Pick(Option<Picked>),
}

impl DetailState {
    /// The form in which a part is wanted.
    pub fn form(&self, part: Part) -> Option<Form> {
        match part {
            Part::Value => self.value_form,
            Part::Key => self.key_form,
        }
    }

    pub(super) fn apply(&mut self, msg: DetailMsg) {
        match msg {
            DetailMsg::Scroll(scroll) => self.scroll = scroll,
            DetailMsg::Form(part, form) => {
                match part {
                    Part::Value => self.value_form = Some(form),
                    Part::Key => self.key_form = Some(form),
                }
                self.picked = None;
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
            DetailMsg::Form(part, form) => self.form(part) == Some(form),
            DetailMsg::Pick(picked) => self.picked == picked,
            DetailMsg::Fold(_) => false,
        }
    }

    /// Another record is shown. How it is looked at stays, so that one can walk along; only one of another
    /// topic begins at the top.
    pub(super) fn turn(&mut self, is_same_topic: bool) {
        self.picked = None;
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
        state.apply(DetailMsg::Form(Part::Value, Form::Hex));
        state.apply(DetailMsg::Pick(Some(PICKED)));
        state.apply(DetailMsg::Scroll(RowScroll {
            row: 7,
            hidden: 0.0,
        }));
        state.turn(true);
        assert_eq!(state.form(Part::Value), Some(Form::Hex));
        assert_eq!((state.form(Part::Key), state.picked), (None, None));
        assert_eq!(state.scroll.row, 7);
        state.turn(false);
        assert_eq!(state.scroll.row, 0);
        assert_eq!(state.form(Part::Value), Some(Form::Hex));
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
