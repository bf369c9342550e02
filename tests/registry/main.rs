//! A real schema registry, and small servers that fail in every way: schemas arrive whole, with what they refer to, and
//! what goes wrong is told in plain words.
#![cfg(test)]

#[path = "../support/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the other binaries, each of which uses a part"
)]
mod support;

mod apicurio;
mod engine;
mod faults;
mod real;
mod secured;
mod server;

use std::fmt::Write as _;

use tideline::bus::registry::{Failure, Registry, RegistrySettings};
use tideline::decode::schema::{Schema, SchemaDecoded};
use tideline::model::ConnectionSettings;

/// A password that may appear nowhere.
const SECRET: &str = "hunter2";

/// Settings as they stand in a file.
fn settings(url: &str, more: &[(&str, &str)]) -> ConnectionSettings {
    let mut text = format!("bootstrap.servers=127.0.0.1:1\nschema.registry.url={url}\n");
    for (name, value) in more {
        writeln!(text, "{name}={value}").unwrap();
    }
    ConnectionSettings {
        config_text: Some(text),
        ..ConnectionSettings::default()
    }
}

fn registry(url: &str, more: &[(&str, &str)]) -> Registry {
    let settings = RegistrySettings::of(&settings(url, more)).unwrap().unwrap();
    Registry::new(settings).unwrap()
}

/// Why schema 1 cannot be had; the sentence holds no secret.
#[track_caller]
fn failure(registry: &Registry) -> Failure {
    let failure = registry.schema(1).unwrap_err();
    let shown = format!("{failure:?} {registry:?}");
    assert!(!shown.contains(SECRET), "{shown}");
    failure
}

#[track_caller]
fn decoded(registry: &Registry, id: u32, index: Option<&[i32]>, bytes: &[u8]) -> SchemaDecoded {
    let text = registry.schema(id).unwrap();
    let schema = Schema::new(text.kind, &text.text, &text.references).unwrap();
    schema.decode(bytes, index).unwrap()
}
