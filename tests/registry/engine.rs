//! The engine fetches what the window wants, and the command line checks what is written.

use std::sync::Arc;

use tideline::decode::schema::{SchemaId, SchemaState};
use tideline::decode::value::Part;
use tideline::engine::{Command, ConnectTarget, Engine, EngineOptions, Files, Link as _};
use tideline::model::time::Clock;
use tideline::model::{ConnectionSettings, Problem, ProblemKind};

use crate::apicurio::apicurio;
use crate::settings;
use crate::support::{cli, wait_for};

#[test]
fn the_window_is_shown_schemas_from_the_registry_and_from_files() {
    let apicurio = apicurio();
    let id = SchemaId(apicurio.register("numbers-value", "AVRO", "\"long\"", &[]));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("order.avsc");
    std::fs::write(&file, "\"string\"").unwrap();
    let engine = Engine::start(EngineOptions {
        waker: Arc::new(|| {}),
        clock: Clock::System,
        tell_events: false,
        listen_for_interrupt: false,
        files: Files::none(Problem::new(ProblemKind::Other, "no files")),
    })
    .unwrap();
    // The bus is out of reach, which is no reason for the registry to be.
    let settings = ConnectionSettings {
        schema_files: vec![("orders".to_owned(), file)],
        ..settings(&apicurio.url, &[])
    };
    assert!(engine.send(Command::Connect(ConnectTarget::Bus(settings))));
    let unknown = SchemaId(987_654);
    assert!(engine.send(Command::WantSchema(id)));
    assert!(engine.send(Command::WantSchema(unknown)));
    let schema = wait_for("the schema", || match engine.snapshot().schemas.by_id(id) {
        SchemaState::Known(schema) => Some(schema),
        SchemaState::Pending | SchemaState::NoRegistry => None,
        SchemaState::Failed(why) => panic!("{why}"),
    });
    assert_eq!(schema.decode(&[0x36], None).unwrap().text, "27");
    let why = wait_for("the failure", || {
        match engine.snapshot().schemas.by_id(unknown) {
            SchemaState::Failed(why) => Some(why),
            SchemaState::Pending | SchemaState::NoRegistry => None,
            SchemaState::Known(schema) => panic!("{schema:?}"),
        }
    });
    assert!(why.contains("knows no schema 987654"), "{why}");
    let chosen = wait_for("the file", || {
        engine.snapshot().schemas.chosen("orders", Part::Value)
    });
    assert_eq!(chosen.decode(&[0x02, b'x'], None).unwrap().text, "\"x\"");
}

#[test]
fn what_is_written_is_checked_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("order.avsc");
    std::fs::write(&file, "{}").unwrap();
    let schema = format!("orders={}", file.display());
    let records = ["records", "--topic", "orders", "--bootstrap", "127.0.0.1:1"];
    for (more, words) in [
        (["--schema", "orders"], "TOPIC=FILE"),
        (["--schema", "orders=/no/such.avsc"], "cannot be read"),
        (["--schema", &schema], "cannot be used"),
        (
            ["--schema-registry", "http://alice:hunter2@r:8081"],
            "basic.auth.user.info",
        ),
        (["--schema-registry", "r:8081"], "http://HOST:PORT"),
    ] {
        let run = cli::tideline(&[&records[..], &more].concat()).exits(2);
        run.says(&[words]);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    }
    // Settings of the registry are no settings of the bus's client, which would refuse them.
    let run = cli::tideline(
        &[
            &records[..],
            &[
                "--schema-registry",
                "http://127.0.0.1:1",
                "-X",
                "basic.auth.user.info=alice:hunter2",
            ],
            &["-X", "schema.registry.ssl.ca.location=/no/such.pem"],
        ]
        .concat(),
    );
    run.says(&["127.0.0.1:1 was refused"]);
}
