//! Giving a running question up, with the reason why.

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::model::{Known, Problem, ProblemKind};

use super::event::StoppedBy;

/// Shared between a task and whoever may give it up.
#[derive(Clone, Debug, Default)]
pub(super) struct Cancel {
    token: CancellationToken,
    reason: Arc<Mutex<Option<StoppedBy>>>,
}

impl Cancel {
    /// Gives the task up; the first reason stays.
    pub(super) fn cancel(&self, reason: StoppedBy) {
        self.reason.lock().get_or_insert(reason);
        self.token.cancel();
    }

    /// Why the task was given up, if it was.
    pub(super) fn reason(&self) -> Option<StoppedBy> {
        self.token
            .is_cancelled()
            .then(|| self.reason.lock().unwrap_or(StoppedBy::Interrupt))
    }

    /// For a part of the task: given up with it, and by itself without it.
    pub(super) fn part(&self) -> Self {
        Self {
            token: self.token.child_token(),
            reason: Arc::default(),
        }
    }

    /// Gives the task up when the guard is dropped, as it is when whoever waits for the task is aborted.
    pub(super) fn guard(&self) -> Guard {
        Guard(self.clone())
    }

    /// Waits for `answer` on this thread, which may block, unless the task is given up.
    ///
    /// # Errors
    /// The task was given up, or the thread is none of the runtime's.
    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> Known<T> {
        let runtime = Handle::try_current()
            .map_err(|error| Problem::new(ProblemKind::Other, error.to_string()))?;
        runtime.block_on(async {
            tokio::select! {
                answer = answer => Ok(answer),
                () = self.cancelled() => Err(Problem::new(ProblemKind::Cancelled, "given up")),
            }
        })
    }

    /// Waits until the task is given up.
    pub(super) async fn cancelled(&self) {
        self.token.cancelled().await;
    }
}

/// Gives a task up when dropped.
pub(super) struct Guard(Cancel);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.cancel(StoppedBy::Interrupt);
    }
}
