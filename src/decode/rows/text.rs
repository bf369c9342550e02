//! A value read as text. Lines end with `\n` or `\r\n`.

use super::unit::{Piece, Show, Unit, ascii_run};

/// A place in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextSource {
    at: usize,
}

impl TextSource {
    /// The next byte that was not given out.
    pub(super) fn position(self) -> usize {
        self.at
    }

    /// What comes next, at most `room` characters of it when it can be divided.
    pub(super) fn next(&mut self, bytes: &[u8], room: usize) -> Unit {
        let run = ascii_run(bytes, self.at, room, |_| true);
        if run > 0 {
            let show = Show::ascii(self.at, run, Piece::Plain);
            self.at = self.at.saturating_add(run);
            return Unit::Show(show);
        }
        let rest = bytes.get(self.at..).unwrap_or_default();
        let line_end = match rest {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => 0,
        };
        if line_end > 0 {
            self.at = self.at.saturating_add(line_end);
            return Unit::Line;
        }
        match Show::one(bytes, self.at, Piece::Plain) {
            Some(show) => {
                self.at = self.at.saturating_add(show.len);
                Unit::Show(show)
            }
            None => Unit::End,
        }
    }
}
