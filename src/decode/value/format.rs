//! The formats that bytes can be read as, and what they are called.

use std::fmt;

/// What bytes are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// There is nothing: null.
    Null,
    /// Of no length.
    Empty,
    /// JSON.
    Json,
    /// UTF-8 text.
    Text,
    /// Avro, with a schema from a registry or a chosen one.
    Avro,
    /// Protobuf, with a schema from a registry or a chosen one.
    Protobuf,
    /// JSON behind the number of its schema.
    JsonSchema,
    /// `MessagePack`.
    MessagePack,
    /// CBOR (RFC 8949).
    Cbor,
    /// XML.
    Xml,
    /// A `CloudEvent`: its attributes in headers, or all of it in the value.
    CloudEvent,
    /// A signed integer of 1, 2, 4 or 8 bytes, the most significant byte first.
    Integer,
    /// A signed integer of 1, 2, 4 or 8 bytes, the least significant byte first.
    IntegerLe,
    /// An unsigned integer of 1, 2, 4 or 8 bytes, the most significant byte first.
    Unsigned,
    /// An unsigned integer of 1, 2, 4 or 8 bytes, the least significant byte first.
    UnsignedLe,
    /// A floating-point number (IEEE 754) of 4 or 8 bytes, the most significant byte first.
    Float,
    /// A floating-point number (IEEE 754) of 4 or 8 bytes, the least significant byte first.
    FloatLe,
    /// A UUID, written out or as 16 bytes.
    Uuid,
    /// Base64, and what is in it.
    Base64,
    /// Compressed by gzip, and what is in it.
    Gzip,
    /// Compressed by zstd, and what is in it.
    Zstd,
    /// A dump of the bytes.
    Hex,
    /// What Kafka's groups write to `__consumer_offsets`.
    ConsumerOffsets,
    /// What Kafka's transactions write to `__transaction_state`.
    TransactionState,
    /// What Kafka's share groups write to `__share_group_state`.
    ShareGroupState,
}

impl Format {
    /// All that can be chosen, in the order in which they are offered: everything but null and empty.
    pub const ALL: [Self; 23] = [
        Self::Json,
        Self::Text,
        Self::Avro,
        Self::Protobuf,
        Self::JsonSchema,
        Self::MessagePack,
        Self::Cbor,
        Self::Xml,
        Self::CloudEvent,
        Self::Integer,
        Self::IntegerLe,
        Self::Unsigned,
        Self::UnsignedLe,
        Self::Float,
        Self::FloatLe,
        Self::Uuid,
        Self::Base64,
        Self::Gzip,
        Self::Zstd,
        Self::Hex,
        Self::ConsumerOffsets,
        Self::TransactionState,
        Self::ShareGroupState,
    ];

    /// Its name for scripts and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Empty => "empty",
            Self::Json => "json",
            Self::Text => "text",
            Self::Avro => "avro",
            Self::Protobuf => "protobuf",
            Self::JsonSchema => "json-schema",
            Self::MessagePack => "messagepack",
            Self::Cbor => "cbor",
            Self::Xml => "xml",
            Self::CloudEvent => "cloudevent",
            Self::Integer => "int",
            Self::IntegerLe => "int-le",
            Self::Unsigned => "uint",
            Self::UnsignedLe => "uint-le",
            Self::Float => "float",
            Self::FloatLe => "float-le",
            Self::Uuid => "uuid",
            Self::Base64 => "base64",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Hex => "hex",
            Self::ConsumerOffsets => "consumer-offsets",
            Self::TransactionState => "transaction-state",
            Self::ShareGroupState => "share-group-state",
        }
    }

    /// The format of this name, which [`Format::name`] gives it.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = Self::ALL.into_iter().chain([Self::Null, Self::Empty]);
        all.into_iter().find(|format| format.name() == name)
    }

    /// What people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Empty => "empty",
            Self::Json => "JSON",
            Self::Text => "text",
            Self::Avro => "Avro",
            Self::Protobuf => "Protobuf",
            Self::JsonSchema => "JSON Schema",
            Self::MessagePack => "MessagePack",
            Self::Cbor => "CBOR",
            Self::Xml => "XML",
            Self::CloudEvent => "CloudEvent",
            Self::Integer => "integer",
            Self::IntegerLe => "integer, little-endian",
            Self::Unsigned => "unsigned integer",
            Self::UnsignedLe => "unsigned integer, little-endian",
            Self::Float => "float",
            Self::FloatLe => "float, little-endian",
            Self::Uuid => "UUID",
            Self::Base64 => "base64",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Hex => "hex dump",
            Self::ConsumerOffsets => "__consumer_offsets",
            Self::TransactionState => "__transaction_state",
            Self::ShareGroupState => "__share_group_state",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
