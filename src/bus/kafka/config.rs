//! Settings: from what a person gives to what librdkafka takes.
//!
//! A configuration file may be a Java client's `client.properties` or one for librdkafka and kcat; the
//! names that only Java knows are translated. What Tideline promises (no group, no commit, no topic made)
//! is set last, so that no file can undo it.

use std::collections::BTreeMap;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;

use crate::bus::registry::is_registry_setting;
use crate::model::{ConnectionSettings, Known, Problem, ProblemKind};

use super::blame;
use super::properties::{jaas_options, parse_properties};

/// Java settings that say nothing about reaching a bus, or that Tideline decides by itself.
const NOT_NEEDED: [&str; 34] = [
    "acks",
    "auto.commit.interval.ms",
    "auto.offset.reset",
    "default.api.timeout.ms",
    "enable.auto.commit",
    "enable.idempotence",
    "fetch.max.wait.ms",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "isolation.level",
    "key.deserializer",
    "key.serializer",
    "max.poll.interval.ms",
    "max.poll.records",
    "request.timeout.ms",
    "retries",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "transactional.id",
    "value.deserializer",
    "value.serializer",
    "allow.auto.create.topics",
    "enable.partition.eof",
    "auto.register.schemas",
    "avro.use.logical.type.converters",
    "json.value.type",
    "key.subject.name.strategy",
    "latest.compatibility.strict",
    "normalize.schemas",
    "specific.avro.reader",
    "specific.protobuf.value.type",
    "use.latest.version",
    "value.subject.name.strategy",
];

/// All settings as they were written, by name; file first, then single properties.
///
/// # Errors
/// A file that cannot be understood.
pub(in crate::bus) fn given(settings: &ConnectionSettings) -> Known<BTreeMap<String, String>> {
    let mut given = match &settings.config_text {
        Some(text) => parse_properties(text).map_err(|line| {
            let file = blame::file_name(settings);
            invalid(format!("{file}, line {line}, is no setting"))
        })?,
        None => BTreeMap::new(),
    };
    for (name, value) in &settings.properties {
        given.insert(name.trim().to_owned(), value.clone());
    }
    Ok(given)
}

/// The login of the bus as it was written; `None` when there is none.
///
/// # Errors
/// It cannot be understood.
pub(in crate::bus) fn jaas_login(
    given: &BTreeMap<String, String>,
) -> Known<Option<(String, String)>> {
    let mut found = BTreeMap::new();
    if let Some(jaas) = given.get("sasl.jaas.config") {
        java_login(jaas, &mut found)?;
    }
    let word = |name: &str| found.get(name).or_else(|| given.get(name)).cloned();
    Ok(word("sasl.username").zip(word("sasl.password")))
}

/// The settings as librdkafka takes them, by name; what is meant for a registry is left out.
///
/// # Errors
/// A file that cannot be understood, a setting that cannot be translated, or no address at all.
pub(super) fn translate(settings: &ConnectionSettings) -> Known<BTreeMap<String, String>> {
    let mut given = given(settings)?;
    given.retain(|name, _| !is_registry_setting(name));
    if !settings.bootstrap.trim().is_empty() {
        given.remove("metadata.broker.list");
        given.insert(
            "bootstrap.servers".to_owned(),
            settings.bootstrap.trim().to_owned(),
        );
    }
    let mut out = java_stores(&mut given)?;
    if let Some(jaas) = given.remove("sasl.jaas.config") {
        java_login(&jaas, &mut out)?;
    }
    if let Some(algorithm) = given.remove("ssl.endpoint.identification.algorithm") {
        let algorithm = if algorithm.trim().is_empty() {
            "none"
        } else {
            algorithm.trim()
        };
        out.insert(
            "ssl.endpoint.identification.algorithm".to_owned(),
            algorithm.to_ascii_lowercase(),
        );
    }
    for (name, value) in given {
        if !NOT_NEEDED.contains(&name.as_str()) {
            out.insert(name, value);
        }
    }
    for address in bootstrap_of(&out) {
        check_address(&address)?;
    }
    if bootstrap_of(&out).is_empty() {
        return Err(invalid(
            "no address is given: name one with --bootstrap HOST:PORT".to_owned(),
        ));
    }
    Ok(out)
}

/// Refuses what cannot be an address before anything is tried.
fn check_address(address: &str) -> Known<()> {
    let rest = address.rsplit_once("://").map_or(address, |(_, rest)| rest);
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !host.ends_with(':') => (host, Some(port)),
        _ => (rest, None),
    };
    let port_fits = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    if host.is_empty() || !port_fits {
        return Err(invalid(format!(
            "“{address}” is not an address: write HOST:PORT, with a port from 1 to 65535"
        )));
    }
    Ok(())
}

/// The addresses that are tried first.
pub(super) fn bootstrap_of(settings: &BTreeMap<String, String>) -> Vec<String> {
    settings
        .get("bootstrap.servers")
        .or_else(|| settings.get("metadata.broker.list"))
        .map(|list| {
            list.split(',')
                .map(str::trim)
                .filter(|address| !address.is_empty())
                .map(str::to_owned)
                .collect()
        })
        .unwrap_or_default()
}

/// Translates Java's key and trust stores.
fn java_stores(given: &mut BTreeMap<String, String>) -> Known<BTreeMap<String, String>> {
    let mut out = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        out.insert(name.to_owned(), value);
    };
    let trust_type = given
        .remove("ssl.truststore.type")
        .unwrap_or_else(|| "JKS".to_owned());
    given.remove("ssl.truststore.password");
    if let Some(location) = given.remove("ssl.truststore.location") {
        if !trust_type.eq_ignore_ascii_case("PEM") {
            return Err(invalid(format!(
                "ssl.truststore.location names a trust store of type {trust_type}, which cannot be read: export its certificates as PEM and set ssl.ca.location to that file"
            )));
        }
        put("ssl.ca.location", location);
    }
    if let Some(certificates) = given.remove("ssl.truststore.certificates") {
        put("ssl.ca.pem", certificates);
    }
    if let Some(kind) = given.remove("ssl.keystore.type") {
        match kind.to_ascii_uppercase().as_str() {
            "PEM" => {
                if let Some(location) = given.remove("ssl.keystore.location") {
                    put("ssl.certificate.location", location.clone());
                    put("ssl.key.location", location);
                }
            }
            "PKCS12" => {}
            _ => {
                return Err(invalid(format!(
                    "ssl.keystore.type {kind} cannot be read: convert the key store to PKCS12 or PEM"
                )));
            }
        }
    }
    if let Some(key) = given.remove("ssl.keystore.key") {
        put("ssl.key.pem", key);
    }
    if let Some(chain) = given.remove("ssl.keystore.certificate.chain") {
        put("ssl.certificate.pem", chain);
    }
    Ok(out)
}

/// Translates Java's login line.
fn java_login(jaas: &str, out: &mut BTreeMap<String, String>) -> Known<()> {
    let (module, options) = jaas_options(jaas).map_err(invalid)?;
    if !module.ends_with("PlainLoginModule") && !module.ends_with("ScramLoginModule") {
        return Err(invalid(format!(
            "the login module {module} of sasl.jaas.config is not supported: PLAIN and SCRAM are"
        )));
    }
    for (java, ours) in [("username", "sasl.username"), ("password", "sasl.password")] {
        let value = options
            .get(java)
            .ok_or_else(|| invalid(format!("sasl.jaas.config names no {java}")))?;
        out.insert(ours.to_owned(), value.clone());
    }
    Ok(())
}

/// What every client of ours is configured with.
pub(super) fn client_config(settings: &BTreeMap<String, String>) -> ClientConfig {
    let mut config = ClientConfig::new();
    let ours = [
        ("client.id", concat!("tideline/", env!("CARGO_PKG_VERSION"))),
        ("socket.connection.setup.timeout.ms", "5000"),
        ("api.version.request.timeout.ms", "5000"),
        ("socket.keepalive.enable", "true"),
        ("reconnect.backoff.max.ms", "2000"),
        ("enable.metrics.push", "false"),
    ];
    for (name, value) in ours {
        config.set(name, value);
    }
    if cfg!(feature = "vendored") {
        config.set("ssl.ca.location", "probe");
    }
    for (name, value) in settings {
        config.set(name, value);
    }
    let promised = [
        ("enable.auto.commit", "false"),
        ("enable.auto.offset.store", "false"),
        ("allow.auto.create.topics", "false"),
        ("auto.offset.reset", "error"),
    ];
    for (name, value) in promised {
        config.set(name, value);
    }
    config.set_log_level(RDKafkaLogLevel::Info);
    config
}

fn invalid(message: String) -> Problem {
    Problem::new(ProblemKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_file(text: &str) -> Known<BTreeMap<String, String>> {
        translate(&ConnectionSettings {
            bootstrap: "kafka:9092".into(),
            config_text: Some(text.into()),
            config_path: None,
            ..ConnectionSettings::default()
        })
    }

    #[test]
    fn a_java_file_with_a_login_line_and_pem_stores() {
        let settings = from_file(
            "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n\
             sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n  username=\"alice\" password=\"s3cr\\\\\"et;\";\n\
             ssl.truststore.type=PEM\nssl.truststore.location=/ca.pem\n\
             ssl.keystore.type=PEM\nssl.keystore.location=/client.pem\nssl.endpoint.identification.algorithm=\n\
             group.id=app\nkey.deserializer=org.apache.kafka.common.serialization.StringDeserializer\n",
        )
        .unwrap();
        let expected = [
            ("bootstrap.servers", "kafka:9092"),
            ("sasl.mechanism", "SCRAM-SHA-512"),
            ("sasl.password", "s3cr\"et;"),
            ("sasl.username", "alice"),
            ("security.protocol", "SASL_SSL"),
            ("ssl.ca.location", "/ca.pem"),
            ("ssl.certificate.location", "/client.pem"),
            ("ssl.endpoint.identification.algorithm", "none"),
            ("ssl.key.location", "/client.pem"),
        ];
        let expected: BTreeMap<String, String> = expected
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        assert_eq!(settings, expected);
    }

    #[test]
    fn a_single_property_wins_over_the_file() {
        let settings = translate(&ConnectionSettings {
            bootstrap: String::new(),
            config_text: Some("bootstrap.servers=a:1,b:2\nclient.id=x".into()),
            config_path: None,
            properties: vec![("client.id".into(), "y".into())],
            ..ConnectionSettings::default()
        })
        .unwrap();
        assert_eq!(settings.get("client.id").map(String::as_str), Some("y"));
        assert_eq!(bootstrap_of(&settings), vec!["a:1", "b:2"]);
    }

    #[test]
    fn stores_that_cannot_be_read_are_refused_with_a_way_out() {
        let error = from_file("ssl.truststore.location=/t.jks\nssl.truststore.password=changeit")
            .unwrap_err();
        assert_eq!(error.kind, ProblemKind::Invalid);
        assert!(
            error.message.contains("PEM") && !error.message.contains("changeit"),
            "{error}"
        );
        assert!(from_file("ssl.keystore.type=JKS").is_err());
    }

    #[test]
    fn what_cannot_be_an_address_is_refused_before_anything_is_tried() {
        for address in [":9092", "host:99999", "host:0", "host:x", "a:1,:2"] {
            let error = translate(&ConnectionSettings::to(address)).unwrap_err();
            assert_eq!(error.kind, ProblemKind::Invalid, "{address}");
        }
        for address in [
            "host",
            "host:1",
            "[::1]:9092",
            "SSL://host:9093",
            "a:1, b:2",
        ] {
            assert!(
                translate(&ConnectionSettings::to(address)).is_ok(),
                "{address}"
            );
        }
    }

    #[test]
    fn a_line_that_is_no_setting_is_named_with_its_file() {
        let settings = ConnectionSettings {
            config_text: Some("a=1\n=hunter2".into()),
            config_path: Some("/etc/client.properties".into()),
            ..ConnectionSettings::to("kafka:9092")
        };
        let error = translate(&settings).unwrap_err();
        assert_eq!(
            &*error.message,
            "/etc/client.properties, line 2, is no setting"
        );
    }

    #[test]
    fn what_is_meant_for_a_registry_does_not_reach_the_client_of_the_bus() {
        let settings = from_file(
            "schema.registry.url=http://r:8081\nschema.registry.ssl.truststore.location=/r.jks\n\
             basic.auth.credentials.source=USER_INFO\nbasic.auth.user.info=a:b\nbearer.auth.token=c\n\
             specific.avro.reader=true\nauto.register.schemas=false\nclient.id=x\n",
        )
        .unwrap();
        let names: Vec<&str> = settings.keys().map(String::as_str).collect();
        assert_eq!(names, ["bootstrap.servers", "client.id"]);
    }

    #[test]
    fn no_address_is_an_error() {
        let error = translate(&ConnectionSettings::default()).unwrap_err();
        assert!(error.message.contains("--bootstrap"), "{error}");
    }

    #[test]
    fn no_file_can_undo_what_is_promised() {
        let settings =
            from_file("enable.auto.commit=true\nallow.auto.create.topics=true\ngroup.id=app")
                .unwrap();
        let config = client_config(&settings);
        assert_eq!(config.get("enable.auto.commit"), Some("false"));
        assert_eq!(config.get("allow.auto.create.topics"), Some("false"));
        assert_eq!(config.get("group.id"), None);
    }
}
