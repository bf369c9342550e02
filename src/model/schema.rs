//! Schemas as a registry keeps them: texts that nobody has understood yet.

/// The language that a schema is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemaKind {
    /// Apache Avro.
    Avro,
    /// Protocol Buffers.
    Protobuf,
    /// JSON Schema.
    Json,
}

impl SchemaKind {
    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avro => "Avro",
            Self::Protobuf => "Protobuf",
            Self::Json => "JSON Schema",
        }
    }
}

/// A schema's text with the texts that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaText {
    /// The language.
    pub kind: SchemaKind,
    /// The text.
    pub text: String,
    /// What it refers to, directly and indirectly: the name by which it does, and the text. Each name once, and what
    /// a text refers to before that text.
    pub references: Vec<(String, String)>,
}
