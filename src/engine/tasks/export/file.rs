//! A file that appears under its name only once it is whole, and what can go wrong with it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::model::{Problem, ProblemKind};

/// A file on its way: written beside the place it is meant for, and taken away again when it is dropped before it
/// was finished.
#[derive(Debug)]
pub(super) struct NewFile {
    file: File,
    /// Where it is written; `None` once it has its name.
    beside: Option<PathBuf>,
    path: PathBuf,
    bytes: u64,
}

/// Why it cannot be.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is a file already, and it is not to be replaced.
    Exists,
    /// Something else, in plain words.
    Because(Problem),
}

impl NewFile {
    /// Begins a file that is to lie at `path`.
    pub(super) fn begin(path: &Path, replace: bool) -> Result<Self, Refused> {
        let path = &meant(path, replace)?;
        let name = path.file_name().map(ToOwned::to_owned);
        let (Some(mut hidden), Some(folder)) = (name, path.parent()) else {
            let words = format!("{} names no file", path.display());
            return Err(Refused::Because(Problem::new(ProblemKind::Invalid, words)));
        };
        hidden.push(format!(".{}.part", std::process::id()));
        let mut dotted = std::ffi::OsString::from(".");
        dotted.push(hidden);
        let beside = folder.join(dotted);
        // A part that an earlier run left behind under the same number is nobody's any more.
        drop(fs::remove_file(&beside));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)
            .map_err(|error| Refused::Because(problem(path, &error)))?;
        Ok(Self {
            file,
            beside: Some(beside),
            path: path.clone(),
            bytes: 0,
        })
    }

    /// Bytes that were written.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives the file its name, once the disk has all of it.
    pub(super) fn finish(mut self, replace: bool) -> Result<(), Refused> {
        let because = |error: io::Error| Refused::Because(problem(&self.path, &error));
        self.file.sync_all().map_err(because)?;
        let Some(beside) = &self.beside else {
            return Ok(());
        };
        if replace {
            fs::rename(beside, &self.path).map_err(because)?;
        } else {
            name_without_replacing(beside, &self.path)?;
        }
        self.beside = None;
        Ok(())
    }

    /// One that is written to `file`, for tests of what a disk refuses.
    #[cfg(test)]
    pub(super) fn of(file: File, beside: &Path, path: &Path) -> Self {
        Self {
            file,
            beside: Some(beside.to_owned()),
            path: path.to_owned(),
            bytes: 0,
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        let more = u64::try_from(written).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(more);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // Where it is gone already there is nothing to take away.
            drop(fs::remove_file(beside));
        }
    }
}

/// The file that is meant by `path`: where that is a link, what it leads to. Refuses what is no file.
fn meant(path: &Path, replace: bool) -> Result<PathBuf, Refused> {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => {
            let what = if about.is_dir() {
                "a folder"
            } else {
                "no file"
            };
            let words = format!("{} is {what}", path.display());
            Err(Refused::Because(Problem::new(ProblemKind::Invalid, words)))
        }
        Ok(_) if !replace => Err(Refused::Exists),
        Ok(_) => fs::canonicalize(path).map_err(|error| Refused::Because(problem(path, &error))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(Refused::Because(problem(path, &error))),
    }
}

/// Gives `beside` the name `path`, unless a file has come there meanwhile.
fn name_without_replacing(beside: &Path, path: &Path) -> Result<(), Refused> {
    let because = |error: io::Error| Refused::Because(problem(path, &error));
    match fs::hard_link(beside, path) {
        Ok(()) => {
            drop(fs::remove_file(beside));
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Refused::Exists),
        // A file system without a second name for a file.
        Err(_) if !path.exists() => fs::rename(beside, path).map_err(because),
        Err(_) => Err(Refused::Exists),
    }
}

/// What went wrong with the file at `path`, in plain words.
pub(super) fn problem(path: &Path, error: &io::Error) -> Problem {
    let folder = path.parent().unwrap_or(path).display();
    let (kind, words) = match error.kind() {
        ErrorKind::StorageFull => (ProblemKind::Other, format!("the disk of {folder} is full")),
        ErrorKind::QuotaExceeded => (
            ProblemKind::Other,
            format!("you may keep no more on the disk of {folder}: your quota is used up"),
        ),
        ErrorKind::FileTooLarge => (
            ProblemKind::Other,
            "a file may not become that large there".to_owned(),
        ),
        ErrorKind::PermissionDenied => (
            ProblemKind::Forbidden,
            format!("you may not write in {folder}"),
        ),
        ErrorKind::ReadOnlyFilesystem => (
            ProblemKind::Forbidden,
            format!("nothing can be written in {folder}: the disk is read-only"),
        ),
        ErrorKind::NotFound => (
            ProblemKind::NotFound,
            format!("there is no folder {folder}"),
        ),
        ErrorKind::NotADirectory => (ProblemKind::Invalid, format!("{folder} is no folder")),
        ErrorKind::InvalidFilename => (
            ProblemKind::Invalid,
            "a file cannot have that name there".to_owned(),
        ),
        _ => (
            ProblemKind::Other,
            format!("{} cannot be written ({error})", path.display()),
        ),
    };
    Problem::new(kind, words)
}
