//! Threads with a stack that expressions cannot exhaust within their bounds.

use std::cell::Cell;
use std::io;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Of address space; memory is taken only for what is used.
const STACK: usize = 256 << 20;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Starts a thread on which `jq:` filters run without a thread of their own for each record.
///
/// # Errors
/// The system gives no thread.
pub fn worker<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn_scoped(scope, move || {
            IS_DEEP.set(true);
            work()
        })
}

/// Runs `work` where the stack is deep: here if it is, else on a thread of its own.
///
/// # Errors
/// The system gives no thread, or the work did not come to an end.
pub fn run_deep<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    if IS_DEEP.get() {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let thread = worker(scope, "expression", work)
            .map_err(|error| format!("The expression cannot be run: {error}."))?;
        // What it broke off with was written to stderr by then.
        thread
            .join()
            .ok()
            .ok_or_else(|| "The expression broke off.".to_owned())
    })
}
