//! TLS: an authority of one's own, one that is not trusted, and a certificate that the registry wants.

use std::ffi::OsString;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use tideline::bus::registry::{Registry, RegistrySettings};

use crate::support::kafka::free_port;
use crate::support::process::{Supervised, new_folder};
use crate::support::tls::Certificates;
use crate::support::wait_for;
use crate::{failure, registry, settings};

/// A registry that knows schema 1, behind TLS.
struct Guarded {
    url: String,
    certificates: Certificates,
    _process: Supervised,
}

impl Guarded {
    /// `more` goes to `openssl s_server`.
    fn new(more: &str) -> Self {
        let folder = new_folder();
        let certificates = Certificates::make(folder.clone());
        let schemas = folder.join("schemas/ids");
        std::fs::create_dir_all(&schemas).unwrap();
        let body = r#"{"schema":"\"long\""}"#;
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        std::fs::write(schemas.join("1"), answer).unwrap();
        let port = free_port();
        let command = format!(
            "cd {} && exec openssl s_server -accept 127.0.0.1:{port} -cert broker-both.pem -key broker-both.pem -HTTP {more}",
            folder.display()
        );
        let words = ["sh", "-c", &command].map(OsString::from);
        let mut process = Supervised::new(folder, words);
        process.start();
        wait_for("the server", || {
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        Self {
            url: format!("https://127.0.0.1:{port}"),
            certificates,
            _process: process,
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_authority_of_ones_own_is_trusted_and_no_other() {
    let guarded = Guarded::new("");
    let ca = text(&guarded.certificates.ca);
    let ways: [&[(&str, &str)]; 2] = [
        &[("schema.registry.ssl.ca.location", ca)],
        &[
            ("schema.registry.ssl.truststore.type", "PEM"),
            ("schema.registry.ssl.truststore.location", ca),
        ],
    ];
    for way in ways {
        assert_eq!(
            registry(&guarded.url, way).schema(1).unwrap().text,
            "\"long\""
        );
    }
    let other = text(&guarded.certificates.other_ca);
    let wrong: [&[(&str, &str)]; 3] = [
        &[("schema.registry.ssl.ca.location", other)],
        // What the bus trusts says nothing about the registry.
        &[("ssl.ca.location", ca)],
        &[],
    ];
    for way in wrong {
        assert_eq!(
            failure(&registry(&guarded.url, way)).message,
            format!(
                "the certificate of the registry at {} is not trusted: name its authority with schema.registry.ssl.ca.location",
                guarded.url
            )
        );
    }
    let plain = guarded.url.replace("https:", "http:");
    let message = failure(&registry(&plain, &[])).message;
    assert!(
        message.contains("does not speak HTTP") || message.contains("cannot be reached"),
        "{message}"
    );
}

#[test]
fn a_certificate_that_the_registry_wants_is_shown() {
    let guarded = Guarded::new("-Verify 1 -verify_return_error -CAfile ca.pem");
    let it = &guarded.certificates;
    let ca = ("schema.registry.ssl.ca.location", text(&it.ca));
    let certificate = (
        "schema.registry.ssl.certificate.location",
        text(&it.client_certificate),
    );
    let key = ("schema.registry.ssl.key.location", text(&it.client_key));
    let known = registry(&guarded.url, &[ca, certificate, key]);
    assert_eq!(known.schema(1).unwrap().text, "\"long\"");
    let message = failure(&registry(&guarded.url, &[ca])).message;
    assert!(
        message.contains("want a certificate") || message.contains("cannot be reached"),
        "{message}"
    );
    let broken = |more: &[(&str, &str)]| {
        let settings = RegistrySettings::of(&settings(&guarded.url, more)).unwrap();
        Registry::new(settings.unwrap()).unwrap_err()
    };
    let none = ("schema.registry.ssl.ca.location", "/no/such.pem");
    assert!(broken(&[none]).contains("/no/such.pem cannot be read"));
    let keys = ("schema.registry.ssl.ca.location", text(&it.client_key));
    assert_eq!(
        broken(&[keys]),
        "schema.registry.ssl.ca.location: there is no certificate in PEM form"
    );
    let no_key = ("schema.registry.ssl.key.location", text(&it.ca));
    assert!(broken(&[certificate, no_key]).contains("there is no key in PEM form"));
}

#[test]
fn tls_with_one_that_does_not_speak_it_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let plain = std::thread::Builder::new().name("plain".to_owned());
    plain
        .spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream
                .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                .unwrap();
        })
        .unwrap();
    let message = failure(&registry(&url, &[])).message;
    assert!(
        message.starts_with(&format!("TLS with the registry at {url} failed")),
        "{message}"
    );
}
