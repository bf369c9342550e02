//! The journal and the profiles, which are kept on this machine: no bus is asked.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;

use crate::engine::Files;
use crate::model::json::JournalLine;
use crate::model::{JournalEntry, Known, Problem, ProblemKind, Profile, check_link};

use super::answer::{Streams, not_written};
use super::args::{JournalArgs, ProfileArgs, ProfileVerb, PutProfileArgs};
use super::exit;
use super::plan::{Usage, property};
use super::schemas;
use super::show::{JournalTable, ProfileTable};

/// What is asked of the files.
#[derive(Debug)]
pub(super) enum Kept {
    /// What was changed.
    Journal {
        id: Option<String>,
        export: Option<std::path::PathBuf>,
        json: bool,
    },
    /// All profiles, or the one of that name.
    Profiles { name: Option<String>, json: bool },
    /// Keep this one, and say how it is kept.
    Put { profile: Box<Profile>, json: bool },
    /// Forget the one of that name, and say which are left.
    Remove { name: String, json: bool },
}

impl Kept {
    pub(super) fn journal(args: JournalArgs) -> Self {
        Self::Journal {
            id: args.id,
            export: args.export,
            json: args.output.json,
        }
    }

    pub(super) fn profile(args: ProfileArgs) -> Result<Self, Usage> {
        Ok(match args.verb {
            ProfileVerb::List(output) => Self::Profiles {
                name: None,
                json: output.json,
            },
            ProfileVerb::Show(args) => Self::Profiles {
                name: Some(args.name),
                json: args.output.json,
            },
            ProfileVerb::Remove(args) => Self::Remove {
                name: args.name,
                json: args.output.json,
            },
            ProfileVerb::Put(args) => Self::Put {
                json: args.output.json,
                profile: Box::new(profile(args)?),
            },
        })
    }
}

fn profile(args: PutProfileArgs) -> Result<Profile, Usage> {
    if args.name.trim().is_empty() {
        return Err(Usage("a profile needs a name".to_owned()));
    }
    let mut properties = args
        .property
        .iter()
        .map(|written| property(written))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(url) = &args.schema_registry {
        properties.push(schemas::registry(url)?);
    }
    Ok(Profile {
        name: args.name,
        bootstrap: args.bootstrap,
        properties,
        read_only: args.read_only,
        production: args.production,
        cluster_id: None,
        links: args
            .links
            .iter()
            .map(|written| link(written))
            .collect::<Result<_, _>>()?,
    })
}

/// A name and the template behind it.
fn link(written: &str) -> Result<(String, String), Usage> {
    let parts = written.split_once('=');
    let (name, template) = parts
        .map(|(name, template)| (name.trim(), template.trim()))
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| Usage(format!("--link {written} is not NAME=TEMPLATE")))?;
    check_link(template).map_err(|why| Usage(format!("--link {name}: {why}")))?;
    Ok((name.to_owned(), template.to_owned()))
}

/// The profiles in JSON.
#[derive(Serialize)]
struct ProfilesLine<'a> {
    profiles: Vec<ProfileView<'a>>,
}

#[derive(Serialize)]
struct ProfileView<'a> {
    profile: &'a str,
    bootstrap: &'a str,
    properties: Vec<(&'a str, &'a str)>,
    read_only: bool,
    production: bool,
    cluster_id: Option<&'a str>,
    links: Vec<(&'a str, &'a str)>,
}

impl<'a> ProfileView<'a> {
    fn of(profile: &'a Profile) -> Self {
        let property = |(name, value): &'a (String, String)| (&**name, &**value);
        Self {
            profile: &profile.name,
            bootstrap: &profile.bootstrap,
            properties: profile.properties.iter().map(property).collect(),
            read_only: profile.read_only,
            production: profile.production,
            cluster_id: profile.cluster_id.as_deref(),
            links: profile.links.iter().map(property).collect(),
        }
    }
}

/// Does it and writes the answer; returns the exit code.
pub(super) fn answer(kept: Kept, files: &Files, streams: &mut Streams<'_>) -> u8 {
    let done = match kept {
        Kept::Journal { id, export, json } => {
            journal(id.as_deref(), export.as_deref(), json, files, streams)
        }
        Kept::Profiles { name, json } => profiles(name.as_deref(), json, files, streams),
        Kept::Put { profile, json } => {
            let name = profile.name.clone();
            put(*profile, files).and_then(|()| {
                if json {
                    profiles(Some(&name), json, files, streams)
                } else {
                    Ok(Ok(()))
                }
            })
        }
        Kept::Remove { name, json } => remove(&name, files).and_then(|()| {
            if json {
                profiles(None, json, files, streams)
            } else {
                Ok(Ok(()))
            }
        }),
    };
    match done {
        Ok(Ok(())) => exit::DONE,
        Ok(Err(error)) => not_written(&error, streams),
        Err(problem) => {
            streams.say(&problem.message);
            match problem.kind {
                ProblemKind::Invalid => exit::USAGE,
                _ => exit::PARTIAL,
            }
        }
    }
}

fn journal(
    id: Option<&str>,
    export: Option<&Path>,
    json: bool,
    files: &Files,
    streams: &mut Streams<'_>,
) -> Known<io::Result<()>> {
    let mut entries = files.journal.clone()?.entries()?;
    if let Some(id) = id {
        entries.retain(|entry| entry.id == id);
        if entries.is_empty() {
            return Err(Problem::new(
                ProblemKind::NotFound,
                format!("there is no entry {id} in the journal"),
            ));
        }
    }
    if let Some(path) = export {
        export_to(path, &entries)?;
    }
    Ok(if json {
        line(&JournalLine::of(&entries), streams)
    } else {
        JournalTable(&entries).write(&streams.zone.clone(), streams.out)
    }
    .and_then(|()| streams.out.flush()))
}

fn export_to(path: &Path, entries: &[JournalEntry]) -> Known<()> {
    let text = serde_json::to_string(&JournalLine::of(entries))
        .map_err(|error| Problem::new(ProblemKind::Other, error.to_string()))?;
    new_file(path, &(text + "\n"))
}

/// Writes a file that is not there yet.
///
/// # Errors
/// It is there, or cannot be written.
pub(super) fn new_file(path: &Path, text: &str) -> Known<()> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let why = if error.kind() == io::ErrorKind::AlreadyExists {
            "it is there already".to_owned()
        } else {
            error.to_string()
        };
        Problem::new(
            ProblemKind::Invalid,
            format!("{} cannot be written: {why}", path.display()),
        )
    })
}

fn profiles(
    name: Option<&str>,
    json: bool,
    files: &Files,
    streams: &mut Streams<'_>,
) -> Known<io::Result<()>> {
    let mut profiles = files.profiles.clone()?.profiles()?;
    if let Some(name) = name {
        profiles.retain(|profile| profile.name == name);
        if profiles.is_empty() {
            return Err(no_profile(name));
        }
    }
    Ok(if json {
        let profiles = profiles.iter().map(ProfileView::of).collect();
        line(&ProfilesLine { profiles }, streams)
    } else {
        ProfileTable(&profiles).write(streams.out)
    }
    .and_then(|()| streams.out.flush()))
}

fn no_profile(name: &str) -> Problem {
    Problem::new(ProblemKind::NotFound, format!("there is no profile {name}"))
}

fn put(mut profile: Profile, files: &Files) -> Known<()> {
    let kept = files.profiles.clone()?;
    let before = kept.profiles()?;
    let same = before
        .into_iter()
        .find(|before| before.name == profile.name && before.bootstrap == profile.bootstrap);
    // The cluster it leads to is known already.
    profile.cluster_id = same.and_then(|before| before.cluster_id);
    kept.put_profile(&profile)
}

fn remove(name: &str, files: &Files) -> Known<()> {
    let kept = files.profiles.clone()?;
    if !kept.profiles()?.iter().any(|profile| profile.name == name) {
        return Err(no_profile(name));
    }
    kept.remove_profile(name)
}

fn line(value: &impl Serialize, streams: &mut Streams<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *streams.out, value)?;
    streams.out.write_all(b"\n")
}
