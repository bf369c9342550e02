//! Text that a bus calls a string and that may be any bytes.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use base64::Engine as _;

/// A group's name, a member's id, a header's name, a commit's metadata: text by custom, bytes in fact.
/// Ordered by its bytes. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<[u8]>);

impl Text {
    /// The text with these bytes, whatever they are.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// The bytes as they came.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, when it is valid UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Something to show: the text, with U+FFFD in place of what is not UTF-8.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.lossy())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.lossy(), f)
    }
}

/// As a string when it is valid UTF-8, else as `{"base64":"…"}`.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.as_str() {
            return serializer.serialize_str(text);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("base64", &base64::prelude::BASE64_STANDARD.encode(&self.0))?;
        map.end()
    }
}

/// A word as a POSIX shell takes it, whatever is in it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_text_is_written_as_a_string() {
        let json = serde_json::to_string(&Text::from("群组-1")).unwrap();
        assert_eq!(json, "\"群组-1\"");
    }

    #[test]
    fn other_bytes_are_written_in_base64_and_shown_with_replacement() {
        let text = Text::from_bytes(&[0xff, b'a']);
        assert_eq!(
            serde_json::to_string(&text).unwrap(),
            "{\"base64\":\"/2E=\"}"
        );
        assert_eq!(text.to_string(), "\u{fffd}a");
        assert_eq!(text.as_str(), None);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_word("billing-1"), "billing-1");
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("群/#@%"), "'群/#@%'");
    }
}
