//! Getting connected, and saying in plain words why not.
//!
//! librdkafka tells "all brokers down" for most mistakes, and only after a while. So each address is first
//! tried by hand: does the name resolve, does something listen, does it speak what the settings say? Then a
//! client is made, and the first thing it complains about wins.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use parking_lot::Mutex;
use rdkafka::error::RDKafkaErrorCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::bus::wire;
use crate::model::{ConnectionSettings, Known, Problem, ProblemKind};

use super::blame;
use super::config::{bootstrap_of, client_config, translate};
use super::context::Complaint;
use super::control::{Control, Deadlines};
use super::ffi::Code;
use super::ffi::metadata::{self, KnownBroker};
use super::lines::Lines;
use super::reader::Pool;
use super::{KafkaBus, errors};

/// How long one address may take to answer.
const ADDRESS: Duration = Duration::from_secs(3);
/// How long connecting may take in all after that.
const WHOLE: Duration = Duration::from_secs(10);
/// How long an answer may still come after a first complaint.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long one question blocks.
const SLICE: Duration = Duration::from_millis(400);
/// How often the client's complaints are looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Connects with `settings`, within about 13 s.
///
/// # Errors
/// In plain words, with what to do: settings that make no sense (`Invalid`), nothing there (`Unreachable`), not
/// let in (`Refused`).
pub async fn connect(settings: &ConnectionSettings) -> Known<KafkaBus> {
    let (settings, protocol, control) =
        prepare(settings).map_err(|problem| blame::located(settings, problem))?;
    let addresses = bootstrap_of(&settings);
    let knocks: Vec<_> = addresses
        .iter()
        .map(|address| Box::pin(knock(address, protocol)))
        .collect();
    // The first that answers is enough; when none does, the first address's reason is told.
    any_ok(knocks).await?;
    let brokers = first_answer(&control, protocol, &addresses).await?;
    reach_advertised(&addresses, &brokers).await?;
    control.learn_brokers(brokers.iter().map(|broker| broker.id));
    Ok(KafkaBus {
        control,
        pool: Arc::new(Pool::new(settings)),
        plaintext: protocol
            == Protocol {
                tls: false,
                sasl: false,
            },
        lines: Lines::default(),
        brokers: Mutex::default(),
        leaders: Mutex::new(HashMap::new()),
        suspects: Mutex::default(),
        lookups: Semaphore::new(8),
        groups: Semaphore::new(200),
    })
}

/// What is made of `settings` before anything is tried: a client refuses settings that it does not know, whether or
/// not anything answers.
fn prepare(settings: &ConnectionSettings) -> Known<(BTreeMap<String, String>, Protocol, Control)> {
    let settings = translate(settings)?;
    let protocol = protocol_of(&settings)?;
    let control = Control::new(client_config(&settings), Deadlines::default())?;
    Ok((settings, protocol, control))
}

/// Waits for the first success; when there is none, returns the first attempt's problem.
async fn any_ok<F: Future<Output = Known<()>> + Unpin>(attempts: Vec<F>) -> Known<()> {
    let mut waiting: FuturesUnordered<_> = attempts
        .into_iter()
        .enumerate()
        .map(|(index, attempt)| attempt.map(move |outcome| (index, outcome)))
        .collect();
    let mut first: Option<(usize, Problem)> = None;
    while let Some((index, outcome)) = waiting.next().await {
        match outcome {
            Ok(()) => return Ok(()),
            Err(problem) if first.as_ref().is_none_or(|(known, _)| index < *known) => {
                first = Some((index, problem));
            }
            Err(_) => {}
        }
    }
    first.map_or(Ok(()), |(_, problem)| Err(problem))
}

/// What the settings say is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Protocol {
    tls: bool,
    sasl: bool,
}

fn protocol_of(settings: &BTreeMap<String, String>) -> Known<Protocol> {
    let name = settings
        .get("security.protocol")
        .map_or("plaintext", String::as_str);
    let (tls, sasl) = match name.to_ascii_lowercase().as_str() {
        "plaintext" => (false, false),
        "ssl" => (true, false),
        "sasl_plaintext" => (false, true),
        "sasl_ssl" => (true, true),
        _ => {
            return Err(Problem::new(
                ProblemKind::Invalid,
                format!(
                    "security.protocol “{name}” is none of plaintext, ssl, sasl_plaintext, sasl_ssl"
                ),
            ));
        }
    };
    Ok(Protocol { tls, sasl })
}

/// Tries one address: does something listen, and does it speak what the settings say?
async fn knock(address: &str, protocol: Protocol) -> Known<()> {
    let address = if address.contains(':') {
        address.to_owned()
    } else {
        format!("{address}:9092")
    };
    let address = address
        .rsplit_once("://")
        .map_or(address.as_str(), |(_, rest)| rest);
    let talk = async {
        if protocol.tls {
            return greet_tls(address).await;
        }
        let mut connection = wire::Connection::open(address, ADDRESS).await?;
        match connection.api_versions().await {
            Ok(_) => Ok(()),
            Err(problem) if problem.kind == ProblemKind::Malformed => Err(Problem::new(
                ProblemKind::Unreachable,
                format!(
                    "{address} does not speak Kafka's protocol in the clear: if it is a TLS port, set security.protocol to {}",
                    if protocol.sasl { "SASL_SSL" } else { "SSL" }
                ),
            )),
            Err(_) => Err(Problem::new(
                ProblemKind::Unreachable,
                format!(
                    "{address} closed the connection at the first question: it is a TLS port (set security.protocol to {}) or no Kafka",
                    if protocol.sasl { "SASL_SSL" } else { "SSL" }
                ),
            )),
        }
    };
    match tokio::time::timeout(ADDRESS, talk).await {
        Ok(outcome) => outcome,
        Err(_elapsed) => Err(Problem::new(
            ProblemKind::Unreachable,
            format!(
                "{address} took the connection but does not answer within {} s",
                ADDRESS.as_secs()
            ),
        )),
    }
}

/// A TLS greeting (RFC 5246, section 7.4.1.2: record header, client hello of version 1.2 with one cipher
/// suite). A TLS port answers with a handshake (22) or an alert (21); anything else is no TLS port. The real
/// handshake, with its checks, is librdkafka's.
const CLIENT_HELLO: [u8; 52] = *b"\x16\x03\x01\x00\x2f\x01\x00\x00\x2b\x03\x03\
        \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
        \x00\x00\x02\x00\x2f\x01\x00\x00\x00";

async fn greet_tls(address: &str) -> Known<()> {
    let mut stream = wire::connect(address, ADDRESS).await?;
    let mut first = [0; 1];
    let answered = match stream.write_all(&CLIENT_HELLO).await {
        Ok(()) => stream.read_exact(&mut first).await.is_ok(),
        Err(_) => false,
    };
    if answered && matches!(first, [21 | 22]) {
        return Ok(());
    }
    Err(Problem::new(
        ProblemKind::Unreachable,
        format!(
            "{address} is not a TLS port: set security.protocol to PLAINTEXT or SASL_PLAINTEXT, or give the TLS port"
        ),
    ))
}

/// Waits for the first answer about the brokers, or the first complaint that will not go away.
async fn first_answer(
    control: &Control,
    protocol: Protocol,
    bootstrap: &[String],
) -> Known<Vec<KnownBroker>> {
    let started = Instant::now();
    loop {
        let client = control.client()?;
        // In slices, because the call cannot be given up.
        let asking = tokio::task::spawn_blocking(move || metadata::brokers(&client, SLICE));
        let answer = asking.await.map_err(|error| {
            Problem::new(ProblemKind::Other, format!("connecting failed ({error})"))
        })?;
        let code = match answer {
            Ok(brokers) if !brokers.is_empty() => return Ok(brokers),
            Ok(_) => Code::TIMED_OUT,
            Err(code) => code,
        };
        // One address of several may refuse while another one lets us in.
        if started.elapsed() > PATIENCE
            && let Some(problem) = complaint_of(control, protocol, bootstrap)
        {
            return Err(problem);
        }
        if started.elapsed() > WHOLE {
            return Err(match code {
                Code::TIMED_OUT => no_answer(protocol),
                code => errors::problem(code),
            });
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn no_answer(protocol: Protocol) -> Problem {
    let words = if protocol.sasl {
        "the broker listens but does not answer: check security.protocol, sasl.mechanism, user and password"
    } else {
        "the broker listens but closes the connection: it may ask for a login, then set security.protocol to SASL_PLAINTEXT or SASL_SSL, and user and password"
    };
    Problem::new(ProblemKind::Unreachable, words)
}

/// The complaint that explains best why there is no connection.
fn complaint_of(control: &Control, protocol: Protocol, bootstrap: &[String]) -> Option<Problem> {
    let complaints = control.context().complaints();
    explain(&complaints)
        .or_else(|| advertised(&complaints, bootstrap))
        .or_else(|| hung_up(&complaints, protocol))
}

/// A broker that was learnt of, not one of the addresses given, cannot be reached: the client has let go of the
/// address that works and asks there from now on.
fn advertised(complaints: &[Complaint], bootstrap: &[String]) -> Option<Problem> {
    complaints.iter().find_map(|complaint| {
        let unreachable = matches!(
            complaint.code,
            Some(RDKafkaErrorCode::Resolve | RDKafkaErrorCode::BrokerTransportFailure)
        );
        let address = learnt_address(&complaint.words).filter(|_| unreachable)?;
        Some(out_of_reach(bootstrap, address, tail(&complaint.words)))
    })
}

/// The address of a broker with a number in librdkafka's words, `HOST:PORT/NUMBER: …`; an address that was
/// given has `bootstrap` in the place of the number.
fn learnt_address(words: &str) -> Option<&str> {
    let (name, _) = without_thread(words).split_once(": ")?;
    let (address, number) = name.rsplit_once('/')?;
    let address = address
        .rsplit_once("://")
        .map_or(address, |(_, address)| address);
    number
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(address)
}

fn out_of_reach(bootstrap: &[String], first: &str, why: &str) -> Problem {
    Problem::new(
        ProblemKind::Unreachable,
        format!(
            "{} answers, but its brokers advertise addresses that cannot be reached from here, {first} first ({why}): correct advertised.listeners of the brokers, or make that name known here",
            bootstrap.join(", "),
        ),
    )
}

/// The broker took the connection and closed it again and again, as it does when it wants a login that the
/// settings do not name.
fn hung_up(complaints: &[Complaint], protocol: Protocol) -> Option<Problem> {
    let closed = complaints
        .iter()
        .filter(|complaint| complaint.words.contains("Disconnected"))
        .count();
    (closed >= 2).then(|| no_answer(protocol))
}

/// librdkafka's words without the name of its thread, which log lines begin with and errors do not.
fn without_thread(words: &str) -> &str {
    match words.strip_prefix("[thrd:") {
        Some(rest) => rest.split_once("]: ").map_or(words, |(_, rest)| rest),
        None => words,
    }
}

fn explain(complaints: &[Complaint]) -> Option<Problem> {
    let find = |code: RDKafkaErrorCode| {
        complaints
            .iter()
            .find(|complaint| complaint.code == Some(code))
    };
    if let Some(complaint) = find(RDKafkaErrorCode::Authentication)
        .or_else(|| find(RDKafkaErrorCode::SaslAuthenticationFailed))
    {
        let words = &complaint.words;
        let message = if words.contains("not supported by broker")
            || words.contains("Unsupported")
            || words.contains("mechanism")
        {
            format!(
                "the broker does not offer this login: check sasl.mechanism and security.protocol ({})",
                tail(words)
            )
        } else {
            format!(
                "the user name or password was not accepted ({})",
                tail(words)
            )
        };
        return Some(Problem::new(ProblemKind::Refused, message));
    }
    if let Some(complaint) = find(RDKafkaErrorCode::SSL) {
        let words = &complaint.words;
        let message = if words.contains("certificate verify failed") {
            format!(
                "the broker's certificate is not trusted: set ssl.ca.location to the certificate of its authority ({})",
                tail(words)
            )
        } else {
            format!("the TLS connection failed ({})", tail(words))
        };
        return Some(Problem::new(ProblemKind::Refused, message));
    }
    let certificate = complaints.iter().find(|complaint| {
        complaint.words.contains("certificate required")
            || complaint.words.contains("bad certificate")
    });
    certificate.map(|complaint| {
        Problem::new(
            ProblemKind::Refused,
            format!("the broker asks for a client certificate: set ssl.certificate.location and ssl.key.location ({})", tail(&complaint.words)),
        )
    })
}

/// The end of librdkafka's words, which says what happened; before it come its thread and the broker.
fn tail(words: &str) -> &str {
    let words = without_thread(words);
    match words.split_once(": ") {
        Some((name, rest)) if name.contains('/') => rest.trim(),
        _ => words.trim(),
    }
}

/// Tries the addresses that the brokers advertise; fails when none can be reached, because every later question
/// goes there.
async fn reach_advertised(bootstrap: &[String], brokers: &[KnownBroker]) -> Known<()> {
    let Some(first) = brokers.first() else {
        return Ok(());
    };
    let attempts = brokers.iter().map(|broker| {
        let address = address_of(broker);
        Box::pin(async move { wire::connect(&address, ADDRESS).await.map(drop) })
    });
    match any_ok(attempts.collect()).await {
        Ok(()) => Ok(()),
        Err(problem) => Err(out_of_reach(
            bootstrap,
            &address_of(first),
            &problem.message,
        )),
    }
}

fn address_of(broker: &KnownBroker) -> String {
    if broker.host.contains(':') {
        format!("[{}]:{}", broker.host, broker.port)
    } else {
        format!("{}:{}", broker.host, broker.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: Option<RDKafkaErrorCode>, words: &str) -> Complaint {
        Complaint {
            code,
            words: words.to_owned(),
        }
    }

    #[test]
    fn a_wrong_password_wins_over_what_comes_before_and_after() {
        let complaints = [
            told(
                Some(RDKafkaErrorCode::AllBrokersDown),
                "1/1 brokers are down",
            ),
            told(
                Some(RDKafkaErrorCode::Authentication),
                "[thrd:sasl_ssl://b:9093/bootstrap]: sasl_ssl://b:9093/bootstrap: SASL authentication error: Invalid credentials",
            ),
            told(None, "Disconnected"),
        ];
        let problem = explain(&complaints).unwrap();
        assert_eq!(problem.kind, ProblemKind::Refused);
        assert!(problem.message.contains("password"), "{problem}");
    }

    #[test]
    fn an_untrusted_certificate_names_the_setting() {
        let complaints = [told(
            Some(RDKafkaErrorCode::SSL),
            "[thrd:ssl://b:9093/1]: ssl://b:9093/1: SSL handshake failed: certificate verify failed: broker certificate could not be verified",
        )];
        assert!(
            explain(&complaints)
                .unwrap()
                .message
                .contains("ssl.ca.location")
        );
    }

    #[test]
    fn a_learnt_address_out_of_reach_is_told_from_one_that_was_given() {
        let given = told(
            Some(RDKafkaErrorCode::BrokerTransportFailure),
            "b:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed: Connection refused",
        );
        let learnt = told(
            Some(RDKafkaErrorCode::Resolve),
            "sasl_ssl://k-1.internal:9093/1: Failed to resolve 'k-1.internal:9093'",
        );
        let bootstrap = ["b:9092".to_owned()];
        assert_eq!(advertised(std::slice::from_ref(&given), &bootstrap), None);
        let problem = advertised(&[given, learnt], &bootstrap).unwrap();
        assert!(
            problem.message.contains("k-1.internal:9093 first"),
            "{problem}"
        );
    }

    #[test]
    fn passing_trouble_explains_nothing() {
        assert_eq!(
            explain(&[told(
                Some(RDKafkaErrorCode::BrokerTransportFailure),
                "refused"
            )]),
            None
        );
        assert_eq!(explain(&[]), None);
    }

    #[test]
    fn the_greeting_is_a_whole_client_hello() {
        assert_eq!(CLIENT_HELLO.len(), 5 + 47);
        assert_eq!(CLIENT_HELLO[5 + 4 + 2 + 32], 0);
        assert_eq!(CLIENT_HELLO[44..], [0, 2, 0, 0x2f, 1, 0, 0, 0]);
    }

    #[test]
    fn a_misspelt_protocol_is_named() {
        let settings = BTreeMap::from([("security.protocol".to_owned(), "TLS".to_owned())]);
        assert!(
            protocol_of(&settings)
                .unwrap_err()
                .message
                .contains("sasl_ssl")
        );
    }
}
