//! Letting the system open links with this program.

use tideline::engine::OpenerView;
use tideline::model::ProblemKind;

use super::*;
use crate::images::run_command;

fn view(opens: bool) -> OpenerView {
    OpenerView {
        entry: "/home/me/.local/share/applications/tideline.desktop".into(),
        preferred: "/home/me/.config/mimeapps.list".into(),
        opens,
    }
}

fn asked(fake: &Fake) -> Option<bool> {
    fake.take().into_iter().find_map(|command| match command {
        Command::OpenLinks(opens) => Some(opens),
        _ => None,
    })
}

#[test]
fn links_are_opened_after_a_question_and_taken_back_the_same_way() {
    let (mut harness, fake) = shop();
    run_command(&mut harness, "open links");
    assert!(shows(&harness, "Looking how it stands…"));
    fake.change(|snapshot| snapshot.opener = Arc::new(Some(Ok(view(false)))));
    harness.run();
    assert!(shows(&harness, "/home/me/.config/mimeapps.list"));
    fake.take();
    click(&mut harness, "Open links with Tideline");
    assert_eq!(asked(&fake), Some(true));
    fake.change(|snapshot| snapshot.opener = Arc::new(Some(Ok(view(true)))));
    harness.run();
    assert!(shows_part(&harness, "Links open with Tideline now"));
    run_command(&mut harness, "open links");
    click(&mut harness, "Open them no longer");
    assert_eq!(asked(&fake), Some(false));
}

#[test]
fn what_stands_in_the_way_is_said() {
    let (mut harness, fake) = shop();
    let problem = Problem::new(ProblemKind::Invalid, "there is no folder for it");
    fake.change(|snapshot| snapshot.opener = Arc::new(Some(Err(problem))));
    run_command(&mut harness, "open links");
    assert!(shows(
        &harness,
        "It cannot be done: there is no folder for it"
    ));
    click(&mut harness, "Open links with Tideline");
    assert_eq!(asked(&fake), None);
}
