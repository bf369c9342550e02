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
use std::time::Duration;

use parking_lot::Mutex;
use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext as _;
use rdkafka::consumer::BaseConsumer;
use tokio::sync::oneshot;

use crate::model::{Known, Problem, ProblemKind};

use super::context::Context;
use super::errors;
use super::ffi::admin::{Answer, Question, ask, next_answer};
use super::ffi::{Client, Code, Queue};

/// How long the thread sleeps at most before it looks whether it is to end.
const BEAT: Duration = Duration::from_millis(250);

/// How long questions may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadlines {
    /// How long an answer is waited for.
    pub(super) answer: Duration,
    /// How long a question to a coordinator lives inside the client; far longer than `answer`.
    pub(super) coordinator: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(10),
            coordinator: Duration::from_mins(5),
        }
    }
}

/// Asks the cluster. Cheap to share; the client behind it is replaced when it has to be.
pub(super) struct Control {
    config: ClientConfig,
    deadlines: Deadlines,
    current: Mutex<Arc<Asker>>,
}

impl Control {
    /// A control client with this configuration. Does not wait for a connection.
    ///
    /// # Errors
    /// The configuration is refused.
    pub(super) fn new(config: ClientConfig, deadlines: Deadlines) -> Known<Self> {
        let current = Mutex::new(Asker::start(&config)?);
        Ok(Self {
            config,
            deadlines,
            current,
        })
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
        self.ask_within(question, self.deadlines.answer).await
    }

    /// As [`Control::ask`], waiting up to `wait`.
    pub(super) async fn ask_within(&self, question: Question, wait: Duration) -> Known<Answer> {
        let timeout = if question.goes_to_coordinator() {
            self.deadlines.coordinator.max(wait)
        } else {
            wait
        };
        let receiver = self.asker()?.ask(&question, timeout)?;
        match tokio::time::timeout(wait, receiver).await {
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
}

impl Asker {
    fn start(config: &ClientConfig) -> Known<Arc<Self>> {
        let context = Context::default();
        let consumer: BaseConsumer<Context> =
            BaseConsumer::from_config_and_context(config, context.clone()).map_err(|error| {
                Problem::new(
                    ProblemKind::Invalid,
                    format!("the connection's settings are refused: {error}"),
                )
            })?;
        let client = Client(Arc::new(consumer));
        let queue = Queue::new(&client)
            .ok_or_else(|| Problem::new(ProblemKind::Other, "the client could not be started"))?;
        let live = Arc::new(Live { queue, client });
        let asker = Arc::new(Self {
            live: Mutex::new(Some(Arc::clone(&live))),
            context,
            waiting: Mutex::default(),
            next_id: AtomicUsize::new(1),
        });
        let weak = Arc::downgrade(&asker);
        std::thread::Builder::new()
            .name("kafka-control".to_owned())
            .spawn(move || hand_out(&live, &weak))
            .map_err(|error| {
                Problem::new(
                    ProblemKind::Other,
                    format!("no thread can be started: {error}"),
                )
            })?;
        Ok(asker)
    }

    fn client(&self) -> Option<Client> {
        self.live.lock().as_ref().map(|live| live.client.clone())
    }

    fn has_ended(&self) -> bool {
        self.live.lock().is_none()
    }

    fn ask(&self, question: &Question, timeout: Duration) -> Known<oneshot::Receiver<Answer>> {
        let live = self.live.lock().clone().ok_or_else(being_renewed)?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        {
            let mut waiting = self.waiting.lock();
            // Questions given up long ago whose answers never came would otherwise stay for ever.
            waiting.retain(|_, (to_coordinator, sender)| *to_coordinator || !sender.is_closed());
            waiting.insert(id, (question.goes_to_coordinator(), sender));
        }
        ask(&live.client, &live.queue, id, question, timeout).map_err(|failure| {
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

    fn end(&self) {
        self.live.lock().take();
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
        Answer::Failed(failure) | Answer::Members(Err(failure)) | Answer::Commits(Err(failure)) => {
            failure.code
        }
        _ => Code::NONE,
    };
    code == Code::TIMED_OUT
}

/// The thread's loop; ends when nobody holds the asker any more or the client must go.
fn hand_out(live: &Arc<Live>, asker: &Weak<Asker>) {
    loop {
        // Serves log lines and errors, which go to the context. Without a subscription no record comes.
        while live.client.0.poll(Duration::ZERO).is_some() {}
        let answer = next_answer(&live.queue, BEAT);
        let Some(asker) = asker.upgrade() else { return };
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
