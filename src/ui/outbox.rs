//! What is to be sent to the engine: each wish once, the view not more often than it can be acted upon, and
//! again later when the engine is busy.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::engine::{Command, Link, SessionId, TableRequest, View};

/// The view is told at most this often, in seconds.
const VIEW_EVERY_S: f64 = 0.12;
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
        if !self.table_told || self.table.as_ref() != wishes.table {
            if !link.send(Command::Table(wishes.table.map(|table| (**table).clone()))) {
                return Some(RETRY_S);
            }
            self.table = wishes.table.cloned();
            self.table_told = true;
        }
        self.send_view(link, wishes.view, now)
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
    use crate::engine::{Snapshot, TableSpan};
    use crate::model::{Isolation, TimestampMs};

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
                Command::Table(table) => format!("table {}", table.map_or(0, |table| table.rows)),
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

    fn table(rows: usize) -> Arc<TableRequest> {
        Arc::new(TableRequest {
            partitions: vec![],
            span: TableSpan::Newest,
            rows,
            isolation: Isolation::ReadUncommitted,
        })
    }

    fn wishes<'a>(session: u64, view: &'a Arc<View>, table: &'a Arc<TableRequest>) -> Wishes<'a> {
        Wishes {
            session: SessionId(session),
            connected: true,
            view: Some(view),
            table: Some(table),
        }
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
    fn nothing_is_asked_of_a_bus_that_is_not_reached() {
        let (link, mut outbox) = (Taken::default(), Outbox::default());
        let wishes = Wishes {
            session: SessionId(1),
            connected: false,
            view: None,
            table: None,
        };
        assert_eq!(outbox.send(&link, &wishes, 0.0), None);
        assert!(link.take().is_empty());
    }
}
