//! A link in place of a command line: where the window opens, and whether the way there is still to be confirmed.
//!
//! A link may come from anywhere. So it alone leads nowhere but to this machine and to clusters that a profile names;
//! and what a profile holds is for the profile's own addresses, never for those of a link.

use std::ffi::OsString;

use crate::engine::{ConnectTarget, Files};
use crate::model::link::{LinkTo, ViewLink, is_loopback, same_addresses};
use crate::model::{ConnectionSettings, Known, Profile};

use super::WindowStart;
use super::plan::Usage;

/// Takes the link out of `arguments`, program name first; `None` when there is none. A word in another place than the
/// first is a link only by both slashes: it may be a group's name.
pub(super) fn among(arguments: &[OsString]) -> Option<Result<String, Usage>> {
    let words = arguments.iter().enumerate().skip(1);
    let mut links = words.filter_map(|(place, word)| {
        let text = word.to_string_lossy();
        let is_link = ViewLink::is_meant(&text) && (place == 1 || text.contains("://"));
        is_link.then(|| text.into_owned())
    });
    let link = links.next()?;
    Some(if arguments.len() == 2 {
        Ok(link)
    } else {
        Err(Usage(
            "a link stands alone: leave the other words out".to_owned(),
        ))
    })
}

/// How the window starts on the link `text`.
pub(super) fn window(text: &str, bootstrap_env: Option<String>, files: &Files) -> WindowStart {
    let welcome = WindowStart {
        connect: None,
        bootstrap_env,
        link: None,
        said: None,
    };
    let link = match ViewLink::parse(text) {
        Ok(link) => link,
        Err(why) => {
            return WindowStart {
                said: Some(format!("{why}. The link was not followed")),
                ..welcome
            };
        }
    };
    let profiles = files
        .profiles
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|profiles| profiles.profiles());
    match way(&link.to, profiles) {
        Way::Go(settings) => WindowStart {
            connect: Some(ConnectTarget::Bus(settings)),
            link: Some(Box::new(link)),
            ..welcome
        },
        Way::Ask(said) => WindowStart {
            link: Some(Box::new(link)),
            said: Some(said),
            ..welcome
        },
        Way::None(said) => WindowStart {
            said: Some(said),
            ..welcome
        },
    }
}

/// How one gets to where a link leads.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// At once.
    Go(ConnectionSettings),
    /// When the person says so; what to say before.
    Ask(String),
    /// Not at all, and why.
    None(String),
}

fn way(to: &LinkTo, profiles: Known<Vec<Profile>>) -> Way {
    match to {
        LinkTo::Profile(name) => by_name(name, profiles),
        LinkTo::Addresses(addresses) => by_addresses(addresses, &profiles.unwrap_or_default()),
    }
}

fn by_name(name: &str, profiles: Known<Vec<Profile>>) -> Way {
    let found = match profiles {
        Ok(profiles) => profiles.into_iter().find(|profile| profile.name == name),
        Err(problem) => {
            return Way::None(format!(
                "The link leads to the profile {name}, and the profiles cannot be read: {problem}"
            ));
        }
    };
    found.map_or_else(
        || {
            Way::None(format!(
                "The link leads to the profile {name}, and you have none of that name. Make one, then open the link again"
            ))
        },
        |profile| Way::Go(settings(&profile)),
    )
}

fn by_addresses(addresses: &str, profiles: &[Profile]) -> Way {
    let known: Vec<&Profile> = profiles
        .iter()
        .filter(|profile| same_addresses(&profile.bootstrap, addresses))
        .collect();
    match known.as_slice() {
        [only] => Way::Go(settings(only)),
        [] if is_loopback(addresses) => Way::Go(ConnectionSettings::to(addresses)),
        [] => Way::Ask(format!(
            "This link leads to {addresses}. Nothing was contacted yet: press Connect to go there"
        )),
        [_, ..] => {
            let names: Vec<&str> = known.iter().map(|profile| &*profile.name).collect();
            Way::Ask(format!(
                "This link leads to {addresses}, which several profiles name: {}. Connect to one of them to go there",
                names.join(", ")
            ))
        }
    }
}

/// What a profile says, whole and alone.
fn settings(profile: &Profile) -> ConnectionSettings {
    ConnectionSettings {
        bootstrap: profile.bootstrap.clone(),
        properties: profile.properties.clone(),
        profile: Some(profile.name.clone()),
        ..ConnectionSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Problem, ProblemKind};

    fn profile(name: &str, bootstrap: &str) -> Profile {
        Profile {
            name: name.to_owned(),
            bootstrap: bootstrap.to_owned(),
            properties: vec![("sasl.username".to_owned(), name.to_owned())],
            ..Profile::default()
        }
    }

    fn two() -> Vec<Profile> {
        vec![profile("live", "k-1:9093,k-2:9093"), profile("test", "t:1")]
    }

    fn to(addresses: &str) -> LinkTo {
        LinkTo::Addresses(addresses.to_owned())
    }

    #[test]
    fn a_profile_is_taken_whole() {
        let live = Way::Go(ConnectionSettings {
            bootstrap: "k-1:9093,k-2:9093".to_owned(),
            properties: vec![("sasl.username".to_owned(), "live".to_owned())],
            profile: Some("live".to_owned()),
            ..ConnectionSettings::default()
        });
        assert_eq!(way(&LinkTo::Profile("live".to_owned()), Ok(two())), live);
        // The same addresses are the profile's own.
        assert_eq!(way(&to("k-2:9093,k-1:9093"), Ok(two())), live);
    }

    #[test]
    fn a_profile_that_is_not_there_is_said() {
        let Way::None(said) = way(&LinkTo::Profile("prod".to_owned()), Ok(two())) else {
            panic!("it leads somewhere");
        };
        assert!(
            said.contains("the profile prod, and you have none"),
            "{said}"
        );
        let damaged = Problem::new(ProblemKind::Malformed, "the file is damaged");
        let Way::None(said) = way(&LinkTo::Profile("live".to_owned()), Err(damaged)) else {
            panic!("it leads somewhere");
        };
        assert!(said.contains("the file is damaged"), "{said}");
    }

    #[test]
    fn no_profile_lends_its_settings_to_other_addresses() {
        for addresses in ["k-1:9093", "k-1:9093,k-2:9093,evil:9093", "evil:9093"] {
            let Way::Ask(said) = way(&to(addresses), Ok(two())) else {
                panic!("{addresses} is contacted unasked");
            };
            assert!(said.contains(addresses), "{said}");
        }
    }

    #[test]
    fn this_machine_is_gone_to_at_once_and_without_settings() {
        assert_eq!(
            way(&to("localhost:9092"), Ok(two())),
            Way::Go(ConnectionSettings::to("localhost:9092"))
        );
    }

    #[test]
    fn of_several_profiles_none_is_taken_unasked() {
        let mut profiles = two();
        profiles.push(profile("test-admin", "t:1"));
        let Way::Ask(said) = way(&to("t:1"), Ok(profiles)) else {
            panic!("one of them was taken");
        };
        assert!(said.contains("test, test-admin"), "{said}");
    }
}
