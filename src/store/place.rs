//! Where the file is, and who may read it.

use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::model::{Known, Problem, ProblemKind};

const FOLDER: &str = "tideline";
const FILE: &str = "tideline.db";

/// The file that this person's Tideline uses.
///
/// # Errors
/// The environment names no place for it.
pub fn usual_file() -> Known<PathBuf> {
    file_in(|name| std::env::var_os(name))
}

/// The file for an environment: below `XDG_DATA_HOME`, or the platform's folder for data. A variable that
/// names no absolute path counts as not set.
///
/// # Errors
/// The environment names no place for it.
pub fn file_in(environment: impl Fn(&str) -> Option<OsString>) -> Known<PathBuf> {
    let folder = |name: &str| {
        environment(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = || folder("HOME");
    let platform = if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library").join("Application Support"))
    } else if cfg!(windows) {
        folder("APPDATA")
    } else {
        home().map(|home| home.join(".local").join("share"))
    };
    folder("XDG_DATA_HOME")
        .or(platform)
        .map(|data| data.join(FOLDER).join(FILE))
        .ok_or_else(|| {
            Problem::new(
                ProblemKind::NotFound,
                "there is no folder for data: neither XDG_DATA_HOME nor HOME is set",
            )
        })
}

/// Makes folder and file where they are missing, for this person's eyes only.
pub(super) fn prepare(file: &Path) -> Known<()> {
    let cannot = |what: &Path, error: &std::io::Error| {
        Problem::new(
            ProblemKind::Other,
            format!("{} cannot be made ({error})", what.display()),
        )
    };
    if let Some(folder) = file.parent() {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        system::folder(&mut builder);
        builder
            .create(folder)
            .map_err(|error| cannot(folder, &error))?;
        system::tighten(folder, 0o700).map_err(|error| cannot(folder, &error))?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    system::file(&mut options);
    match options.open(file) {
        // The folder has to know of the file before the file can be relied on.
        Ok(_) => match file.parent() {
            Some(folder) => system::sync(folder).map_err(|error| cannot(folder, &error)),
            None => Ok(()),
        },
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            system::tighten(file, 0o600).map_err(|error| cannot(file, &error))
        }
        Err(error) => Err(cannot(file, &error)),
    }
}

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Which(u64, u64);

/// Which file lies at `file`; `None` when there is none.
pub(super) fn which(file: &Path) -> Option<Which> {
    let about = std::fs::metadata(file).ok()?;
    let (device, number) = system::number(&about);
    Some(Which(device, number))
}

/// Whether the file is more than just made.
pub(super) fn holds_something(file: &Path) -> Known<bool> {
    let length = std::fs::metadata(file).map(|about| about.len());
    length.map(|length| length > 0).map_err(|error| {
        Problem::new(
            ProblemKind::Other,
            format!("{} cannot be read ({error})", file.display()),
        )
    })
}

#[cfg(unix)]
mod system {
    use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };
    use std::path::Path;

    pub(super) fn folder(builder: &mut DirBuilder) {
        builder.mode(0o700);
    }

    pub(super) fn file(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    /// Waits until the disk has what the folder lists.
    pub(super) fn sync(folder: &Path) -> std::io::Result<()> {
        File::open(folder)?.sync_all()
    }

    pub(super) fn number(about: &Metadata) -> (u64, u64) {
        (about.dev(), about.ino())
    }

    /// Takes from others what they may do with `path`.
    pub(super) fn tighten(path: &Path, mode: u32) -> std::io::Result<()> {
        let present = std::fs::metadata(path)?.permissions().mode();
        let is_others = |bit: u32| present & bit != 0;
        if !is_others(0o070) && !is_others(0o007) {
            return Ok(());
        }
        std::fs::set_permissions(path, Permissions::from_mode(mode))
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{DirBuilder, Metadata, OpenOptions};
    use std::path::Path;

    pub(super) fn sync(_: &Path) -> std::io::Result<()> {
        Ok(())
    }

    /// Not told here: each file is taken for the same.
    pub(super) fn number(_: &Metadata) -> (u64, u64) {
        (0, 0)
    }

    pub(super) fn folder(_: &mut DirBuilder) {}

    pub(super) fn file(_: &mut OpenOptions) {}

    /// The person's folder for data is theirs alone already.
    pub(super) fn tighten(_: &Path, _: u32) -> std::io::Result<()> {
        Ok(())
    }
}
