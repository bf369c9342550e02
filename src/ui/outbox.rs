//! What is to be sent to the engine: each wish once, the view not more often than it can be acted upon, and
//! again later when the engine is busy.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::engine::{Command, Link, SessionId, TablePlace, TableRequest, View};
use crate::model::Text;

use super::state::rewind::Numbered;

/// The view is told at most this often, in seconds.
const VIEW_EVERY_S: f64 = 0.12;
/// Jumps along the table are told at most this often, in seconds.
const JUMP_EVERY_S: f64 = 0.12;
/// The rows on screen are told at most this often, in seconds.
const ROWS_EVERY_S: f64 = 0.06;
/// What is to be planned is told at most this often, in seconds: a drag asks in every frame.
const PLAN_EVERY_S: f64 = 0.06;
/// How long to wait for a busy engine, in seconds.
const RETRY_S: f64 = 0.05;
/// No more than this many commands wait for a busy engine.
const MOST_WAITING: usize = 32;

/// Commands on their way.
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: VecDeque<Command>,
    session: SessionId,
    watched: bool,
    view: Option<Arc<View>>,
    view_at: f64,
    table: Option<Arc<TableRequest>>,
    table_told: bool,
    table_at: f64,
    rows: Option<(u64, i64, i64)>,
    rows_at: f64,
    group: Option<Text>,
    plan: Option<Arc<Numbered>>,
    plan_at: f64,
}

/// What the engine should know of the window right now.
pub struct Wishes<'a> {
    /// The session that is shown.
    pub session: SessionId,
    /// Whether its connection stands.
    pub connected: bool,
    /// What the timeline shows.
    pub view: Option<&'a Arc<View>>,
    /// What the table shows.
    pub table: Option<&'a Arc<TableRequest>>,
    /// The numbers of the first and the last of its rows that are on screen.
    pub rows: Option<(i64, i64)>,
    /// The group that is looked at.
    pub group: Option<&'a Text>,
    /// What is to be planned for it.
    pub plan: Option<&'a Arc<Numbered>>,
}

impl Outbox {
    /// Queues a command of the person's. When too many wait already the engine hangs, and one more would not
    /// help: it is dropped.
    pub fn push(&mut self, command: Command) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push_back(command);
        }
    }

    /// Sends what is due at `now` seconds; after how many seconds to come again, when something is left.
    pub fn send(&mut self, link: &dyn Link, wishes: &Wishes<'_>, now: f64) -> Option<f64> {
        while let Some(command) = self.waiting.front() {
            if !link.send(command.clone()) {
                return Some(RETRY_S);
            }
            self.waiting.pop_front();
        }
        if self.session != wishes.session {
            self.session = wishes.session;
            self.watched = false;
            self.view = None;
            self.table = None;
            self.table_told = false;
            self.rows = None;
            self.group = None;
            self.plan = None;
        }
        if !wishes.connected {
            return None;
        }
        if !self.watched {
            if !link.send(Command::Watch) {
                return Some(RETRY_S);
            }
            self.watched = true;
        }
        let mut jump_due = None;
        if !self.table_told || self.table.as_ref() != wishes.table {
            jump_due = self.wait_for_jump(wishes, now);
        }
        if jump_due.is_none() && (!self.table_told || self.table.as_ref() != wishes.table) {
            if !link.send(Command::Table(wishes.table.map(|table| (**table).clone()))) {
                return Some(RETRY_S);
            }
            self.table = wishes.table.cloned();
            self.table_told = true;
            self.table_at = now;
        }
        if self.group.as_ref() != wishes.group {
            if !link.send(Command::Group(wishes.group.cloned())) {
                return Some(RETRY_S);
            }
            self.group = wishes.group.cloned();
        }
        let plan = self.send_plan(link, wishes.plan, now);
        let rows = self.send_rows(link, wishes, now);
        let view = self.send_view(link, wishes.view, now);
        [jump_due, plan, rows, view]
            .into_iter()
            .flatten()
            .reduce(f64::min)
    }

    /// How long a jump has to wait, because the last one was only just told: a scroll bar that is dragged
    /// jumps in every frame.
    fn wait_for_jump(&self, wishes: &Wishes<'_>, now: f64) -> Option<f64> {
        let jumps = wishes
            .table
            .is_some_and(|table| matches!(table.place, TablePlace::Rank(_)));
        let due = self.table_at + JUMP_EVERY_S;
        (jumps && self.table_told && now < due).then_some(due - now)
    }

    fn send_plan(
        &mut self,
        link: &dyn Link,
        plan: Option<&Arc<Numbered>>,
        now: f64,
    ) -> Option<f64> {
        if self.plan.as_ref() == plan {
            return None;
        }
        let due = self.plan_at + PLAN_EVERY_S;
        if self.plan.is_some() && plan.is_some() && now < due {
            return Some(due - now);
        }
        let told = plan.map(|plan| (plan.0, Box::new(plan.1.clone())));
        if !link.send(Command::Plan(told)) {
            return Some(RETRY_S);
        }
        self.plan = plan.cloned();
        self.plan_at = now;
        None
    }

    fn send_rows(&mut self, link: &dyn Link, wishes: &Wishes<'_>, now: f64) -> Option<f64> {
        let jump = wishes.table?.jump;
        let (first, last) = wishes.rows?;
        let rows = Some((jump, first, last));
        if self.rows == rows {
            return None;
        }
        let due = self.rows_at + ROWS_EVERY_S;
        if self.rows.is_some() && now < due {
            return Some(due - now);
        }
        if !link.send(Command::TableRows { jump, first, last }) {
            return Some(RETRY_S);
        }
        self.rows = rows;
        self.rows_at = now;
        None
    }

    fn send_view(&mut self, link: &dyn Link, view: Option<&Arc<View>>, now: f64) -> Option<f64> {
        let view = view.filter(|view| self.view.as_ref() != Some(*view))?;
        let due = self.view_at + VIEW_EVERY_S;
        if self.view.is_some() && now < due {
            return Some(due - now);
        }
        if !link.send(Command::View((**view).clone())) {
            return Some(RETRY_S);
        }
        self.view = Some(Arc::clone(view));
        self.view_at = now;
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use parking_lot::Mutex;

    use super::*;
    use crate::engine::{Snapshot, TableOrder, TableSpan};
    use crate::model::{Isolation, TimestampMs};
    use crate::rewind::target::PlanRequest;

    #[derive(Default)]
    struct Taken {
        busy: AtomicBool,
        commands: Mutex<Vec<String>>,
    }

    impl Link for Taken {
        fn send(&self, command: Command) -> bool {
            if self.busy.load(Ordering::Relaxed) {
                return false;
            }
            let name = match command {
                Command::View(view) => format!("view {}", view.from.0),
                Command::Table(table) => format!("table {}", table.map_or(0, |table| table.jump)),
                Command::TableRows { jump, first, last } => format!("rows {jump} {first} {last}"),
                Command::Group(name) => {
                    format!(
                        "group {}",
                        name.map_or_else(String::new, |name| name.to_string())
                    )
                }
                Command::Plan(plan) => format!("plan {}", plan.map_or(0, |plan| plan.0)),
                Command::Watch => "watch".into(),
                Command::FindLocal => "find".into(),
                other => format!("{other:?}"),
            };
            self.commands.lock().push(name);
            true
        }

        fn snapshot(&self) -> Arc<Snapshot> {
            Arc::default()
        }
    }

    impl Taken {
        fn take(&self) -> Vec<String> {
            std::mem::take(&mut self.commands.lock())
        }
    }

    fn view(from: i64) -> Arc<View> {
        Arc::new(View {
            lanes: vec![],
            from: TimestampMs(from),
            to: TimestampMs(100),
            columns: 10,
            folds: vec![],
        })
    }

    fn table(jump: u64) -> Arc<TableRequest> {
        Arc::new(TableRequest {
            partitions: vec![],
            span: TableSpan::All,
            order: TableOrder::Time,
            place: TablePlace::End,
            jump,
            isolation: Isolation::ReadUncommitted,
        })
    }

    fn wishes<'a>(session: u64, view: &'a Arc<View>, table: &'a Arc<TableRequest>) -> Wishes<'a> {
        Wishes {
            session: SessionId(session),
            connected: true,
            view: Some(view),
            table: Some(table),
            rows: None,
            group: None,
            plan: None,
        }
    }

    #[test]
    fn a_plan_is_told_once_not_in_every_frame_of_a_drag_and_given_up_at_once() {
        let link = Taken::default();
        let (mut outbox, view, table) = (Outbox::default(), view(1), table(1));
        let plan = |number| {
            let request = PlanRequest {
                group: Text::from("billing"),
                parts: vec![],
                left_out: std::collections::BTreeSet::new(),
                new_group: false,
                with_metadata: false,
                undoes: None,
            };
            Arc::new((number, request))
        };
        let mut send = |plan: Option<&Arc<Numbered>>, now| {
            let wishes = Wishes {
                plan,
                ..wishes(1, &view, &table)
            };
            let due = outbox.send(&link, &wishes, now);
            let told = link.take().into_iter();
            let plans: Vec<String> = told.filter(|name| name.starts_with("plan")).collect();
            (plans, due.is_some())
        };
        assert_eq!(send(Some(&plan(1)), 0.0), (vec!["plan 1".into()], false));
        assert_eq!(send(Some(&plan(1)), 0.01), (vec![], false));
        assert_eq!(send(Some(&plan(2)), 0.02), (vec![], true));
        assert_eq!(send(Some(&plan(3)), 0.1), (vec!["plan 3".into()], false));
        assert_eq!(send(None, 0.11), (vec!["plan 0".into()], false));
    }

    #[test]
    fn a_wish_is_sent_once() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let (view, table) = (view(1), table(200));
        assert_eq!(outbox.send(&link, &wishes(1, &view, &table), 0.0), None);
        assert_eq!(link.take(), vec!["watch", "table 200", "view 1"]);
        assert_eq!(outbox.send(&link, &wishes(1, &view, &table), 5.0), None);
        assert!(link.take().is_empty());
    }

    #[test]
    fn a_view_that_keeps_moving_is_sent_now_and_then_and_at_last() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let table = table(200);
        outbox.send(&link, &wishes(1, &view(1), &table), 10.0);
        link.take();
        let wait = outbox
            .send(&link, &wishes(1, &view(2), &table), 10.05)
            .unwrap();
        assert!((wait - 0.07).abs() < 1e-9);
        assert!(link.take().is_empty());
        assert_eq!(
            outbox.send(&link, &wishes(1, &view(3), &table), 10.13),
            None
        );
        assert_eq!(link.take(), vec!["view 3"]);
    }

    #[test]
    fn a_bar_that_is_dragged_jumps_now_and_then_and_at_last() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let view = view(1);
        let to = |jump: u64, place: TablePlace| {
            let mut request = (*table(jump)).clone();
            request.place = place;
            Arc::new(request)
        };
        outbox.send(&link, &wishes(1, &view, &table(1)), 9.0);
        link.take();
        let (first, second, last) = (
            to(2, TablePlace::Rank(10)),
            to(3, TablePlace::Rank(20)),
            to(4, TablePlace::Rank(30)),
        );
        assert_eq!(outbox.send(&link, &wishes(1, &view, &first), 10.0), None);
        assert_eq!(link.take(), vec!["table 2"]);
        let wait = outbox
            .send(&link, &wishes(1, &view, &second), 10.1)
            .unwrap();
        assert!((wait - 0.02).abs() < 1e-9);
        assert!(link.take().is_empty());
        assert_eq!(outbox.send(&link, &wishes(1, &view, &last), 10.12), None);
        assert_eq!(link.take(), vec!["table 4"]);
        // Any other jump is told at once.
        assert_eq!(
            outbox.send(&link, &wishes(1, &view, &table(5)), 10.13),
            None
        );
        assert_eq!(link.take(), vec!["table 5"]);
    }

    #[test]
    fn rows_that_keep_moving_are_told_now_and_then_and_at_last() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let (view, table) = (view(1), table(7));
        let mut wishes = wishes(1, &view, &table);
        outbox.send(&link, &wishes, 10.0);
        link.take();
        wishes.rows = Some((-40, 20));
        assert_eq!(outbox.send(&link, &wishes, 10.01), None);
        assert_eq!(link.take(), vec!["rows 7 -40 20"]);
        wishes.rows = Some((-30, 30));
        let wait = outbox.send(&link, &wishes, 10.05).unwrap();
        assert!((wait - 0.02).abs() < 1e-9);
        assert!(link.take().is_empty());
        wishes.rows = Some((-20, 40));
        assert_eq!(outbox.send(&link, &wishes, 10.08), None);
        assert_eq!(outbox.send(&link, &wishes, 10.2), None);
        assert_eq!(link.take(), vec!["rows 7 -20 40"]);
    }

    #[test]
    fn a_busy_engine_is_asked_again() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        link.busy.store(true, Ordering::Relaxed);
        outbox.push(Command::FindLocal);
        let (view, table) = (view(1), table(200));
        assert_eq!(
            outbox.send(&link, &wishes(1, &view, &table), 0.0),
            Some(0.05)
        );
        link.busy.store(false, Ordering::Relaxed);
        assert_eq!(outbox.send(&link, &wishes(1, &view, &table), 0.1), None);
        assert_eq!(link.take(), vec!["find", "watch", "table 200", "view 1"]);
    }

    #[test]
    fn a_new_session_is_told_everything_again() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let (view, table) = (view(1), table(200));
        outbox.send(&link, &wishes(1, &view, &table), 0.0);
        link.take();
        outbox.send(&link, &wishes(2, &view, &table), 0.01);
        assert_eq!(link.take(), vec!["watch", "table 200", "view 1"]);
    }

    #[test]
    fn the_group_that_is_looked_at_is_told_when_it_changes() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let (view, table) = (view(1), table(200));
        let billing = Text::from("billing");
        let told = |outbox: &mut Outbox, session, group| {
            let wishes = Wishes {
                group,
                ..wishes(session, &view, &table)
            };
            outbox.send(&link, &wishes, 0.0);
            link.take()
        };
        let all = vec!["watch", "table 200", "group billing", "view 1"];
        assert_eq!(told(&mut outbox, 1, Some(&billing)), all);
        assert!(told(&mut outbox, 1, Some(&billing)).is_empty());
        assert_eq!(told(&mut outbox, 1, None), vec!["group "]);
        assert_eq!(told(&mut outbox, 2, Some(&billing)), all);
    }

    #[test]
    fn nothing_is_asked_of_a_bus_that_is_not_reached() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let wishes = Wishes {
            session: SessionId(1),
            connected: false,
            view: None,
            table: None,
            rows: None,
            group: None,
            plan: None,
        };
        assert_eq!(outbox.send(&link, &wishes, 0.0), None);
        assert!(link.take().is_empty());
    }
}
