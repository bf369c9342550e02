//! Through all of a value, twice: to see whether it is one, and to write it.
//!
//! Whether a map is an object of JSON is known only at its last name. So the first walk notes the maps that
//! have names which are no texts; the second writes those as lists of pairs.

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::decode::rows::Flaw;

use super::super::out::Out;
use super::{MAX_DEPTH, Token, Tokens};

/// The tag of CBOR that says: this is CBOR.
const SELF_DESCRIBED: u64 = 55_799;
/// Integers of more bytes than this are written as bytes: their digits would take too long.
const MOST_INTEGER_BYTES: usize = 512;

/// What a value is on the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    /// It says itself which language it is.
    Marked,
    Map,
    Array,
    Text,
    Other,
}

impl Top {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Map => "a map",
            Self::Array => "a list",
            Self::Text => "a text",
            Self::Marked | Self::Other => "a value",
        }
    }

    fn of(token: &Token<'_>) -> Self {
        match token {
            Token::Tag(SELF_DESCRIBED) => Self::Marked,
            Token::Map(_) => Self::Map,
            Token::Array(_) => Self::Array,
            Token::Text(_) => Self::Text,
            _ => Self::Other,
        }
    }
}

/// What the first walk saw.
#[derive(Debug)]
pub(super) struct Checked {
    /// Where the value ends.
    pub end: usize,
    /// What it is on the outside.
    pub top: Top,
    /// Texts and names in it, and how many of them are not UTF-8.
    pub texts: usize,
    pub broken_texts: usize,
    /// The maps, counted from 0 in the order in which they begin, that have names which are no texts.
    odd: Vec<usize>,
}

/// What is open.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    /// Values or pairs that are missing; `None`: up to an end.
    left: Option<u64>,
    /// Whether nothing of it was written yet.
    is_new: bool,
    /// Whether a name comes next.
    at_name: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Array,
    /// An object, or the map of that number in the first walk.
    Map(usize),
    /// A list of pairs.
    Pairs,
    Tag(u64),
}

struct Walk<'b, 'c, T: Tokens<'b>> {
    tokens: T,
    frames: Vec<Frame>,
    maps: usize,
    seen: Checked,
    /// What is written, and by what the first walk saw; `None` in the first walk.
    out: Option<(Out, &'c Checked)>,
    marker: std::marker::PhantomData<&'b ()>,
}

/// The first walk.
pub(super) fn check<'b>(tokens: impl Tokens<'b>) -> Result<Checked, Flaw> {
    let mut walk = Walk::new(tokens, None);
    walk.run()?;
    walk.seen.end = walk.tokens.at();
    walk.seen.odd.sort_unstable();
    Ok(walk.seen)
}

/// The second walk.
pub(super) fn write<'b>(tokens: impl Tokens<'b>, checked: &Checked) -> Result<String, Flaw> {
    let mut walk = Walk::new(tokens, Some((Out::default(), checked)));
    walk.run()?;
    let at = walk.tokens.at();
    let text = walk.out.and_then(|(out, _)| out.finish());
    text.ok_or(Flaw { at, why: TOO_LONG })
}

const TOO_LONG: &str = "as text it is longer than 32 MiB";

impl<'b, 'c, T: Tokens<'b>> Walk<'b, 'c, T> {
    fn new(tokens: T, out: Option<(Out, &'c Checked)>) -> Self {
        Self {
            tokens,
            frames: Vec::new(),
            maps: 0,
            seen: Checked {
                end: 0,
                top: Top::Other,
                texts: 0,
                broken_texts: 0,
                odd: Vec::new(),
            },
            out,
            marker: std::marker::PhantomData,
        }
    }

    fn raw(&mut self, text: &str) {
        if let Some((out, _)) = &mut self.out {
            out.raw(text);
        }
    }

    fn flaw(&self, why: &'static str) -> Flaw {
        Flaw {
            at: self.tokens.at(),
            why,
        }
    }

    fn run(&mut self) -> Result<(), Flaw> {
        let mut is_first = true;
        loop {
            let token = self.tokens.next()?;
            if is_first {
                self.seen.top = Top::of(&token);
                is_first = false;
            }
            match token {
                // It says nothing of the value.
                Token::Tag(SELF_DESCRIBED) => continue,
                Token::End => self.end()?,
                token => {
                    self.begin(&token);
                    match token {
                        Token::Array(left) => self.open(Kind::Array, left)?,
                        Token::Map(left) => self.open_map(left)?,
                        Token::Tag(tag) => self.open(Kind::Tag(tag), Some(1))?,
                        scalar => {
                            self.scalar(&scalar);
                            self.value_done();
                        }
                    }
                }
            }
            if let Some((out, _)) = &self.out
                && out.is_full()
            {
                return Err(self.flaw(TOO_LONG));
            }
            if self.frames.is_empty() {
                return Ok(());
            }
        }
    }

    /// What stands between a value and the one before it.
    fn begin(&mut self, token: &Token<'_>) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let was_new = std::mem::replace(&mut frame.is_new, false);
        match frame.kind {
            Kind::Array if !was_new => self.raw(","),
            Kind::Map(number) if frame.at_name => {
                if !matches!(token, Token::Text(_)) {
                    // Noted once: its other names are not looked at.
                    frame.kind = Kind::Pairs;
                    self.seen.odd.push(number);
                }
                if !was_new {
                    self.raw(",");
                }
            }
            Kind::Pairs if frame.at_name => self.raw(if was_new { "[" } else { ",[" }),
            _ => {}
        }
    }

    fn open_map(&mut self, left: Option<u64>) -> Result<(), Flaw> {
        let number = self.maps;
        self.maps = self.maps.saturating_add(1);
        let is_odd = self
            .out
            .as_ref()
            .is_some_and(|(_, checked)| checked.odd.binary_search(&number).is_ok());
        let kind = if is_odd {
            Kind::Pairs
        } else {
            Kind::Map(number)
        };
        self.open(kind, left)
    }

    fn open(&mut self, kind: Kind, left: Option<u64>) -> Result<(), Flaw> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(self.flaw("it nests deeper than 256 levels"));
        }
        if let Some((out, _)) = &mut self.out {
            match kind {
                Kind::Array => out.raw("["),
                Kind::Map(_) => out.raw("{"),
                Kind::Pairs => out.raw("{\"$map\":["),
                Kind::Tag(tag) => {
                    out.raw("{\"$tag\":");
                    out.shown(tag);
                    out.raw(",\"value\":");
                }
            }
        }
        self.frames.push(Frame {
            kind,
            left,
            is_new: true,
            at_name: !matches!(kind, Kind::Array | Kind::Tag(_)),
        });
        if left == Some(0) {
            self.close();
        }
        Ok(())
    }

    /// Closes what is innermost, and with it is done what that was a part of, if it was the last part.
    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.raw(match frame.kind {
                Kind::Array => "]",
                Kind::Map(_) | Kind::Tag(_) => "}",
                Kind::Pairs => "]}",
            });
        }
        self.value_done();
    }

    /// A value is complete. Only as many levels are closed as were opened, so this ends.
    fn value_done(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            let is_map = matches!(frame.kind, Kind::Map(_) | Kind::Pairs);
            let is_pairs = matches!(frame.kind, Kind::Pairs);
            if is_map && frame.at_name {
                frame.at_name = false;
                self.raw(if is_pairs { "," } else { ":" });
                return;
            }
            frame.at_name = is_map;
            frame.left = frame.left.map(|left| left.saturating_sub(1));
            let is_over = frame.left == Some(0);
            let kind = frame.kind;
            if is_pairs {
                self.raw("]");
            }
            if !is_over {
                return;
            }
            self.frames.pop();
            self.raw(match kind {
                Kind::Array => "]",
                Kind::Map(_) | Kind::Tag(_) => "}",
                Kind::Pairs => "]}",
            });
        }
    }

    /// What has no number of values ends here.
    fn end(&mut self) -> Result<(), Flaw> {
        match self.frames.last() {
            Some(
                Frame {
                    kind: Kind::Array,
                    left: None,
                    ..
                }
                | Frame {
                    kind: Kind::Map(_) | Kind::Pairs,
                    left: None,
                    at_name: true,
                    ..
                },
            ) => {
                self.close();
                Ok(())
            }
            _ => Err(self.flaw("an end stands where nothing can end")),
        }
    }

    fn scalar(&mut self, token: &Token<'_>) {
        match token {
            Token::Text(_) => self.seen.texts = self.seen.texts.saturating_add(1),
            Token::BrokenText(_) => {
                self.seen.broken_texts = self.seen.broken_texts.saturating_add(1);
            }
            _ => {}
        }
        let tag = self.frames.last().and_then(|frame| match frame.kind {
            Kind::Tag(tag) => Some(tag),
            _ => None,
        });
        let Some((out, _)) = &mut self.out else {
            return;
        };
        write_scalar(out, token);
        match (tag, token) {
            (Some(1), Token::Int(seconds)) => {
                if let Some(time) = i64::try_from(*seconds)
                    .ok()
                    .and_then(|seconds| Timestamp::from_second(seconds).ok())
                {
                    out.raw(",\"time\":");
                    out.string(&time.to_string());
                }
            }
            (Some(tag @ (2 | 3)), Token::Bytes(bytes)) => {
                if let Some(digits) = digits(bytes, tag == 3) {
                    out.raw(",\"integer\":");
                    out.raw(&digits);
                }
            }
            _ => {}
        }
    }
}

fn write_scalar(out: &mut Out, token: &Token<'_>) {
    match token {
        Token::Null => out.raw("null"),
        Token::Bool(true) => out.raw("true"),
        Token::Bool(false) => out.raw("false"),
        Token::Int(number) => out.shown(number),
        Token::Float(number) => out.float(*number),
        Token::Float32(number) => out.float32(*number),
        Token::Text(text) => out.string(text),
        Token::BrokenText(bytes) | Token::Bytes(bytes) => out.bytes(bytes),
        Token::Extension(kind, data) => {
            out.raw("{\"$extension\":");
            out.shown(kind);
            out.raw(",\"base64\":");
            out.base64(data);
            out.raw("}");
        }
        Token::Time(seconds, nanos) => {
            let time = i32::try_from(*nanos)
                .ok()
                .and_then(|nanos| Timestamp::new(*seconds, nanos).ok());
            out.raw("{\"$timestamp\":");
            match time {
                Some(time) => out.string(&time.to_string()),
                None => out.shown(format_args!("\"{seconds} s {nanos} ns\"")),
            }
            out.raw("}");
        }
        Token::Simple(23) => out.raw("{\"$simple\":\"undefined\"}"),
        Token::Simple(number) => {
            out.raw("{\"$simple\":");
            out.shown(number);
            out.raw("}");
        }
        // They are opened and closed, not written.
        Token::Array(_) | Token::Map(_) | Token::Tag(_) | Token::End => {}
    }
}

/// The digits of an integer of any length, most significant byte first; of −1 − it when `is_negative`. `None`
/// when it is too long.
fn digits(bytes: &[u8], is_negative: bool) -> Option<String> {
    const GROUP: u64 = 1_000_000_000;
    if bytes.len() > MOST_INTEGER_BYTES {
        return None;
    }
    // Groups of nine digits, the lowest first.
    let mut groups: Vec<u64> = vec![0];
    for byte in bytes {
        add(&mut groups, 256, (*byte).into());
    }
    if is_negative {
        add(&mut groups, 1, 1);
    }
    fn add(groups: &mut Vec<u64>, times: u64, plus: u64) {
        let mut carry = plus;
        for group in groups.iter_mut() {
            let value = group.saturating_mul(times).saturating_add(carry);
            *group = value % GROUP;
            carry = value / GROUP;
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut text = String::from(if is_negative { "-" } else { "" });
    let mut highest_first = groups.iter().rev();
    if let Some(highest) = highest_first.next() {
        text.push_str(&highest.to_string());
    }
    for group in highest_first {
        // Writing to a String cannot fail.
        write!(text, "{group:09}").unwrap_or_default();
    }
    Some(text)
}
