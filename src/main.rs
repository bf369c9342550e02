//! The `tideline` program.

use std::io::Write as _;
use std::process::ExitCode;

use tideline::cli::{self, Action};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The window cannot open.
const NO_WINDOW: u8 = 7;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Action::Exit(code) => ExitCode::from(code),
        Action::Window(_) => absent("window"),
        Action::ServeDemo(_) => absent("demo bus"),
    }
}

/// Says that this build lacks a part.
fn absent(part: &str) -> ExitCode {
    drop(writeln!(std::io::stderr(), "tideline: this build has no {part}"));
    ExitCode::from(NO_WINDOW)
}
