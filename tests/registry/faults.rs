//! Every way in which a registry may fail, each with a sentence of its own.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use tideline::bus::registry::FailureKind;
use tideline::decode::schema::SchemaKind;

use crate::server::{Reply, Server};
use crate::{SECRET, failure, registry};

const BASIC: (&str, &str) = ("basic.auth.user.info", "alice:hunter2");

/// Asks a server that answers so, with these settings; `URL` in the sentence is its address.
#[track_caller]
fn says(reply: Reply, more: &[(&str, &str)], kind: FailureKind, sentence: &str) {
    let server = Server::new(move |_| reply.clone());
    let failure = failure(&registry(&server.url, more));
    assert_eq!(failure.message, sentence.replace("URL", &server.url));
    assert_eq!(failure.kind, kind, "{failure:?}");
}

const NO_REGISTRY: &str = "there is no schema registry at URL (404): its address may lack a path, such as /apis/ccompat/v7";
const NO_SCHEMA: &str = "URL is no schema registry: it does not answer with a schema";

#[test]
fn a_login_that_is_missing_wrong_or_too_weak() {
    let none = Reply::json("401 Unauthorized", "{}");
    let sentence =
        "the registry at URL asks for a login: set basic.auth.user.info or bearer.auth.token";
    says(none.clone(), &[], FailureKind::Refused, sentence);
    let sentence = "the registry at URL does not accept the login";
    says(none, &[BASIC], FailureKind::Refused, sentence);
    let forbidden = Reply::json("403 Forbidden", "{}");
    let sentence = "the registry at URL does not let this login read schema 1";
    says(forbidden, &[BASIC], FailureKind::Refused, sentence);
}

#[test]
fn an_unknown_number_is_told_from_no_registry_at_all() {
    let unknown = r#"{"error_code":40403,"message":"Schema not found"}"#;
    let sentence = "the registry at URL knows no schema 1";
    says(
        Reply::json("404 Not Found", unknown),
        &[],
        FailureKind::Unknown,
        sentence,
    );
    let page = "<html>not here</html>".to_owned();
    let page = Reply::Now("404 Not Found", String::new(), page);
    says(page, &[], FailureKind::Refused, NO_REGISTRY);
    let other = r#"{"error_code":404,"message":"HTTP 404 Not Found"}"#;
    says(
        Reply::json("404 Not Found", other),
        &[],
        FailureKind::Refused,
        NO_REGISTRY,
    );
}

#[test]
fn a_status_that_is_no_success() {
    let body = format!("{{\"message\":\"{SECRET}\"}}");
    for (status, sentence) in [
        (
            "500 Internal Server Error",
            "the registry at URL failed (500)",
        ),
        ("503 Unavailable", "the registry at URL failed (503)"),
        (
            "429 Too Many Requests",
            "the registry at URL is asked too often (429)",
        ),
        (
            "418 Teapot",
            "URL answers with 418, which is no answer of a registry",
        ),
    ] {
        says(
            Reply::json(status, &body),
            &[],
            FailureKind::Refused,
            sentence,
        );
    }
}

#[test]
fn an_answer_that_is_no_schema() {
    for body in ["hunter2", r#"{"id":1}"#, ""] {
        says(
            Reply::json("200 OK", body),
            &[],
            FailureKind::Refused,
            NO_SCHEMA,
        );
    }
    let thrift = Reply::json("200 OK", r#"{"schema":"x","schemaType":"THRIFT"}"#);
    let sentence = "schema 1 is of a type that cannot be read";
    says(thrift, &[], FailureKind::Unknown, sentence);
    let sentence = "what URL answers is longer than 16777216 bytes, and is no schema";
    says(Reply::Flood, &[], FailureKind::Refused, sentence);
    let sentence = "URL does not speak HTTP as a registry does";
    says(
        Reply::Raw(b"hello, who are you?\r\n\r\n"),
        &[],
        FailureKind::Down,
        sentence,
    );
}

#[test]
fn one_that_is_slow_is_given_up_after_ten_seconds() {
    for reply in [Reply::Never, Reply::Trickle] {
        let server = Server::new(move |_| reply.clone());
        let begin = Instant::now();
        let failure = failure(&registry(&server.url, &[BASIC]));
        let took = begin.elapsed();
        assert_eq!(
            failure.message,
            format!("the registry at {} did not answer within 10 s", server.url)
        );
        assert_eq!(failure.kind, FailureKind::Down);
        let in_time = Duration::from_secs(9)..Duration::from_secs(20);
        assert!(in_time.contains(&took), "{took:?}");
    }
}

#[test]
fn one_that_is_not_there_is_passed_over_for_the_next() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let refused = failure(&registry(&closed, &[BASIC]));
    assert_eq!(
        refused.message,
        format!("the connection to the registry at {closed} was refused: nothing listens there")
    );
    assert_eq!(refused.kind, FailureKind::Down);
    let nowhere = failure(&registry("http://registry.invalid:8081", &[]));
    assert_eq!(
        nowhere.message,
        "the name of the registry http://registry.invalid:8081 is not known"
    );
    let server = Server::new(|_| Reply::json("200 OK", r#"{"schema":"\"long\""}"#));
    let both = format!("{closed},{}", server.url);
    assert_eq!(registry(&both, &[]).schema(1).unwrap().text, "\"long\"");
    assert_eq!(server.paths(), ["/schemas/ids/1"]);
}

#[test]
fn logins_are_sent_and_given_to_nobody_else() {
    let header = |server: &Server| {
        let heads = server.heads();
        let lines = heads.iter().flat_map(|head| head.lines());
        let mut found: Vec<String> = lines
            .filter(|line| line.to_ascii_lowercase().starts_with("authorization:"))
            .map(str::to_owned)
            .collect();
        found.dedup();
        found
    };
    let long = || Server::new(|_| Reply::json("200 OK", r#"{"schema":"\"long\""}"#));
    for (more, sent) in [
        // printf alice:hunter2 | base64
        (
            &[BASIC][..],
            Some("authorization: Basic YWxpY2U6aHVudGVyMg=="),
        ),
        (
            &[("bearer.auth.token", "t0ken")],
            Some("authorization: Bearer t0ken"),
        ),
        (
            &[
                ("basic.auth.credentials.source", "SASL_INHERIT"),
                ("sasl.username", "alice"),
                ("sasl.password", "hunter2"),
            ],
            Some("authorization: Basic YWxpY2U6aHVudGVyMg=="),
        ),
        (&[], None),
    ] {
        let server = long();
        registry(&server.url, more).schema(1).unwrap();
        let expected: Vec<String> = sent.into_iter().map(str::to_owned).collect();
        assert_eq!(header(&server), expected);
        assert!(server.heads()[0].contains(&format!(
            "user-agent: tideline/{}",
            env!("CARGO_PKG_VERSION")
        )));
    }
    let other = long();
    let to = format!("Location: {}/x\r\n", other.url);
    let first = Server::new(move |_| Reply::Now("302 Found", to.clone(), String::new()));
    registry(&first.url, &[BASIC]).schema(1).unwrap();
    assert_eq!(header(&first).len(), 1);
    assert_eq!(header(&other), Vec::<String>::new());
    let circle =
        Server::new(|_| Reply::Now("302 Found", "Location: /y\r\n".to_owned(), String::new()));
    let failure = failure(&registry(&circle.url, &[]));
    assert_eq!(failure.kind, FailureKind::Refused);
    assert!(circle.paths().len() <= 5, "{:?}", circle.paths());
}

#[test]
fn references_come_once_and_what_refers_to_itself_ends() {
    let server = Server::new(|path| {
        let body = match path {
            "/schemas/ids/1" => {
                r#"{"schema":"main","references":[{"name":"a","subject":"sub a/x","version":1},{"name":"b","subject":"b","version":2}]}"#
            }
            "/subjects/sub%20a%2Fx/versions/1" => {
                r#"{"schema":"A","references":[{"name":"b","subject":"b","version":2}]}"#
            }
            "/subjects/b/versions/2" => {
                r#"{"schema":"B","schemaType":"AVRO","references":[{"name":"a","subject":"sub a/x","version":1}]}"#
            }
            "/schemas/ids/2" => {
                r#"{"schema":"main","schemaType":"JSON","references":[{"name":"b","subject":"b","version":2}]}"#
            }
            "/schemas/ids/3" => {
                r#"{"schema":"main","references":[{"name":"c","subject":"c","version":3}]}"#
            }
            _ => return Reply::json("404 Not Found", r#"{"error_code":40401}"#),
        };
        Reply::json("200 OK", body)
    });
    let registry = registry(&server.url, &[]);
    let text = registry.schema(1).unwrap();
    let named = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!((text.kind, &*text.text), (SchemaKind::Avro, "main"));
    assert_eq!(text.references, [named("b", "B"), named("a", "A")]);
    assert_eq!(server.paths().len(), 3);
    // What was referred to once is not asked for again.
    let text = registry.schema(2).unwrap();
    assert_eq!(text.kind, SchemaKind::Json);
    assert_eq!(text.references, [named("a", "A"), named("b", "B")]);
    assert_eq!(server.paths().len(), 4);
    let failure = registry.schema(3).unwrap_err();
    assert_eq!(
        failure.message,
        format!(
            "schema 3 refers to another: the registry at {} knows no version 3 of the subject c",
            server.url
        )
    );
    assert_eq!(failure.kind, FailureKind::Unknown);
    let endless = Server::new(|path| {
        let version: u64 = path.rsplit('/').next().unwrap().parse().unwrap();
        let next = version + 1;
        Reply::json(
            "200 OK",
            &format!(
                r#"{{"schema":"x","references":[{{"name":"r{next}","subject":"s","version":{next}}}]}}"#
            ),
        )
    });
    let failure = crate::failure(&crate::registry(&endless.url, &[]));
    assert_eq!(failure.message, "schema 1 refers to more than 256 others");
}
