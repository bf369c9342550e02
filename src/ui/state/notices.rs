//! Short messages: what has just happened and is seen nowhere else. Pure.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::model::TimestampMs;

/// How many are kept to be read again.
const MOST_KEPT: usize = 50;
/// No more than this many wait to be read at the same time; the oldest give way.
const MOST_SHOWN: usize = 8;
/// How long one is shown, in seconds.
const SHOWN_S: f64 = 5.0;
/// How long one that should be looked at is shown, in seconds.
const WARNING_S: f64 = 12.0;

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was done.
    Done,
    /// Something to look at.
    Warning,
    /// Something failed; it stays until it is closed.
    Error,
}

/// A short message in one sentence without a period. Holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How much it matters.
    pub tone: Tone,
    /// The sentence.
    pub text: Arc<str>,
}

impl Notice {
    /// Something was done.
    pub fn done(text: impl Into<Arc<str>>) -> Self {
        Self {
            tone: Tone::Done,
            text: text.into(),
        }
    }

    /// Something to look at.
    pub fn warning(text: impl Into<Arc<str>>) -> Self {
        Self {
            tone: Tone::Warning,
            text: text.into(),
        }
    }

    /// Something failed.
    pub fn error(text: impl Into<Arc<str>>) -> Self {
        Self {
            tone: Tone::Error,
            text: text.into(),
        }
    }
}

/// A notice and when it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The notice.
    pub notice: Notice,
    /// When.
    pub at: TimestampMs,
}

#[derive(Clone, Debug)]
struct Shown {
    notice: Notice,
    /// `None` stays until it is closed.
    until_s: Option<f64>,
}

/// The notices on screen and those before them.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    shown: VecDeque<Shown>,
    past: VecDeque<Given>,
}

impl Notices {
    /// Gives one, at `at` by the clock and `now_s` seconds by the frame's time. It takes the place of the
    /// same one that is on screen; of what was done only the last is shown.
    pub fn give(&mut self, notice: Notice, at: TimestampMs, now_s: f64) {
        let until_s = match notice.tone {
            Tone::Done => Some(now_s + SHOWN_S),
            Tone::Warning => Some(now_s + WARNING_S),
            Tone::Error => None,
        };
        self.shown.retain(|shown| {
            shown.notice != notice && (notice.tone != Tone::Done || shown.notice.tone != Tone::Done)
        });
        self.shown.push_back(Shown {
            notice: notice.clone(),
            until_s,
        });
        if self.shown.len() > MOST_SHOWN {
            self.shown.pop_front();
        }
        self.past.push_back(Given { notice, at });
        if self.past.len() > MOST_KEPT {
            self.past.pop_front();
        }
    }

    /// Takes away what has been shown long enough at `now_s`; after how many seconds the next one has.
    pub fn expire(&mut self, now_s: f64) -> Option<f64> {
        self.shown
            .retain(|shown| shown.until_s.is_none_or(|until_s| now_s < until_s));
        let ends = self.shown.iter().filter_map(|shown| shown.until_s);
        ends.map(|until_s| until_s - now_s).reduce(f64::min)
    }

    /// The one to show, the newest, and how many wait below it.
    pub fn current(&self) -> Option<(&Notice, usize)> {
        let newest = self.shown.back()?;
        Some((&newest.notice, self.shown.len().saturating_sub(1)))
    }

    /// Closes the one that is shown.
    pub fn close(&mut self) {
        self.shown.pop_back();
    }

    /// All that were given, the newest first.
    pub fn past(&self) -> impl ExactSizeIterator<Item = &Given> {
        self.past.iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: TimestampMs = TimestampMs(0);

    fn current(notices: &Notices) -> Option<(&str, usize)> {
        notices
            .current()
            .map(|(notice, waiting)| (&*notice.text, waiting))
    }

    #[test]
    fn what_was_done_goes_away_and_an_error_stays() {
        let mut notices = Notices::default();
        notices.give(Notice::error("lost"), AT, 10.0);
        notices.give(Notice::done("copied"), AT, 11.0);
        assert_eq!(notices.expire(11.0), Some(5.0));
        assert_eq!(current(&notices), Some(("copied", 1)));
        assert_eq!(notices.expire(16.0), None);
        assert_eq!(current(&notices), Some(("lost", 0)));
        assert_eq!(notices.expire(9_999.0), None);
        notices.close();
        assert_eq!(current(&notices), None);
        assert_eq!(notices.past().len(), 2);
    }

    #[test]
    fn the_same_notice_again_is_shown_once_and_anew() {
        let mut notices = Notices::default();
        notices.give(Notice::done("copied"), AT, 0.0);
        notices.give(Notice::done("copied"), AT, 4.0);
        assert_eq!(current(&notices), Some(("copied", 0)));
        assert_eq!(notices.expire(6.0), Some(3.0));
    }

    #[test]
    fn the_last_fifty_can_be_read_again() {
        let mut notices = Notices::default();
        for number in 0..60 {
            notices.give(Notice::warning(number.to_string()), AT, 0.0);
        }
        assert_eq!(notices.past().len(), 50);
        assert_eq!(
            notices.past().next().map(|given| &*given.notice.text),
            Some("59")
        );
        assert_eq!(current(&notices), Some(("59", 7)));
    }

    #[test]
    fn of_what_was_done_the_last_is_shown() {
        let mut notices = Notices::default();
        notices.give(Notice::warning("lost"), AT, 0.0);
        notices.give(Notice::done("Size 110 %"), AT, 0.0);
        notices.give(Notice::done("Size 120 %"), AT, 0.1);
        assert_eq!(current(&notices), Some(("Size 120 %", 1)));
        assert_eq!(notices.past().len(), 3);
    }
}
