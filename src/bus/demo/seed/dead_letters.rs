//! What went wrong: Spring-style dead letters of the orders, Connect-style ones of the shipments.

use fastrand::Rng;

use super::super::batch::Builder;
use super::super::broker::State;
use super::super::config::{RETENTION_MS, Settings};
use super::super::log::PartitionLog;
use super::story::{Event, Failure, Headers, Topic};
use super::writer::{self, Placed};

/// Where shipping puts the orders that it gave up, on the partition that they came from.
pub(super) const SPRING: &str = "orders.DLT";
/// Where the warehouse's sink connector puts what it cannot read.
pub(super) const CONNECT: &str = "connect-dlq";

const LISTENER: &str = "org.springframework.kafka.listener.ListenerExecutionFailedException";

/// A record that is to be written to a dead-letter topic.
#[derive(Clone, Debug)]
pub(super) struct DeadLetter {
    pub(super) topic: &'static str,
    pub(super) partition: i32,
    pub(super) at: i64,
    key: String,
    value: Option<Vec<u8>>,
    headers: Headers,
}

impl DeadLetter {
    /// Appends it.
    pub(super) fn write(&self, log: &mut PartitionLog) {
        let mut batch = Builder::new(self.at);
        let value = self.value.as_deref();
        writer::push(
            &mut batch,
            self.at,
            self.key.as_bytes(),
            value,
            &self.headers,
        );
        log.append(&batch.finish(0), None);
    }
}

/// Makes both topics and writes what went wrong up to `now`.
pub(super) fn write(state: &mut State, rng: &mut Rng, failed: &[Placed], seed: u64, now: i64) {
    for (name, partitions) in [(SPRING, Topic::Orders.partitions()), (CONNECT, 1)] {
        let mut settings = Settings::default();
        // A legal name and value; a test holds them to it.
        drop(settings.set(RETENTION_MS, "2592000000"));
        let logs = (0..partitions).map(|_| PartitionLog::default());
        state.add_topic(name, logs.collect(), settings, seed);
    }
    let mut letters: Vec<DeadLetter> = failed
        .iter()
        .filter_map(|placed| of(rng, placed))
        .filter(|letter| letter.at <= now)
        .collect();
    letters.sort_by_key(|letter| letter.at);
    for letter in letters {
        if let Some(log) = state.partition_mut(letter.topic, letter.partition) {
            letter.write(log);
        }
    }
}

/// The dead letter that a failure leaves, if it leaves one.
pub(super) fn of(rng: &mut Rng, placed: &Placed) -> Option<DeadLetter> {
    let event = &placed.event;
    let mut headers = event.headers.clone();
    let (topic, partition, at) = match event.fails? {
        Failure::Address | Failure::Null => {
            headers.extend(spring(placed, event.fails == Some(Failure::Null)));
            // Three attempts with pauses between them.
            (SPRING, placed.partition, event.at + rng.i64(4_000..9_000))
        }
        Failure::Sink => {
            headers.extend(connect(placed));
            // Connect keeps the time of the record that it could not read.
            (CONNECT, 0, event.at)
        }
        Failure::Poison => return None,
    };
    Some(DeadLetter {
        topic,
        partition,
        at,
        key: event.key.clone(),
        value: event.value.clone(),
        headers,
    })
}

/// What somebody makes of the first dead letter that they find: they write it to its topic once more, with the
/// headers that it has by now. It fails again, and its next dead letter names both places.
pub(super) fn redriven(failed: &[Placed], at: i64) -> Option<Event> {
    let placed = failed
        .iter()
        .find(|placed| placed.event.fails == Some(Failure::Address))?;
    let mut event = placed.event.clone();
    event.at = at;
    event.headers.extend(spring(placed, false));
    Some(event)
}

/// Spring's `DeadLetterPublishingRecoverer`: numbers are big-endian binary, everything else is text.
fn spring(placed: &Placed, null: bool) -> Headers {
    let event = &placed.event;
    let (cause, message) = if null {
        (
            "java.lang.NullPointerException",
            "Cannot invoke \"com.shop.Address.city()\" because \"address\" is null",
        )
    } else {
        (
            "com.shop.shipping.AddressNotFoundException",
            "street must not be empty",
        )
    };
    let stack = format!(
        "{LISTENER}: Listener method 'public void com.shop.shipping.OrderListener.on(com.shop.Order)' threw exception\n\tat org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter.invokeHandler(MessagingMessageListenerAdapter.java:495)\nCaused by: {cause}: {message}\n\tat com.shop.shipping.Labels.print(Labels.java:{})\n",
        if null { 71 } else { 58 },
    );
    vec![
        ("kafka_dlt-original-topic", text(event.topic.name())),
        (
            "kafka_dlt-original-partition",
            placed.partition.to_be_bytes().to_vec(),
        ),
        (
            "kafka_dlt-original-offset",
            placed.offset.to_be_bytes().to_vec(),
        ),
        (
            "kafka_dlt-original-timestamp",
            event.at.to_be_bytes().to_vec(),
        ),
        ("kafka_dlt-original-timestamp-type", text("CreateTime")),
        ("kafka_dlt-original-consumer-group", text("shipping")),
        ("kafka_dlt-exception-fqcn", text(LISTENER)),
        ("kafka_dlt-exception-cause-fqcn", text(cause)),
        (
            "kafka_dlt-exception-message",
            text(&format!("Listener failed; {message}")),
        ),
        ("kafka_dlt-exception-stacktrace", text(&stack)),
    ]
}

/// Kafka Connect's `DeadLetterQueueReporter`: everything is text, numbers too.
fn connect(placed: &Placed) -> Headers {
    const CLASS: &str = "org.apache.kafka.connect.json.JsonConverter";
    const EXCEPTION: &str = "org.apache.kafka.connect.errors.DataException";
    const MESSAGE: &str = "Cannot convert field weightKg: \"n/a\" is not a number";
    let stack = format!(
        "{EXCEPTION}: {MESSAGE}\n\tat {CLASS}.toConnectData(JsonConverter.java:349)\n\tat org.apache.kafka.connect.runtime.WorkerSinkTask.convertValue(WorkerSinkTask.java:548)\n",
    );
    vec![
        ("__connect.errors.topic", text(placed.event.topic.name())),
        (
            "__connect.errors.partition",
            text(&placed.partition.to_string()),
        ),
        ("__connect.errors.offset", text(&placed.offset.to_string())),
        ("__connect.errors.connector.name", text("warehouse-sink")),
        ("__connect.errors.task.id", text("0")),
        ("__connect.errors.stage", text("VALUE_CONVERTER")),
        ("__connect.errors.class.name", text(CLASS)),
        ("__connect.errors.exception.class.name", text(EXCEPTION)),
        ("__connect.errors.exception.message", text(MESSAGE)),
        ("__connect.errors.exception.stacktrace", text(&stack)),
    ]
}

fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}
