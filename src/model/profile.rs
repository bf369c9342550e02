//! How a cluster is reached, under a name, and what may be done there.

use super::Known;

/// A named connection. Holds no secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Addresses to try first, separated by commas.
    pub bootstrap: String,
    /// librdkafka properties that are no secrets, in the order given.
    pub properties: Vec<(String, String)>,
    /// Whether nothing may be changed over it until its owner unlocks it.
    pub read_only: bool,
    /// Whether the cluster is one that people depend on: changes are confirmed in full.
    pub production: bool,
    /// The id of the cluster that was reached with it last; `None` until then. Its locks hold for that cluster
    /// however it is reached.
    pub cluster_id: Option<String>,
    /// Where the same event is found in other tools: a name each, and an address with places in braces that a
    /// record fills.
    pub links: Vec<(String, String)>,
}

/// Whether `template` can be the address of a link: one that a browser opens and that runs nothing.
///
/// # Errors
/// Why not, as a phrase.
pub fn check_link(template: &str) -> Result<(), String> {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| template.strip_prefix(scheme));
    let Some(rest) = rest else {
        return Err("an address begins with https:// or http://".to_owned());
    };
    // What a record says must not decide where the address leads.
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || host.contains(['{', '}']) {
        return Err("the address names no host of its own".to_owned());
    }
    Ok(())
}

/// Where profiles are kept. Everything may wait for a disk.
pub trait Profiles: Send + Sync + std::fmt::Debug {
    /// All profiles, by name.
    ///
    /// # Errors
    /// They cannot be read.
    fn profiles(&self) -> Known<Vec<Profile>>;

    /// Keeps a profile, in place of the one of that name.
    ///
    /// # Errors
    /// It cannot be kept; the one of that name stays as it was.
    fn put_profile(&self, profile: &Profile) -> Known<()>;

    /// Forgets the profile of that name, if there is one.
    ///
    /// # Errors
    /// It cannot be forgotten.
    fn remove_profile(&self, name: &str) -> Known<()>;
}
