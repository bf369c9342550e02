//! What planning a move looks like, in both themes.

use std::sync::Arc;

use egui::{Event, Modifiers, Theme, ThemePreference, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use tideline::engine::{Applied, Ended, RowResult, Run};
use tideline::model::{Bookmark, Offset, Problem, ProblemKind, TopicPartition};
use tideline::rewind::guard::{GuardKind, Outcome};
use tideline::ui::App;

use crate::data;
use crate::fake::{Fake, window};
use crate::images::save;
use crate::rewinding::{answer, guards};

type Window = Harness<'static, App>;

fn opened(theme: Theme) -> (Window, Fake) {
    let size = (1_440.0, 900.0);
    let (mut harness, fake) = window(Harness::builder().wgpu(), size, data::shop());
    if theme == Theme::Light {
        harness.run();
        crate::images::run_command(&mut harness, "Theme: light");
    }
    harness.ctx.set_theme(ThemePreference::from(theme));
    harness.run();
    harness.get_by_label("orders").click();
    harness.run();
    (harness, fake)
}

fn planned(theme: Theme) -> (Window, Fake) {
    let (mut harness, fake) = opened(theme);
    harness.get_by_label("Rewind billing").click();
    harness.run();
    harness.get_by_label("Time to go to").focus();
    harness.run();
    harness
        .get_by_label("Time to go to")
        .type_text("2026-11-30 14:12:13");
    harness.run_steps(2);
    let members = "2 members: billing-7f9c on 10.0.2.4, billing-x2kd on 10.0.2.9";
    let unknown = "cannot be known while members run";
    answer(
        &mut harness,
        &fake,
        guards(&[
            (GuardKind::NoMembers, Outcome::Failed, members, None),
            (GuardKind::NoHiddenReader, Outcome::Unknown, unknown, None),
            (
                GuardKind::Production,
                Outcome::Confirm,
                "prod-eu is production: confirm with the group's name",
                Some("billing"),
            ),
        ]),
    );
    (harness, fake)
}

fn with_run(harness: &mut Window, fake: &Fake, run: Run) {
    fake.change(|snapshot| {
        let mut view = (*snapshot.rewind).clone();
        view.run = run;
        snapshot.rewind = Arc::new(view);
    });
    harness.run_steps(4);
}

#[test]
fn a_plan() {
    let (mut harness, _) = planned(Theme::Dark);
    save(&mut harness, "rewind");
}

#[test]
fn a_plan_in_light_colours() {
    let (mut harness, _) = planned(Theme::Light);
    save(&mut harness, "rewind_light");
}

#[test]
fn a_flag_that_is_dragged() {
    let (mut harness, _) = opened(Theme::Dark);
    let from = harness
        .get_by_label("billing at orders / 0")
        .rect()
        .center();
    harness.hover_at(from);
    harness.run_steps(1);
    harness.drag_at(from);
    harness.run_steps(2);
    harness.event(Event::ModifiersChanged(Modifiers::SHIFT));
    for points in [-120.0, -300.0] {
        harness.hover_at(from + vec2(points, 0.0));
        harness.run_steps(3);
    }
    save(&mut harness, "rewind_drag");
}

#[test]
fn waiting_for_an_empty_moment() {
    let (mut harness, fake) = planned(Theme::Dark);
    with_run(
        &mut harness,
        &fake,
        Run::Waiting {
            since: data::NOW.moved_ms(-90_000),
            until: data::NOW.moved_ms(1_710_000),
            misses: 2,
            restarted: true,
        },
    );
    save(&mut harness, "rewind_waiting");
}

#[test]
fn what_became_of_it() {
    let (mut harness, fake) = planned(Theme::Light);
    let row = |partition: i32, error: Option<&str>| RowResult {
        at: TopicPartition::new("orders", partition),
        before: Some(Bookmark::plain(Offset(85_000))),
        after: Some(Bookmark::plain(Offset(83_000))),
        read_back: Ok(Some(Offset(83_000))),
        error: error.map(|why| Problem::new(ProblemKind::Refused, why)),
    };
    with_run(
        &mut harness,
        &fake,
        Run::Ended(Ended::Applied(Applied {
            journal_id: Some("7d0c2a1e-55b0-4e0e-a6a7-0d1f0f5f7c11".into()),
            at: data::NOW,
            rows: vec![
                row(0, None),
                row(1, Some("a member is there")),
                row(3, None),
            ],
            misses: 1,
        })),
    );
    save(&mut harness, "rewind_ended");
}
