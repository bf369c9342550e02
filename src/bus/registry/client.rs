//! Asking a registry.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use serde::Deserialize;
use ureq::Agent;

use crate::model::{SchemaKind, SchemaText};

use super::settings::{Login, RegistrySettings};
use super::trust;

/// How long one question may take, with everything that belongs to it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a schema may take with all that it refers to.
const WHOLE: Duration = Duration::from_secs(30);
/// A longer answer is not read.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// No schema refers to more than these, directly and indirectly.
const MOST_REFERENCES: usize = 256;
/// No more of what is referred to is kept.
const MOST_KEPT: usize = 1_024;
/// The header in which a login stands.
const AUTHORIZATION: &str = "authorization";

/// Why a schema could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// In a sentence, without any secret.
    pub message: String,
}

/// What a failure means for the next question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The registry knows no such schema, or one that cannot be used: so it will be for a while.
    Unknown,
    /// Nobody answers: any other question would fail as well.
    Down,
    /// It answered, with something else than the schema.
    Refused,
}

impl Failure {
    fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// A registry. Asking blocks; several threads may ask at once.
pub struct Registry {
    settings: RegistrySettings,
    authorization: Option<String>,
    agent: Agent,
    /// What schemas refer to, by subject and version: that never changes.
    referred: Mutex<HashMap<(String, i64), Arc<Entry>>>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// What a registry answers when it is asked for a schema.
#[derive(Debug, Deserialize)]
struct Entry {
    schema: String,
    #[serde(rename = "schemaType")]
    kind: Option<String>,
    references: Option<Vec<Reference>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Reference {
    name: String,
    subject: String,
    version: i64,
}

/// What it answers when it does not have it.
#[derive(Debug, Deserialize)]
struct Refusal {
    error_code: Option<i64>,
}

impl Registry {
    /// One that was not asked yet. Reads certificates and keys.
    ///
    /// # Errors
    /// They cannot be read, as a sentence.
    pub fn new(settings: RegistrySettings) -> Result<Self, String> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .max_redirects(3)
            .user_agent(concat!("tideline/", env!("CARGO_PKG_VERSION")))
            .accept("application/vnd.schemaregistry.v1+json, application/json")
            .tls_config(trust::tls(&settings)?)
            .build();
        let authorization = settings.login.as_ref().map(|login| match login {
            Login::Basic { user, password } => {
                format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
            }
            Login::Bearer(token) => format!("Bearer {token}"),
        });
        Ok(Self {
            agent: config.new_agent(),
            authorization,
            settings,
            referred: Mutex::default(),
        })
    }

    /// The schema of that number, with everything that it refers to. Blocks, for half a minute at most.
    ///
    /// # Errors
    /// Why it could not be had.
    pub fn schema(&self, id: u32) -> Result<SchemaText, Failure> {
        let until = Instant::now() + WHOLE;
        let what = format!("schema {id}");
        let entry = self.ask(&format!("/schemas/ids/{id}"), &what)?;
        let kind = match entry.kind.as_deref() {
            None | Some("AVRO") => SchemaKind::Avro,
            Some("PROTOBUF") => SchemaKind::Protobuf,
            Some("JSON") => SchemaKind::Json,
            Some(_) => {
                let message = format!("schema {id} is of a type that cannot be read");
                return Err(Failure::new(FailureKind::Unknown, message));
            }
        };
        let mut collecting = Collecting {
            registry: self,
            what,
            until,
            seen: HashSet::new(),
            references: Vec::new(),
        };
        collecting.all(entry.references.as_deref().unwrap_or_default())?;
        Ok(SchemaText {
            kind,
            text: entry.schema,
            references: collecting.references,
        })
    }

    /// Asks each address until one answers.
    fn ask(&self, path: &str, what: &str) -> Result<Entry, Failure> {
        let mut first = None;
        for url in &self.settings.urls {
            match self.ask_at(url, path, what) {
                Err(failure) if failure.kind == FailureKind::Down => {
                    first.get_or_insert(failure);
                }
                answer => return answer,
            }
        }
        Err(first.unwrap_or_else(|| Failure::new(FailureKind::Down, "there is no registry")))
    }

    fn ask_at(&self, url: &str, path: &str, what: &str) -> Result<Entry, Failure> {
        let mut request = self.agent.get(format!("{url}{path}"));
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let mut response = request.call().map_err(|error| broken(url, &error))?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MOST_BYTES);
        let body = body.read_to_vec().map_err(|error| broken(url, &error))?;
        if status != 200 {
            return Err(self.refusal(url, status, &body, what));
        }
        serde_json::from_slice(&body).ok().ok_or_else(|| {
            let message = format!("{url} is no schema registry: it does not answer with a schema");
            Failure::new(FailureKind::Refused, message)
        })
    }

    /// What an answer without a schema means. Its text is left out: nobody knows what stands in it.
    fn refusal(&self, url: &str, status: u16, body: &[u8], what: &str) -> Failure {
        let code = serde_json::from_slice::<Refusal>(body).ok();
        let code = code.and_then(|refusal| refusal.error_code);
        let (kind, message) = match status {
            401 if self.authorization.is_none() => (
                FailureKind::Refused,
                format!(
                    "the registry at {url} asks for a login: set basic.auth.user.info or bearer.auth.token"
                ),
            ),
            401 => (
                FailureKind::Refused,
                format!("the registry at {url} does not accept the login"),
            ),
            403 => (
                FailureKind::Refused,
                format!("the registry at {url} does not let this login read {what}"),
            ),
            // 404 and five digits: subject, version or schema.
            404 if code.is_some_and(|code| code / 100 == 404) => (
                FailureKind::Unknown,
                format!("the registry at {url} knows no {what}"),
            ),
            404 => (
                FailureKind::Refused,
                format!(
                    "there is no schema registry at {url} (404): its address may lack a path, such as /apis/ccompat/v7"
                ),
            ),
            429 => (
                FailureKind::Refused,
                format!("the registry at {url} is asked too often (429)"),
            ),
            500..=599 => (
                FailureKind::Refused,
                format!("the registry at {url} failed ({status})"),
            ),
            _ => (
                FailureKind::Refused,
                format!("{url} answers with {status}, which is no answer of a registry"),
            ),
        };
        Failure::new(kind, message)
    }

    fn referred(&self, reference: &Reference) -> Result<Arc<Entry>, Failure> {
        let Reference {
            subject, version, ..
        } = reference;
        let key = (subject.clone(), *version);
        if let Some(known) = self.referred.lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let path = format!("/subjects/{}/versions/{version}", escaped(subject));
        let what = format!("version {version} of the subject {subject}");
        let entry = Arc::new(self.ask(&path, &what)?);
        let mut referred = self.referred.lock();
        if referred.len() < MOST_KEPT {
            referred.insert(key, Arc::clone(&entry));
        }
        Ok(entry)
    }
}

/// Everything that a schema refers to, while it is fetched.
struct Collecting<'a> {
    registry: &'a Registry,
    what: String,
    until: Instant,
    seen: HashSet<(String, i64)>,
    references: Vec<(String, String)>,
}

impl Collecting<'_> {
    /// What is referred to comes before what refers to it; what refers to itself comes once.
    fn all(&mut self, references: &[Reference]) -> Result<(), Failure> {
        for reference in references {
            if !self
                .seen
                .insert((reference.subject.clone(), reference.version))
            {
                continue;
            }
            let what = &self.what;
            if self.seen.len() > MOST_REFERENCES {
                let message = format!("{what} refers to more than {MOST_REFERENCES} others");
                return Err(Failure::new(FailureKind::Unknown, message));
            }
            if Instant::now() > self.until {
                let seconds = WHOLE.as_secs();
                let message = format!("{what} was not there within {seconds} s");
                return Err(Failure::new(FailureKind::Refused, message));
            }
            let entry = self.registry.referred(reference).map_err(|failure| {
                let message = format!("{what} refers to another: {}", failure.message);
                Failure::new(failure.kind, message)
            })?;
            self.all(entry.references.as_deref().unwrap_or_default())?;
            if !self
                .references
                .iter()
                .any(|(name, _)| *name == reference.name)
            {
                self.references
                    .push((reference.name.clone(), entry.schema.clone()));
            }
        }
        Ok(())
    }
}

/// Why no answer came.
fn broken(url: &str, error: &ureq::Error) -> Failure {
    let down = |message: String| Failure::new(FailureKind::Down, message);
    match error {
        ureq::Error::Timeout(_) => down(format!(
            "the registry at {url} did not answer within {} s",
            PATIENCE.as_secs()
        )),
        ureq::Error::HostNotFound => down(unknown_host(url)),
        // The system's words for it; there is no kind of error.
        ureq::Error::Io(error) if error.to_string().contains("lookup address") => {
            down(unknown_host(url))
        }
        ureq::Error::BodyExceedsLimit(_) => Failure::new(
            FailureKind::Refused,
            format!("what {url} answers is longer than {MOST_BYTES} bytes, and is no schema"),
        ),
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => down(
            format!("the connection to the registry at {url} was refused: nothing listens there"),
        ),
        ureq::Error::Io(error) => {
            down(format!("the registry at {url} cannot be reached ({error})"))
        }
        ureq::Error::NativeTls(error)
            if error.to_string().contains("certificate verify failed") =>
        {
            down(format!(
                "the certificate of the registry at {url} is not trusted: name its authority with schema.registry.ssl.ca.location"
            ))
        }
        ureq::Error::NativeTls(_) | ureq::Error::Tls(_) => down(format!(
            "TLS with the registry at {url} failed: it may not speak it, or want a certificate (schema.registry.ssl.certificate.location)"
        )),
        ureq::Error::Http(_) => Failure::new(
            FailureKind::Refused,
            "the login for the registry holds signs that cannot be sent",
        ),
        ureq::Error::TooManyRedirects => Failure::new(
            FailureKind::Refused,
            format!("{url} sends from one address to the next, as no registry does"),
        ),
        _ => down(format!("{url} does not speak HTTP as a registry does")),
    }
}

fn unknown_host(url: &str) -> String {
    format!("the name of the registry {url} is not known")
}

/// As part of a path.
fn escaped(text: &str) -> String {
    use std::fmt::Write as _;

    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            write!(out, "%{byte:02X}").unwrap_or_default();
        }
    }
    out
}
