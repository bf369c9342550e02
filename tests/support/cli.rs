//! Runs the program under test as a person's script would.

use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far beyond what any command here may take; the test fails when it is reached.
const DEADLINE: Duration = Duration::from_mins(1);

/// What one run left behind.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    command: String,
}

/// `tideline ARGUMENTS`, with folders of its own so that neither settings nor profiles of the machine meddle.
pub fn tideline<S: AsRef<str>>(arguments: &[S]) -> Run {
    let home = tempfile::tempdir().unwrap();
    tideline_at(home.path(), arguments)
}

/// The same with these folders, which runs may share.
pub fn tideline_at<S: AsRef<str>>(home: &Path, arguments: &[S]) -> Run {
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    let mut child = start(home, &arguments);
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    let command = format!("tideline {}", arguments.join(" "));
    let code = wait(&mut child, &command);
    Run {
        code,
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
        command,
    }
}

/// The program running with these folders.
pub fn start(home: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tideline"))
        .args(arguments)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::Builder::new()
        .name("drain".to_owned())
        .spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes).unwrap();
            String::from_utf8(bytes).expect("the program prints UTF-8")
        })
        .unwrap()
}

fn wait(child: &mut Child, command: &str) -> i32 {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status
                .code()
                .unwrap_or_else(|| panic!("{command} died: {status}"));
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{command} did not end within {DEADLINE:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Run {
    /// Fails with everything that was printed unless the program ended so.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "{}\n{}\n{}",
            self.command, self.stdout, self.stderr
        );
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!(
                "{}: {error} in {}\n{}",
                self.command, self.stdout, self.stderr
            )
        })
    }

    /// Standard output as one JSON value a line.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| {
                serde_json::from_str(line)
                    .unwrap_or_else(|error| panic!("{}: {error} in {line}", self.command))
            })
            .collect()
    }

    /// What `tideline records --json` prints: the records, then what was covered.
    #[track_caller]
    pub fn records(&self) -> (Vec<Value>, Value) {
        let mut lines = self.lines();
        let coverage = lines
            .pop()
            .unwrap_or_else(|| panic!("{}: nothing printed\n{}", self.command, self.stderr));
        let records = lines
            .into_iter()
            .map(|line| line["record"].clone())
            .collect();
        (records, coverage["coverage"].clone())
    }

    /// Standard error says each of these words, in any case.
    #[track_caller]
    pub fn says(&self, words: &[&str]) -> &Self {
        let said = self.stderr.to_lowercase();
        for word in words {
            assert!(
                said.contains(&word.to_lowercase()),
                "{}: no word of {word} in: {}",
                self.command,
                self.stderr
            );
        }
        self
    }
}
