//! What comes while a list is shown.

use super::*;
use crate::engine::snapshot::Inventory;
use crate::model::{Partition, PartitionId, Problem, ProblemKind, Topic, TopicConfig};

/// The inventory when partitions reach from the one offset to the other.
fn inventory(ends: &[(i64, i64)]) -> Inventory {
    let partitions = (0..)
        .zip(ends)
        .map(|(id, (start, end))| Partition {
            id: PartitionId(id),
            leader: None,
            replicas: Vec::new(),
            isr: Vec::new(),
            log_start: Ok(Offset(*start)),
            high_watermark: Ok(Offset(*end)),
            last_stable: Ok(Offset(*end)),
            error: None,
        })
        .collect();
    let topic = Topic {
        name: "t".into(),
        topic_id: None,
        internal: false,
        config: Ok(TopicConfig::default()),
        partitions,
        error: None,
    };
    Inventory {
        topics: Some(Ok(vec![Arc::new(topic)])),
        ..Inventory::default()
    }
}

impl Shown {
    /// The bus has these logs now, and the inventory was refreshed.
    async fn becomes(&mut self, logs: impl IntoIterator<Item = Log>) {
        let bus = ByHand::new(logs);
        let ends: Vec<(i64, i64)> = bus
            .logs
            .iter()
            .map(|log| (log.start, i64::try_from(log.records.len()).unwrap()))
            .collect();
        self.bus = Arc::new(bus);
        self.refreshed(&inventory(&ends)).await;
    }

    async fn refreshed(&mut self, inventory: &Inventory) {
        let mut list = self.list.take().unwrap();
        list.refresh(&*self.bus, inventory).await;
        self.list = Some(list);
    }
}

#[tokio::test]
async fn what_comes_is_counted_and_appended_once_the_end_is_on_screen() {
    let mut shown = Shown::at([log(0..2_000), log(0..100)], TablePlace::End).await;
    shown.show(0, 60).await;
    shown.becomes([log(0..2_010), log(0..105)]).await;
    let table = shown.show(0, 60).await;
    assert_eq!((table.newer, table.up_to), (15, Some(2_100)));
    let before = table.rows.len();
    let last = table.first + i64::try_from(before).unwrap() - 1;
    let table = shown.show(last - 60, last).await;
    assert_eq!((table.newer, table.up_to, table.after), (0, Some(2_115), 0));
    assert!(table.at_end);
    // Of partition 1 they are older than what stood there already: they come after it all the same.
    let added: Vec<Place> = places(&table)[table.rows.len() - 15..].to_vec();
    assert_eq!(added[..2], [(1, 100), (1, 101)]);
    assert_eq!(
        added[5..],
        (2_000..2_010)
            .map(|offset| (0, offset))
            .collect::<Vec<Place>>()
    );
    assert!(table.disordered);
}

#[tokio::test]
async fn one_who_follows_is_taken_to_the_newest_however_much_has_come() {
    let mut shown = Shown::at([log(0..3_000)], TablePlace::End).await;
    let before = shown.show(0, 60).await;
    let end = before.first + i64::try_from(before.rows.len()).unwrap();
    shown.becomes([log(0..50_000)]).await;
    let after = shown.show(end - 60, end - 1).await;
    assert_eq!(place(after.rows.last().unwrap()), (0, 49_999));
    assert_eq!((after.newer, after.after, after.at_end), (0, 0, true));
    // No number stands for two rows.
    assert!(after.first > end);
    assert!(after.rows.len() < 2_000, "{}", after.rows.len());
    // A little is appended as before.
    shown.becomes([log(0..50_100)]).await;
    let last = after.first + i64::try_from(after.rows.len()).unwrap() - 1;
    let appended = shown.show(last - 60, last).await;
    assert_eq!(appended.rows.len(), after.rows.len() + 100);
}

#[tokio::test]
async fn a_list_that_is_looked_at_in_the_middle_stays() {
    let mut shown = Shown::at([log(0..50_000)], TablePlace::Rank(25_000)).await;
    let before = shown.show(0, 50).await;
    shown.becomes([log(0..60_000)]).await;
    let after = shown.show(0, 50).await;
    assert_eq!(after.newer, 10_000);
    assert_eq!(Table { newer: 0, ..after }, before);
}

#[tokio::test]
async fn a_span_in_the_past_gets_nothing_and_one_that_reaches_beyond_now_does() {
    for (to, newer) in [(90, 0), (105, 5), (5_000, 20)] {
        let bus = Arc::new(ByHand::new([log(0..100)]));
        let mut request = request(&bus, TablePlace::Start);
        request.span = TableSpan::Between(TimestampMs(50), TimestampMs(to));
        let mut shown = Shown::of(bus, request).await;
        shown.becomes([log(0..120)]).await;
        assert_eq!(shown.table().newer, newer, "to {to}");
        let table = shown.show(0, 60).await;
        let last = to.min(120) - 1;
        assert_eq!(place(table.rows.last().unwrap()), (0, last));
        assert_eq!(table.rows.len(), usize::try_from(last - 49).unwrap());
    }
}

#[tokio::test]
async fn rows_that_were_deleted_stay_and_nothing_is_asked_for_them() {
    let mut shown = Shown::at([log(0..3_000)], TablePlace::Rank(1_000)).await;
    let before = shown.show(0, 300).await;
    let deleted = Log {
        start: 900,
        ..log(0..3_000)
    };
    shown.becomes([deleted]).await;
    let first = before.first;
    let after = shown.show(first, first + 50).await;
    assert_eq!(after.first, first);
    assert_eq!(place(&after.rows[0]), place(&before.rows[0]));
    assert!(after.at_start);
    assert_eq!((after.before, after.up_to), (0, Some(2_100)));
    let all = shown.walk().await;
    assert_eq!(*all.last().unwrap(), (0, 2_999));
}

#[tokio::test]
async fn a_partition_that_is_gone_is_said_and_the_others_go_on() {
    let mut shown = Shown::at([log(0..3_000), log(0..3_000)], TablePlace::Start).await;
    for _ in 0..2 {
        shown.refreshed(&inventory(&[(0, 3_000)])).await;
    }
    let all = shown.walk().await;
    let of = |partition: i32| all.iter().filter(|place| place.0 == partition).count();
    assert_eq!((of(0), of(1)), (3_000, 250));
    let table = shown.table();
    let error = table.partitions[1].error.clone().unwrap();
    assert_eq!(&*error.message, "the partition is not there any more");
}

#[tokio::test]
async fn a_partition_whose_ends_are_not_known_at_the_moment_stays() {
    let mut shown = Shown::at([log(0..10)], TablePlace::End).await;
    let mut lost = inventory(&[(0, 10)]);
    if let Some(Ok(topics)) = &mut lost.topics {
        let mut topic = Topic::clone(&topics[0]);
        topic.partitions[0].high_watermark = Err(Problem::new(ProblemKind::NoLeader, "no leader"));
        topics[0] = Arc::new(topic);
    }
    for _ in 0..5 {
        shown.refreshed(&lost).await;
    }
    assert_eq!(shown.table().partitions[0].error, None);
    shown.becomes([log(0..12)]).await;
    assert_eq!(shown.show(0, 9).await.rows.len(), 12);
}

#[tokio::test]
async fn what_was_in_an_open_transaction_is_judged_again_when_it_is_over() {
    let open = Log {
        stable: Some(4),
        ..log(0..8)
    };
    let mut shown = Shown::at([open], TablePlace::End).await;
    let marks = |table: &Table| -> Vec<crate::model::Visibility> {
        table.rows.iter().map(|row| row.visibility).collect()
    };
    use crate::model::Visibility::{Committed, Open};
    let before = shown.show(0, 7).await;
    assert_eq!(marks(&before), [[Committed; 4], [Open; 4]].concat());
    shown.becomes([log(0..8)]).await;
    assert_eq!(marks(&shown.show(0, 7).await), [Committed; 8]);
}

#[tokio::test]
async fn a_partition_that_can_be_read_again_goes_on_where_it_broke_off() {
    let broken = Log {
        broken_from: Some(100),
        ..log(0..300)
    };
    let mut shown = Shown::at([broken], TablePlace::Start).await;
    let table = shown.show(0, 60).await;
    assert_eq!((table.rows.len(), table.at_end), (100, true));
    assert!(table.partitions[0].error.is_some());
    shown.becomes([log(0..300)]).await;
    let table = shown.show(0, 60).await;
    assert_eq!((table.rows.len(), table.at_end), (300, true));
    assert_eq!(table.partitions[0].error, None);
}

#[tokio::test]
async fn ends_that_were_asked_for_before_the_list_began_say_nothing_of_it() {
    let before = tokio::time::Instant::now();
    let mut shown = Shown::at([log(0..30)], TablePlace::Start).await;
    let mut old = inventory(&[(0, 15)]);
    old.asked.whole = Some(before);
    for _ in 0..5 {
        shown.refreshed(&old).await;
    }
    assert_eq!(shown.table().partitions[0].error, None);
    // The same answer twice is told once; two that come later are true.
    let later = tokio::time::Instant::now() + std::time::Duration::from_secs(1);
    old.asked.whole = Some(later);
    for _ in 0..5 {
        shown.refreshed(&old).await;
    }
    assert_eq!(shown.table().partitions[0].error, None);
    old.asked.whole = Some(later + std::time::Duration::from_secs(1));
    shown.refreshed(&old).await;
    assert!(shown.table().partitions[0].error.is_some());
}
