//! The demo bus as a child process: it lives no longer than its parent.

use std::process::{Command, Stdio};
use std::time::Duration;

use tideline::bus::demo::{DemoChild, exit_when_stdin_closes};

use super::wait_for;

/// Set in a process that is to be a child and nothing else.
const CHILD: &str = "TIDELINE_TEST_DEMO_CHILD";

/// The child's side of the test below; by itself it has nothing to do.
#[test]
fn child_side() {
    if std::env::var_os(CHILD).is_some() {
        exit_when_stdin_closes().unwrap();
        loop {
            std::thread::park();
        }
    }
}

#[test]
fn a_child_ends_when_its_standard_input_does() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child::child_side"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    drop(child.stdin.take());
    let status = wait_for("the child's end", || child.try_wait().unwrap());
    assert!(status.success());
}

#[test]
fn a_child_is_ready_when_it_says_so_and_ends_with_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tideline");
    let script =
        "#!/bin/sh\necho '{\"bootstrap\":\"127.0.0.1:4711\"}'\necho $$ > \"$0.pid\"\nexec cat\n";
    let source = folder.path().join("source");
    std::fs::write(&source, script).unwrap();
    // Not written by this process: a child that another test starts meanwhile would hold it open for writing, and
    // what is open for writing cannot be run.
    let mut install = Command::new("install");
    install.args(["-m", "755"]).arg(&source).arg(&program);
    assert!(install.status().unwrap().success());
    let child = DemoChild::spawn(&program, &["--port", "0"]).unwrap();
    assert_eq!(child.bootstrap(), "127.0.0.1:4711");
    let process = format!("/proc/{}", child.id());
    assert!(std::path::Path::new(&process).exists());
    drop(child);
    assert!(!std::path::Path::new(&process).exists());
}

#[test]
fn the_real_program_serves_and_ends_when_its_parent_is_killed() {
    // A parent that holds the pipe to the bus and nothing else, so that it can be killed without warning.
    let program = env!("CARGO_BIN_EXE_tideline");
    let folder = tempfile::tempdir().unwrap();
    let announced = folder.path().join("announced");
    let holder = folder.path().join("holder");
    let script = format!(
        "sh -c 'echo $$ > {}; exec sleep 600' | exec {program} demo --broker-only --parent-pipe > {}",
        holder.display(),
        announced.display()
    );
    let mut parent = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let address = wait_for("the bus's address", || {
        let line = std::fs::read_to_string(&announced).ok()?;
        let said: serde_json::Value = serde_json::from_str(line.trim()).ok()?;
        Some(said["bootstrap"].as_str()?.to_owned())
    });
    assert!(std::net::TcpStream::connect(&address).is_ok());
    let holder = std::fs::read_to_string(&holder).unwrap();
    let killed = Command::new("sh")
        .args(["-c", &format!("kill -KILL {}", holder.trim())])
        .status()
        .unwrap();
    assert!(killed.success());
    wait_for("the bus's end", || {
        std::net::TcpStream::connect(&address)
            .is_err()
            .then_some(())
    });
    parent.wait().unwrap();
}

#[test]
fn the_real_program_as_a_child_ends_with_its_owner() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tideline"));
    let child = DemoChild::spawn::<&str>(program, &[]).unwrap();
    let address = child.bootstrap().to_owned();
    assert!(std::net::TcpStream::connect(&address).is_ok());
    drop(child);
    assert!(std::net::TcpStream::connect(&address).is_err());
}
