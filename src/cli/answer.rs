//! Asking a question and writing its answer.

use std::io::{self, Write};
use std::path::PathBuf;

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::decode::lines::DecodedLine;
use crate::engine::{
    ConnectTarget, Coverage, Ended, FindingChange, GapsReply, Portion, Progress, Reply, Request,
    RewindReply, RowResult, Run, StoppedBy,
};
use crate::model::{Clock, Finding, Problem, ProblemKind};
use crate::rewind::guard::{Guard, GuardKind, Outcome};
use crate::rewind::table;

use super::exit;
use super::json::{
    ChangeLine, ClusterView, CoverageLine, CoverageView, GapsView, GroupsView, PlanView,
    RecordLine, RecordView, TimelineView, TopicsView,
};
use super::kept::new_file;
use super::plan::Question;
use super::show::{Notice, RecordTable, Shown, change, reasons, sentence};
use super::talk::{Answer, Ending, Listener, Source, ask};
use super::text::visible;

/// Beside JSON, so many reasons are repeated in words; the rest is counted.
const REASONS_IN_WORDS: usize = 20;

/// Where an answer goes.
pub(super) struct Streams<'a> {
    /// The answer.
    pub(super) out: &'a mut dyn Write,
    /// What is said beside it.
    pub(super) err: &'a mut dyn Write,
    /// Whether to tell progress on `err`.
    pub(super) progress: bool,
    /// The zone that times are shown in.
    pub(super) zone: TimeZone,
    /// Where "now" comes from.
    pub(super) clock: Clock,
}

impl Streams<'_> {
    /// Says something beside the answer. Nobody is left to tell when that fails.
    pub(super) fn say(&mut self, sentence: &str) {
        drop(writeln!(self.err, "tideline: {sentence}"));
    }
}

/// Asks `question` and writes the answer; returns the exit code.
pub(super) fn answer(source: &impl Source, question: Question, streams: &mut Streams<'_>) -> u8 {
    if let Some(zone) = &question.zone_assumed {
        streams.say(&format!(
            "a time without a zone was read as local time ({zone})"
        ));
    }
    let bootstrap = question.settings.bootstrap.clone();
    let target = ConnectTarget::Bus(question.settings);
    let mut writer = Writer {
        streams,
        json: question.json,
        records: matches!(question.request, Request::Records(_)),
        changes: matches!(question.request, Request::Rewind(_)),
        bootstrap,
        export: question.export,
        zone_assumed: question.zone_assumed,
        table: RecordTable::new(),
        given_out: 0,
        progress_shown: false,
    };
    let written = ask(
        source,
        target,
        question.request,
        question.timeout,
        &mut writer,
    )
    .and_then(|ending| {
        writer.clear_progress();
        let code = writer.finish(ending)?;
        writer.streams.out.flush()?;
        Ok(code)
    });
    writer.clear_progress();
    written.unwrap_or_else(|error| not_written(&error, writer.streams))
}

/// The exit code when the answer could not be written; a reader that went away has had enough.
pub(super) fn not_written(error: &io::Error, streams: &mut Streams<'_>) -> u8 {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return exit::DONE;
    }
    streams.say(&format!("the answer could not be written: {error}"));
    exit::PARTIAL
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of one question"
)]
struct Writer<'a, 'b> {
    streams: &'a mut Streams<'b>,
    json: bool,
    records: bool,
    /// Whether something is to be changed.
    changes: bool,
    /// The addresses that were named, for commands to paste.
    bootstrap: String,
    export: Option<PathBuf>,
    zone_assumed: Option<String>,
    table: RecordTable,
    given_out: u64,
    progress_shown: bool,
}

impl Listener for Writer<'_, '_> {
    fn records(&mut self, portion: &Portion) -> io::Result<()> {
        self.clear_progress();
        for (index, record) in portion.records.iter().enumerate() {
            let decoded = portion.decoded.get(index);
            match (self.json, decoded) {
                (true, None) => {
                    let record = RecordView::of(record);
                    self.json_line(&RecordLine { record })?;
                }
                (true, Some(decoded)) => self.json_line(&DecodedLine::of(record, decoded))?,
                (false, decoded) => {
                    self.table
                        .add(&RecordView::of(record), decoded, &self.streams.zone);
                }
            }
            self.given_out = self.given_out.saturating_add(1);
        }
        self.table.write(self.streams.out)?;
        self.streams.out.flush()
    }

    fn moving(&mut self, run: &Run) {
        if !self.streams.progress {
            return;
        }
        let line = match run {
            Run::Waiting {
                misses,
                restarted: false,
                ..
            } => format!("waiting for a moment without members, missed {misses}"),
            Run::Waiting { misses, .. } => format!(
                "waiting for a moment without members, missed {misses}: something starts them anew"
            ),
            Run::Applying => "writing".to_owned(),
            Run::Idle | Run::Ended(_) => return,
        };
        self.progress_shown = true;
        drop(write!(self.streams.err, "\r\x1b[2K{line}"));
        drop(self.streams.err.flush());
    }

    fn finding(&mut self, told: &FindingChange) -> io::Result<()> {
        let line = ChangeLine::of(told);
        if self.json {
            self.json_line(&line)?;
        } else {
            change(&line, &self.streams.zone, self.streams.out)?;
        }
        self.streams.out.flush()
    }

    fn lost(&mut self, why: Option<&Problem>) {
        let sentence = match why {
            Some(problem) => format!("nothing can be looked at for now: {}", problem.message),
            None => "the bus answers again".to_owned(),
        };
        self.streams.say(&visible(&sentence));
    }

    fn progress(&mut self, progress: &Progress) {
        if !self.streams.progress {
            return;
        }
        let total = progress
            .total
            .map(|total| format!(" of {total}"))
            .unwrap_or_default();
        let line = format!("\r\x1b[2K{}: {}{total}", progress.what, progress.done);
        self.progress_shown = true;
        drop(self.streams.err.write_all(line.as_bytes()));
        drop(self.streams.err.flush());
    }
}

impl Writer<'_, '_> {
    fn clear_progress(&mut self) {
        if std::mem::take(&mut self.progress_shown) {
            drop(self.streams.err.write_all(b"\r\x1b[2K"));
        }
    }

    fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self.streams.out, value)?;
        self.streams.out.write_all(b"\n")
    }

    fn finish(&mut self, ending: Ending) -> io::Result<u8> {
        let code = match ending.answer {
            Answer::NotConnected(problem) => {
                self.streams.say(&visible(&problem.message));
                exit::for_connect(&problem)
            }
            Answer::Finished(Ok(reply)) => self.reply(&reply)?,
            Answer::Finished(Err(problem)) => self.no_answer(problem, ending.given_up)?,
        };
        Ok(match ending.given_up {
            Some(StoppedBy::Interrupt) => exit::INTERRUPTED,
            _ => code,
        })
    }

    fn reply(&mut self, reply: &Reply) -> io::Result<u8> {
        match reply {
            Reply::Cluster(cluster) => self.show(&ClusterView::of(cluster)),
            Reply::Topics(topics) => self.show(&TopicsView::of(topics)),
            Reply::Groups(groups) => self.show(&GroupsView::of(groups, self.streams.clock.now())),
            Reply::Timeline(timeline) => {
                let zone_assumed = self.zone_assumed.clone();
                self.show(&TimelineView::of(timeline, zone_assumed.as_deref()))
            }
            Reply::Records(coverage) => {
                let zone_assumed = self.zone_assumed.clone();
                let code = self.coverage(CoverageView::of(coverage, zone_assumed.as_deref()))?;
                Ok(coverage_code(coverage, code))
            }
            Reply::Rewind(reply) => self.rewind(reply),
            Reply::Gaps(reply) => {
                let zone_assumed = self.zone_assumed.clone();
                let code = self.show(&GapsView::of(reply, zone_assumed.as_deref()))?;
                Ok(gaps_code(reply, code))
            }
        }
    }

    fn rewind(&mut self, reply: &RewindReply) -> io::Result<u8> {
        let mut code = rewind_code(reply);
        if let Some(path) = self.export.take()
            && let Err(problem) = new_file(&path, &table::write(&reply.plan))
        {
            self.streams.say(&problem.message);
            // What was changed goes before what could not be written beside it.
            if code == exit::DONE {
                code = exit::PARTIAL;
            }
        }
        match (&reply.ended, missing_group(reply)) {
            (Some(Ended::Refused(problem)), _) => self.streams.say(&visible(&problem.message)),
            (None, Some(guard)) => self.streams.say(&visible(&guard.detail)),
            _ => {}
        }
        let zone_assumed = self.zone_assumed.clone();
        let bootstrap = if self.bootstrap.is_empty() {
            "HOST:PORT"
        } else {
            &self.bootstrap
        };
        let commands = table::commands(&reply.plan, bootstrap);
        let view = PlanView::of(reply, &commands, zone_assumed.as_deref());
        let shown = self.show(&view)?;
        Ok(if code == exit::DONE { shown } else { code })
    }

    fn no_answer(&mut self, problem: Problem, given_up: Option<StoppedBy>) -> io::Result<u8> {
        let problem = match given_up {
            None => problem,
            Some(StoppedBy::Timeout) => Problem::new(
                ProblemKind::Cancelled,
                "the time allowed (--timeout) ran out before there was an answer",
            ),
            Some(_) => Problem::new(ProblemKind::Cancelled, "interrupted"),
        };
        let code = if self.changes {
            exit::for_change(&problem)
        } else {
            exit::for_question(&problem)
        };
        if self.records && code != exit::USAGE {
            let zone_assumed = self.zone_assumed.clone();
            self.coverage(CoverageView::broken_off(
                self.given_out,
                given_up.unwrap_or(StoppedBy::Error),
                problem,
                zone_assumed.as_deref(),
            ))?;
        } else {
            self.streams.say(&visible(&problem.message));
        }
        Ok(code)
    }

    fn coverage(&mut self, coverage: CoverageView<'_>) -> io::Result<u8> {
        if !self.json {
            return self.show(&coverage);
        }
        let line = CoverageLine { coverage };
        self.json_line(&line)?;
        Ok(self.conclude(&line.coverage.notices()))
    }

    fn show<V: Serialize + Shown>(&mut self, view: &V) -> io::Result<u8> {
        let notices = view.notices();
        if self.json {
            self.json_line(view)?;
        } else {
            view.tables(&self.streams.zone, self.streams.out)?;
            reasons(&notices, self.streams.out)?;
        }
        Ok(self.conclude(&notices))
    }

    /// Says in words what a script may not have looked for, and finds the exit code.
    fn conclude(&mut self, notices: &[Notice]) -> u8 {
        let said =
            |notice: &&Notice| notice.counts && (self.json || notice.reason.is_missing_name());
        let said: Vec<&Notice> = notices.iter().filter(said).collect();
        for notice in said.iter().take(REASONS_IN_WORDS) {
            self.streams.say(&sentence(notice));
        }
        if let Some(more) = said
            .len()
            .checked_sub(REASONS_IN_WORDS)
            .filter(|more| *more > 0)
        {
            self.streams
                .say(&format!("… and {more} more: see the error fields"));
        }
        if notices.iter().any(|notice| notice.counts) {
            exit::PARTIAL
        } else {
            exit::DONE
        }
    }
}

/// The code of what was found: proven losses go before what could not be looked at.
fn gaps_code(reply: &GapsReply, code: u8) -> u8 {
    if reply.findings.iter().any(Finding::is_proven_loss) {
        return exit::NO;
    }
    coverage_code(&reply.coverage, code)
}

fn coverage_code(coverage: &Coverage, code: u8) -> u8 {
    match coverage.stopped_by {
        Some(StoppedBy::Interrupt) => exit::INTERRUPTED,
        Some(StoppedBy::Limit) => code,
        None if coverage.is_complete() => code,
        None | Some(StoppedBy::Budget | StoppedBy::Timeout | StoppedBy::Error) => exit::PARTIAL,
    }
}

/// The guard that says that there is no such group, or that there is one where there must be none.
fn missing_group(reply: &RewindReply) -> Option<&Guard> {
    reply
        .guards
        .iter()
        .find(|guard| guard.kind == GuardKind::Exists && guard.outcome == Outcome::Failed)
}

/// The code for a change, or for what one would do.
fn rewind_code(reply: &RewindReply) -> u8 {
    let stays = reply
        .plan
        .rows
        .iter()
        .any(|row| row.to.is_err() || row.from.is_err());
    let is_missing = missing_group(reply).is_some();
    match &reply.ended {
        Some(Ended::Refused(_)) => exit::REFUSED,
        Some(Ended::Applied(applied)) => {
            let failed = |row: &RowResult| row.error.is_some() || row.read_back.is_err();
            // What the bus did with a row whose answer was lost is not known.
            let refused = |row: &RowResult| {
                let unmoved = row.before.as_ref().map(|before| before.offset);
                row.error.is_some() && row.read_back == Ok(unmoved) && row.before != row.after
            };
            if !applied.rows.is_empty() && applied.rows.iter().all(refused) {
                exit::REFUSED
            } else if stays || applied.rows.iter().any(failed) {
                exit::IN_PART
            } else {
                exit::DONE
            }
        }
        None if is_missing || !reply.plan.problems.is_empty() => exit::REFUSED,
        None => exit::DONE,
    }
}
