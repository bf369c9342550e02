//! A part of a record that is bytes, its value or its key: in which form it is shown, and its rows. Pure.

use bytes::Bytes;

use crate::decode::integer;
use crate::decode::rows::{Flaw, Form, Layout, State, can_begin_json, opens_container};

use super::super::format;
use super::super::num::u64_from_usize;

/// As much of a value is looked at to find out whether it is text.
const TEXT_PROBE: usize = 64 * 1024;

/// Every form, in the order in which they are offered.
pub(super) const FORMS: [Form; 3] = [Form::Json, Form::Text, Form::Hex];

/// What a form is called.
pub(super) fn name_of(form: Form) -> &'static str {
    match form {
        Form::Json => "JSON",
        Form::Text => "Text",
        Form::Hex => "Hex",
    }
}

/// The rows of a part, kept for as long as the same bytes are shown in the same width.
#[derive(Debug, Default)]
pub(super) struct PartView {
    bytes: Option<Bytes>,
    columns: usize,
    /// One for each form that was shown.
    layouts: Vec<Layout>,
    flaw: Option<Flaw>,
    is_text: bool,
    number: Option<String>,
    form: Option<Form>,
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

    /// Shows it as `wanted` where that can be, and learns more rows within `budget`. How much of the budget
    /// it took.
    pub(super) fn prepare(&mut self, wanted: Option<Form>, budget: usize) -> usize {
        let Some(bytes) = &self.bytes else {
            return 0;
        };
        let mut spent = 0_usize;
        loop {
            let form = self.form_for(wanted);
            self.form = Some(form);
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

    /// The form in which it is shown; `None` for null and empty, which have none.
    pub(super) fn form(&self) -> Option<Form> {
        self.form
    }

    /// The rows in the form in which it is shown.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.layouts
            .iter()
            .find(|layout| Some(layout.form()) == self.form)
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
    pub(super) fn not_json(&self, wanted: Option<Form>) -> Option<String> {
        if self.form == Some(Form::Json) || matches!(wanted, Some(Form::Text | Form::Hex)) {
            return None;
        }
        self.bytes.as_ref()?;
        match self.flaw {
            Some(flaw) => Some(why_not(flaw)),
            None => (wanted == Some(Form::Json)).then(|| NOT_BEGUN.to_owned()),
        }
    }

    /// Why JSON cannot be chosen.
    pub(super) fn no_json(&self) -> Option<String> {
        if self.may_be_json() {
            return None;
        }
        Some(self.flaw.map_or_else(|| NOT_BEGUN.to_owned(), why_not))
    }

    /// How four or eight bytes that are no text read as a number.
    pub(super) fn number(&self) -> Option<&str> {
        self.number.as_deref()
    }
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
pub(super) fn number_in(bytes: &[u8]) -> Option<String> {
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
        view.prepare(wanted, 1_000_000);
        view
    }

    #[test]
    fn the_best_form_is_chosen_and_a_wanted_one_where_it_can_be() {
        let form = |value: &[u8], wanted| shown(value, wanted).form();
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
        let said = |value: &[u8], wanted| shown(value, wanted).not_json(wanted);
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
        assert_eq!(shown(&odd, None).form(), Some(Form::Text));
    }

    #[test]
    fn a_flaw_at_the_end_of_a_large_value_shows_when_it_is_reached() {
        let mut value = b"[".to_vec();
        value.extend(b"1,".repeat(100_000));
        let mut view = PartView::new(Some(Bytes::from(value)), 60);
        let mut steps = 0;
        loop {
            view.prepare(None, 50_000);
            steps += 1;
            if view.form() == Some(Form::Text) {
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
