//! Exit codes of conversations that do not go as planned.

use std::io;

use crate::engine::{Coverage, EventKind, Progress, Reply, StoppedBy, TopicsReply};
use crate::model::ProblemKind;

use super::super::answer::answer;
use super::{Broken, Script, TASK, failed, finished, problem, question, run, shared, streams};

fn no_topics() -> EventKind {
    finished(Reply::Topics(shared(TopicsReply::default())))
}

fn stopped(reason: StoppedBy) -> EventKind {
    finished(Reply::Records(shared(Coverage {
        stopped_by: Some(reason),
        ..Coverage::default()
    })))
}

#[test]
fn a_bus_that_is_not_reached_is_5_and_settings_that_make_no_sense_are_2() {
    for (kind, code) in [
        (ProblemKind::Unreachable, 5),
        (ProblemKind::Refused, 5),
        (ProblemKind::TimedOut, 5),
        (ProblemKind::Other, 5),
        (ProblemKind::Invalid, 2),
    ] {
        let script = Script {
            connect: vec![EventKind::ConnectFailed(problem(kind, "why\u{1b}[2J not"))],
            ..Script::default()
        };
        let written = run("topics --json", &script);
        assert_eq!(written.code, code, "{kind:?}");
        assert_eq!(
            (written.out.as_str(), written.err.as_str()),
            ("", "tideline: why␛[2J not\n")
        );
    }
}

#[test]
fn a_question_without_any_answer() {
    for (kind, code) in [
        (ProblemKind::Unreachable, 5),
        (ProblemKind::TimedOut, 5),
        (ProblemKind::Forbidden, 5),
        (ProblemKind::Invalid, 2),
        (ProblemKind::Malformed, 6),
    ] {
        let written = run(
            "cluster --json",
            &Script::answering(vec![failed(kind, "why")]),
        );
        assert_eq!(written.code, code, "{kind:?}");
        assert_eq!(
            (written.out.as_str(), written.err.as_str()),
            ("", "tideline: why\n")
        );
    }
}

#[test]
fn an_engine_that_is_busy_is_asked_again() {
    let script = Script {
        busy: 3,
        ..Script::answering(vec![no_topics()])
    };
    let written = run("topics --json", &script);
    assert_eq!(
        (written.code, written.out.as_str()),
        (0, "{\"topics\":[]}\n")
    );
}

#[test]
fn an_interrupt_cancels_and_prints_what_there_is() {
    let script = Script {
        cancel: vec![stopped(StoppedBy::Interrupt)],
        ..Script::answering(vec![EventKind::Interrupted])
    };
    let written = run("records --topic t --json", &script);
    assert_eq!(script.cancelled(), [StoppedBy::Interrupt]);
    assert_eq!(written.json()["coverage"]["stopped_by"], "interrupt");
    assert_eq!(written.code, 130);
}

#[test]
fn an_interrupted_question_is_130_whatever_else_is_wrong() {
    let script = Script {
        cancel: vec![failed(ProblemKind::Cancelled, "given up")],
        ..Script::answering(vec![EventKind::Interrupted])
    };
    let written = run("topics --json", &script);
    assert_eq!(
        (written.code, written.err.as_str()),
        (130, "tideline: interrupted\n")
    );
    assert_eq!(written.out, "");
}

#[test]
fn an_interrupt_before_the_connection_stands_or_a_second_one_ends_at_once() {
    let early = Script {
        connect: vec![EventKind::Interrupted],
        ..Script::default()
    };
    assert_eq!(run("topics", &early).code, 130);
    let twice = Script::answering(vec![EventKind::Interrupted, EventKind::Interrupted]);
    assert_eq!(run("topics", &twice).code, 130);
}

#[test]
fn time_that_runs_out_before_the_connection_stands_is_5() {
    let written = run("topics --timeout 0s --json", &Script::default());
    assert_eq!(written.code, 5);
    assert!(written.err.contains("--timeout"), "{}", written.err);
}

#[test]
fn time_that_runs_out_while_asking_cancels_and_is_6() {
    let script = Script {
        cancel: vec![stopped(StoppedBy::Timeout)],
        ..Script::answering(Vec::new())
    };
    let written = run("records --topic t --timeout 20ms --json", &script);
    assert_eq!(script.cancelled(), [StoppedBy::Timeout]);
    assert_eq!(written.json()["coverage"]["stopped_by"], "timeout");
    assert_eq!(written.code, 6);

    let script = Script {
        cancel: vec![failed(ProblemKind::Cancelled, "given up")],
        ..Script::answering(Vec::new())
    };
    let written = run("topics --timeout 20ms --json", &script);
    assert_eq!((written.code, written.out.as_str()), (6, ""));
    assert!(written.err.contains("--timeout"), "{}", written.err);
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly_and_a_full_disk_does_not() {
    for (kind, code, silent) in [
        (io::ErrorKind::BrokenPipe, 0, true),
        (io::ErrorKind::StorageFull, 6, false),
    ] {
        let mut err = Vec::new();
        let script = Script::answering(vec![no_topics()]);
        let mut out = Broken(kind);
        let code_given = answer(
            &script,
            question("topics --json"),
            &mut streams(&mut out, &mut err),
        );
        assert_eq!((code_given, err.is_empty()), (code, silent), "{kind}");
    }
}

#[test]
fn progress_is_shown_to_a_terminal_alone_and_wiped_before_the_answer() {
    let script = || {
        let progress = Progress {
            what: "look-ups",
            done: 3,
            total: Some(9),
        };
        Script::answering(vec![EventKind::Progress(TASK, progress), no_topics()])
    };
    assert_eq!(run("topics --json", &script()).err, "");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut terminal = streams(&mut out, &mut err);
    terminal.progress = true;
    answer(&script(), question("topics --json"), &mut terminal);
    assert_eq!(
        String::from_utf8(err).unwrap(),
        "\r\u{1b}[2Klook-ups: 3 of 9\r\u{1b}[2K"
    );
}
