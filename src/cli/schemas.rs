//! Where schemas come from, as it is written on the command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::decode::schema::Schema;
use crate::model::plain_url;

use super::plan::Usage;

/// The name under which the registry's address stands among the settings.
const REGISTRY: &str = "schema.registry.url";

/// The setting that names the registry at `url`. What is wrong is said without the address, which may hold a secret.
pub(super) fn registry(url: &str) -> Result<(String, String), Usage> {
    let url = plain_url(url).ok_or_else(|| {
        Usage(
            "--schema-registry takes http://HOST:PORT or https://HOST:PORT, with a path where there is one, and no login: that goes into the configuration file, or into -X basic.auth.user.info=USER:PASSWORD"
                .to_owned(),
        )
    })?;
    Ok((REGISTRY.to_owned(), url))
}

/// Reads `TOPIC=FILE` and looks whether the file holds a schema.
pub(super) fn files(written: &[OsString]) -> Result<Vec<(String, PathBuf)>, Usage> {
    written.iter().map(|one| file(one)).collect()
}

fn file(written: &OsStr) -> Result<(String, PathBuf), Usage> {
    let parts = written.to_str().and_then(|text| text.split_once('='));
    let Some((topic, path)) = parts.filter(|(topic, path)| !topic.is_empty() && !path.is_empty())
    else {
        return Err(Usage(
            "--schema takes TOPIC=FILE, such as --schema orders=order.avsc".to_owned(),
        ));
    };
    let wrong = |why: String| Usage(format!("--schema {topic}: {why}"));
    let read = path.rsplit_once('#').map_or(path, |(path, _)| path);
    let bytes = std::fs::read(read)
        .map_err(|error| wrong(format!("the file {read} cannot be read: {error}")))?;
    let name = Path::new(path).file_name().and_then(OsStr::to_str);
    Schema::from_file_bytes(name.unwrap_or(path), &bytes).map_err(wrong)?;
    Ok((topic.to_owned(), PathBuf::from(path)))
}
