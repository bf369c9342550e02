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
}

/// Whether a setting of the bus's client is by its name one whose value is a secret, which no profile holds.
pub fn means_secret(setting: &str) -> bool {
    const WHOLE: [&str; 5] = [
        "basic.auth.user.info",
        "sasl.oauthbearer.config",
        "ssl.key.pem",
        "ssl.keystore.key",
        "ssl_key",
    ];
    const PARTS: [&str; 6] = [
        "password",
        "passphrase",
        "secret",
        "credential",
        "jaas",
        "private",
    ];
    let name = setting.trim().to_lowercase();
    WHOLE.contains(&name.as_str())
        || PARTS.iter().any(|part| name.contains(part))
        // An address at which tokens are to be had is none.
        || (name.contains("token") && !name.ends_with(".url"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known() {
        for name in [
            "sasl.password",
            "SASL.Password",
            "ssl.key.password",
            "ssl.truststore.password",
            "sasl.jaas.config",
            "sasl.oauthbearer.client.secret",
            "sasl.oauthbearer.config",
            "basic.auth.user.info",
            "ssl.key.pem",
            "ssl.keystore.key",
        ] {
            assert!(means_secret(name), "{name}");
        }
        for name in [
            "sasl.username",
            "sasl.mechanism",
            "security.protocol",
            "ssl.ca.location",
            "ssl.key.location",
            "sasl.oauthbearer.token.endpoint.url",
        ] {
            assert!(!means_secret(name), "{name}");
        }
    }
}
