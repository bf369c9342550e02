//! The control client against librdkafka's own mock cluster, which can lose a coordinator on purpose.

use std::ffi::CString;

use rdkafka::mocking::{MockCluster, MockCoordinator};

use super::*;
use crate::bus::kafka::config::{client_config, translate};
use crate::model::ConnectionSettings;

fn control(bootstrap: &str, coordinator: Duration) -> Control {
    let config = client_config(&translate(&ConnectionSettings::to(bootstrap)).unwrap());
    let deadlines = Deadlines {
        coordinator,
        coordinator_answer: Duration::from_secs(20),
        ..Deadlines::default()
    };
    Control::new(config, deadlines).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// librdkafka issue 4605: a question to a coordinator that times out while the coordinator is away aborts the
/// process when it comes back. This test ends the whole test program if that happens.
#[test]
fn a_coordinator_that_comes_back_after_a_time_out_does_not_abort_the_process() {
    let mock = MockCluster::new(3).unwrap();
    mock.coordinator(MockCoordinator::Group("g".to_owned()), 2)
        .unwrap();
    let control = control(&mock.bootstrap_servers(), Duration::from_millis(1_500));
    let runtime = runtime();
    let commits = || Question::Commits(CString::new("g").unwrap());

    let first = runtime.block_on(control.ask(commits()));
    assert!(matches!(first, Ok(Answer::Commits(Ok(_)))), "{first:?}");

    mock.broker_down(2).unwrap();
    let before = Arc::as_ptr(&control.current.lock());
    // The first question may still find the connection on its way down, and fails for that.
    let timed_out = (0..10).any(|_| {
        let lost =
            runtime.block_on(control.ask_within(&commits(), Duration::from_millis(1_500), None));
        match &lost {
            Err(problem) => problem.kind == ProblemKind::TimedOut,
            Ok(answer) => has_timed_out(answer),
        }
    });
    assert!(timed_out);

    // Wait until the client that timed out is gone, then bring the coordinator back.
    for _ in 0..200 {
        if control.current.lock().has_ended() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(
        control.current.lock().has_ended(),
        "the client that timed out lives on"
    );
    mock.broker_up(2).unwrap();

    let again = runtime.block_on(control.ask(commits()));
    assert!(matches!(again, Ok(Answer::Commits(Ok(_)))), "{again:?}");
    assert_ne!(before, Arc::as_ptr(&control.current.lock()));
}

#[test]
fn a_question_given_up_early_leaves_the_client_alive() {
    let mock = MockCluster::new(2).unwrap();
    for (group, broker) in [("lost", 1), ("there", 2)] {
        mock.coordinator(MockCoordinator::Group(group.to_owned()), broker)
            .unwrap();
    }
    let control = control(&mock.bootstrap_servers(), Duration::from_mins(5));
    let runtime = runtime();
    let commits = |group: &str| Question::Commits(CString::new(group).unwrap());
    mock.broker_down(1).unwrap();
    let lost =
        runtime.block_on(control.ask_within(&commits("lost"), Duration::from_millis(300), None));
    assert_eq!(lost.unwrap_err().kind, ProblemKind::TimedOut);
    assert!(!control.current.lock().has_ended());
    let there = runtime.block_on(control.ask(commits("there")));
    assert!(matches!(there, Ok(Answer::Commits(Ok(_)))), "{there:?}");
}
