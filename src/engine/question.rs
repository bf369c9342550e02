//! Answering one question of the command line.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::bus::Bus;
use crate::decode::schema::Schemas;
use crate::decode::value::Part;
use crate::inspect::filter::Decode as _;
use crate::model::{Clock, Known, Problem, ProblemKind};

use super::cancel::Cancel;
use super::changing::{Files, RewindRequest, Run};
use super::command::{RecordsRequest, Request};
use super::event::{EventKind, Portion, Progress, Reply};
use super::finding::GapsRequest;
use super::publish::Publisher;
use super::tasks::gaps::{once, watch as watch_gaps};
use super::tasks::hunt::Look;
use super::tasks::lookups::Rate;
use super::tasks::records::Sink;
use super::tasks::rewind::{Desk, Reached, ask};
use super::tasks::{inventory, records, timeline};
use super::{SessionId, TaskId, browsing};

/// How long a question that was given up may take to tell what it has found.
const GRACE: Duration = Duration::from_secs(3);

fn given_up_early() -> Problem {
    Problem::new(ProblemKind::Cancelled, "given up before the answer came")
}

/// One question and where its answer goes.
pub(super) struct Question {
    pub(super) id: TaskId,
    pub(super) session: SessionId,
    pub(super) rate: Rate,
    pub(super) clock: Clock,
    pub(super) publisher: Arc<Publisher>,
    pub(super) cancel: Cancel,
    pub(super) files: Files,
    pub(super) reached: Arc<Reached>,
    pub(super) schemas: Arc<dyn Schemas>,
}

impl Question {
    /// The answer of `bus`.
    pub(super) async fn answer(&self, bus: Arc<dyn Bus>, request: Request) -> Known<Reply> {
        // Reading ends by itself when it is given up, with what it has read so far.
        if let Request::Records(mut request) = request {
            if request.bytes_per_second.is_none() {
                let desk = self.desk(Arc::clone(&bus));
                request.bytes_per_second = browsing::most_bytes_per_second(&desk).await;
            }
            let schemas = Arc::clone(&self.schemas);
            let sink = self.sink(&request);
            let coverage =
                records::records(bus, request, schemas, self.cancel.clone(), sink).await?;
            return Ok(Reply::Records(Arc::new(coverage)));
        }
        if let Request::Gaps(request) = request {
            return self.gaps(bus, *request).await;
        }
        if let Request::WatchGaps(request) = request {
            return self.watch_gaps(bus, *request).await;
        }
        // A write that is on its way is walked to its end.
        if let Request::Rewind(request) = request {
            return self.rewind(bus, *request).await;
        }
        tokio::select! {
            answer = self.quick(bus, request) => answer,
            () = self.cancel.cancelled() => Err(given_up_early()),
        }
    }

    fn desk(&self, bus: Arc<dyn Bus>) -> Desk {
        Desk {
            bus,
            clock: self.clock,
            files: self.files.clone(),
            reached: Arc::clone(&self.reached),
        }
    }

    async fn rewind(&self, bus: Arc<dyn Bus>, request: RewindRequest) -> Known<Reply> {
        let desk = self.desk(bus);
        let (tell, mut heard) = watch::channel(Run::Idle);
        let telling = async {
            while heard.changed().await.is_ok() {
                let run = heard.borrow_and_update().clone();
                self.publisher
                    .tell(self.session, EventKind::Moving(self.id, run))
                    .await;
            }
        };
        let working = async move { ask::rewind(&desk, request, &self.cancel, &tell).await };
        let (reply, ()) = tokio::join!(working, telling);
        Ok(Reply::Rewind(Arc::new(reply?)))
    }

    /// What was found until it is given up is told all the same, unless that takes too long.
    async fn gaps(&self, bus: Arc<dyn Bus>, request: GapsRequest) -> Known<Reply> {
        let around = (self.rate, Arc::clone(&self.schemas));
        let (publisher, session, id) = (Arc::clone(&self.publisher), self.session, self.id);
        let told: once::Told = Arc::new(move |what, done, total| {
            let progress = Progress { what, done, total };
            publisher.try_tell(session, EventKind::Progress(id, progress));
        });
        let looking = once::gaps(self.desk(bus), around, &request, &self.cancel, &told);
        let given_up = async {
            self.cancel.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            reply = looking => Ok(Reply::Gaps(Arc::new(reply?))),
            () = given_up => Err(given_up_early()),
        }
    }

    async fn watch_gaps(&self, bus: Arc<dyn Bus>, request: GapsRequest) -> Known<Reply> {
        let around = (self.rate, Arc::clone(&self.schemas));
        let tell = |heard| {
            let kind = match heard {
                watch_gaps::Heard::Change(change) => EventKind::Finding(self.id, change),
                watch_gaps::Heard::Lost(why) => EventKind::Lost(self.id, why),
            };
            self.publisher.tell(self.session, kind)
        };
        watch_gaps::watch(self.desk(bus), around, &request, &self.cancel, tell).await?;
        Err(given_up_early())
    }

    async fn quick(&self, bus: Arc<dyn Bus>, request: Request) -> Known<Reply> {
        Ok(match request {
            Request::Cluster => Reply::Cluster(Arc::new(bus.cluster().await?)),
            Request::Topics(request) => {
                Reply::Topics(Arc::new(inventory::topics(&*bus, &request).await?))
            }
            Request::Groups(request) => {
                Reply::Groups(Arc::new(inventory::groups(&*bus, &request).await?))
            }
            Request::Timeline(request) => {
                let (publisher, session, id) = (Arc::clone(&self.publisher), self.session, self.id);
                let told = move |done| {
                    let publisher = Arc::clone(&publisher);
                    tokio::spawn(async move {
                        let progress = Progress {
                            what: "look-ups",
                            done,
                            total: None,
                        };
                        publisher
                            .tell(session, EventKind::Progress(id, progress))
                            .await;
                    });
                };
                let now = self.clock.now();
                let reply =
                    timeline::timeline(&bus, &request, now, self.rate, &self.cancel, told).await?;
                Reply::Timeline(Arc::new(reply))
            }
            Request::Rewind(_) | Request::Records(_) | Request::Gaps(_) | Request::WatchGaps(_) => {
                return Err(Problem::new(
                    ProblemKind::Other,
                    "records are read another way",
                ));
            }
        })
    }

    /// Tells records, decoded when that is asked for.
    fn sink(&self, request: &RecordsRequest) -> Sink {
        let (publisher, session, id) = (Arc::clone(&self.publisher), self.session, self.id);
        let look = request.decode.then(|| {
            Look::new(
                Arc::default(),
                Arc::clone(&request.decoders),
                Arc::clone(&self.schemas),
            )
        });
        Box::new(move |records| {
            let decoded = match &look {
                None => Vec::new(),
                Some(look) => {
                    let both = |record| {
                        [
                            look.decode(record, Part::Key),
                            look.decode(record, Part::Value),
                        ]
                    };
                    records.iter().map(both).collect()
                }
            };
            let portion = Portion { records, decoded };
            publisher.tell_blocking(session, EventKind::Records(id, portion))
        })
    }
}
