//! Child processes that cannot outlive the test process, however it ends.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Obeys orders on its standard input. When that ends, because its owner is dropped or the test process died in
/// whatever way, it kills the child and removes the folder.
const SUPERVISOR: &str = r#"
trap '' HUP INT TERM
folder=$1
shift
child=
stop() {
    [ -z "$child" ] || { kill -9 "$child"; wait "$child"; }
    child=
}
while read -r order; do
    case $order in
    start) "$@" </dev/null >>"$folder/stdout" 2>>"$folder/stderr" & child=$!; echo "$child" ;;
    kill) stop; echo killed ;;
    alive) if kill -0 "$child"; then echo yes; else echo no; fi ;;
    esac
done
stop
rm -rf "$folder"
"#;

/// A command under a supervisor of its own, with a folder that is removed with it.
pub struct Supervised {
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    supervisor: Child,
    folder: PathBuf,
}

impl Supervised {
    /// `folder` receives the files `stdout` and `stderr`. The command does not run yet.
    pub fn new(folder: PathBuf, command: impl IntoIterator<Item = OsString>) -> Self {
        // A process group of its own: an interrupt at the terminal must reach the tests alone.
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR, "supervisor"])
            .arg(&folder)
            .args(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        Self {
            orders: supervisor.stdin.take().unwrap(),
            answers: BufReader::new(supervisor.stdout.take().unwrap()),
            supervisor,
            folder,
        }
    }

    fn order(&mut self, order: &str) -> String {
        writeln!(self.orders, "{order}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }

    /// Starts the command, and returns its process id.
    pub fn start(&mut self) -> u32 {
        self.order("start").parse().unwrap()
    }

    /// Kills the command with SIGKILL: it gets no chance to say good-bye to anyone.
    pub fn kill(&mut self) {
        assert_eq!(self.order("kill"), "killed");
    }

    pub fn is_alive(&mut self) -> bool {
        self.order("alive") == "yes"
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn stdout(&self) -> String {
        text_of(&self.folder.join("stdout"))
    }

    /// The end of what the command printed, for a failing test's message.
    pub fn last_words(&self) -> String {
        let text = self.stdout() + &text_of(&self.folder.join("stderr"));
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Ends the command and waits until it and its folder are gone.
    pub fn finish(self) {
        let Self {
            orders,
            mut supervisor,
            ..
        } = self;
        drop(orders);
        supervisor.wait().unwrap();
    }
}

fn text_of(file: &Path) -> String {
    std::fs::read(file)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

/// An empty folder that nothing removes by itself: give it to a [`Supervised`].
pub fn new_folder() -> PathBuf {
    tempfile::Builder::new()
        .prefix("tideline-test-")
        .tempdir()
        .unwrap()
        .keep()
}
