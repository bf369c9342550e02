//! The person's own folders, for files that they ask for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a person's files usually lie. Nothing is made there without being asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// Their home; `None` when the environment names none.
    pub home: Option<PathBuf>,
    /// Where they keep documents; their home when they have no such folder.
    pub documents: Option<PathBuf>,
}

impl Folders {
    /// Those of whoever runs this.
    pub fn usual() -> Self {
        Self::of(|name| std::env::var_os(name))
    }

    /// Those for an environment. Which folder documents are kept in is read from `user-dirs.dirs`, where there is
    /// such a file, and else taken to be `Documents`; it counts only if it is there.
    pub fn of(environment: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = |name: &str| {
            environment(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let Some(home) = folder("HOME").or_else(|| folder("USERPROFILE")) else {
            return Self::default();
        };
        let settings = folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let named = std::fs::read_to_string(settings.join("user-dirs.dirs"))
            .ok()
            .and_then(|text| documents_in(&text, &home));
        let documents = named.unwrap_or_else(|| home.join("Documents"));
        let documents = if documents.is_dir() {
            documents
        } else {
            home.clone()
        };
        Self {
            documents: Some(documents),
            home: Some(home),
        }
    }
}

/// The folder for documents that `user-dirs.dirs` names.
fn documents_in(text: &str, home: &Path) -> Option<PathBuf> {
    let value = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("XDG_DOCUMENTS_DIR="))
        .next_back()?;
    let value = value.trim().trim_matches('"');
    let path = match value.strip_prefix("$HOME/") {
        Some(below) => home.join(below),
        None => PathBuf::from(value),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_where_the_person_says() {
        let home = tempfile::tempdir().unwrap();
        let of =
            || Folders::of(|name| (name == "HOME").then(|| home.path().as_os_str().to_owned()));
        assert_eq!(of().documents.as_deref(), Some(home.path()));
        std::fs::create_dir_all(home.path().join("Documents")).unwrap();
        assert_eq!(of().documents, Some(home.path().join("Documents")));
        std::fs::create_dir_all(home.path().join(".config")).unwrap();
        std::fs::create_dir_all(home.path().join("Papiere")).unwrap();
        let text =
            "# comment\nXDG_DESKTOP_DIR=\"$HOME/Tisch\"\nXDG_DOCUMENTS_DIR=\"$HOME/Papiere\"\n";
        std::fs::write(home.path().join(".config/user-dirs.dirs"), text).unwrap();
        assert_eq!(of().documents, Some(home.path().join("Papiere")));
    }

    #[test]
    fn without_a_home_there_are_none() {
        assert_eq!(Folders::of(|_| None), Folders::default());
        assert_eq!(Folders::of(|_| Some("relative".into())), Folders::default());
    }
}
