//! The `tideline` program.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use jiff::tz::TimeZone;

use tideline::bus::demo;
use tideline::cli::{self, Action};
use tideline::engine::{Engine, EngineOptions, Files, Folders, Link, SettingsFile};
use tideline::model::Clock;
use tideline::store;
use tideline::ui;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The demo bus cannot listen or be filled.
const NOT_SERVED: u8 = 5;
/// The window cannot open.
const NO_WINDOW: u8 = 7;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Action::Exit(code) => ExitCode::from(code),
        Action::Window(start) => open_window(start),
        Action::ServeDemo(options) => serve_demo(&options),
    }
}

/// Serves the demo bus until the process is ended, or its parent has.
fn serve_demo(options: &cli::DemoOptions) -> ExitCode {
    let size = options.size;
    let seeded = demo::DemoOptions {
        port: options.port,
        seed: 0,
        now_ms: None,
        topics: size.topics,
        // Without topics beside the shop's there are no partitions of them either.
        partitions: if size.topics == 0 { 0 } else { size.partitions },
        groups: size.groups,
        records: size.records,
        rate: size.rate,
    };
    let watched = if options.parent_pipe {
        demo::exit_when_stdin_closes()
    } else {
        Ok(())
    };
    let served = watched.and_then(|()| {
        demo::serve(&seeded, |address| {
            let mut out = std::io::stdout().lock();
            // Whoever started it and went away does not need the address any more.
            drop(writeln!(out, "{{\"bootstrap\":\"{address}\"}}").and_then(|()| out.flush()));
        })
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("the demo bus cannot be served: {error}"));
            ExitCode::from(NOT_SERVED)
        }
    }
}

/// Opens the window and stays in it until it is closed.
fn open_window(start: cli::WindowStart) -> ExitCode {
    // The engine is there before the window, which alone knows how to be woken.
    let window: Arc<OnceLock<ui::Waker>> = Arc::default();
    let woken = Arc::clone(&window);
    let engine = Engine::start(EngineOptions {
        waker: Arc::new(move || {
            if let Some(wake) = woken.get() {
                wake();
            }
        }),
        clock: Clock::System,
        tell_events: false,
        listen_for_interrupt: false,
        files: Files::usual(),
    });
    let engine = match engine {
        Ok(engine) => engine,
        Err(problem) => {
            say(&problem.message);
            return ExitCode::from(NO_WINDOW);
        }
    };
    let start = ui::Start {
        connect: start.connect,
        bootstrap_env: start.bootstrap_env,
        link: start.link.map(|link| *link),
        said: start.said,
        clock: Clock::System,
        zone: TimeZone::system(),
        memory: Some(Arc::new(SettingsFile::open(
            store::usual_file().as_deref().map_err(Clone::clone),
        ))),
        folders: Folders::usual(),
    };
    let make_link = move |waker| -> Box<dyn Link> {
        // Set once: there is one window.
        drop(window.set(waker));
        Box::new(engine)
    };
    match ui::run(Box::new(make_link), start) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error.to_string());
            ExitCode::from(NO_WINDOW)
        }
    }
}

fn say(words: &str) {
    drop(writeln!(std::io::stderr(), "tideline: {words}"));
}
