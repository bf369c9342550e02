//! Letting the system open `tideline://` links with this program: a desktop entry in the person's own folder, and
//! a line in the list of their preferred programs. Both are taken away again the same way. Nothing is executed.

mod text;

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::{Known, Problem, ProblemKind};

use super::publish::Publisher;

/// The name of the desktop entry.
const ENTRY: &str = "tideline.desktop";

/// Whether the system opens links with this program, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenerView {
    /// Where it is written, or would be.
    pub entry: PathBuf,
    /// The list of preferred programs.
    pub preferred: PathBuf,
    /// Whether it is so now.
    pub opens: bool,
}

/// Does what a person asked for, in the background, and shows how it stands then.
pub(super) fn take(publisher: &Arc<Publisher>, opens: Option<bool>) {
    let publisher = Arc::clone(publisher);
    tokio::task::spawn_blocking(move || {
        let view = Places::usual().and_then(|places| match opens {
            Some(opens) => places.set(opens),
            None => places.look(),
        });
        let session = publisher.session();
        publisher.update(session, |snapshot| snapshot.opener = Arc::new(Some(view)));
    });
}

/// Where everything lies.
#[derive(Clone, Debug)]
struct Places {
    entry: PathBuf,
    preferred: PathBuf,
    program: PathBuf,
}

impl Places {
    /// Those of whoever runs this.
    fn usual() -> Known<Self> {
        if !cfg!(all(unix, not(target_os = "macos"))) {
            return Err(Problem::new(
                ProblemKind::Unsupported,
                "links are set up here by the installer only",
            ));
        }
        let program = std::env::current_exe().map_err(|error| {
            let words = format!("where this program lies is not known ({error})");
            Problem::new(ProblemKind::Other, words)
        })?;
        Self::of(|name| std::env::var_os(name), program)
    }

    /// Those of an environment, for `program`.
    fn of(environment: impl Fn(&str) -> Option<OsString>, program: PathBuf) -> Known<Self> {
        let folder = |name: &str| {
            environment(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = folder("HOME");
        let below = |name: &str, usual: &str| {
            folder(name)
                .or_else(|| home.as_ref().map(|home| home.join(usual)))
                .ok_or_else(|| {
                    let words =
                        format!("there is no folder for it: neither {name} nor HOME is set");
                    Problem::new(ProblemKind::NotFound, words)
                })
        };
        let data = below("XDG_DATA_HOME", ".local/share")?;
        let settings = below("XDG_CONFIG_HOME", ".config")?;
        Ok(Self {
            entry: data.join("applications").join(ENTRY),
            preferred: settings.join("mimeapps.list"),
            program,
        })
    }

    /// How it stands.
    fn look(&self) -> Known<OpenerView> {
        let entry = read(&self.entry)?;
        let preferred = read(&self.preferred)?;
        let wanted = text::entry(&self.program)?;
        Ok(OpenerView {
            entry: self.entry.clone(),
            preferred: self.preferred.clone(),
            opens: entry.as_deref() == Some(&*wanted)
                && text::prefers(preferred.as_deref().unwrap_or_default(), ENTRY),
        })
    }

    /// Lets the system open links with this program, or no longer.
    fn set(&self, opens: bool) -> Known<OpenerView> {
        let before = read(&self.entry)?;
        if before.as_deref().is_some_and(|entry| !text::is_ours(entry)) {
            let words = format!(
                "{} is there already and was not written by Tideline's window; it was left as it is",
                self.entry.display()
            );
            return Err(Problem::new(ProblemKind::Invalid, words));
        }
        let preferred = read(&self.preferred)?.unwrap_or_default();
        if opens {
            write(&self.entry, &text::entry(&self.program)?)?;
            let with = text::with(&preferred, ENTRY);
            if with != preferred {
                write(&self.preferred, &with)?;
            }
        } else {
            let without = text::without(&preferred, ENTRY);
            if without != preferred {
                write(&self.preferred, &without)?;
            }
            if before.is_some() {
                fs::remove_file(&self.entry).map_err(|error| cannot(&self.entry, &error))?;
            }
        }
        self.look()
    }
}

/// The text of a file; `None` when there is none.
fn read(path: &Path) -> Known<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot(path, &error)),
    }
}

/// Puts a whole file in the place of the one that is there, with the folders above it.
fn write(path: &Path, text: &str) -> Known<()> {
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(&beside, text))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        drop(fs::remove_file(&beside));
        cannot(path, &error)
    })
}

fn cannot(path: &Path, error: &std::io::Error) -> Problem {
    let words = format!("{} cannot be used ({error})", path.display());
    Problem::new(ProblemKind::Other, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(home: &Path) -> Places {
        let home = home.as_os_str().to_owned();
        Places::of(
            |name| (name == "HOME").then(|| home.clone()),
            "/opt/my tools/tideline".into(),
        )
        .unwrap()
    }

    #[test]
    fn links_are_opened_and_no_longer_and_everything_else_stays() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        assert!(!places.look().unwrap().opens);
        let list = home.path().join(".config/mimeapps.list");
        fs::create_dir_all(list.parent().unwrap()).unwrap();
        let before = "[Default Applications]\ntext/html=firefox.desktop\n\n[Added Associations]\na/b=c.desktop;\n";
        fs::write(&list, before).unwrap();
        let view = places.set(true).unwrap();
        assert!(view.opens);
        let entry = fs::read_to_string(&view.entry).unwrap();
        assert!(
            entry.contains("Exec=\"/opt/my tools/tideline\" %u\n"),
            "{entry}"
        );
        assert!(entry.contains("MimeType=x-scheme-handler/tideline;"));
        let after = fs::read_to_string(&list).unwrap();
        assert!(after.contains("text/html=firefox.desktop"));
        assert!(after.contains("x-scheme-handler/tideline=tideline.desktop;"));
        // Twice is once.
        places.set(true).unwrap();
        assert_eq!(fs::read_to_string(&list).unwrap(), after);
        assert!(!places.set(false).unwrap().opens);
        assert!(!view.entry.exists());
        assert_eq!(fs::read_to_string(&list).unwrap(), before);
    }

    #[test]
    fn an_entry_of_somebody_else_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let places = places(home.path());
        let entry = home
            .path()
            .join(".local/share/applications/tideline.desktop");
        fs::create_dir_all(entry.parent().unwrap()).unwrap();
        fs::write(&entry, "[Desktop Entry]\nExec=mine\n").unwrap();
        for opens in [true, false] {
            let problem = places.set(opens).unwrap_err();
            assert!(problem.message.contains("left as it is"), "{problem}");
        }
        assert!(fs::read_to_string(&entry).unwrap().contains("Exec=mine"));
        assert!(!home.path().join(".config/mimeapps.list").exists());
    }

    #[test]
    fn without_a_home_it_says_so() {
        let problem = Places::of(|_| None, "/x".into()).unwrap_err();
        assert!(problem.message.contains("XDG_DATA_HOME"), "{problem}");
    }
}
