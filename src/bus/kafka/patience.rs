//! What is only just being arranged, a new leader or a coordinator that loads, is asked for again for a moment.

use std::time::Duration;

use crate::model::{Known, Problem, ProblemKind};

/// How long to rest before asking again, each time.
pub(super) const RESTS: [Duration; 3] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// Whether what is refused now may well be answered in a moment.
pub(super) fn may_pass(problem: &Problem) -> bool {
    problem.kind == ProblemKind::Retriable
}

/// The answer to `ask`, which is asked again while it is refused for the moment only.
pub(super) async fn patiently<T, F: Future<Output = Known<T>>>(ask: impl Fn() -> F) -> Known<T> {
    for rest in RESTS {
        match ask().await {
            Err(problem) if may_pass(&problem) => tokio::time::sleep(rest).await,
            answer => return answer,
        }
    }
    ask().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// How often is asked of somebody who is ready at the `ready`th time, and what comes of it.
    async fn asked(ready: u32, refusal: ProblemKind) -> (u32, bool) {
        let asked = Cell::new(0);
        let answer = patiently(|| {
            asked.set(asked.get() + 1);
            std::future::ready(if asked.get() == ready {
                Ok(())
            } else {
                Err(Problem::new(refusal, "not now"))
            })
        });
        let is_well = answer.await.is_ok();
        (asked.get(), is_well)
    }

    #[tokio::test(start_paused = true)]
    async fn what_passes_is_waited_for_a_moment_and_nothing_else_is() {
        assert_eq!(asked(1, ProblemKind::Retriable).await, (1, true));
        assert_eq!(asked(3, ProblemKind::Retriable).await, (3, true));
        assert_eq!(asked(9, ProblemKind::Retriable).await, (4, false));
        assert_eq!(asked(3, ProblemKind::Forbidden).await, (1, false));
    }
}
