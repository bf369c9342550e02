//! The demo bus as a child process, so that no fault in a foreign codec can reach the window.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use thiserror::Error;

/// How long a child may take until it is ready.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest line that a child may announce itself with, in bytes.
const LINE: u64 = 4_096;

/// Why a demo bus could not be had as a child process.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChildError {
    /// The program could not be started.
    #[error("the demo bus could not be started: {0}")]
    Start(#[source] io::Error),
    /// It ended, or said nothing, before it was ready.
    #[error("the demo bus was not ready within {} seconds", PATIENCE.as_secs())]
    NotReady,
    /// What it announced is not the address of a demo bus.
    #[error("the demo bus announced itself with {0:?}")]
    Announcement(String),
}

/// A demo bus in a process of its own, which ends when this is dropped or when this process ends.
#[derive(Debug)]
pub struct DemoChild {
    child: Child,
    /// Held open for as long as the child shall live: its end is how the child knows.
    _stdin: Option<ChildStdin>,
    bootstrap: String,
}

impl DemoChild {
    /// Starts `program demo --broker-only ARGS --parent-pipe` and waits until it is ready.
    ///
    /// # Errors
    /// When the program cannot be started or does not announce itself in time; it is ended then.
    pub fn spawn<S: AsRef<OsStr>>(program: &Path, args: &[S]) -> Result<Self, ChildError> {
        let mut child = Command::new(program)
            .args(["demo", "--broker-only"])
            .args(args)
            .arg("--parent-pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(ChildError::Start)?;
        let stdout = child.stdout.take();
        let mut child = Self {
            _stdin: child.stdin.take(),
            child,
            bootstrap: String::new(),
        };
        let stdout = stdout.ok_or(ChildError::NotReady)?;
        let line = first_line(stdout).map_err(ChildError::Start)?;
        let line = line.ok_or(ChildError::NotReady)?;
        child.bootstrap = bootstrap_in(&line).ok_or(ChildError::Announcement(line))?;
        Ok(child)
    }

    /// Where it listens, as a client wants it: `127.0.0.1:PORT`.
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for DemoChild {
    fn drop(&mut self) {
        // It keeps nothing, so it need not be asked; it may also have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The first line that comes, or nothing when it does not come in time.
fn first_line(stdout: impl Read + Send + 'static) -> io::Result<Option<String>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    Builder::new()
        .name("demo-announcement".to_owned())
        .spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(stdout.take(LINE)).read_line(&mut line);
            if read.is_ok_and(|length| length > 0) {
                // Nobody listens any more when it came too late.
                drop(sender.send(line));
            }
        })?;
    Ok(receiver.recv_timeout(PATIENCE).ok())
}

fn bootstrap_in(line: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Announcement {
        bootstrap: SocketAddr,
    }

    let announcement: Announcement = serde_json::from_str(line).ok()?;
    Some(announcement.bootstrap.to_string())
}

/// Ends this process as soon as its standard input closes, which it does however its parent ended.
///
/// # Errors
/// When the thread that waits for it cannot be started.
pub fn exit_when_stdin_closes() -> io::Result<()> {
    Builder::new().name("demo-parent".to_owned()).spawn(|| {
        let mut input = io::stdin().lock();
        let mut ignored = [0; 256];
        loop {
            match input.read(&mut ignored) {
                Ok(1..) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => end(),
            }
        }
    })?;
    Ok(())
}

#[expect(
    clippy::exit,
    reason = "a bus without its window serves nobody, and keeps nothing to save"
)]
fn end() -> ! {
    std::process::exit(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_gives_the_address() {
        let line = "{\"bootstrap\":\"127.0.0.1:4711\"}\n";
        assert_eq!(bootstrap_in(line).as_deref(), Some("127.0.0.1:4711"));
    }

    #[test]
    fn anything_else_is_no_announcement() {
        assert_eq!(bootstrap_in(""), None);
        assert_eq!(bootstrap_in("ready"), None);
        assert_eq!(bootstrap_in("{\"bootstrap\":\"somewhere\"}"), None);
    }

    #[test]
    fn a_program_that_ends_at_once_was_not_ready() {
        let spawned = DemoChild::spawn::<&str>(Path::new("/bin/false"), &[]);
        assert!(matches!(spawned, Err(ChildError::NotReady)));
    }

    #[test]
    fn a_program_that_says_something_else_is_refused() {
        let spawned = DemoChild::spawn::<&str>(Path::new("/bin/echo"), &[]);
        let Err(ChildError::Announcement(line)) = spawned else {
            panic!("{spawned:?}");
        };
        assert_eq!(line, "demo --broker-only --parent-pipe\n");
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_started() {
        let spawned = DemoChild::spawn::<&str>(Path::new("/nowhere/tideline"), &[]);
        assert!(matches!(spawned, Err(ChildError::Start(_))));
    }
}
