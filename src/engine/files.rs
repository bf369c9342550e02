//! The files in which the engine keeps what must outlive it, and who it keeps them for.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{Journal, Known, Observations, Profiles};
use crate::store::{self, JournalFile, ObservationsFile, ProfilesFile};

use super::Files;

impl Files {
    /// The person's own files, where the window's settings are too. They are opened when they are first needed, and
    /// made when something is first kept: looking for gaps keeps what it sees, other commands that look leave no file.
    pub fn usual() -> Self {
        Self::at(store::usual_file())
    }

    /// Everything in this one file.
    pub fn at(file: Known<PathBuf>) -> Self {
        let journal = file.as_ref().map_err(Clone::clone).map(|file| {
            let journal: Arc<dyn Journal> = Arc::new(JournalFile::new(file.clone()));
            journal
        });
        let profiles = file.as_ref().map_err(Clone::clone).map(|file| {
            let profiles: Arc<dyn Profiles> = Arc::new(ProfilesFile::new(file.clone()));
            profiles
        });
        let observations = file.map(|file| {
            let observations: Arc<dyn Observations> = Arc::new(ObservationsFile::new(file));
            observations
        });
        Self {
            journal,
            profiles,
            observations,
            user: user(),
        }
    }
}

/// The name by which the operating system knows whoever runs this: from its list of users, else as the environment
/// says; "unknown" when neither does.
fn user() -> String {
    let from = |name: &str| std::env::var(name).ok();
    whoami::username()
        .ok()
        .or_else(|| from("USER"))
        .or_else(|| from("LOGNAME"))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Problem, ProblemKind, Profile};

    #[test]
    fn both_are_kept_in_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tideline").join("tideline.db");
        let files = Files::at(Ok(file.clone()));
        assert!(!files.user.is_empty());
        let profiles = files.profiles.unwrap();
        let profile = Profile {
            name: "live".to_owned(),
            ..Profile::default()
        };
        profiles.put_profile(&profile).unwrap();
        assert!(file.is_file());
        assert_eq!(files.journal.unwrap().entries(), Ok(Vec::new()));
    }

    #[test]
    fn without_a_place_there_are_none() {
        let why = Problem::new(ProblemKind::NotFound, "there is no folder for data");
        let files = Files::at(Err(why.clone()));
        assert_eq!(files.journal.unwrap_err(), why);
        assert_eq!(files.profiles.unwrap_err(), why);
    }
}
