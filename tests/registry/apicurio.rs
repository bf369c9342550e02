//! A real registry, started from the archive that `.ci/test` fetches; shared by all tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::kafka::free_port;
use crate::support::process::{Supervised, new_folder};
use crate::support::wait_for;

/// A running registry.
pub struct Apicurio {
    /// With the path of the API that Confluent's registry has.
    pub url: String,
    /// Without it.
    pub root: String,
    _process: parking_lot::Mutex<Supervised>,
}

/// The folder that `.ci/test` fills.
fn home() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&std::env::var_os("HOME").expect("HOME is set")).join(".cache"),
        PathBuf::from,
    );
    let folder = cache.join("tideline/apicurio-registry-3.0.9");
    assert!(
        folder.is_dir(),
        "no registry in {}: run .ci/test, which fetches it",
        folder.display()
    );
    folder
}

pub fn apicurio() -> &'static Apicurio {
    static STARTED: LazyLock<Apicurio> = LazyLock::new(|| {
        let port = free_port();
        let jar = home().join("apicurio-registry-app-3.0.9-runner.jar");
        let mut words: Vec<OsString> = [
            "java",
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Dquarkus.http.host=127.0.0.1",
            "-Dquarkus.management.enabled=false",
        ]
        .map(OsString::from)
        .to_vec();
        words.push(format!("-Dquarkus.http.port={port}").into());
        words.extend(["-jar".into(), jar.into()]);
        let mut process = Supervised::new(new_folder(), words);
        process.start();
        let root = format!("http://127.0.0.1:{port}");
        let url = format!("{root}/apis/ccompat/v7");
        wait_for("the registry", || {
            assert!(process.is_alive(), "{}", process.last_words());
            ureq::get(format!("{url}/subjects")).call().ok()
        });
        Apicurio {
            url,
            root,
            _process: parking_lot::Mutex::new(process),
        }
    });
    &STARTED
}

/// Something that a schema refers to: name, subject, version.
pub type Referred<'a> = (&'a str, &'a str, i64);

impl Apicurio {
    /// Registers a schema under a subject, and returns its number.
    pub fn register(
        &self,
        subject: &str,
        kind: &str,
        schema: &str,
        references: &[Referred<'_>],
    ) -> u32 {
        let references: Vec<Value> = references
            .iter()
            .map(|(name, subject, version)| json!({"name": name, "subject": subject, "version": version}))
            .collect();
        let body = json!({"schemaType": kind, "schema": schema, "references": references});
        let url = format!("{}/subjects/{subject}/versions", self.url);
        let mut answer = ureq::post(&url)
            .header("content-type", "application/vnd.schemaregistry.v1+json")
            .send(body.to_string())
            .unwrap_or_else(|error| panic!("{subject}: {error}"));
        let answer = answer.body_mut().read_to_string().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["id"].as_u64().unwrap().try_into().unwrap()
    }
}
