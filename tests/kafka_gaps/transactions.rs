//! Transactions that hold everything behind them back.

use crate::support::{raw, tools};
use crate::{Lab, expected, now_ms, of_kind, place, says};

#[test]
fn an_open_transaction_is_a_question_and_names_its_producer() {
    let lab = Lab::get();
    lab.topic("held-back", 1);
    lab.fill("held-back", 0, 0..3);
    let producer = lab.cluster.transactional("held-back-producer");
    producer.begin(
        "held-back",
        0,
        &[(now_ms(), "o", "1"), (now_ms(), "o", "2")],
    );
    lab.cluster.wait_for_high_watermark("held-back", 0, 5);
    lab.fill("held-back", 0, 3..6);
    std::thread::sleep(std::time::Duration::from_secs(4));

    let run = lab.gaps(&["--topic", "held-back"]).exits(0);
    let open = of_kind(&run, "G16b");
    assert_eq!(
        open.iter().map(place).collect::<Vec<_>>(),
        [expected("G16b", 0, (3, 7), 5, "hint", false)]
    );
    assert_eq!(
        open[0]["evidence"]["transactional_id"],
        "held-back-producer"
    );
    assert_eq!(open[0]["concerns"], "everyone");
    says(&open[0], &["transaction"]);
    producer.commit();
    lab.cluster.wait_for_high_watermark("held-back", 0, 9);
    let run = lab.gaps(&["--topic", "held-back"]).exits(0);
    assert_eq!(of_kind(&run, "G16b"), Vec::<serde_json::Value>::new());
}

#[test]
fn a_transaction_that_nobody_will_end_is_hanging() {
    let lab = Lab::get();
    lab.topic("hanging", 1);
    lab.fill("hanging", 0, 0..2);
    // A broker that does not check whether a transaction knows the partition takes what a dead producer sends late.
    tools::run(
        lab.kafka,
        "ConfigCommand",
        &[
            "--alter",
            "--entity-type",
            "brokers",
            "--entity-default",
            "--add-config",
            "transaction.partition.verification.enable=false",
        ],
    );
    let late = [raw::Record::new(now_ms(), "late", "of a transaction")];
    raw::produce_open(&lab.kafka.bootstrap(), "hanging", 0, 4_000_001, &late);
    lab.fill("hanging", 0, 2..5);
    std::thread::sleep(std::time::Duration::from_secs(4));

    let run = lab.gaps(&["--topic", "hanging"]).exits(0);
    let open = of_kind(&run, "G16b");
    assert_eq!(
        open.iter().map(place).collect::<Vec<_>>(),
        [expected("G16b", 0, (2, 5), 4, "strong", false)]
    );
    assert_eq!(open[0]["evidence"]["producer_id"], 4_000_001);
    let next = open[0]["next_step"].as_str().unwrap();
    assert!(next.contains("kafka-transactions"), "{next}");
}
