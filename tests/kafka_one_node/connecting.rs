//! Reaching a cluster at all.

use crate::oracle;
use crate::support::cli::tideline;
use crate::support::kafka::{ELSEWHERE_HOST, free_port};

#[test]
fn a_port_where_nobody_listens_is_named() {
    let nobody = format!("127.0.0.1:{}", free_port());
    for command in ["cluster", "topics", "groups", "timeline"] {
        tideline(&[command, "--json", "--bootstrap", &nobody])
            .exits(5)
            .says(&[&nobody, "refused"]);
    }
    tideline(&[
        "records",
        "--topic",
        "six",
        "--json",
        "--bootstrap",
        &nobody,
    ])
    .exits(5)
    .says(&[&nobody]);
}

#[test]
fn a_host_that_does_not_exist_is_named() {
    tideline(&[
        "topics",
        "--json",
        "--bootstrap",
        "no-such-host.invalid:9092",
    ])
    .exits(5)
    .says(&["no-such-host.invalid"]);
}

#[test]
fn one_living_address_among_dead_ones_is_enough() {
    let kafka = oracle::get().data.kafka;
    let several = format!("127.0.0.1:{},{}", free_port(), kafka.bootstrap());
    let answer = tideline(&["cluster", "--json", "--bootstrap", &several])
        .exits(0)
        .json();
    assert_eq!(answer["cluster_id"], kafka.cluster_id());
}

#[test]
fn an_advertised_address_out_of_reach_is_named() {
    let elsewhere = oracle::get().data.kafka.listener("ELSEWHERE");
    tideline(&[
        "topics",
        "--topic",
        "clock",
        "--json",
        "--bootstrap",
        &elsewhere,
    ])
    .exits(5)
    .says(&[ELSEWHERE_HOST]);
}

#[test]
fn a_bootstrap_address_may_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("client.properties");
    let kafka = oracle::get().data.kafka;
    std::fs::write(&file, format!("bootstrap.servers={}\n", kafka.bootstrap())).unwrap();
    let arguments = [
        "cluster",
        "--json",
        "--command-config",
        file.to_str().unwrap(),
    ];
    assert_eq!(
        tideline(&arguments).exits(0).json()["cluster_id"],
        kafka.cluster_id()
    );
}
