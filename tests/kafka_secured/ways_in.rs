//! What a person may rightly have at hand to get in.

use crate::support::cli::{self, Run};
use crate::support::kafka::{ALICE, CONNECTION_STRING};
use crate::support::tools;
use crate::{TOPIC, kafka, text, with_properties};
use std::fs;
use std::path::PathBuf;

#[track_caller]
fn reads_the_records(run: Run) {
    let (records, coverage) = run.exits(0).records();
    let values: Vec<&str> = records
        .iter()
        .map(|record| record["value"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(values, [r#"{"n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#]);
    assert_eq!(coverage["complete"], true);
}

fn sasl(listener: &str, mechanism: &str, (name, password): (&str, &str)) -> Run {
    let properties = [
        ("security.protocol", listener),
        ("sasl.mechanism", mechanism),
        ("sasl.username", name),
        ("sasl.password", password),
        ("ssl.ca.location", text(&kafka().certificates().ca)),
    ];
    with_properties(&["records", "--topic", TOPIC], listener, &properties)
}

/// With a file as `--command-config`.
fn with_file(listener: &str, content: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("client.properties");
    fs::write(&file, content).unwrap();
    let bootstrap = kafka().listener(listener);
    cli::tideline(&[
        "records",
        "--topic",
        TOPIC,
        "--json",
        "--bootstrap",
        &bootstrap,
        "--command-config",
        text(&file),
    ])
}

#[test]
fn a_password_over_tls() {
    reads_the_records(sasl("SASL_SSL", "PLAIN", ALICE));
}

#[test]
fn a_password_without_tls() {
    reads_the_records(sasl("SASL_PLAINTEXT", "PLAIN", ALICE));
}

#[test]
fn scram_of_both_strengths() {
    reads_the_records(sasl("SASL_SSL", "SCRAM-SHA-256", ALICE));
    reads_the_records(sasl("SASL_SSL", "SCRAM-SHA-512", ALICE));
    reads_the_records(sasl("SASL_PLAINTEXT", "SCRAM-SHA-512", ALICE));
}

#[test]
fn a_connection_string_as_event_hubs_has_it() {
    reads_the_records(sasl("SASL_SSL", "PLAIN", CONNECTION_STRING));
}

#[test]
fn a_client_certificate() {
    let certificates = kafka().certificates();
    let properties = [
        ("security.protocol", "SSL"),
        ("ssl.ca.location", text(&certificates.ca)),
        (
            "ssl.certificate.location",
            text(&certificates.client_certificate),
        ),
        ("ssl.key.location", text(&certificates.client_key)),
    ];
    reads_the_records(with_properties(
        &["records", "--topic", TOPIC],
        "SSL",
        &properties,
    ));
}

#[test]
fn every_reading_command_takes_the_same_settings() {
    let certificates = kafka().certificates();
    let properties = [
        ("security.protocol", "SASL_SSL"),
        ("sasl.mechanism", "SCRAM-SHA-512"),
        ("sasl.username", ALICE.0),
        ("sasl.password", ALICE.1),
        ("ssl.ca.location", text(&certificates.ca)),
    ];
    let cluster = with_properties(&["cluster"], "SASL_SSL", &properties)
        .exits(0)
        .json();
    assert_eq!(cluster["cluster_id"], kafka().cluster_id());
    assert_eq!(cluster["brokers"][0]["port"], kafka().port(1, "SASL_SSL"));
    let topics = with_properties(&["topics", "--topic", TOPIC], "SASL_SSL", &properties)
        .exits(0)
        .json();
    assert_eq!(topics["topics"][0]["partitions"][0]["high_watermark"], 3);
    with_properties(&["groups"], "SASL_SSL", &properties).exits(0);
    let timeline = with_properties(&["timeline", "--topic", TOPIC], "SASL_SSL", &properties)
        .exits(0)
        .json();
    assert_eq!(timeline["topics"][0]["partitions"][0]["high_watermark"], 3);
}

#[test]
fn a_java_file_with_a_jaas_line() {
    let (name, password) = ALICE;
    let content = format!(
        "# as the stock tools take it\n\
         security.protocol = SASL_SSL\n\
         sasl.mechanism=SCRAM-SHA-512\n\
         sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n    \
         username=\"{name}\" \\\n    \
         password=\"{password}\";\n\
         ssl.truststore.type=PEM\n\
         ssl.truststore.location={}\n",
        text(&kafka().certificates().ca)
    );
    accepted_by_the_stock_tools("SASL_SSL", &content);
    reads_the_records(with_file("SASL_SSL", &content));
}

#[test]
fn a_java_file_with_a_plain_jaas_line() {
    let (name, password) = CONNECTION_STRING;
    let content = format!(
        "security.protocol=SASL_SSL\n\
         sasl.mechanism=PLAIN\n\
         sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username='{name}' password=\"{password}\";\n\
         ssl.truststore.type=PEM\n\
         ssl.truststore.location={}\n",
        text(&kafka().certificates().ca)
    );
    accepted_by_the_stock_tools("SASL_SSL", &content);
    reads_the_records(with_file("SASL_SSL", &content));
}

#[test]
fn a_java_file_with_a_client_certificate() {
    let certificates = kafka().certificates();
    let both: PathBuf = certificates.folder.join("carol-both.pem");
    let parts = [&certificates.client_key, &certificates.client_certificate]
        .map(|file| fs::read(file).unwrap());
    fs::write(&both, parts.concat()).unwrap();
    let content = format!(
        "security.protocol=SSL\n\
         ssl.truststore.type=PEM\n\
         ssl.truststore.location={}\n\
         ssl.keystore.type=PEM\n\
         ssl.keystore.location={}\n",
        text(&certificates.ca),
        text(&both)
    );
    accepted_by_the_stock_tools("SSL", &content);
    reads_the_records(with_file("SSL", &content));
}

#[test]
fn a_file_of_librdkafka() {
    let (name, password) = ALICE;
    let content = format!(
        "# as kcat takes it\n\
         security.protocol=sasl_ssl\n\
         sasl.mechanisms=PLAIN\n\
         sasl.username={name}\n\
         sasl.password={password}\n\
         ssl.ca.location={}\n",
        text(&kafka().certificates().ca)
    );
    reads_the_records(with_file("SASL_SSL", &content));
}

/// Otherwise the file would prove nothing.
fn accepted_by_the_stock_tools(listener: &str, content: &str) {
    let topics = tools::run_with_config(kafka(), listener, content, "TopicCommand", &["--list"]);
    assert!(topics.contains(TOPIC), "{topics}");
}
