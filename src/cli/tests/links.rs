//! Links in place of a command line.

use crate::cli::WindowStart;
use crate::engine::{ConnectTarget, Files};
use crate::model::link::LinkTo;
use crate::model::{ConnectionSettings, Offset, Profile, TopicPartition};

use super::super::plan::Plan;
use super::{read_arguments, read_with};

fn opened(link: &str, files: &Files) -> WindowStart {
    match read_with(&[link], files) {
        Ok(Plan::Window(start)) => start,
        other => panic!("{link}: {other:?}"),
    }
}

#[test]
fn a_link_opens_the_window_on_its_view() {
    let start = opened(
        "Tideline://view?bootstrap=localhost:9092&record=orders/1/88213",
        &super::no_files(),
    );
    let Some(ConnectTarget::Bus(settings)) = start.connect else {
        panic!("not connected");
    };
    assert_eq!(settings, ConnectionSettings::to("localhost:9092"));
    let link = start.link.unwrap();
    assert_eq!(
        link.record,
        Some((TopicPartition::new("orders", 1), Offset(88_213)))
    );
    assert_eq!(start.said, None);
}

#[test]
fn a_profile_is_found_in_the_file_where_they_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::at(Ok(folder.path().join("tideline.db")));
    let live = Profile {
        name: "live".to_owned(),
        bootstrap: "k:9093".to_owned(),
        ..Profile::default()
    };
    files.profiles.as_ref().unwrap().put_profile(&live).unwrap();
    let start = opened("tideline://view?profile=live", &files);
    let Some(ConnectTarget::Bus(settings)) = start.connect else {
        panic!("not connected");
    };
    assert_eq!(settings.profile.as_deref(), Some("live"));
    assert_eq!(settings.bootstrap, "k:9093");
    let start = opened("tideline://view?profile=other", &files);
    assert!(start.connect.is_none() && start.link.is_none());
    assert!(start.said.unwrap().contains("the profile other"));
}

#[test]
fn nothing_is_contacted_that_nobody_here_knows() {
    let start = opened(
        "tideline://view?bootstrap=evil.example:9092",
        &super::no_files(),
    );
    assert!(start.connect.is_none());
    assert_eq!(
        start.link.unwrap().to,
        LinkTo::Addresses("evil.example:9092".to_owned())
    );
    let said = start.said.unwrap();
    assert!(said.contains("leads to evil.example:9092"), "{said}");
}

#[test]
fn a_link_that_is_not_sound_opens_the_welcome_screen_with_the_reason() {
    for (link, why) in [
        ("tideline:", "A link begins with"),
        (
            "tideline://view?bootstrap=a:hunter2@k:1",
            "“bootstrap” of the link",
        ),
        (
            "tideline://view?profile=a&sasl.password=hunter2",
            "“sasl.password”",
        ),
        (
            "tideline://view?profile=live --bootstrap evil:1",
            "A link consists of",
        ),
    ] {
        let start = opened(link, &super::no_files());
        assert!(start.connect.is_none() && start.link.is_none(), "{link}");
        let said = start.said.unwrap();
        assert!(
            said.contains(why) && !said.contains("hunter2"),
            "{link}: {said}"
        );
    }
}

#[test]
fn other_words_beside_a_link_are_refused() {
    let link = "tideline://view?profile=live";
    for words in [
        &[link, "--bootstrap", "evil:1"][..],
        &["--bootstrap", "evil:1", link],
        &["-X", "sasl.password=hunter2", link],
        &["topics", link],
        &[link, link],
    ] {
        let written = read_arguments(words).unwrap_err();
        assert_eq!(written.code, 2, "{words:?}");
        assert!(
            written.err.contains("a link stands alone"),
            "{}",
            written.err
        );
        assert!(!written.err.contains("hunter2"), "{}", written.err);
    }
}

#[test]
fn a_group_may_be_called_like_a_link() {
    let plan = read_arguments(&["groups", "--group", "tideline:x", "--bootstrap", "a:1"]);
    assert!(matches!(plan, Ok(Plan::Ask(_))), "{plan:?}");
}

#[test]
fn the_desktop_entry_hands_over_one_word() {
    let entry = include_str!("../../../assets/tideline.desktop");
    let lines: Vec<&str> = entry.lines().collect();
    assert!(lines.contains(&"MimeType=x-scheme-handler/tideline;"));
    let exec = lines
        .iter()
        .find_map(|line| line.strip_prefix("Exec=tideline "));
    let words: Vec<String> = exec
        .unwrap()
        .split(' ')
        .map(|word| word.replace("%u", "tideline://view?bootstrap=[::1]:9092"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Ok(Plan::Window(start)) = read_arguments(&words) else {
        panic!("no window");
    };
    assert!(start.connect.is_some() && start.link.is_some());
}
