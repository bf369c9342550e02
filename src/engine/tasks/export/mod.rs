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
use crate::engine::browsing;
use crate::engine::cancel::Cancel;
use crate::engine::command::Command;
use crate::engine::event::StoppedBy;
use crate::engine::searching::{ExportOf, ExportRequest, ExportStage, ExportView};
use crate::model::{Problem, ProblemKind, Record};

use crate::engine::tasks::search::{self, Around};

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
    /// Begins an export, or gives it up. One that is asked for while another one runs is not begun. `session` is what
    /// searches are read with.
    pub(in crate::engine) fn take(&mut self, command: Command, session: browsing::Session) {
        match command {
            Command::Export(request) => self.begin(*request, session),
            Command::CancelExport => {
                if let Some((_, cancel)) = &self.running {
                    cancel.cancel(StoppedBy::Interrupt);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, request: ExportRequest, session: browsing::Session) {
        let is_running = self
            .running
            .as_ref()
            .is_some_and(|(task, _)| !task.is_finished());
        if is_running {
            return;
        }
        let cancel = Cancel::default();
        let given_up = cancel.clone();
        let task = tokio::spawn(async move {
            let (publisher, id) = (Arc::clone(&session.publisher), session.id);
            let schemas = Arc::clone(&session.schemas);
            let around = match &request.what {
                ExportOf::Records(_) => None,
                ExportOf::Search(_) => session.around(|| true).await,
            };
            let writing = tokio::task::spawn_blocking(move || {
                let show = |view: &ExportView| {
                    let view = Arc::new(view.clone());
                    publisher.update(id, |snapshot| snapshot.export = view);
                };
                export(&request, schemas, around.as_ref(), &given_up, &show);
            });
            // What it came to is shown.
            drop(writing.await);
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
    around: Option<&Around>,
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
            ExportOf::Search(request) => match around {
                None => Err(Problem::new(
                    ProblemKind::Unreachable,
                    "connected to nothing",
                )),
                Some(around) => {
                    search::each(around, request, cancel, &mut |batch| writing.take(&batch))
                        .map(|coverage| Some(Arc::new(coverage)))
                }
            },
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
