use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::*;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tideline").join("tideline.db")
    }

    /// Makes `bytes` the file.
    fn put(&self, bytes: &[u8]) -> PathBuf {
        let file = self.file();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, bytes).unwrap();
        file
    }
}

fn settings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn settings_come_back_after_the_file_was_closed() {
    let place = Place::new();
    let mut store = Store::open(&place.file()).unwrap();
    assert!(store.settings().unwrap().is_empty());
    store
        .put_settings(&settings(&[("theme", "\"light\""), ("scale", "1.2")]))
        .unwrap();
    store.put_settings(&settings(&[("scale", "1.5")])).unwrap();
    drop(store);
    let store = Store::open(&place.file()).unwrap();
    assert_eq!(
        store.settings().unwrap(),
        settings(&[("theme", "\"light\""), ("scale", "1.5")])
    );
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::new();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = place.put(b"");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut store = Store::open(&file).unwrap();
    store.put_settings(&settings(&[("a", "1")])).unwrap();
    assert_eq!(mode(file.parent().unwrap()), 0o700);
    for entry in std::fs::read_dir(file.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn two_at_once_lose_nothing_and_the_last_writer_wins() {
    let place = Place::new();
    let write = |name: &'static str, file: PathBuf| {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let mut store = Store::open(&file).unwrap();
                for number in 0..40 {
                    let own = format!("{name}-{number}");
                    store
                        .put_settings(&settings(&[(&own, "1"), ("shared", name)]))
                        .unwrap();
                }
            })
            .unwrap()
    };
    let both = [write("a", place.file()), write("b", place.file())];
    for thread in both {
        thread.join().unwrap();
    }
    let mut store = Store::open(&place.file()).unwrap();
    let known = store.settings().unwrap();
    assert_eq!(known.len(), 81);
    assert!(["a", "b"].contains(&known["shared"].as_str()));
    store.put_settings(&settings(&[("shared", "c")])).unwrap();
    let other = Store::open(&place.file()).unwrap();
    assert_eq!(other.settings().unwrap()["shared"], "c");
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let place = Place::new();
    drop(Store::open(&place.file()).unwrap());
    let connection = Connection::open(place.file()).unwrap();
    connection.pragma_update(None, "user_version", 7).unwrap();
    drop(connection);
    let before = std::fs::read(place.file()).unwrap();
    let problem = Store::open(&place.file()).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Unsupported);
    assert!(
        problem
            .message
            .contains("version 7 of the file, this one knows 4"),
        "{problem}"
    );
    assert_eq!(std::fs::read(place.file()).unwrap(), before);
}

#[test]
fn a_file_of_the_first_version_is_brought_to_the_present_one_with_all_that_it_holds() {
    let place = Place::new();
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    let old = Connection::open(place.file()).unwrap();
    old.execute_batch(MIGRATIONS[0]).unwrap();
    old.execute_batch("INSERT INTO settings VALUES ('theme', '\"light\"'), ('scale', '1.5');")
        .unwrap();
    old.pragma_update(None, "application_id", APPLICATION_ID)
        .unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    // An older Tideline may have it open all the while.
    let store = Store::open(&place.file()).unwrap();
    assert_eq!(
        store.settings().unwrap(),
        settings(&[("theme", "\"light\""), ("scale", "1.5")])
    );
    let version: i64 = old
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 4);
    let journal = JournalFile::new(place.file());
    assert_eq!(crate::model::Journal::entries(&journal), Ok(Vec::new()));
}

#[test]
fn a_damaged_file_is_left_alone() {
    let place = Place::new();
    let whole = {
        let mut store = Store::open(&place.file()).unwrap();
        let many: BTreeMap<String, String> = (0..400)
            .map(|number| (format!("key {number}"), "value ".repeat(40)))
            .collect();
        store.put_settings(&many).unwrap();
        drop(store);
        std::fs::read(place.file()).unwrap()
    };
    let mut scratched = whole.clone();
    for byte in &mut scratched[8_192..12_288] {
        *byte = 0x5a;
    }
    let cases: [(&str, &[u8]); 3] = [
        (
            "not a database",
            b"theme = light, and more that is no database at all",
        ),
        ("cut off", &whole[..whole.len() / 2]),
        ("scratched", &scratched),
    ];
    for (case, bytes) in cases {
        let file = place.put(bytes);
        let problem = Store::open(&file).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Malformed, "{case}: {problem}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "{case}");
    }
}

#[test]
fn another_programs_file_is_left_alone() {
    let place = Place::new();
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    let connection = Connection::open(place.file()).unwrap();
    connection
        .execute_batch("CREATE TABLE songs (name TEXT); PRAGMA user_version = 3;")
        .unwrap();
    drop(connection);
    let before = std::fs::read(place.file()).unwrap();
    let problem = Store::open(&place.file()).unwrap_err();
    assert!(problem.message.contains("another program"), "{problem}");
    assert_eq!(std::fs::read(place.file()).unwrap(), before);
}

#[test]
fn a_place_that_cannot_be_is_told() {
    let place = Place::new();
    std::fs::write(place.folder.path().join("tideline"), "a file").unwrap();
    let problem = Store::open(&place.file()).unwrap_err();
    assert!(problem.message.contains("cannot be made"), "{problem}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_file_lies_in_the_folder_for_data() {
    let file = |pairs: &[(&str, &str)]| {
        file_in(|name| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(*value))
        })
        .map(|path| path.display().to_string())
    };
    assert_eq!(
        file(&[("XDG_DATA_HOME", "/data"), ("HOME", "/home/a")]).as_deref(),
        Ok("/data/tideline/tideline.db")
    );
    for no_place in ["", "relative"] {
        assert_eq!(
            file(&[("XDG_DATA_HOME", no_place), ("HOME", "/home/a")]).as_deref(),
            Ok("/home/a/.local/share/tideline/tideline.db")
        );
    }
    assert!(file(&[]).is_err());
}

#[test]
fn a_file_of_the_version_before_keeps_its_profiles_and_learns_links() {
    let place = Place::new();
    let file = place.file();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let connection = Connection::open(&file).unwrap();
    for migration in &MIGRATIONS[..2] {
        connection.execute_batch(migration).unwrap();
    }
    connection
        .execute(
            "INSERT INTO profiles VALUES ('live', 'k:9092', 1, 0, NULL)",
            [],
        )
        .unwrap();
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    drop(connection);
    drop(Store::open(&file).unwrap());
    let profiles = ProfilesFile::new(file);
    let known = crate::model::Profiles::profiles(&profiles).unwrap();
    assert_eq!((known.len(), known[0].links.len()), (1, 0));
    let mut profile = known[0].clone();
    profile
        .links
        .push(("Logs".to_owned(), "https://x/{key}".to_owned()));
    crate::model::Profiles::put_profile(&profiles, &profile).unwrap();
    assert_eq!(
        crate::model::Profiles::profiles(&profiles),
        Ok(vec![profile])
    );
}
