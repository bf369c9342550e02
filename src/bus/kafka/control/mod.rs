//! The control client: one librdkafka client that asks, and a thread that hands out the answers.
//!
//! It is a consumer without a group, so it joins nothing, commits nothing and creates nothing. It is never
//! the safe binding's `AdminClient`, whose main queue is never polled, so that errors are not told and
//! tokens not refreshed.
//!
//! A question that goes to a group's coordinator and times out *inside* librdkafka leaves a request behind
//! that aborts the process when the coordinator comes back (librdkafka issue 4605). So such questions get
//! a time-out inside the client that is far longer than anybody waits, and if one should run out all the
//! same, the client is thrown away at once and a new one made.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext as _;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use tokio::sync::oneshot;

use crate::model::{BrokerId, Known, Problem, ProblemKind};

use super::context::Context;
use super::errors;
use super::ffi::admin::{Answer, Question, ask, next_answer};
use super::ffi::{Client, Code, Queue};

mod change;

pub(super) use change::NoAnswer;

/// How long the thread sleeps at most before it looks whether it is to end.
const BEAT: Duration = Duration::from_millis(250);

/// How much longer than the client an answer is waited for.
const GRACE: Duration = Duration::from_millis(300);

/// How long questions may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadlines {
    /// How long an answer is waited for.
    pub(super) answer: Duration,
    /// How long an answer from a group's coordinator is waited for.
    pub(super) coordinator_answer: Duration,
    /// After how long it is asked again, at another broker where there is a choice.
    pub(super) next_broker: Duration,
    /// How long a question to a coordinator lives inside the client; far longer than `answer`.
    pub(super) coordinator: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(10),
            coordinator_answer: Duration::from_secs(4),
            next_broker: Duration::from_millis(1_500),
            coordinator: Duration::from_mins(5),
        }
    }
}

/// Asks the cluster. Cheap to share; the client behind it is replaced when it has to be.
pub(super) struct Control {
    config: ClientConfig,
    deadlines: Deadlines,
    current: Mutex<Arc<Asker>>,
    /// The client for changes, once one was made.
    changing: Mutex<Option<Arc<Asker>>>,
    /// The brokers, the one that answered last first.
    brokers: Mutex<Vec<BrokerId>>,
}

impl Control {
    /// A control client with this configuration. Does not wait for a connection.
    ///
    /// # Errors
    /// The configuration is refused.
    pub(super) fn new(mut config: ClientConfig, deadlines: Deadlines) -> Known<Self> {
        // With connections made on demand, a question that waits for a broker that is down makes librdkafka 2.12
        // try to reach it some two thousand times a second: every failure wakes the question, which asks for the
        // next attempt at once.
        config.set("enable.sparse.connections", "false");
        let current = Mutex::new(Asker::start(&config)?);
        Ok(Self {
            config,
            deadlines,
            current,
            changing: Mutex::default(),
            brokers: Mutex::default(),
        })
    }

    /// Takes note of which brokers there are to be asked. When one has left or come since, the client is made
    /// anew, and `true` is returned: librdkafka goes on sending a coordinator's questions to a broker that left,
    /// even when it is back.
    pub(super) fn learn_brokers(&self, found: impl IntoIterator<Item = BrokerId>) -> bool {
        let found: Vec<BrokerId> = found.into_iter().collect();
        let mut brokers = self.brokers.lock();
        let same =
            brokers.len() == found.len() && found.iter().all(|broker| brokers.contains(broker));
        let changed = !brokers.is_empty() && !same;
        if changed {
            self.current.lock().end();
            // A change that is under way keeps its client until it is answered.
            self.changing.lock().take();
        }
        brokers.retain(|broker| found.contains(broker));
        for broker in found {
            if !brokers.contains(&broker) {
                brokers.push(broker);
            }
        }
        changed
    }

    /// What the present client complained about.
    pub(super) fn context(&self) -> Context {
        self.current.lock().context.clone()
    }

    /// The present client, for questions that block.
    ///
    /// # Errors
    /// No client can be made.
    pub(super) fn client(&self) -> Known<Client> {
        self.asker()?.client().ok_or_else(being_renewed)
    }

    /// Asks and waits for the answer. Dropping the future gives the question up.
    ///
    /// # Errors
    /// No answer in time, or the question could not be sent.
    pub(super) async fn ask(&self, question: Question) -> Known<Answer> {
        let answer = self.deadlines.answer;
        if question.goes_to_any() {
            let brokers = self.brokers.lock().clone();
            let places = brokers.into_iter().map(Some).chain([None]).collect();
            return self.ask_in_turn(&question, answer, places).await;
        }
        if question.goes_to_coordinator() {
            // librdkafka may look for the coordinator at a broker that is down, and waits for it then; asked
            // again, it looks at another one.
            let wait = self.deadlines.coordinator_answer;
            return self.ask_in_turn(&question, wait, vec![None; 3]).await;
        }
        self.ask_within(&question, answer, None).await
    }

    /// Asks at the first of `places`, a named broker or wherever librdkafka goes; when the answer takes its time,
    /// at the next one as well, and so on. The first answer counts; each is waited for up to `wait`.
    ///
    /// Left to itself librdkafka asks the broker that it takes for the controller, and waits for it when it is
    /// down.
    async fn ask_in_turn(
        &self,
        question: &Question,
        wait: Duration,
        places: Vec<Option<BrokerId>>,
    ) -> Known<Answer> {
        let started = Instant::now();
        let mut rest = places.into_iter();
        let mut asked = FuturesUnordered::new();
        let mut last = Err(Problem::new(
            ProblemKind::Unreachable,
            "there is no broker to ask",
        ));
        loop {
            if let Some(broker) = rest.next() {
                let left = wait.saturating_sub(started.elapsed());
                asked.push(async move { (broker, self.ask_within(question, left, broker).await) });
            }
            let patience = tokio::time::sleep(self.deadlines.next_broker);
            tokio::select! {
                answered = asked.next() => match answered {
                    Some((broker, Ok(answer))) if !matches!(answer, Answer::Failed(_)) => {
                        self.prefer(broker);
                        return Ok(answer);
                    }
                    Some((_, failed)) => last = failed,
                    None => return last,
                },
                () = patience => {}
            }
        }
    }

    /// Asks `broker` first from now on.
    fn prefer(&self, broker: Option<BrokerId>) {
        let mut brokers = self.brokers.lock();
        if let Some(at) = brokers.iter().position(|known| Some(*known) == broker) {
            let broker = brokers.remove(at);
            brokers.insert(0, broker);
        }
    }

    /// Asks and waits up to `wait` for the answer.
    pub(super) async fn ask_within(
        &self,
        question: &Question,
        wait: Duration,
        broker: Option<BrokerId>,
    ) -> Known<Answer> {
        let timeout = if question.goes_to_coordinator() {
            self.deadlines.coordinator.max(wait)
        } else {
            wait
        };
        let receiver = self.asker()?.ask(question, timeout, broker)?;
        // A little longer than the client itself waits: its own answer may tell more.
        match tokio::time::timeout(wait.saturating_add(GRACE), receiver).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_closed)) => Err(Problem::new(
                ProblemKind::TimedOut,
                "the connection was made anew before an answer came; ask again",
            )),
            Err(_elapsed) => Err(Problem::new(
                ProblemKind::TimedOut,
                format!("no answer within {} s", wait.as_secs_f32()),
            )),
        }
    }

    fn asker(&self) -> Known<Arc<Asker>> {
        let mut current = self.current.lock();
        if current.has_ended() {
            *current = Asker::start(&self.config)?;
        }
        Ok(Arc::clone(&current))
    }
}

/// A client and the queue its answers come through.
struct Live {
    queue: Queue,
    client: Client,
}

/// One client and the questions it has been asked.
struct Asker {
    /// `None` once the client had to be thrown away.
    live: Mutex<Option<Arc<Live>>>,
    context: Context,
    waiting: Mutex<HashMap<usize, (bool, oneshot::Sender<Answer>)>>,
    next_id: AtomicUsize,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Waits until the client is gone: librdkafka's threads must have ended before the process does, or they run
/// into what its end has torn down.
impl Drop for Asker {
    fn drop(&mut self) {
        if let Some(live) = self.live.get_mut().take() {
            live.queue.wake();
        }
        let own = std::thread::current().id();
        if let Some(thread) = self.thread.get_mut().take()
            && thread.thread().id() != own
        {
            // A panic there has been reported by then.
            drop(thread.join());
        }
    }
}

impl Asker {
    fn start(config: &ClientConfig) -> Known<Arc<Self>> {
        let context = Context::default();
        let consumer: BaseConsumer<Context> =
            BaseConsumer::from_config_and_context(config, context.clone())
                .map_err(|error| errors::refused_settings(&error))?;
        let client = Client(Arc::new(consumer));
        let queue = Queue::new(&client)
            .ok_or_else(|| Problem::new(ProblemKind::Other, "the client could not be started"))?;
        let live = Arc::new(Live { queue, client });
        let asker = Arc::new(Self {
            live: Mutex::new(Some(Arc::clone(&live))),
            context,
            waiting: Mutex::default(),
            next_id: AtomicUsize::new(1),
            thread: Mutex::default(),
        });
        let weak = Arc::downgrade(&asker);
        let thread = std::thread::Builder::new()
            .name("kafka-control".to_owned())
            .spawn(move || hand_out(live, &weak))
            .map_err(|error| {
                Problem::new(
                    ProblemKind::Other,
                    format!("no thread can be started: {error}"),
                )
            })?;
        *asker.thread.lock() = Some(thread);
        Ok(asker)
    }

    fn client(&self) -> Option<Client> {
        self.live.lock().as_ref().map(|live| live.client.clone())
    }

    fn has_ended(&self) -> bool {
        self.live.lock().is_none()
    }

    fn ask(
        &self,
        question: &Question,
        timeout: Duration,
        broker: Option<BrokerId>,
    ) -> Known<oneshot::Receiver<Answer>> {
        let live = self.live.lock().clone().ok_or_else(being_renewed)?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        {
            let mut waiting = self.waiting.lock();
            // Questions given up long ago whose answers never came would otherwise stay for ever.
            waiting.retain(|_, (to_coordinator, sender)| *to_coordinator || !sender.is_closed());
            waiting.insert(id, (question.goes_to_coordinator(), sender));
        }
        ask(&live.client, &live.queue, id, question, timeout, broker).map_err(|failure| {
            self.waiting.lock().remove(&id);
            errors::problem_of(&failure)
        })?;
        Ok(receiver)
    }

    /// Hands an answer to whoever waits for it; `false` when the client must be thrown away.
    fn deliver(&self, id: usize, answer: Answer) -> bool {
        let Some((to_coordinator, sender)) = self.waiting.lock().remove(&id) else {
            return true;
        };
        let dangerous = to_coordinator && has_timed_out(&answer);
        // Nobody waits any more when the question was given up.
        drop(sender.send(answer));
        !dangerous
    }

    /// Throws the client away, and with it everything that it still meant to send.
    fn end(&self) {
        if let Some(live) = self.live.lock().take() {
            live.queue.wake();
        }
        self.waiting.lock().clear();
    }
}

fn being_renewed() -> Problem {
    Problem::new(
        ProblemKind::TimedOut,
        "the connection is being made anew; ask again",
    )
}

fn has_timed_out(answer: &Answer) -> bool {
    let code = match answer {
        Answer::Failed(failure)
        | Answer::Members(Err(failure))
        | Answer::Commits(Err(failure))
        | Answer::Changed(Err(failure)) => failure.code,
        _ => Code::NONE,
    };
    code == Code::TIMED_OUT
}

/// The thread's loop; ends when nobody holds the asker any more or the client must go.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the thread's hold on the client ends with the thread"
)]
fn hand_out(live: Arc<Live>, asker: &Weak<Asker>) {
    let context = live.client.0.context().clone();
    loop {
        // Serves log lines and errors, which go to the context, one at a time. Without a subscription no record comes.
        loop {
            let told = context.told();
            if live.client.0.poll(Duration::ZERO).is_none() && context.told() == told {
                break;
            }
        }
        let answer = next_answer(&live.queue, BEAT);
        let Some(asker) = asker.upgrade() else { return };
        if asker.has_ended() {
            return;
        }
        if let Some((id, answer)) = answer
            && !asker.deliver(id, answer)
        {
            asker.end();
            return;
        }
    }
}

#[cfg(test)]
mod tests;
