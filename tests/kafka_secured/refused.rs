//! Every wrong way in: exit 5, the reason in words, no secret repeated.

use crate::support::cli::Run;
use crate::support::kafka::{ALICE, BOB};
use crate::{TOPIC, kafka, text, with_properties};

/// One of the words must be in the reason.
#[track_caller]
fn refused(listener: &str, properties: &[(&str, &str)], words: &[&str]) {
    let run = with_properties(&["topics"], listener, properties).exits(5);
    let said = run.stderr.to_lowercase();
    assert!(
        words.iter().any(|word| said.contains(word)),
        "none of {words:?} in: {}",
        run.stderr
    );
    no_secret_in(&run);
}

#[track_caller]
fn no_secret_in(run: &Run) {
    for secret in [ALICE.1, BOB.1, "wr0ng"] {
        assert!(
            !run.stdout.contains(secret) && !run.stderr.contains(secret),
            "{run:?}"
        );
    }
}

fn ca() -> &'static str {
    text(&kafka().certificates().ca)
}

#[test]
fn a_wrong_password() {
    for (listener, mechanism) in [
        ("SASL_SSL", "PLAIN"),
        ("SASL_SSL", "SCRAM-SHA-512"),
        ("SASL_PLAINTEXT", "PLAIN"),
    ] {
        let properties = [
            ("security.protocol", listener),
            ("sasl.mechanism", mechanism),
            ("sasl.username", "alice"),
            ("sasl.password", "wr0ng"),
            ("ssl.ca.location", ca()),
        ];
        refused(listener, &properties, &["password", "authentication"]);
    }
}

#[test]
fn tls_where_there_is_none() {
    refused(
        "PLAINTEXT",
        &[("security.protocol", "SSL"), ("ssl.ca.location", ca())],
        &["tls", "ssl"],
    );
}

#[test]
fn no_tls_where_it_is_asked_for() {
    refused("SSL", &[], &["tls", "ssl"]);
    let (name, password) = ALICE;
    let properties = [
        ("security.protocol", "SASL_PLAINTEXT"),
        ("sasl.mechanism", "PLAIN"),
        ("sasl.username", name),
        ("sasl.password", password),
    ];
    refused("SASL_SSL", &properties, &["tls", "ssl"]);
}

#[test]
fn no_password_where_one_is_asked_for() {
    refused(
        "SASL_PLAINTEXT",
        &[],
        &["sasl", "password", "log in", "authentication"],
    );
}

#[test]
fn a_password_where_none_is_asked_for() {
    let (name, password) = ALICE;
    let properties = [
        ("security.protocol", "SASL_PLAINTEXT"),
        ("sasl.mechanism", "PLAIN"),
        ("sasl.username", name),
        ("sasl.password", password),
    ];
    refused(
        "PLAINTEXT",
        &properties,
        &["sasl", "password", "log in", "authentication"],
    );
}

#[test]
fn a_broker_whose_certificate_an_unknown_authority_signed() {
    let other = text(&kafka().certificates().other_ca);
    refused(
        "SSL",
        &[("security.protocol", "SSL"), ("ssl.ca.location", other)],
        &["certificate"],
    );
}

#[test]
fn no_client_certificate_where_one_is_asked_for() {
    refused(
        "SSL",
        &[("security.protocol", "SSL"), ("ssl.ca.location", ca())],
        &["certificate"],
    );
}

#[test]
fn a_user_who_may_do_nothing() {
    let (name, password) = BOB;
    let properties = [
        ("security.protocol", "SASL_SSL"),
        ("sasl.mechanism", "PLAIN"),
        ("sasl.username", name),
        ("sasl.password", password),
        ("ssl.ca.location", ca()),
    ];
    let run = with_properties(&["records", "--topic", TOPIC], "SASL_SSL", &properties);
    // The bus was reached; this one topic cannot be read.
    let (records, coverage) = run.exits(6).records();
    assert!(records.is_empty());
    let row = &coverage["partitions"][0];
    assert_eq!(row["topic"], TOPIC);
    let reason = row["error"].as_str().unwrap().to_lowercase();
    assert!(
        reason.contains("authoriz") || reason.contains("authoris") || reason.contains("allowed"),
        "{reason}"
    );
    no_secret_in(&with_properties(&["topics", "--topic", TOPIC], "SASL_SSL", &properties).exits(6));
}
