//! Records taken in batches until there are no more, the disk refuses, or the person gives it up.

use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::engine::cancel::Cancel;
use crate::engine::event::Coverage;
use crate::engine::searching::{ExportRequest, ExportView};
use crate::model::{Known, Problem, Record};

use super::file::{NewFile, Refused, problem};
use super::form::{Form, Sheet};

/// How far it is is shown at most this often.
const SHOWN_EVERY: Duration = Duration::from_millis(100);
/// What is handed to the disk at once, in bytes.
const BUFFER: usize = 256 * 1024;

/// How it ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// The file is whole.
    Whole(Option<Arc<Coverage>>),
    /// There is such a file already, which is not to be replaced.
    Exists,
    /// It was given up.
    GivenUp,
    /// It failed.
    Failed(Problem),
}

impl From<Refused> for Ended {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Exists => Self::Exists,
            Refused::Because(problem) => Self::Failed(problem),
        }
    }
}

/// Records on their way to a file.
pub(super) struct Writing<'a> {
    request: &'a ExportRequest,
    sheet: Sheet<BufWriter<NewFile>>,
    cancel: &'a Cancel,
    view: &'a mut ExportView,
    show: &'a dyn Fn(&ExportView),
    shown_at: Instant,
    failed: Option<io::Error>,
}

impl<'a> Writing<'a> {
    /// Begins the file.
    pub(super) fn begin(
        request: &'a ExportRequest,
        form: Form,
        cancel: &'a Cancel,
        view: &'a mut ExportView,
        show: &'a dyn Fn(&ExportView),
    ) -> Result<Self, Ended> {
        let file = NewFile::begin(&request.path, request.replace)?;
        Self::into(file, request, form, cancel, view, show)
    }

    /// Begins to write into `file`.
    pub(super) fn into(
        file: NewFile,
        request: &'a ExportRequest,
        form: Form,
        cancel: &'a Cancel,
        view: &'a mut ExportView,
        show: &'a dyn Fn(&ExportView),
    ) -> Result<Self, Ended> {
        let out = BufWriter::with_capacity(BUFFER, file);
        let sheet = Sheet::begin(out, form)
            .map_err(|error| Ended::Failed(problem(&request.path, &error)))?;
        Ok(Self {
            request,
            sheet,
            cancel,
            view,
            show,
            shown_at: Instant::now(),
            failed: None,
        })
    }

    /// Writes a batch; `false` when no more are wanted, because it failed or was given up.
    pub(super) fn take<'r>(&mut self, records: impl IntoIterator<Item = &'r Record>) -> bool {
        for record in records {
            if self.failed.is_some() || self.cancel.reason().is_some() {
                return false;
            }
            if let Err(error) = self.sheet.put(record) {
                self.failed = Some(error);
                return false;
            }
            self.view.records = self.view.records.saturating_add(1);
        }
        self.view.bytes = self.bytes();
        if self.shown_at.elapsed() >= SHOWN_EVERY {
            self.shown_at = Instant::now();
            (self.show)(self.view);
        }
        true
    }

    fn bytes(&self) -> u64 {
        match &self.sheet {
            Sheet::Lines(out, _) => out.get_ref().bytes(),
            Sheet::Table(table, _) => table.get_ref().get_ref().bytes(),
        }
    }

    /// Ends the file after everything was taken: `read` is what was looked at for that, or why reading ended.
    pub(super) fn end(self, read: Known<Option<Arc<Coverage>>>) -> Ended {
        let path = &self.request.path;
        if let Some(error) = &self.failed {
            return Ended::Failed(problem(path, error));
        }
        if self.cancel.reason().is_some() {
            return Ended::GivenUp;
        }
        let coverage = match read {
            Ok(coverage) => coverage,
            Err(problem) => return Ended::Failed(problem),
        };
        let finished = self.sheet.finish().and_then(|mut out| {
            out.flush()?;
            out.into_inner().map_err(io::IntoInnerError::into_error)
        });
        let file = match finished {
            Ok(file) => file,
            Err(error) => return Ended::Failed(problem(path, &error)),
        };
        self.view.bytes = file.bytes();
        match file.finish(self.request.replace) {
            Ok(()) => Ended::Whole(coverage),
            Err(refused) => refused.into(),
        }
    }
}
