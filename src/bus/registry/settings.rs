//! Where a registry is and who asks, as Java's serializers name it, with and without `schema.registry.` before it.

use std::collections::BTreeMap;
use std::fmt;

use crate::bus::kafka::{given, jaas_login};
use crate::model::{ConnectionSettings, plain_url};

/// What stands before a name where a client's other settings are in the same file.
const PREFIX: &str = "schema.registry.";
/// The settings of Java's serializers that begin otherwise.
const OTHERS: [&str; 2] = ["basic.auth.", "bearer.auth."];

/// Whether a setting is meant for a registry, and no client of a bus knows it.
pub(in crate::bus) fn is_registry_setting(name: &str) -> bool {
    name.starts_with(PREFIX) || OTHERS.iter().any(|other| name.starts_with(other))
}

/// How to reach a registry. Its values may be secret: they are never shown, not even by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistrySettings {
    /// Addresses without a login in them; the first that answers counts.
    pub(super) urls: Vec<String>,
    pub(super) login: Option<Login>,
    /// Whom to trust besides nobody: a file, or its text. The system's authorities when `None`.
    pub(super) authority: Option<Pem>,
    /// A certificate and its key, which may stand in the same place.
    pub(super) client: Option<(Pem, Pem)>,
}

/// Who asks.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Login {
    Basic { user: String, password: String },
    Bearer(String),
}

/// PEM, where it is or as it is.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Pem {
    File(String),
    Text(String),
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic { .. } => "Basic",
            Self::Bearer(_) => "Bearer",
        })
    }
}

impl fmt::Debug for RegistrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistrySettings")
            .field("urls", &self.urls)
            .field("login", &self.login)
            .field("authority", &self.authority.is_some())
            .field("client", &self.client.is_some())
            .finish()
    }
}

impl RegistrySettings {
    /// The registry that a connection's settings name; `None` when they name none.
    ///
    /// # Errors
    /// They name one in a way that cannot be used, as a sentence without any value.
    pub fn of(settings: &ConnectionSettings) -> Result<Option<Self>, String> {
        let given = given(settings).map_err(|problem| problem.message.to_string())?;
        let own = |name: &str| -> Option<&String> {
            given
                .get(&format!("{PREFIX}{name}"))
                .or_else(|| given.get(name))
        };
        let filled = |value: &&String| !value.trim().is_empty();
        let Some(listed) = given.get("schema.registry.url").filter(filled) else {
            return Ok(None);
        };
        let mut urls = Vec::new();
        let mut in_url = None;
        for url in listed.split(',') {
            let (url, login) = without_login(url.trim());
            in_url = in_url.or(login);
            urls.push(plain_url(&url).ok_or(
                "schema.registry.url is no address of a registry: write http://HOST:PORT or https://HOST:PORT, with a path where there is one",
            )?);
        }
        let login = login(&given, &own, in_url)?;
        Ok(Some(Self {
            urls,
            login,
            authority: authority(&given)?,
            client: client(&given)?,
        }))
    }
}

type Given = BTreeMap<String, String>;

fn login<'a>(
    given: &Given,
    own: &impl Fn(&str) -> Option<&'a String>,
    in_url: Option<Login>,
) -> Result<Option<Login>, String> {
    let source = |name: &str| own(name).map(|source| source.trim().to_ascii_uppercase());
    if let Some(token) = own("bearer.auth.token") {
        return Ok(Some(Login::Bearer(token.trim().to_owned())));
    }
    if let Some(source) = source("bearer.auth.credentials.source") {
        return Err(match source.as_str() {
            "STATIC_TOKEN" => "bearer.auth.token is missing".to_owned(),
            _ => "bearer.auth.credentials.source names a way to get a token that is not supported: give the token itself as bearer.auth.token".to_owned(),
        });
    }
    match source("basic.auth.credentials.source").as_deref() {
        Some("SASL_INHERIT") => {
            let (user, password) = jaas_login(given)
                .map_err(|problem| problem.message.to_string())?
                .ok_or("basic.auth.credentials.source is SASL_INHERIT, and the settings hold no login of the bus")?;
            Ok(Some(Login::Basic { user, password }))
        }
        Some("URL") if in_url.is_some() => Ok(in_url),
        None | Some("URL" | "USER_INFO") => match own("basic.auth.user.info") {
            None => Ok(in_url),
            Some(info) => match info.split_once(':') {
                Some((user, password)) => Ok(Some(Login::Basic {
                    user: user.to_owned(),
                    password: password.to_owned(),
                })),
                None => Err("basic.auth.user.info is not USER:PASSWORD".to_owned()),
            },
        },
        Some(_) => Err(
            "basic.auth.credentials.source is none of URL, USER_INFO and SASL_INHERIT".to_owned(),
        ),
    }
}

/// A setting of TLS, which only counts for the registry with its prefix: without one it is the bus's.
fn tls<'a>(given: &'a Given, name: &str) -> Option<&'a String> {
    let value = given.get(&format!("{PREFIX}ssl.{name}"));
    value.filter(|value| !value.trim().is_empty())
}

fn authority(given: &Given) -> Result<Option<Pem>, String> {
    let kind = tls(given, "truststore.type").map_or("JKS", String::as_str);
    if let Some(file) = tls(given, "ca.location") {
        return Ok(Some(Pem::File(file.clone())));
    }
    if let Some(text) = tls(given, "truststore.certificates").or_else(|| tls(given, "ca.pem")) {
        return Ok(Some(Pem::Text(text.clone())));
    }
    match tls(given, "truststore.location") {
        None => Ok(None),
        Some(file) if kind.eq_ignore_ascii_case("PEM") => Ok(Some(Pem::File(file.clone()))),
        Some(_) => Err(format!(
            "schema.registry.ssl.truststore.location names a trust store of type {kind}, which cannot be read: export its certificates as PEM and set schema.registry.ssl.ca.location to that file"
        )),
    }
}

fn client(given: &Given) -> Result<Option<(Pem, Pem)>, String> {
    if tls(given, "key.password").is_some() {
        return Err(
            "schema.registry.ssl.key.password: a key that needs a password cannot be read"
                .to_owned(),
        );
    }
    let file = |name: &str| tls(given, name).map(|file| Pem::File(file.clone()));
    let text = |name: &str| tls(given, name).map(|text| Pem::Text(text.clone()));
    let certificate = file("certificate.location").or_else(|| text("keystore.certificate.chain"));
    let key = file("key.location").or_else(|| text("keystore.key"));
    match (certificate, key) {
        (Some(certificate), Some(key)) => return Ok(Some((certificate, key))),
        (Some(Pem::File(both)), None) => {
            return Ok(Some((Pem::File(both.clone()), Pem::File(both))));
        }
        (None, None) => {}
        _ => {
            return Err(
                "of the certificate for the registry and its key only one is given".to_owned(),
            );
        }
    }
    let kind = tls(given, "keystore.type").map_or("JKS", String::as_str);
    match tls(given, "keystore.location") {
        None => Ok(None),
        Some(both) if kind.eq_ignore_ascii_case("PEM") => {
            Ok(Some((Pem::File(both.clone()), Pem::File(both.clone()))))
        }
        Some(_) => Err(format!(
            "schema.registry.ssl.keystore.type {kind} cannot be read: convert the key store to PEM"
        )),
    }
}

/// An address, and the login that stood in it.
fn without_login(url: &str) -> (String, Option<Login>) {
    let Some((scheme, rest)) = url.split_once("://") else {
        return (url.to_owned(), None);
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    match authority.rsplit_once('@') {
        None => (url.to_owned(), None),
        Some((login, host)) => {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            let login = Login::Basic {
                user: unescaped(user),
                password: unescaped(password),
            };
            (format!("{scheme}://{host}{path}"), Some(login))
        }
    }
}

/// `%41` is an A.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let hex = after.split_at_checked(2);
        let byte = hex.and_then(|(hex, after)| Some((u8::from_str_radix(hex, 16).ok()?, after)));
        let (byte, after) = byte.unwrap_or((b'%', after));
        bytes.push(byte);
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}
