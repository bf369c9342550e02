//! How the demo bus keeps its logs, and who has transactions open in them, as Tideline reads it.

use std::time::Duration;

use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use tideline::bus::demo::Server;
use tideline::bus::kafka::KafkaBus;
use tideline::bus::{Bus as _, ReadRange};
use tideline::model::{
    Aborted, BatchKind, ConnectionSettings, Known, LogPortion, Offset, OpenTransaction,
    ProblemKind, TopicPartition,
};

use super::{at_noon, config, live, make_topic};

const PATIENCE: Duration = Duration::from_secs(30);

struct Client {
    bus: KafkaBus,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    fn of(server: &Server) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let settings = ConnectionSettings::to(server.addr().to_string());
        let bus = runtime.block_on(tideline::bus::kafka::connect(&settings));
        Self {
            bus: bus.unwrap(),
            runtime,
        }
    }

    fn log(&self, topic: &str, partition: i32, from: i64) -> Known<LogPortion> {
        self.runtime.block_on(self.bus.log(ReadRange {
            at: TopicPartition::new(topic, partition),
            from: Offset(from),
            to: None,
        }))
    }

    /// Everything, portion by portion.
    fn whole(&self, topic: &str, partition: i32) -> LogPortion {
        let mut whole = self.log(topic, partition, 0).unwrap();
        while whole.next < whole.high_watermark {
            let more = self.log(topic, partition, whole.next.0).unwrap();
            assert!(more.next > whole.next);
            whole.next = more.next;
            whole.batches.extend(more.batches);
            whole.aborted.extend(more.aborted);
        }
        whole
    }

    fn open(&self, topic: &str) -> Vec<OpenTransaction> {
        let places = vec![TopicPartition::new(topic, 0)];
        let open = self.runtime.block_on(self.bus.open_transactions(places));
        open.into_iter().next().unwrap().unwrap()
    }
}

fn write(producer: &BaseProducer, topic: &str, count: usize) {
    producer.begin_transaction().unwrap();
    for _ in 0..count {
        let record = BaseRecord::<[u8], _>::to(topic).payload("v").partition(0);
        producer.send(record).map_err(|(error, _)| error).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
}

#[test]
fn transactions_are_read_with_their_marks_and_with_who_will_end_them() {
    let server = live();
    make_topic(&server, "ledger", 1);
    let producer: BaseProducer = config(&server)
        .set("transactional.id", "clerk")
        .set("transaction.timeout.ms", "45000")
        .create()
        .unwrap();
    producer.init_transactions(PATIENCE).unwrap();
    let client = Client::of(&server);
    write(&producer, "ledger", 2);
    producer.commit_transaction(PATIENCE).unwrap();
    write(&producer, "ledger", 3);
    producer.abort_transaction(PATIENCE).unwrap();
    write(&producer, "ledger", 1);

    // 0–1 committed, 2 the mark, 3–5 aborted, 6 the mark, 7 open.
    let settled = client.log("ledger", 0, 0).unwrap();
    assert_eq!((settled.next, settled.last_stable), (Offset(7), Offset(7)));
    assert_eq!(settled.high_watermark, Offset(8));
    let marks: Vec<_> = settled
        .batches
        .iter()
        .filter(|batch| batch.kind != BatchKind::Data)
        .map(|batch| (batch.first.0, batch.kind))
        .collect();
    assert_eq!(marks, [(2, BatchKind::Commit), (6, BatchKind::Abort)]);
    let id = settled.batches[0].producer.unwrap().id;
    let aborted = Aborted {
        producer: id,
        first: Offset(3),
    };
    assert_eq!(settled.aborted, [aborted]);
    let rest = client.log("ledger", 0, 7).unwrap();
    assert_eq!((rest.next, rest.batches.len()), (Offset(8), 1));

    let open = client.open("ledger");
    assert_eq!((open.len(), open[0].first), (1, Offset(7)));
    assert_eq!(open[0].producer, id);
    let state = open[0].coordinator.clone().unwrap().unwrap();
    assert_eq!(state.transactional_id, "clerk");
    assert_eq!(
        (state.state.as_str(), state.timeout_ms),
        ("Ongoing", 45_000)
    );
    producer.commit_transaction(PATIENCE).unwrap();
    assert_eq!(client.open("ledger"), []);
}

#[test]
fn every_log_of_the_shop_is_read_to_its_end_without_a_gap_in_between() {
    let server = at_noon();
    let client = Client::of(&server);
    let names = client.runtime.block_on(client.bus.topic_names()).unwrap();
    let topics = client.runtime.block_on(client.bus.topics(names));
    let mut batches = 0;
    for topic in &topics {
        for partition in &topic.partitions {
            let at = topic.at(partition.id);
            let start = client
                .runtime
                .block_on(client.bus.look_up(vec![tideline::bus::Lookup {
                    at: at.clone(),
                    seek: tideline::bus::Seek::LogStart,
                }]));
            let start = start[0].clone().unwrap().offset.unwrap();
            let mut next = start;
            loop {
                let portion = client.log(&topic.name, partition.id.0, next.0).unwrap();
                assert!(
                    portion.batches.iter().all(|batch| batch.holes.is_ok()),
                    "{at}"
                );
                batches += portion.batches.len();
                if portion.next == next {
                    assert_eq!(next, portion.high_watermark, "{at}");
                    break;
                }
                next = portion.next;
            }
        }
    }
    assert!(batches > 1_000, "{batches}");
}

#[test]
fn the_82_aborted_records_of_the_shop_lie_in_one_aborted_transaction() {
    let server = at_noon();
    let client = Client::of(&server);
    let log = client.whole("orders", 3);
    let [aborted] = log.aborted.as_slice() else {
        panic!("{:?}", log.aborted)
    };
    let mark = log
        .batches
        .iter()
        .find(|batch| batch.kind == BatchKind::Abort)
        .unwrap();
    let records: u32 = log
        .batches
        .iter()
        .filter(|batch| batch.first >= aborted.first && batch.first < mark.first)
        .filter(|batch| batch.producer.is_some_and(|by| by.id == aborted.producer))
        .map(|batch| batch.records)
        .sum();
    assert_eq!(records, 82);
}

#[test]
fn the_only_epoch_ends_with_the_log() {
    let server = live();
    make_topic(&server, "short", 1);
    let client = Client::of(&server);
    let at = |partition| TopicPartition::new("short", partition);
    let asked = vec![(at(0), 0), (at(0), 3), (at(1), 0)];
    let ends = client.runtime.block_on(client.bus.epoch_ends(asked));
    assert_eq!(ends[0], Ok(Some(Offset(0))));
    assert_eq!(ends[1], Ok(None));
    let missing = ends[2].as_ref().unwrap_err();
    assert_eq!(missing.kind, ProblemKind::NotFound);
}
