//! A part of a record that is bytes, its value or its key: as what it is shown, and its rows. Pure.

use bytes::Bytes;

use crate::decode::integer;
use crate::decode::rows::{Flaw, Form, Layout, State, can_begin_json, opens_container};

use super::super::format;
use super::super::num::u64_from_usize;
use super::super::state::detail::Look;

/// As much of a value is looked at to find out whether it is text.
const TEXT_PROBE: usize = 64 * 1024;

/// As what a part may be shown, in the order in which that is offered.
pub(super) const LOOKS: [Look; 4] = [
    Look::Decoded,
    Look::Raw(Form::Json),
    Look::Raw(Form::Text),
    Look::Raw(Form::Hex),
];

/// What it is called.
pub(super) fn name_of(look: Look) -> &'static str {
    match look {
        Look::Decoded => "Decoded",
        Look::Raw(Form::Json) => "JSON",
        Look::Raw(Form::Text) => "Text",
        Look::Raw(Form::Hex) => "Hex",
    }
}

/// The rows of a part, kept for as long as the same bytes are shown in the same width.
#[derive(Debug, Default)]
pub(super) struct PartView {
    bytes: Option<Bytes>,
    columns: usize,
    /// One for each form that was shown.
    layouts: Vec<Layout>,
    /// What it was decoded to, where that is not what was sent.
    decoded: Option<Layout>,
    flaw: Option<Flaw>,
    is_text: bool,
    number: Option<String>,
    look: Option<Look>,
}

impl PartView {
    /// The rows of `bytes`, in `columns` characters.
    pub(super) fn new(bytes: Option<Bytes>, columns: usize) -> Self {
        let start = bytes
            .as_deref()
            .map_or(&[][..], |bytes| bytes.get(..TEXT_PROBE).unwrap_or(bytes));
        let is_text = match std::str::from_utf8(start) {
            Ok(_) => true,
            // The probe may end inside a character.
            Err(error) => start.len() == TEXT_PROBE && error.error_len().is_none(),
        };
        Self {
            number: bytes.as_deref().and_then(number_in),
            bytes: bytes.filter(|bytes| !bytes.is_empty()),
            columns,
            is_text,
            ..Self::default()
        }
    }

    /// Takes what it was decoded to, and how that is laid out.
    pub(super) fn set_decoded(&mut self, text: Option<(Bytes, Form)>) {
        let columns = self.columns;
        self.decoded = text.map(|(text, form)| Layout::new(text, form, columns));
    }

    /// Shows it as `wanted` where that can be, else in the form `best`, and learns more rows within `budget`.
    /// How much of the budget it took.
    pub(super) fn prepare(
        &mut self,
        wanted: Option<Look>,
        best: Option<Form>,
        budget: usize,
    ) -> usize {
        if self.bytes.is_none() {
            return 0;
        }
        match wanted {
            Some(Look::Raw(form)) => self.prepare_raw(Some(form), budget),
            Some(Look::Decoded) | None => match &mut self.decoded {
                Some(layout) => {
                    self.look = Some(Look::Decoded);
                    prepare_decoded(layout, self.columns, budget)
                }
                None => self.prepare_raw(best, budget),
            },
        }
    }

    fn prepare_raw(&mut self, wanted: Option<Form>, budget: usize) -> usize {
        let Some(bytes) = &self.bytes else {
            return 0;
        };
        let mut spent = 0_usize;
        loop {
            let form = self.form_for(wanted);
            self.look = Some(Look::Raw(form));
            let index = self
                .layouts
                .iter()
                .position(|layout| layout.form() == form)
                .unwrap_or_else(|| {
                    self.layouts
                        .push(Layout::new(bytes.clone(), form, self.columns));
                    self.layouts.len().saturating_sub(1)
                });
            let Some(layout) = self.layouts.get_mut(index) else {
                return spent;
            };
            spent = spent.saturating_add(layout.advance(budget.saturating_sub(spent)));
            let State::Broken(flaw) = layout.state() else {
                return spent;
            };
            // What looked like JSON is none: it is shown as something else, with what is left.
            self.flaw = Some(flaw);
            self.layouts.remove(index);
        }
    }

    /// Whether its bytes may still turn out to be JSON.
    pub(super) fn may_be_json(&self) -> bool {
        self.flaw.is_none() && self.bytes.as_deref().is_some_and(can_begin_json)
    }

    fn form_for(&self, wanted: Option<Form>) -> Form {
        let looks_like_json = self.bytes.as_deref().is_some_and(opens_container);
        match wanted {
            Some(Form::Json) if self.may_be_json() => Form::Json,
            Some(form @ (Form::Text | Form::Hex)) => form,
            None if looks_like_json && self.may_be_json() => Form::Json,
            Some(Form::Json) | None if self.is_text => Form::Text,
            Some(Form::Json) | None => Form::Hex,
        }
    }

    /// As what it is shown; `None` for null and empty.
    pub(super) fn look(&self) -> Option<Look> {
        self.look
    }

    /// As what it can be shown.
    pub(super) fn looks(&self) -> impl Iterator<Item = Look> {
        let has_decoded = self.decoded.is_some();
        LOOKS
            .into_iter()
            .filter(move |look| has_decoded || *look != Look::Decoded)
    }

    /// The rows as which it is shown.
    pub(super) fn layout(&self) -> Option<&Layout> {
        match self.look? {
            Look::Decoded => self.decoded.as_ref(),
            Look::Raw(form) => self.layouts.iter().find(|layout| layout.form() == form),
        }
    }

    /// How many rows are known.
    pub(super) fn rows(&self) -> u64 {
        self.layout().map_or(0, Layout::rows)
    }

    /// The bytes whose rows are known and all of them, while not all are.
    pub(super) fn unfinished(&self) -> Option<(usize, usize)> {
        let layout = self.layout()?;
        (layout.state() == State::Unfinished).then(|| layout.progress())
    }

    /// Why it is not JSON, when it was wanted or looked like it.
    pub(super) fn not_json(&self, wanted: Option<Look>) -> Option<String> {
        if matches!(self.look, Some(Look::Decoded | Look::Raw(Form::Json)))
            || matches!(wanted, Some(Look::Raw(Form::Text | Form::Hex)))
        {
            return None;
        }
        self.bytes.as_ref()?;
        match self.flaw {
            Some(flaw) => Some(why_not(flaw)),
            None => (wanted == Some(Look::Raw(Form::Json))).then(|| NOT_BEGUN.to_owned()),
        }
    }

    /// Why JSON cannot be chosen.
    pub(super) fn no_json(&self) -> Option<String> {
        if self.may_be_json() {
            return None;
        }
        Some(self.flaw.map_or_else(|| NOT_BEGUN.to_owned(), why_not))
    }

    /// How four or eight bytes that are no text read as a number, where the bytes are shown.
    pub(super) fn number(&self) -> Option<&str> {
        let shows_bytes = self.look != Some(Look::Decoded);
        self.number.as_deref().filter(|_| shows_bytes)
    }
}

/// Learns more rows of what was decoded. What should be JSON and is none is text.
fn prepare_decoded(layout: &mut Layout, columns: usize, budget: usize) -> usize {
    let spent = layout.advance(budget);
    if matches!(layout.state(), State::Broken(_)) {
        *layout = Layout::new(layout.bytes().clone(), Form::Text, columns);
        return spent.saturating_add(layout.advance(budget.saturating_sub(spent)));
    }
    spent
}

const NOT_BEGUN: &str = "Not JSON: no JSON begins like this";

fn why_not(flaw: Flaw) -> String {
    format!(
        "Not JSON: {} (byte {})",
        flaw.why,
        format::count(u64_from_usize(flaw.at))
    )
}

/// How four or eight bytes that are no text read as a number: `4,711 int64`.
fn number_in(bytes: &[u8]) -> Option<String> {
    // The length first: it makes sure that little is looked at.
    let (value, kind) = integer::integer(bytes)?;
    if integer::is_printable(bytes) {
        return None;
    }
    let sign = if value < 0 { "−" } else { "" };
    Some(format!(
        "{sign}{} {kind}",
        format::count(value.unsigned_abs())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &[u8], wanted: Option<Form>) -> PartView {
        let mut view = PartView::new(Some(Bytes::copy_from_slice(value)), 60);
        view.prepare(wanted.map(Look::Raw), None, 1_000_000);
        view
    }

    fn form_of(view: &PartView) -> Option<Form> {
        match view.look() {
            Some(Look::Raw(form)) => Some(form),
            _ => None,
        }
    }

    #[test]
    fn the_best_form_is_chosen_and_a_wanted_one_where_it_can_be() {
        let form = |value: &[u8], wanted| form_of(&shown(value, wanted));
        assert_eq!(form(b"{\"a\":1.0}", None), Some(Form::Json));
        assert_eq!(form(b"12", None), Some(Form::Text));
        assert_eq!(form(b"12", Some(Form::Json)), Some(Form::Json));
        assert_eq!(form(b"{not json", None), Some(Form::Text));
        assert_eq!(form(&[0xff, 0], None), Some(Form::Hex));
        assert_eq!(form(&[0xff, 0], Some(Form::Text)), Some(Form::Text));
        assert_eq!(form(b"{}", Some(Form::Hex)), Some(Form::Hex));
        assert_eq!(form(&[b'{', 0xff], Some(Form::Json)), Some(Form::Hex));
        assert_eq!(form(b"", None), None);
    }

    #[test]
    fn why_a_form_cannot_be_is_said() {
        let said = |value: &[u8], wanted| shown(value, wanted).not_json(wanted.map(Look::Raw));
        assert_eq!(said(b"{}", None), None);
        assert_eq!(said(b"plain", None), None);
        assert_eq!(
            said(b"plain", Some(Form::Json)).as_deref(),
            Some("Not JSON: no JSON begins like this")
        );
        assert_eq!(
            said(b"{\"a\":1,}", None).as_deref(),
            Some("Not JSON: the name of a field must stand here (byte 7)")
        );
        assert_eq!(said(b"{\"a\":1,}", Some(Form::Text)), None);
        assert!(shown(b"{\"a\":1,}", None).no_json().is_some());
        assert_eq!(shown(b"{\"a\":1}", Some(Form::Hex)).no_json(), None);
    }

    #[test]
    fn a_probe_that_ends_inside_a_character_finds_text() {
        let mut odd = vec![b'x'];
        odd.extend("ä".repeat(40_000).into_bytes());
        assert_eq!(form_of(&shown(&odd, None)), Some(Form::Text));
    }

    #[test]
    fn a_flaw_at_the_end_of_a_large_value_shows_when_it_is_reached() {
        let mut value = b"[".to_vec();
        value.extend(b"1,".repeat(100_000));
        let mut view = PartView::new(Some(Bytes::from(value)), 60);
        let mut steps = 0;
        loop {
            view.prepare(None, None, 50_000);
            steps += 1;
            if form_of(&view) == Some(Form::Text) {
                break;
            }
            assert!(view.unfinished().is_some() && view.rows() > 0);
        }
        assert!((4..100).contains(&steps), "{steps}");
        assert!(
            view.not_json(None)
                .is_some_and(|said| said.ends_with("(byte 200,001)"))
        );
    }

    #[test]
    fn what_was_decoded_is_shown_first_and_the_bytes_on_demand() {
        let mut view = PartView::new(Some(Bytes::from_static(&[0, 2, 0x61])), 60);
        view.set_decoded(Some((Bytes::from_static(b"{\"a\":1}"), Form::Json)));
        view.prepare(None, None, 1_000);
        assert_eq!((view.look(), view.rows()), (Some(Look::Decoded), 3));
        assert_eq!(view.looks().count(), 4);
        view.prepare(Some(Look::Raw(Form::Hex)), None, 1_000);
        assert_eq!((view.look(), view.rows()), (Some(Look::Raw(Form::Hex)), 1));
        // What claims to be JSON and is none is shown as text.
        view.set_decoded(Some((Bytes::from_static(b"{oops"), Form::Json)));
        view.prepare(None, None, 1_000);
        assert_eq!((view.look(), view.rows()), (Some(Look::Decoded), 1));
        view.set_decoded(None);
        view.prepare(Some(Look::Decoded), Some(Form::Text), 1_000);
        assert_eq!(view.look(), Some(Look::Raw(Form::Text)));
        assert_eq!(view.looks().count(), 3);
    }

    #[test]
    fn bytes_are_read_as_numbers_only_where_they_are_no_text() {
        assert_eq!(number_in(&[0, 0, 0, 2]).as_deref(), Some("2 int32"));
        assert_eq!(
            number_in(&(-4_711_i64).to_be_bytes()).as_deref(),
            Some("−4,711 int64")
        );
        assert_eq!(number_in(b"abcd"), None);
        assert_eq!(number_in(&[0; 5]), None);
    }
}
