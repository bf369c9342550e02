//! Records of `__transaction_state`: what is known of each transactional producer.

use super::Kind;
use super::groups::key;
use super::layout::Type::{Int16, Int32, Int64, List, Millis, Rows, State, Text};
use super::layout::{Layout, field};

const STATES: &[&str] = &[
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
];

/// Records of transactions.
pub(super) const KINDS: &[Kind] = &[Kind {
    number: 0,
    key: key("TransactionLogKey", &[field("transactionalId", Text)]),
    value: Layout {
        name: "TransactionLogValue",
        last: 1,
        flexible: Some(1),
        fields: &[
            field("producerId", Int64),
            field("producerEpoch", Int16),
            field("transactionTimeoutMs", Int32),
            field("transactionStatus", State(STATES)),
            field(
                "transactionPartitions",
                Rows(&[field("topic", Text), field("partitionIds", List(&Int32))]),
            ),
            field("transactionLastUpdateTimestampMs", Millis),
            field("transactionStartTimestampMs", Millis),
            field("previousProducerId", Int64).tagged(0),
            field("nextProducerId", Int64).tagged(1),
            field("clientTransactionVersion", Int16).tagged(2),
            field("nextProducerEpoch", Int16).tagged(3),
        ],
    },
}];
