use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;

/// A registry that knows schema 1, after a moment, and fails for 5; its address, and how often it was asked.
fn registry() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::Builder::new()
        .name("registry".to_owned())
        .spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                    head.push(byte[0]);
                }
                std::thread::sleep(Duration::from_millis(100));
                let head = String::from_utf8(head).unwrap();
                let (status, body) = match head.split(' ').nth(1).unwrap() {
                    "/schemas/ids/1" => ("200 OK", r#"{"schema":"\"long\""}"#),
                    "/schemas/ids/5" => ("500 Oops", "{}"),
                    "/schemas/ids/6" => ("200 OK", r#"{"schema":"Nothing"}"#),
                    _ => ("404 Not Found", r#"{"error_code":40403,"message":"x"}"#),
                };
                let length = body.len();
                let text = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
                stream.write_all(text.as_bytes()).unwrap();
            }
        })
        .unwrap();
    (format!("http://{address}"), asked)
}

fn settings(url: &str) -> ConnectionSettings {
    ConnectionSettings {
        properties: vec![("schema.registry.url".to_owned(), url.to_owned())],
        ..ConnectionSettings::default()
    }
}

fn failed(state: &SchemaState) -> &str {
    match state {
        SchemaState::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whoever_asks_at_the_same_time_shares_one_question() {
    let (url, asked) = registry();
    let book = Book::new(&settings(&url));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let schemas = book.blocking();
            std::thread::Builder::new()
                .name(format!("asker {number}"))
                .spawn(move || schemas.by_id(SchemaId(1)))
                .unwrap()
        })
        .collect();
    for thread in threads {
        let SchemaState::Known(schema) = thread.join().unwrap() else {
            panic!("it is known");
        };
        assert_eq!(schema.decode(&[0x36], None).unwrap().text, "27");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    // And it is not asked for again.
    assert!(matches!(
        book.blocking().by_id(SchemaId(1)),
        SchemaState::Known(_)
    ));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn a_failure_is_not_asked_for_again_for_a_while() {
    let (url, asked) = registry();
    let schemas = Book::new(&settings(&url)).blocking();
    for (id, words) in [
        (9, "knows no schema 9"),
        (5, "failed (500)"),
        (
            6,
            "schema 6: the Avro schema cannot be used: the type Nothing is nowhere defined",
        ),
    ] {
        for _ in 0..3 {
            let state = schemas.by_id(SchemaId(id));
            assert!(failed(&state).contains(words), "{state:?}");
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn one_that_does_not_answer_is_left_alone_for_all_schemas() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let book = Book::new(&settings(&url));
    let schemas = book.blocking();
    assert!(failed(&schemas.by_id(SchemaId(1))).contains("nothing listens there"));
    assert!(book.0.state.lock().down.is_some());
    assert!(failed(&schemas.by_id(SchemaId(2))).contains("nothing listens there"));
    assert_eq!(book.0.state.lock().entries.len(), 1);
}

#[test]
fn answers_get_old_and_are_bounded() {
    let mut state = State::default();
    let now = Instant::now();
    let unknown = || Err((FailureKind::Unknown, "no".to_owned()));
    state.keep(SchemaId(1), unknown(), now);
    let later = |seconds| now + Duration::from_secs(seconds);
    assert!(matches!(
        state.answer(SchemaId(1), later(59)),
        Answer::Is(SchemaState::Failed(_))
    ));
    assert!(matches!(state.answer(SchemaId(1), later(60)), Answer::Open));
    let down = Err((FailureKind::Down, "down".to_owned()));
    state.keep(SchemaId(2), down, now);
    assert!(matches!(
        state.answer(SchemaId(3), later(9)),
        Answer::Is(SchemaState::Failed(_))
    ));
    assert!(matches!(state.answer(SchemaId(3), later(10)), Answer::Open));
    for id in 0..5_000 {
        state.keep(SchemaId(id), unknown(), later(100));
    }
    assert_eq!(state.entries.len(), MOST_KEPT);
    // Numbers that no registry knows are not asked for without end.
    let Answer::Is(state_of) = state.answer(SchemaId(9_999), later(101)) else {
        panic!("it is not asked for");
    };
    assert!(failed(&state_of).contains("may be no message of a schema"));
    assert!(matches!(
        state.answer(SchemaId(9_999), later(161)),
        Answer::Open
    ));
}

#[test]
fn without_a_registry_there_is_none_to_ask() {
    let book = Book::new(&ConnectionSettings::default());
    for schemas in [book.blocking(), book.shown()] {
        assert!(matches!(
            schemas.by_id(SchemaId(1)),
            SchemaState::NoRegistry
        ));
    }
    let wrong = Book::new(&settings("r:8081"));
    for schemas in [wrong.blocking(), wrong.shown()] {
        assert!(failed(&schemas.by_id(SchemaId(1))).contains("schema.registry.url"));
    }
}

#[tokio::test]
async fn the_window_is_shown_the_answer_later() {
    let (url, asked) = registry();
    let book = Book::new(&settings(&url));
    let publisher = Arc::new(Publisher::new(None, Arc::new(|| {})));
    let session = publisher.begin_session();
    publisher.update(session, |snapshot| snapshot.schemas = book.shown());
    let shown = |id| publisher.snapshot().schemas.by_id(SchemaId(id));
    assert!(matches!(shown(1), SchemaState::Pending));
    for id in [1, 1, 9, 1] {
        book.want(SchemaId(id), &publisher, session);
    }
    while matches!(shown(1), SchemaState::Pending) || matches!(shown(9), SchemaState::Pending) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(matches!(shown(1), SchemaState::Known(_)));
    assert!(failed(&shown(9)).contains("knows no schema 9"));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    // A failure that got old is worth another question.
    book.0
        .shown
        .lock()
        .entry(SchemaId(9))
        .and_modify(|shown| shown.1 = Some(Instant::now()));
    publisher.update(session, |snapshot| snapshot.schemas = book.shown());
    assert!(matches!(shown(9), SchemaState::Pending));
}

#[tokio::test]
async fn chosen_files_are_read_once_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let proto = folder.path().join("shop.proto");
    let text = "syntax = \"proto3\"; message A { int32 a = 1; } message B { int32 b = 1; }";
    std::fs::write(&proto, text).unwrap();
    let settings = ConnectionSettings {
        schema_files: vec![
            (
                "orders".to_owned(),
                PathBuf::from(format!("{}#B", proto.display())),
            ),
            ("gone".to_owned(), folder.path().join("gone.avsc")),
        ],
        ..ConnectionSettings::default()
    };
    let book = Book::new(&settings);
    let publisher = Arc::new(Publisher::new(None, Arc::new(|| {})));
    let session = publisher.begin_session();
    book.read_files(&publisher, session);
    let shown = |topic: &str| publisher.snapshot().schemas.chosen(topic, Part::Value);
    while shown("orders").is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let decoded = shown("orders")
        .unwrap()
        .decode(&[0x08, 0x01], None)
        .unwrap();
    assert_eq!((&*decoded.what, &*decoded.text), ("B", r#"{"b":1}"#));
    let gone = book.blocking().chosen("gone", Part::Value).unwrap();
    assert!(
        gone.decode(&[], None)
            .unwrap_err()
            .contains("cannot be read")
    );
    assert!(book.blocking().chosen("orders", Part::Key).is_none());
    assert!(book.blocking().chosen("others", Part::Value).is_none());
}
