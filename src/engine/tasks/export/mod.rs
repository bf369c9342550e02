//! Records written to a file: all of them or nothing.
//!
//! | part | what it is |
//! |---|---|
//! | `file` | a file that is there under its name only once it is whole; what goes wrong, in plain words |
//! | `form` | records as lines of JSON or as a table |
//! | `writing` | records taken in batches, with progress, until they end, fail or are given up |
//! | this file | the one export at a time of a session |

mod file;
mod form;
#[cfg(test)]
mod tests;
mod writing;

use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::decode::schema::Schemas;
use crate::engine::SessionId;
use crate::engine::cancel::Cancel;
use crate::engine::command::Command;
use crate::engine::event::StoppedBy;
use crate::engine::publish::Publisher;
use crate::engine::searching::{ExportOf, ExportRequest, ExportStage, ExportView};
use crate::model::{Problem, ProblemKind, Record};

use form::Form;
use writing::{Ended, Writing};

/// Records that are handed on at once where all of them are at hand.
const BATCH: usize = 100;

/// The export of a session; it is given up with the session.
#[derive(Default)]
pub(in crate::engine) struct Exports {
    running: Option<(JoinHandle<()>, Cancel)>,
}

impl Exports {
    /// Begins an export, or gives it up. One that is asked for while another one runs is not begun.
    pub(in crate::engine) fn take(
        &mut self,
        command: Command,
        publisher: &Arc<Publisher>,
        session: SessionId,
    ) {
        match command {
            Command::Export(request) => self.begin(*request, publisher, session),
            Command::CancelExport => {
                if let Some((_, cancel)) = &self.running {
                    cancel.cancel(StoppedBy::Interrupt);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, request: ExportRequest, publisher: &Arc<Publisher>, session: SessionId) {
        let is_running = self
            .running
            .as_ref()
            .is_some_and(|(task, _)| !task.is_finished());
        if is_running {
            return;
        }
        let cancel = Cancel::default();
        let (given_up, publisher) = (cancel.clone(), Arc::clone(publisher));
        let task = tokio::task::spawn_blocking(move || {
            let schemas = Arc::clone(&publisher.snapshot().schemas);
            let show = |view: &ExportView| {
                let view = Arc::new(view.clone());
                publisher.update(session, |snapshot| snapshot.export = view);
            };
            export(&request, schemas, &given_up, &show);
        });
        self.running = Some((task, cancel));
    }
}

impl Drop for Exports {
    fn drop(&mut self) {
        if let Some((_, cancel)) = &self.running {
            cancel.cancel(StoppedBy::Interrupt);
        }
    }
}

/// Writes what `request` asks for and shows how far it is, to the end.
fn export(
    request: &ExportRequest,
    schemas: Arc<dyn Schemas>,
    cancel: &Cancel,
    show: &dyn Fn(&ExportView),
) {
    let mut view = ExportView {
        number: request.number,
        path: request.path.clone(),
        stage: ExportStage::Running,
        up_to: up_to(&request.what),
        ..ExportView::default()
    };
    show(&view);
    let form = Form {
        format: request.format,
        decoding: request.decode.then(|| form::Decoding {
            decoders: Arc::clone(&request.decoders),
            schemas,
        }),
    };
    let ended = Writing::begin(request, form, cancel, &mut view, show).map(|mut writing| {
        let read = match &request.what {
            ExportOf::Records(records) => {
                let mut batches = records.chunks(BATCH);
                // Ends early where nobody wants more.
                let _all = batches
                    .all(|batch| writing.take(batch.iter().map(|record| -> &Record { record })));
                Ok(None)
            }
            ExportOf::Search(_) => Err(Problem::new(
                ProblemKind::Unsupported,
                "a search cannot be written yet",
            )),
        };
        writing.end(read)
    });
    view.stage = match ended.unwrap_or_else(|ended| ended) {
        Ended::Whole(coverage) => {
            view.coverage = coverage;
            ExportStage::Done
        }
        Ended::Exists => ExportStage::Exists,
        Ended::GivenUp => ExportStage::Cancelled,
        Ended::Failed(problem) => ExportStage::Failed(problem),
    };
    show(&view);
}

/// How many records there will be at most.
fn up_to(what: &ExportOf) -> Option<u64> {
    match what {
        ExportOf::Records(records) => u64::try_from(records.len()).ok(),
        ExportOf::Search(_) => None,
    }
}
