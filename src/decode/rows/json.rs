//! A value read as JSON, laid out in lines as it is read.
//!
//! Nothing is parsed into values: numbers keep their digits, objects their order and their repeated keys,
//! strings their escapes. Only white space between them changes.

use super::Flaw;
use super::unit::{Piece, Show, Unit, ascii_run};

/// Deeper nesting than this is not laid out.
pub const MAX_DEPTH: usize = 256;
/// White space that is passed over in one row; more of it takes rows of its own.
const SPACE_PER_ROW: usize = 16 * 1024;

/// A place in a JSON text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonSource {
    at: usize,
    mode: Mode,
    open: Open,
}

/// What comes next.
#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    #[default]
    Value,
    /// Behind an opening bracket.
    Opened,
    Key,
    Colon,
    AfterColon,
    AfterValue,
    AfterComma,
    Close,
    /// Inside a string, which is the name of a field or not.
    Inside {
        is_key: bool,
    },
    Number(Digits),
}

/// How far a number is.
#[derive(Clone, Copy, Debug)]
enum Digits {
    Start,
    Sign,
    Zero,
    Whole,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    Power,
}

impl Digits {
    /// How far it is with `byte`; `None` when that is no part of it any more.
    fn with(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Start, b'-') => Self::Sign,
            (Self::Start | Self::Sign, b'0') => Self::Zero,
            (Self::Start | Self::Sign, b'1'..=b'9') | (Self::Whole, b'0'..=b'9') => Self::Whole,
            (Self::Zero | Self::Whole, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::Power, b'0'..=b'9') => Self::Power,
            _ => return None,
        })
    }

    fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Whole | Self::Fraction | Self::Power
        )
    }
}

/// The brackets that are open, a bit each: set for an object.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
}

impl Open {
    /// Opens a bracket; `false` when it would be too deep.
    fn push(&mut self, is_object: bool) -> bool {
        let Some(word) = self.objects.get_mut(self.depth / 64) else {
            return false;
        };
        let bit = 1_u64 << (self.depth % 64);
        if is_object {
            *word |= bit;
        } else {
            *word &= !bit;
        }
        self.depth = self.depth.saturating_add(1);
        true
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether the innermost open bracket is an object's; `None` when none is open.
    fn innermost_is_object(&self) -> Option<bool> {
        let index = self.depth.checked_sub(1)?;
        let word = self.objects.get(index / 64)?;
        Some(word & (1_u64 << (index % 64)) != 0)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The first byte that is no white space, if it is near.
fn first_of(bytes: &[u8]) -> Option<u8> {
    let near = bytes.get(..SPACE_PER_ROW).unwrap_or(bytes);
    near.iter().copied().find(|byte| !is_space(*byte))
}

/// Whether JSON may begin like `bytes`.
pub fn can_begin_json(bytes: &[u8]) -> bool {
    matches!(
        first_of(bytes),
        Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
    )
}

/// Whether `bytes` begin as a JSON object or array does.
pub fn opens_container(bytes: &[u8]) -> bool {
    matches!(first_of(bytes), Some(b'{' | b'['))
}

impl JsonSource {
    /// The next byte that was not given out.
    pub(super) fn position(self) -> usize {
        self.at
    }

    /// How many brackets are open.
    pub(super) fn depth(&self) -> usize {
        self.open.depth
    }

    /// What comes next, at most `room` characters of it when it can be divided.
    pub(super) fn next(&mut self, bytes: &[u8], room: usize) -> Unit {
        loop {
            match self.mode {
                Mode::AfterColon => {
                    self.mode = Mode::Value;
                    return Unit::Space;
                }
                Mode::AfterComma => {
                    let in_object = self.open.innermost_is_object().unwrap_or(false);
                    self.mode = if in_object { Mode::Key } else { Mode::Value };
                    return Unit::Line;
                }
                Mode::Close => {
                    self.mode = Mode::AfterValue;
                    return self.take(1, Piece::Mark);
                }
                Mode::Inside { is_key } => return self.string(bytes, room, is_key),
                Mode::Number(digits) => {
                    if let Some(unit) = self.number(bytes, room, digits) {
                        return unit;
                    }
                }
                Mode::Value | Mode::Opened | Mode::Key | Mode::Colon | Mode::AfterValue => {
                    if self.pass_space(bytes) {
                        return Unit::Pause;
                    }
                    if let Some(unit) = self.mark(bytes) {
                        return unit;
                    }
                }
            }
        }
    }

    /// Passes over white space; whether it was so much that more may follow.
    fn pass_space(&mut self, bytes: &[u8]) -> bool {
        let rest = bytes.get(self.at..).unwrap_or_default();
        let near = rest.get(..SPACE_PER_ROW).unwrap_or(rest);
        let passed = near
            .iter()
            .position(|byte| !is_space(*byte))
            .unwrap_or(near.len());
        self.at = self.at.saturating_add(passed);
        passed == SPACE_PER_ROW
    }

    /// What begins at a byte that is no white space; `None` when the next step has it.
    fn mark(&mut self, bytes: &[u8]) -> Option<Unit> {
        let Some(byte) = bytes.get(self.at).copied() else {
            let is_over = matches!(self.mode, Mode::AfterValue) && self.open.depth == 0;
            return Some(if is_over {
                Unit::End
            } else {
                self.broken("it ends too early")
            });
        };
        let is_object = self.open.innermost_is_object();
        let close = is_object.map(|is_object| if is_object { b'}' } else { b']' });
        match (self.mode, byte) {
            (Mode::Opened, _) if close == Some(byte) => {
                self.open.pop();
                self.mode = Mode::Close;
                None
            }
            (Mode::Opened, _) => {
                self.mode = if is_object == Some(true) {
                    Mode::Key
                } else {
                    Mode::Value
                };
                Some(Unit::Line)
            }
            (Mode::Key, b'"') => {
                self.mode = Mode::Inside { is_key: true };
                Some(self.take(1, Piece::Key))
            }
            (Mode::Key, _) => Some(self.broken("the name of a field must stand here")),
            (Mode::Colon, b':') => {
                self.mode = Mode::AfterColon;
                Some(self.take(1, Piece::Mark))
            }
            (Mode::Colon, _) => Some(self.broken("a colon must stand here")),
            (Mode::AfterValue, b',') if close.is_some() => {
                self.mode = Mode::AfterComma;
                Some(self.take(1, Piece::Mark))
            }
            (Mode::AfterValue, _) if close == Some(byte) => {
                self.open.pop();
                self.mode = Mode::Close;
                Some(Unit::Line)
            }
            (Mode::AfterValue, _) if close.is_none() => {
                Some(self.broken("something follows the value"))
            }
            (Mode::AfterValue, _) => {
                Some(self.broken("a comma or a closing bracket must stand here"))
            }
            _ => self.value(bytes, byte),
        }
    }

    fn value(&mut self, bytes: &[u8], first: u8) -> Option<Unit> {
        match first {
            b'{' | b'[' => {
                if !self.open.push(first == b'{') {
                    return Some(self.broken("it nests too deep to be laid out"));
                }
                self.mode = Mode::Opened;
                Some(self.take(1, Piece::Mark))
            }
            b'"' => {
                self.mode = Mode::Inside { is_key: false };
                Some(self.take(1, Piece::Text))
            }
            b'-' | b'0'..=b'9' => {
                self.mode = Mode::Number(Digits::Start);
                None
            }
            _ => {
                let rest = bytes.get(self.at..).unwrap_or_default();
                let word = [b"true".as_slice(), b"false", b"null"]
                    .into_iter()
                    .find(|word| rest.starts_with(word));
                Some(match word {
                    Some(word) => {
                        self.mode = Mode::AfterValue;
                        self.take(word.len(), Piece::Word)
                    }
                    None => self.broken("a value must stand here"),
                })
            }
        }
    }

    /// The next part of a string, whose opening quote was given out.
    fn string(&mut self, bytes: &[u8], room: usize, is_key: bool) -> Unit {
        let piece = if is_key { Piece::Key } else { Piece::Text };
        let run = ascii_run(bytes, self.at, room, |byte| !matches!(byte, b'"' | b'\\'));
        if run > 0 {
            return self.take(run, piece);
        }
        let rest = bytes.get(self.at..).unwrap_or_default();
        match rest {
            [] => self.broken("it ends inside a string"),
            [b'"', ..] => {
                self.mode = if is_key {
                    Mode::Colon
                } else {
                    Mode::AfterValue
                };
                self.take(1, piece)
            }
            [
                b'\\',
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't',
                ..,
            ] => self.take(2, piece),
            [b'\\', b'u', a, b, c, d, ..]
                if [a, b, c, d].into_iter().all(u8::is_ascii_hexdigit) =>
            {
                self.take(6, piece)
            }
            [b'\\', ..] => self.broken("there is no such escape"),
            [0..=0x1f, ..] => self.broken("a string holds a control character"),
            _ => match Show::one(bytes, self.at, piece) {
                Some(show) if matches!(show.look, super::unit::Look::Char(_)) => {
                    self.at = self.at.saturating_add(show.len);
                    Unit::Show(show)
                }
                _ => self.broken("it is not UTF-8"),
            },
        }
    }

    /// The next digits of a number; `None` when it is over.
    fn number(&mut self, bytes: &[u8], room: usize, digits: Digits) -> Option<Unit> {
        let rest = bytes.get(self.at..).unwrap_or_default();
        let mut digits = digits;
        let mut len = 0_usize;
        for byte in rest.iter().take(room) {
            let Some(with) = digits.with(*byte) else {
                break;
            };
            digits = with;
            len = len.saturating_add(1);
        }
        if len > 0 {
            self.mode = Mode::Number(digits);
            return Some(self.take(len, Piece::Number));
        }
        if !digits.is_whole() {
            return Some(self.broken("a number is not complete"));
        }
        self.mode = Mode::AfterValue;
        None
    }

    /// Gives out `len` bytes of ASCII.
    fn take(&mut self, len: usize, piece: Piece) -> Unit {
        let show = Show::ascii(self.at, len, piece);
        self.at = self.at.saturating_add(len);
        Unit::Show(show)
    }

    fn broken(&self, why: &'static str) -> Unit {
        Unit::Broken(Flaw { at: self.at, why })
    }
}
