//! Groups are moved over TLS and with a login as well, and not by who may not.

use tideline::bus::Bus as _;
use tideline::bus::kafka::KafkaBus;
use tideline::model::{
    Bookmark, ConnectionSettings, Known, Offset, ProblemKind, Text, TopicPartition,
};
use tokio::runtime::Runtime;

use crate::support::cluster::Cluster;
use crate::support::kafka::{ALICE, BOB};
use crate::support::tools;
use crate::{TOPIC, kafka, text};

/// Tideline's own connection by TLS and SCRAM, and what drives it.
pub fn over_tls((name, password): (&str, &str)) -> (Runtime, KafkaBus) {
    let mut settings = ConnectionSettings::to(kafka().listener("SASL_SSL"));
    settings.properties = [
        ("security.protocol", "SASL_SSL"),
        ("sasl.mechanism", "SCRAM-SHA-512"),
        ("sasl.username", name),
        ("sasl.password", password),
        ("ssl.ca.location", text(&kafka().certificates().ca)),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bus = runtime.block_on(tideline::bus::kafka::connect(&settings));
    (runtime, bus.unwrap())
}

/// What setting and then deleting the group's bookmark of partition 0 came to, in that order.
fn set_and_delete(group: &str, login: (&str, &str)) -> [Option<ProblemKind>; 2] {
    let (runtime, bus) = over_tls(login);
    let positions = bus.positions().unwrap();
    let at = TopicPartition::new(TOPIC, 0);
    let rows = vec![(at.clone(), Bookmark::plain(Offset(1)))];
    let kind = |rows: Known<Vec<Known<()>>>| rows.unwrap().remove(0).err().map(|why| why.kind);
    let set = kind(runtime.block_on(positions.set(Text::from(group), rows)));
    if set.is_none() {
        let committed = tools::committed(kafka(), group);
        assert_eq!(committed.into_values().collect::<Vec<_>>(), [1]);
    }
    let deleted = kind(runtime.block_on(positions.delete(Text::from(group), vec![at])));
    [set, deleted]
}

#[test]
fn who_may_do_so_moves_a_group_over_tls() {
    let cluster = Cluster::at(&kafka().bootstrap());
    cluster.commit("moved-over-tls", &[(TOPIC, 0, 3)]);
    assert_eq!(set_and_delete("moved-over-tls", ALICE), [None, None]);
    assert!(tools::committed(kafka(), "moved-over-tls").is_empty());
}

#[test]
fn who_may_not_is_told_so_and_moves_nothing() {
    let cluster = Cluster::at(&kafka().bootstrap());
    cluster.commit("not-bobs", &[(TOPIC, 0, 3)]);
    assert_eq!(
        set_and_delete("not-bobs", BOB),
        [Some(ProblemKind::Forbidden); 2]
    );
    let committed = tools::committed(kafka(), "not-bobs");
    assert_eq!(committed.into_values().collect::<Vec<_>>(), [3]);
}
