//! The control client against librdkafka's own mock cluster, which can lose a coordinator on purpose.

use std::ffi::CString;

use rdkafka::mocking::{MockCluster, MockCoordinator};

use super::*;
use crate::bus::kafka::config::{client_config, translate};
use crate::bus::kafka::ffi::admin::NewCommit;
use crate::model::ConnectionSettings;
use crate::model::Text;

fn control(bootstrap: &str, coordinator: Duration) -> Control {
    control_with(
        bootstrap,
        Deadlines {
            coordinator,
            coordinator_answer: Duration::from_secs(20),
            ..Deadlines::default()
        },
    )
}

fn control_with(bootstrap: &str, deadlines: Deadlines) -> Control {
    let config = client_config(&translate(&ConnectionSettings::to(bootstrap)).unwrap());
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

/// A change whose coordinator is away is not known to have arrived, and does not arrive once nobody waits for it.
#[test]
fn a_change_that_was_given_up_does_not_arrive_later() {
    let mock = MockCluster::new(2).unwrap();
    mock.create_topic("t", 1, 1).unwrap();
    mock.coordinator(MockCoordinator::Group("g".to_owned()), 2)
        .unwrap();
    let deadlines = Deadlines {
        answer: Duration::from_secs(1),
        ..Deadlines::default()
    };
    let control = control_with(&mock.bootstrap_servers(), deadlines);
    let runtime = runtime();
    let to = |offset| {
        let commit = NewCommit {
            topic: CString::new("t").unwrap(),
            partition: 0,
            offset,
            leader_epoch: -1,
            metadata: Text::from(""),
        };
        Question::SetCommits(CString::new("g").unwrap(), vec![commit])
    };
    let committed = || {
        let client: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", mock.bootstrap_servers())
            .set("group.id", "g")
            .create()
            .unwrap();
        let mut asked = rdkafka::TopicPartitionList::new();
        asked.add_partition("t", 0);
        let found = client
            .committed_offsets(asked, Duration::from_secs(20))
            .unwrap();
        found.elements()[0].offset()
    };
    let sure = wait_for_change(&runtime, &control, || to(5));
    assert_eq!(sure, [(0, 0)]);
    assert_eq!(committed(), rdkafka::Offset::Offset(5));

    let asker = control.changer().unwrap();
    mock.broker_down(2).unwrap();
    let lost = runtime.block_on(control.send_once(&asker, &to(3)));
    let Err(NoAnswer::NotKnown(problem)) = lost else {
        panic!("{lost:?}");
    };
    assert_eq!(problem.kind, ProblemKind::TimedOut);
    assert!(asker.has_ended());
    // One whose asker went away in the middle.
    let asker = control.changer().unwrap();
    let question = to(2);
    let dropped = runtime.block_on(async {
        let sending = control.send_once(&asker, &question);
        tokio::time::timeout(Duration::from_millis(200), sending).await
    });
    assert!(dropped.is_err(), "{dropped:?}");
    assert!(asker.has_ended());
    mock.broker_up(2).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(committed(), rdkafka::Offset::Offset(5));
    assert_eq!(wait_for_change(&runtime, &control, || to(1)), [(0, 0)]);
    assert_eq!(committed(), rdkafka::Offset::Offset(1));

    mock.broker_down(2).unwrap();
    // One that looks for the coordinator first is not sent.
    let unsent = runtime.block_on(control.change(c"g", to(4)));
    let Err(NoAnswer::NotSent(problem)) = unsent else {
        panic!("{unsent:?}");
    };
    assert_eq!(problem.kind, ProblemKind::Retriable);
    mock.broker_up(2).unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(committed(), rdkafka::Offset::Offset(1));
}

/// Asks until an answer comes: partition and code of each row.
fn wait_for_change(
    runtime: &tokio::runtime::Runtime,
    control: &Control,
    question: impl Fn() -> Question,
) -> Vec<(i32, i32)> {
    for _ in 0..20 {
        if let Ok(Answer::Changed(Ok(outcomes))) =
            runtime.block_on(control.change(c"g", question()))
        {
            let rows = outcomes.iter();
            return rows
                .map(|outcome| (outcome.partition, outcome.code.0))
                .collect();
        }
    }
    panic!("no answer");
}

/// librdkafka issue 3663: it aborts the process when it is to send `OffsetDelete` to a broker without it, as its mock
/// cluster is.
#[test]
fn a_broker_that_cannot_delete_bookmarks_is_not_asked_to() {
    let mock = MockCluster::new(1).unwrap();
    mock.create_topic("t", 1, 1).unwrap();
    let control = control_with(&mock.bootstrap_servers(), Deadlines::default());
    let group = CString::new("g").unwrap();
    let places = vec![(CString::new("t").unwrap(), 0)];
    let question = Question::DeleteCommits(group.clone(), places);
    let Err(NoAnswer::NotSent(problem)) = runtime().block_on(control.change(&group, question))
    else {
        panic!("it was sent");
    };
    assert_eq!(problem.kind, ProblemKind::Unsupported, "{problem}");
}
