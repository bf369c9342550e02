//! Following what the window asks.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::*;
use crate::engine::SessionId;
use crate::engine::publish::Publisher;
use crate::engine::tasks::table::{Asked, RowsOnScreen, follow};
use crate::model::PartitionId;

/// The window's ends of a task that follows it.
struct Window {
    publisher: Arc<Publisher>,
    requests: watch::Sender<Option<TableRequest>>,
    rows: watch::Sender<Option<RowsOnScreen>>,
    _refreshed: watch::Sender<u64>,
}

fn window(bus: ByHand) -> Window {
    let publisher = Arc::new(Publisher::new(None, Arc::new(|| {})));
    let session: SessionId = publisher.begin_session();
    let (requests, rows, refreshed) = (
        watch::channel(None).0,
        watch::channel(None).0,
        watch::channel(0).0,
    );
    let asked = Asked {
        requests: requests.subscribe(),
        rows: rows.subscribe(),
        refreshed: refreshed.subscribe(),
    };
    let shown = Arc::clone(&publisher);
    tokio::spawn(follow(Arc::new(bus), shown, session, rate(), asked));
    Window {
        publisher,
        requests,
        rows,
        _refreshed: refreshed,
    }
}

impl Window {
    async fn until(&self, done: impl Fn(&Table) -> bool) -> Arc<Table> {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let table = Arc::clone(&self.publisher.snapshot().table);
            if done(&table) {
                return table;
            }
            assert!(Instant::now() < deadline, "{table:?}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

#[tokio::test]
async fn the_piece_follows_the_rows_on_screen_of_its_own_jump_only() {
    let bus = ByHand::new([log(0..20_000)]);
    let request = request(&bus, TablePlace::Start);
    let window = window(bus);
    window.requests.send_replace(Some(request.clone()));
    let table = window
        .until(|table| !table.loading && !table.rows.is_empty())
        .await;
    assert_eq!(
        (table.rows.len(), table.request.as_ref()),
        (500, Some(&request))
    );
    let tell = |jump, first| {
        let last = first + 40;
        window
            .rows
            .send_replace(Some(RowsOnScreen { jump, first, last }));
    };
    tell(7, 450);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(window.publisher.snapshot().table.rows.len(), 500);
    tell(1, 450);
    let table = window
        .until(|table| !table.loading && table.rows.len() > 500)
        .await;
    assert_eq!((table.first, table.rows.len()), (0, 1_000));
    window.requests.send_replace(None);
    let table = window.until(|table| table.request.is_none()).await;
    assert!(table.rows.is_empty());
}

#[tokio::test]
async fn reading_that_is_no_longer_wanted_is_given_up_at_once() {
    let bus = ByHand {
        mute: Some(PartitionId(1)),
        ..ByHand::new([log(0..10), log(0..10)])
    };
    let mut both = request(&bus, TablePlace::End);
    let window = window(bus);
    window.requests.send_replace(Some(both.clone()));
    window.until(|table| table.loading).await;
    // A partition that does not answer is waited for six seconds; the next request need not wait for that.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let started = Instant::now();
    both.partitions.truncate(1);
    both.jump = 2;
    window.requests.send_replace(Some(both.clone()));
    let table = window
        .until(|table| table.request.as_ref() == Some(&both) && !table.loading)
        .await;
    assert_eq!(table.rows.len(), 10);
    assert!(started.elapsed() < Duration::from_secs(3));
}
