//! A profile as it is being written, and what is wrong with it. Pure.

use crate::model::{ConnectionSettings, Profile, check_link, is_secret_setting};

use super::Secret;
use crate::model::plain_address;

/// The longest name, in characters.
const LONGEST_NAME: usize = 60;
/// The names by which addresses may stand among the settings.
const ADDRESSES: [&str; 2] = ["bootstrap.servers", "metadata.broker.list"];

/// What stands in the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileForm {
    /// The name of the profile that is edited; `None` for a new one.
    pub replaces: Option<String>,
    /// The id of the cluster that it reaches, as far as it is known.
    pub cluster_id: Option<String>,
    /// Its name.
    pub name: String,
    /// Addresses, separated by commas.
    pub addresses: String,
    /// Settings, one `name=value` a line. Somebody may write a secret here before it is refused.
    pub properties: Secret,
    /// Whether nothing may be changed over it until it is unlocked.
    pub read_only: bool,
    /// Whether people depend on the cluster.
    pub production: bool,
    /// Other tools that show the same event, one `name=template` a line.
    pub links: Secret,
    /// Names of settings of the connection that are not taken over, because their values are secret.
    pub left_out: Vec<String>,
}

impl Default for ProfileForm {
    fn default() -> Self {
        Self {
            replaces: None,
            cluster_id: None,
            name: String::new(),
            addresses: String::new(),
            properties: Secret::default(),
            read_only: true,
            production: false,
            links: Secret::default(),
            left_out: Vec::new(),
        }
    }
}

/// What is wrong with each field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormProblems {
    /// With the name.
    pub name: Option<String>,
    /// With the addresses.
    pub addresses: Option<String>,
    /// With the settings.
    pub properties: Option<String>,
    /// With the links.
    pub links: Option<String>,
}

impl FormProblems {
    /// The first of them; `None` when all is well.
    pub fn first(&self) -> Option<&str> {
        [&self.name, &self.addresses, &self.properties, &self.links]
            .into_iter()
            .find_map(Option::as_deref)
    }
}

impl ProfileForm {
    /// A form that edits `profile`.
    pub fn of(profile: &Profile) -> Self {
        let lines = |pairs: &[(String, String)]| {
            let lines: Vec<String> = pairs
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            Secret(lines.join("\n"))
        };
        Self {
            replaces: Some(profile.name.clone()),
            cluster_id: profile.cluster_id.clone(),
            name: profile.name.clone(),
            addresses: profile.bootstrap.clone(),
            properties: lines(&profile.properties),
            read_only: profile.read_only,
            production: profile.production,
            links: lines(&profile.links),
            left_out: Vec::new(),
        }
    }

    /// A form for the connection that `settings` made to `address`, without what is secret in them.
    pub fn for_connection(
        address: &str,
        settings: Option<&ConnectionSettings>,
        cluster_id: Option<String>,
    ) -> Self {
        let mut form = Self {
            cluster_id,
            addresses: plain_address(address).unwrap_or_default(),
            ..Self::default()
        };
        let Some(settings) = settings else {
            return form;
        };
        let file = settings.config_text.as_deref().unwrap_or_default();
        let file = logical_lines(file);
        let written = file.iter().filter_map(|(_, line)| line_of(line)?.ok());
        let single = settings
            .properties
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let mut kept: Vec<(&str, &str)> = Vec::new();
        for (name, value) in written.chain(single) {
            if ADDRESSES.contains(&name) {
                continue;
            }
            if is_secret(name, value) {
                if !form.left_out.iter().any(|known| known == name) {
                    form.left_out.push(name.to_owned());
                }
                continue;
            }
            // As for the connection, what comes later counts.
            kept.retain(|(known, _)| *known != name);
            kept.push((name, value));
        }
        let lines: Vec<String> = kept
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        form.properties = Secret(lines.join("\n"));
        form
    }

    /// The profile that is written here, beside those that are there already.
    ///
    /// # Errors
    /// What is wrong with the fields; never a value, which may be secret.
    pub fn profile(&self, there: &[Profile]) -> Result<Profile, FormProblems> {
        let name = self.checked_name(there);
        let addresses = self.checked_addresses();
        let properties = self.checked_properties();
        let links = self.checked_links();
        match (name, addresses, properties, links) {
            (Ok(name), Ok(bootstrap), Ok(properties), Ok(links)) => Ok(Profile {
                name,
                bootstrap,
                properties,
                read_only: self.read_only,
                production: self.production,
                cluster_id: self.cluster_id.clone(),
                links,
            }),
            (name, addresses, properties, links) => Err(FormProblems {
                name: name.err(),
                addresses: addresses.err(),
                properties: properties.err(),
                links: links.err(),
            }),
        }
    }

    fn checked_name(&self, there: &[Profile]) -> Result<String, String> {
        let name = self.name.trim();
        if name.is_empty() {
            return Err("Write a name".to_owned());
        }
        if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
            return Err(format!(
                "A name has at most {LONGEST_NAME} characters in one line"
            ));
        }
        let is_taken = there.iter().any(|profile| profile.name == name);
        if is_taken && self.replaces.as_deref() != Some(name) {
            return Err(format!("There is a profile named {name} already"));
        }
        Ok(name.to_owned())
    }

    fn checked_addresses(&self) -> Result<String, String> {
        if self.addresses.trim().is_empty() {
            return Err("Write an address".to_owned());
        }
        plain_address(&self.addresses).ok_or_else(|| {
            "Addresses are hosts and ports separated by commas, and nothing else".to_owned()
        })
    }

    fn checked_links(&self) -> Result<Vec<(String, String)>, String> {
        let mut known: Vec<(String, String)> = Vec::new();
        let lines = (1_u64..).zip(self.links.0.lines());
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let parts = line.split_once('=');
            let (name, template) = parts
                .map(|(name, template)| (name.trim(), template.trim()))
                .filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| format!("Line {number} is no link: write name=https://…{{key}}"))?;
            if known.iter().any(|(other, _)| other == name) {
                return Err(format!("{name} is there twice"));
            }
            if is_secret("", template) {
                return Err(format!(
                    "The address of {name} holds a secret, and a profile keeps none"
                ));
            }
            check_link(template).map_err(|why| format!("{name}: {why}"))?;
            known.push((name.to_owned(), template.to_owned()));
        }
        Ok(known)
    }

    fn checked_properties(&self) -> Result<Vec<(String, String)>, String> {
        let mut known: Vec<(String, String)> = Vec::new();
        for (number, line) in logical_lines(&self.properties.0) {
            let Some(line) = line_of(&line) else {
                continue;
            };
            let (name, value) =
                line.map_err(|()| format!("Line {number} is no setting: write name=value"))?;
            if ADDRESSES.contains(&name) {
                return Err(format!(
                    "{name} has no place here: write addresses above, in their own field"
                ));
            }
            if is_secret(name, value) {
                return Err(format!(
                    "{name} is a secret, and a profile keeps none: write it among the settings when you connect"
                ));
            }
            if known.iter().any(|(other, _)| other == name) {
                return Err(format!("{name} is there twice"));
            }
            known.push((name.to_owned(), value.to_owned()));
        }
        Ok(known)
    }
}

/// The lines of a file, each with its number; one that ends in a backslash goes on in the next, so that no part
/// of a long login line is taken for a setting of its own.
fn logical_lines(text: &str) -> Vec<(u64, String)> {
    let mut lines: Vec<(u64, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1_u64..).zip(text.lines()) {
        let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
        let ends_open = backslashes % 2 == 1;
        let part = if ends_open {
            line.strip_suffix('\\').unwrap_or(line)
        } else {
            line
        };
        match lines.last_mut() {
            Some((_, before)) if goes_on => before.push_str(part.trim_start()),
            _ => lines.push((number, part.to_owned())),
        }
        goes_on = ends_open;
    }
    lines
}

/// Whether `name` is written as settings of a bus's client are: what is not may be part of a secret.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-'))
}

/// Name and value of a line; `None` for one that says nothing, an error for one that is no setting.
fn line_of(line: &str) -> Option<Result<(&str, &str), ()>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', '!']) {
        return None;
    }
    let parts = line
        .split_once('=')
        .map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, _)| is_name(name));
    Some(parts.ok_or(()))
}

/// Whether a setting may be secret: by its name, or because a user's name and password stand in an address.
fn is_secret(name: &str, value: &str) -> bool {
    let in_address = value.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split('/').next().unwrap_or_default();
        host.contains('@')
    });
    is_secret_setting(name, value) || in_address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(name: &str, addresses: &str, properties: &str) -> ProfileForm {
        ProfileForm {
            name: name.into(),
            addresses: addresses.into(),
            properties: Secret(properties.into()),
            ..ProfileForm::default()
        }
    }

    #[test]
    fn a_new_profile_is_read_only_until_its_owner_says_otherwise() {
        let written = form(
            " prod-eu ",
            "kafka-1:9092, kafka-2:9092",
            "# TLS\nsecurity.protocol = SASL_SSL\n\nsasl.username=alice=1",
        );
        let expected = Profile {
            name: "prod-eu".into(),
            bootstrap: "kafka-1:9092,kafka-2:9092".into(),
            properties: vec![
                ("security.protocol".into(), "SASL_SSL".into()),
                ("sasl.username".into(), "alice=1".into()),
            ],
            read_only: true,
            production: false,
            cluster_id: None,
            links: vec![],
        };
        assert_eq!(written.profile(&[]), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_said_at_its_field() {
        let problems = form("", "", "security.protocol").profile(&[]).unwrap_err();
        assert_eq!(problems.name.as_deref(), Some("Write a name"));
        assert_eq!(problems.addresses.as_deref(), Some("Write an address"));
        assert_eq!(
            problems.properties.as_deref(),
            Some("Line 1 is no setting: write name=value")
        );
        assert_eq!(problems.first(), Some("Write a name"));
        let problems = form("a", "alice:pw@kafka:9092", "a=1\na=2")
            .profile(&[])
            .unwrap_err();
        assert!(problems.name.is_none());
        assert!(problems.addresses.unwrap().starts_with("Addresses are"));
        assert_eq!(problems.properties.as_deref(), Some("a is there twice"));
        let twice = form("a", "k:1", "bootstrap.servers=k:2").profile(&[]);
        assert!(twice.unwrap_err().properties.unwrap().contains("above"));
    }

    #[test]
    fn a_secret_is_refused_by_its_name_and_never_repeated() {
        for line in [
            "sasl.password=hunter2",
            "sasl.oauthbearer.token.endpoint.url=https://me:hunter2@idp/token",
        ] {
            let written = form("a", "k:1", line);
            let problem = written.profile(&[]).unwrap_err().properties.unwrap();
            let name = line.split('=').next().unwrap();
            assert!(problem.contains(name), "{problem}");
            assert!(problem.contains("a profile keeps none"), "{problem}");
            assert!(!problem.contains("hunter2"), "{problem}");
            assert!(!format!("{written:?}").contains("hunter2"));
        }
        let plain = form(
            "a",
            "k:1",
            "sasl.oauthbearer.token.endpoint.url=https://idp/token",
        );
        assert!(plain.profile(&[]).is_ok());
    }

    #[test]
    fn links_are_kept_when_they_are_sound() {
        let with = |links: &str| {
            let mut written = form("a", "k:1", "");
            written.links = Secret(links.into());
            written.profile(&[])
        };
        let profile = with("Traces = https://t/{trace_id}\n\nLogs=https://l/?q={key}&x=1").unwrap();
        assert_eq!(
            profile.links,
            [
                ("Traces".to_owned(), "https://t/{trace_id}".to_owned()),
                ("Logs".to_owned(), "https://l/?q={key}&x=1".to_owned()),
            ]
        );
        assert_eq!(
            ProfileForm::of(&profile).profile(&[]).unwrap().links,
            profile.links
        );
        for (links, says) in [
            ("https://t/", "Line 1 is no link"),
            ("a=https://x/\na=https://y/", "a is there twice"),
            ("a=javascript:alert(1)", "a: "),
            ("a=https://me:hunter2@x/{key}", "keeps none"),
        ] {
            let problem = with(links).unwrap_err().links.unwrap();
            assert!(problem.contains(says), "{problem}");
            assert!(!problem.contains("hunter2"));
        }
    }

    #[test]
    fn a_name_is_taken_by_others_only() {
        let there = form("prod", "k:1", "").profile(&[]).unwrap();
        let again = form("prod", "k:2", "").profile(std::slice::from_ref(&there));
        assert_eq!(
            again.unwrap_err().name.as_deref(),
            Some("There is a profile named prod already")
        );
        let edited = ProfileForm::of(&there);
        assert_eq!(edited.profile(std::slice::from_ref(&there)), Ok(there));
    }

    #[test]
    fn a_connection_becomes_a_profile_without_its_secrets() {
        let settings = ConnectionSettings {
            config_text: Some(
                "bootstrap.servers=x:1\nsasl.mechanism=PLAIN\nsasl.password=hunter2".into(),
            ),
            properties: vec![
                ("sasl.mechanism".into(), "SCRAM-SHA-512".into()),
                ("client.id".into(), "me".into()),
            ],
            ..ConnectionSettings::to("kafka:9093")
        };
        let form = ProfileForm::for_connection("kafka:9093", Some(&settings), Some("c".into()));
        assert_eq!(form.addresses, "kafka:9093");
        assert_eq!(
            form.properties.0,
            "sasl.mechanism=SCRAM-SHA-512\nclient.id=me"
        );
        assert_eq!(form.left_out, ["sasl.password"]);
        assert_eq!((form.read_only, form.production), (true, false));
        assert_eq!(form.cluster_id.as_deref(), Some("c"));
    }

    #[test]
    fn no_part_of_a_long_secret_is_taken_for_a_setting() {
        let login = "sasl.jaas.config=o.a.k.Login required \\\n  username=\"a\" \\\n  password=\"hunter2\";\nclient.id=me";
        let settings = ConnectionSettings {
            config_text: Some(login.into()),
            ..ConnectionSettings::default()
        };
        let form = ProfileForm::for_connection("k:1", Some(&settings), None);
        assert_eq!(form.properties.0, "client.id=me");
        assert_eq!(form.left_out, ["sasl.jaas.config"]);
        let key = self::form("a", "k:1", "MIIEvQIBADANBg==").profile(&[]);
        assert!(key.unwrap_err().properties.is_some());
        let key = self::form("a", "k:1", "x=-----BEGIN PRIVATE KEY-----").profile(&[]);
        assert!(key.unwrap_err().properties.is_some());
    }
}
