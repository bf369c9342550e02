//! What the connection's locks allow.

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
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// The profile that was named.
    pub profile: Option<&'a str>,
    /// The cluster's id, as the cluster says it.
    pub cluster_id: Option<&'a str>,
    /// The addresses, separated by commas.
    pub bootstrap: &'a str,
    /// Whether it is the embedded demo bus.
    pub demo: bool,
}

/// The strictest of what all profiles say that know this cluster, by their name or by its id. `unlocked` says
/// that its owner has unlocked it for now.
pub fn policy(profiles: &[Profile], reached: &Reached<'_>, unlocked: bool) -> Policy {
    let known: Vec<&Profile> = profiles
        .iter()
        .filter(|profile| {
            let same_cluster =
                profile.cluster_id.is_some() && profile.cluster_id.as_deref() == reached.cluster_id;
            same_cluster || reached.profile == Some(&*profile.name)
        })
        .collect();
    let locking = known.iter().find(|profile| profile.read_only);
    Policy {
        locked: locking.filter(|_| !unlocked).map(|profile| {
            format!(
                "the profile {} is read-only until its owner unlocks it",
                profile.name
            )
        }),
        production: known.iter().any(|profile| profile.production),
        unknown_remote: known.is_empty() && !reached.demo && !is_loopback(reached.bootstrap),
    }
}

/// Whether every address is one of this machine.
fn is_loopback(bootstrap: &str) -> bool {
    let mut addresses = bootstrap.split(',').map(str::trim).peekable();
    addresses.peek().is_some_and(|first| !first.is_empty())
        && addresses.all(|address| {
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
            host.eq_ignore_ascii_case("localhost")
                || host == "[::1]"
                || host
                    .parse::<std::net::Ipv4Addr>()
                    .is_ok_and(|host| host.is_loopback())
        })
}
