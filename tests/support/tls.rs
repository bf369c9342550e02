//! Certificates for a broker and its clients, made anew for each run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// PEM files, all in one folder.
pub struct Certificates {
    pub folder: PathBuf,
    /// The certificate of the authority that signed the others.
    pub ca: PathBuf,
    /// Another authority, which signed nothing here.
    pub other_ca: PathBuf,
    /// The broker's key, then its certificate, in one file as Kafka wants it.
    pub broker: PathBuf,
    /// The certificate of `CN=carol`.
    pub client_certificate: PathBuf,
    /// Her key.
    pub client_key: PathBuf,
}

impl Certificates {
    pub fn make(folder: PathBuf) -> Self {
        authority(&folder, "ca");
        authority(&folder, "other-ca");
        // librdkafka on OpenSSL 3.0 compares an address with the DNS names only.
        signed(
            &folder,
            "broker",
            "subjectAltName=DNS:localhost,DNS:127.0.0.1,IP:127.0.0.1",
        );
        signed(&folder, "carol", "extendedKeyUsage=clientAuth");
        let broker = folder.join("broker-both.pem");
        let both = [
            read(&folder.join("broker.key")),
            read(&folder.join("broker.pem")),
        ]
        .concat();
        std::fs::write(&broker, both).unwrap();
        Self {
            ca: folder.join("ca.pem"),
            other_ca: folder.join("other-ca.pem"),
            broker,
            client_certificate: folder.join("carol.pem"),
            client_key: folder.join("carol.key"),
            folder,
        }
    }
}

fn authority(folder: &Path, name: &str) {
    let arguments = format!(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"
    );
    openssl(folder, &arguments);
}

fn signed(folder: &Path, name: &str, extension: &str) {
    openssl(
        folder,
        &format!(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} -keyout {name}.key -out {name}.csr"
        ),
    );
    std::fs::write(folder.join(format!("{name}.ext")), extension).unwrap();
    openssl(
        folder,
        &format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile {name}.ext -out {name}.pem"
        ),
    );
}

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "openssl {arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn read(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap()
}
