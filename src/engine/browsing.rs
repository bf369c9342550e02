//! Starting the window's search, one at a time, and handing orders to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::bus::Bus;
use crate::decode::schema::Schemas;

use super::SessionId;
use super::publish::Publisher;
use super::searching::{SearchControl, SearchRequest, SearchView};
use super::tasks::rewind::{Desk, access};
use super::tasks::search::{self, Around};

/// How many bytes a second are read of a cluster that people depend on, unless somebody asks for more.
const PRODUCTION_RATE: u64 = 20_000_000;

/// The search of a session.
#[derive(Default)]
pub(super) struct Browsing {
    orders: Option<mpsc::Sender<SearchControl>>,
    task: Option<JoinHandle<()>>,
    /// Which search may show itself.
    present: Arc<AtomicU64>,
}

/// What a search needs of its session.
pub(super) struct Session {
    pub(super) bus: watch::Receiver<Option<Arc<dyn Bus>>>,
    pub(super) publisher: Arc<Publisher>,
    pub(super) id: SessionId,
    pub(super) schemas: Arc<dyn Schemas>,
    /// Makes what the locks are asked with.
    pub(super) desk: Box<dyn FnOnce(Arc<dyn Bus>) -> Desk + Send>,
}

impl Session {
    /// What a search needs, once the bus is connected; `None` when it will not be.
    pub(super) async fn around(
        self,
        is_present: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Option<Around> {
        let mut ready = self.bus;
        let bus = ready.wait_for(Option::is_some).await.ok()?.clone()?;
        let desk = (self.desk)(Arc::clone(&bus));
        Some(Around {
            bytes_per_second: most_bytes_per_second(&desk).await,
            bus,
            publisher: self.publisher,
            session: self.id,
            schemas: self.schemas,
            is_present: Box::new(is_present),
        })
    }
}

impl Browsing {
    /// Begins `request` in place of the search before; ends that one when `None`.
    pub(super) fn search(&mut self, session: Session, request: Option<SearchRequest>) {
        self.stop();
        let mine = self.present.fetch_add(1, Ordering::AcqRel).wrapping_add(1);
        let Some(request) = request else {
            session.publisher.update(session.id, |snapshot| {
                if *snapshot.search != SearchView::default() {
                    snapshot.search = Arc::default();
                }
            });
            return;
        };
        let (orders, heard) = mpsc::channel(search::WAITING);
        let present = Arc::clone(&self.present);
        self.orders = Some(orders);
        self.task = Some(tokio::spawn(async move {
            let is_present = move || present.load(Ordering::Acquire) == mine;
            if let Some(around) = session.around(is_present).await {
                search::search(around, request, heard).await;
            }
        }));
    }

    /// Hands an order to the search, if there is one that listens.
    pub(super) fn control(&self, order: SearchControl) {
        if let Some(orders) = &self.orders {
            // A search that is over listens no more.
            let _heard = orders.try_send(order).is_ok();
        }
    }

    fn stop(&mut self) {
        self.orders = None;
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl Drop for Browsing {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How many bytes a second may be read of the cluster, as its locks say; as many as come when `None`.
pub(super) async fn most_bytes_per_second(desk: &Desk) -> Option<u64> {
    let profiles = access::profiles(&desk.files).await.ok()?;
    if !profiles.iter().any(|profile| profile.production) {
        return None;
    }
    let cluster = desk.bus.cluster().await.ok();
    let id = cluster.and_then(|cluster| cluster.cluster_id);
    let policy = access::policy(desk, id.as_deref(), access::Asker::Command).await;
    policy.production.then_some(PRODUCTION_RATE)
}
