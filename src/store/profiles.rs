//! Named connections.

use std::path::PathBuf;

use rusqlite::{Transaction, params};

use crate::model::{
    Known, Problem, ProblemKind, Profile, Profiles, is_secret_setting, plain_address,
};

use super::kept::Kept;

/// Profiles in the file. A profile that holds a secret is refused.
#[derive(Debug)]
pub struct ProfilesFile(Kept);

impl ProfilesFile {
    /// Profiles in `file`, which is opened when it is first needed and made when something is first kept.
    pub fn new(file: PathBuf) -> Self {
        Self(Kept::new(file))
    }
}

impl Profiles for ProfilesFile {
    fn profiles(&self) -> Known<Vec<Profile>> {
        self.0.read(|change| read(change).map(Ok))
    }

    fn put_profile(&self, profile: &Profile) -> Known<()> {
        check(profile)?;
        self.0.write(|change| put(change, profile).map(Ok))
    }

    fn remove_profile(&self, name: &str) -> Known<()> {
        self.0.write(|change| {
            change.execute("DELETE FROM profile_properties WHERE profile = ?1", [name])?;
            change.execute("DELETE FROM profile_links WHERE profile = ?1", [name])?;
            change.execute("DELETE FROM profiles WHERE name = ?1", [name])?;
            Ok(Ok(()))
        })
    }
}

/// Refuses what must not be in a file, naming it without its value.
fn check(profile: &Profile) -> Known<()> {
    let refused = |words: String| Err(Problem::new(ProblemKind::Invalid, words));
    if profile.name.trim().is_empty() {
        return refused("a profile needs a name".to_owned());
    }
    if !profile.bootstrap.is_empty() && plain_address(&profile.bootstrap).is_none() {
        return refused(
            "the addresses are not plain hosts and ports, and may hold a secret".to_owned(),
        );
    }
    let mut properties = profile.properties.iter();
    if let Some((name, _)) = properties.find(|(name, value)| is_secret_setting(name, value)) {
        return refused(format!("{name} holds a secret, which no file may keep"));
    }
    let mut links = profile.links.iter();
    match links.find(|(_, template)| is_secret_setting("", template)) {
        Some((name, _)) => refused(format!(
            "the address of {name} holds a secret, which no file may keep"
        )),
        None => Ok(()),
    }
}

fn read(change: &Transaction<'_>) -> rusqlite::Result<Vec<Profile>> {
    let mut statement = change.prepare(
        "SELECT name, bootstrap, read_only, production, cluster_id FROM profiles ORDER BY name",
    )?;
    let profiles = statement.query_map([], |row| {
        Ok(Profile {
            name: row.get(0)?,
            bootstrap: row.get(1)?,
            properties: Vec::new(),
            read_only: row.get(2)?,
            production: row.get(3)?,
            cluster_id: row.get(4)?,
            links: Vec::new(),
        })
    })?;
    let mut profiles: Vec<Profile> = profiles.collect::<rusqlite::Result<_>>()?;
    let mut statement = change
        .prepare("SELECT name, value FROM profile_properties WHERE profile = ?1 ORDER BY place")?;
    for profile in &mut profiles {
        let properties =
            statement.query_map([&profile.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        profile.properties = properties.collect::<rusqlite::Result<_>>()?;
    }
    let mut statement = change
        .prepare("SELECT name, template FROM profile_links WHERE profile = ?1 ORDER BY place")?;
    for profile in &mut profiles {
        let links = statement.query_map([&profile.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        profile.links = links.collect::<rusqlite::Result<_>>()?;
    }
    Ok(profiles)
}

fn put(change: &Transaction<'_>, profile: &Profile) -> rusqlite::Result<()> {
    change.execute(
        "INSERT INTO profiles (name, bootstrap, read_only, production, cluster_id)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (name) DO UPDATE SET bootstrap = excluded.bootstrap,
             read_only = excluded.read_only, production = excluded.production,
             cluster_id = excluded.cluster_id",
        params![
            profile.name,
            profile.bootstrap,
            profile.read_only,
            profile.production,
            profile.cluster_id
        ],
    )?;
    change.execute(
        "DELETE FROM profile_properties WHERE profile = ?1",
        [&profile.name],
    )?;
    let mut statement = change.prepare(
        "INSERT INTO profile_properties (profile, place, name, value) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (place, (name, value)) in (0_i64..).zip(&profile.properties) {
        statement.execute(params![profile.name, place, name, value])?;
    }
    change.execute(
        "DELETE FROM profile_links WHERE profile = ?1",
        [&profile.name],
    )?;
    let mut statement = change.prepare(
        "INSERT INTO profile_links (profile, place, name, template) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (place, (name, template)) in (0_i64..).zip(&profile.links) {
        statement.execute(params![profile.name, place, name, template])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str) -> Profile {
        Profile {
            name: name.to_owned(),
            bootstrap: "kafka-1:9093,[::1]:9093".to_owned(),
            properties: vec![
                ("security.protocol".to_owned(), "SASL_SSL".to_owned()),
                ("sasl.username".to_owned(), "alice".to_owned()),
                ("client.id".to_owned(), String::new()),
            ],
            read_only: true,
            production: true,
            cluster_id: Some("MkU3OEVBNTcwNTJENDM2Qk".to_owned()),
            links: vec![
                (
                    "Traces".to_owned(),
                    "https://traces.example/{trace_id}".to_owned(),
                ),
                (
                    "Logs".to_owned(),
                    "https://logs.example/?q={key}".to_owned(),
                ),
            ],
        }
    }

    #[test]
    fn profiles_come_back_by_name_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tideline").join("tideline.db");
        let profiles = ProfilesFile::new(file.clone());
        assert_eq!(profiles.profiles(), Ok(Vec::new()));
        // Nothing was kept, so nothing was made.
        assert!(!file.exists());
        let plain = Profile {
            name: "käse ✓".to_owned(),
            ..Profile::default()
        };
        profiles.put_profile(&profile("staging")).unwrap();
        profiles.put_profile(&plain).unwrap();
        let changed = Profile {
            properties: vec![("a".to_owned(), "1".to_owned())],
            read_only: false,
            cluster_id: None,
            links: vec![],
            ..profile("staging")
        };
        profiles.put_profile(&changed).unwrap();
        profiles.put_profile(&profile("live")).unwrap();
        profiles.put_profile(&profile("gone")).unwrap();
        profiles.remove_profile("gone").unwrap();
        profiles.remove_profile("never there").unwrap();
        drop(profiles);
        let read = ProfilesFile::new(file).profiles().unwrap();
        assert_eq!(read, [plain, profile("live"), changed]);
    }

    #[test]
    fn a_profile_with_a_secret_is_refused_and_named_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tideline.db");
        let profiles = ProfilesFile::new(file.clone());
        let with = |name: &str, value: &str| {
            let mut profile = profile("live");
            profile.properties.push((name.to_owned(), value.to_owned()));
            profile
        };
        for refused in [
            with("sasl.password", "hunter2"),
            with("ssl.ca.pem", "-----BEGIN RSA PRIVATE KEY-----hunter2"),
            Profile {
                bootstrap: "alice:hunter2@kafka:9092".to_owned(),
                ..profile("live")
            },
            Profile {
                links: vec![(
                    "Logs".to_owned(),
                    "https://me:hunter2@logs.example/{key}".to_owned(),
                )],
                ..profile("live")
            },
            profile(" "),
        ] {
            let problem = profiles.put_profile(&refused).unwrap_err();
            assert_eq!(problem.kind, ProblemKind::Invalid);
            assert!(!problem.message.contains("hunter2"), "{problem}");
        }
        assert!(!file.exists());
    }
}
