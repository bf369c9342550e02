//! What is needed to reach a bus.

use std::fmt;
use std::path::PathBuf;

/// How to reach a bus. Its values may be secret: they are never shown, not even by `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// The addresses to try first, `host:port` separated by commas; empty when a setting names them.
    pub bootstrap: String,
    /// The text of a client configuration file, if one was given: Java properties or librdkafka's own form.
    pub config_text: Option<String>,
    /// What that file is called, for messages about it; `None` for a text that was written down.
    pub config_path: Option<String>,
    /// Settings by the bus client's own names; they win over the file's.
    pub properties: Vec<(String, String)>,
    /// The name of the profile that they come from; `None` for addresses given by hand.
    pub profile: Option<String>,
    /// Files with the schemas of topics' values, by topic. A registry is named among the settings, as
    /// `schema.registry.url`.
    pub schema_files: Vec<(String, PathBuf)>,
}

impl ConnectionSettings {
    /// Settings that name nothing but addresses.
    pub fn to(bootstrap: impl Into<String>) -> Self {
        Self {
            bootstrap: bootstrap.into(),
            ..Self::default()
        }
    }
}

impl fmt::Debug for ConnectionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .properties
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        f.debug_struct("ConnectionSettings")
            .field("bootstrap", &self.bootstrap)
            .field("config_text", &self.config_text.as_ref().map(|_| "…"))
            .field("config_path", &self.config_path)
            .field("properties", &names)
            .field("profile", &self.profile)
            .field("schema_files", &self.schema_files)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_holds_no_value() {
        let settings = ConnectionSettings {
            bootstrap: "kafka:9093".into(),
            config_text: Some("sasl.password=hunter2".into()),
            config_path: Some("client.properties".into()),
            properties: vec![("sasl.password".into(), "hunter2".into())],
            ..ConnectionSettings::default()
        };
        let text = format!("{settings:?}");
        assert!(
            text.contains("kafka:9093") && text.contains("sasl.password"),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}
