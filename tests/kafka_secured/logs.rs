//! What takes the raw protocol is said to be missing over TLS, and nothing is made up in its place.

use tideline::bus::{Bus as _, ReadRange};
use tideline::model::{Offset, Problem, ProblemKind, TopicPartition};

use crate::TOPIC;
use crate::moving::over_tls;
use crate::support::kafka::ALICE;

#[test]
fn how_logs_are_kept_cannot_be_read_over_tls() {
    let (runtime, bus) = over_tls(ALICE);
    let at = TopicPartition::new(TOPIC, 0);
    let range = ReadRange {
        at: at.clone(),
        from: Offset(0),
        to: None,
    };
    let said = |problem: Problem, words: &str| {
        assert_eq!(problem.kind, ProblemKind::Unsupported);
        assert_eq!(&*problem.message, words);
    };
    said(
        runtime.block_on(bus.log(range)).unwrap_err(),
        "how a log is kept cannot be read over TLS or SASL yet",
    );
    let mut open = runtime.block_on(bus.open_transactions(vec![at.clone(), at.clone()]));
    assert_eq!(open.len(), 2);
    said(
        open.remove(0).unwrap_err(),
        "who has transactions open cannot be read over TLS or SASL yet",
    );
    let mut ends = runtime.block_on(bus.epoch_ends(vec![(at, 0)]));
    said(
        ends.remove(0).unwrap_err(),
        "where leader epochs ended cannot be read over TLS or SASL yet",
    );
}
