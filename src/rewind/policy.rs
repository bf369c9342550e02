//! What the connection's locks allow.

use std::net::IpAddr;

use crate::model::Profile;

/// What may be done over a connection, and what has to be confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Why nothing may be changed; `None` when it may.
    pub locked: Option<String>,
    /// Whether the cluster is one that people depend on.
    pub production: bool,
    /// Whether it is neither on this machine nor known by a profile.
    pub unknown_remote: bool,
}

/// How a cluster was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached<'a> {
    /// The profile that was named.
    pub profile: Option<&'a str>,
    /// The cluster's id; `None` on a bus without one.
    pub cluster_id: Option<&'a str>,
    /// The addresses to try first, separated by commas.
    pub bootstrap: &'a str,
    /// Whether it is the embedded demo bus.
    pub demo: bool,
}

/// What the locks of `profiles` say of the cluster that was reached: the strictest of all that know it, by its id
/// or, where they have led to none yet, by an address. `unlocked` tells whether a person has unlocked it for now.
pub fn policy(profiles: &[Profile], reached: &Reached<'_>, unlocked: bool) -> Policy {
    let knowing: Vec<&Profile> = profiles
        .iter()
        .filter(|profile| knows(profile, reached))
        .collect();
    let locked = knowing
        .iter()
        .find(|profile| profile.read_only && !unlocked)
        .map(|profile| {
            format!(
                "the profile {} is read-only until its owner unlocks it",
                profile.name
            )
        });
    Policy {
        locked,
        production: knowing.iter().any(|profile| profile.production),
        unknown_remote: knowing.is_empty() && !reached.demo && !is_loopback(reached.bootstrap),
    }
}

fn knows(profile: &Profile, reached: &Reached<'_>) -> bool {
    if reached.profile == Some(&*profile.name) {
        return true;
    }
    match (&profile.cluster_id, reached.cluster_id) {
        (Some(theirs), Some(this)) => theirs == this,
        _ => addresses(&profile.bootstrap)
            .any(|theirs| addresses(reached.bootstrap).any(|this| theirs == this)),
    }
}

fn addresses(bootstrap: &str) -> impl Iterator<Item = String> {
    bootstrap
        .split(',')
        .map(|address| without_protocol(address).to_ascii_lowercase())
        .filter(|address| !address.is_empty())
}

fn without_protocol(address: &str) -> &str {
    let address = address.trim();
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// Whether every address is one of this machine's own.
fn is_loopback(bootstrap: &str) -> bool {
    let mut any = false;
    for address in addresses(bootstrap) {
        any = true;
        if !is_own(host(&address)) {
            return false;
        }
    }
    any
}

/// The host of an address, with or without a port; `[::1]:9092` and `::1` both have the host `::1`.
fn host(address: &str) -> &str {
    if let Some(rest) = address.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(host, _)| host);
    }
    match address.rsplit_once(':') {
        Some((host, _)) if !host.contains(':') => host,
        _ => address,
    }
}

fn is_own(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    if host == "localhost" || host.ends_with(".localhost") {
        return true;
    }
    host.parse::<IpAddr>().is_ok_and(|address| match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.is_loopback()
                || address
                    .to_ipv4_mapped()
                    .is_some_and(|address| address.is_loopback())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str, bootstrap: &str, cluster_id: Option<&str>) -> Profile {
        Profile {
            name: name.to_owned(),
            bootstrap: bootstrap.to_owned(),
            cluster_id: cluster_id.map(str::to_owned),
            ..Profile::default()
        }
    }

    fn reached(bootstrap: &str) -> Reached<'_> {
        Reached {
            profile: None,
            cluster_id: Some("c1"),
            bootstrap,
            demo: false,
        }
    }

    #[test]
    fn every_address_must_be_of_this_machine() {
        for own in [
            "localhost:9092",
            "LOCALHOST",
            "127.0.0.1:9092",
            "127.1.2.3:1,localhost:2",
            "[::1]:9092",
            "::1",
            "PLAINTEXT://127.0.0.1:9092",
            "[::ffff:127.0.0.1]:9092",
        ] {
            assert!(!policy(&[], &reached(own), false).unknown_remote, "{own}");
        }
        for other in [
            "kafka:9092",
            "localhost:9092,kafka:9092",
            "127.0.0.1.example.com:9092",
            "localhost.example.com:9092",
            "128.0.0.1:9092",
            "[::2]:9092",
            "",
            "notlocalhost:9092",
        ] {
            assert!(
                policy(&[], &reached(other), false).unknown_remote,
                "{other}"
            );
        }
        let demo = Reached {
            demo: true,
            ..reached("kafka:9092")
        };
        assert!(!policy(&[], &demo, false).unknown_remote);
    }

    #[test]
    fn the_strictest_of_all_that_know_the_cluster_counts() {
        let mut open = profile("open", "a:1", Some("c1"));
        let mut locked = profile("locked", "b:1", Some("c1"));
        locked.read_only = true;
        let mut elsewhere = profile("elsewhere", "a:1", Some("c2"));
        elsewhere.production = true;
        let profiles = [open.clone(), locked.clone(), elsewhere];
        let found = policy(&profiles, &reached("a:1"), false);
        assert!(found.locked.is_some_and(|why| why.contains("locked")));
        assert!(!found.production && !found.unknown_remote);
        assert_eq!(policy(&profiles, &reached("a:1"), true).locked, None);
        open.production = true;
        assert!(policy(&[open, locked], &reached("x:1"), false).production);
    }

    #[test]
    fn a_profile_counts_by_name_and_before_it_was_used_by_address() {
        let mut fresh = profile("prod", "Kafka-1:9092,kafka-2:9092", None);
        fresh.read_only = true;
        let profiles = [fresh];
        let found = policy(&profiles, &reached("kafka-2:9092"), false);
        assert!(found.locked.is_some());
        assert_eq!(
            policy(&profiles, &reached("kafka-3:9092"), false).locked,
            None
        );
        let named = Reached {
            profile: Some("prod"),
            ..reached("kafka-3:9092")
        };
        assert!(policy(&profiles, &named, false).locked.is_some());
    }
}
