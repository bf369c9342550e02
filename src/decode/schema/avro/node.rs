//! A schema as a list of nodes that name each other by number, so that types may contain themselves.

/// The number of a node.
pub(super) type NodeId = usize;

/// One type.
#[derive(Debug)]
pub(super) enum Node {
    Null,
    Boolean,
    Int(IntAs),
    Long(LongAs),
    Float,
    Double,
    Text,
    Bytes(BytesAs),
    Fixed {
        name: String,
        size: usize,
        shown: BytesAs,
    },
    Enum {
        name: String,
        symbols: Vec<String>,
    },
    Array(NodeId),
    Map(NodeId),
    Union {
        branches: Vec<Branch>,
        /// Whether values carry the name of their type, because two types look alike in JSON.
        named: bool,
    },
    Record {
        name: String,
        fields: Vec<Field>,
    },
    /// A name, as long as it is not known what it stands for.
    Named {
        name: String,
    },
}

/// What an int stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntAs {
    Number,
    Date,
    TimeOfDay,
}

/// What a long stands for; `digits` of a second's parts.
#[derive(Clone, Copy, Debug)]
pub(super) enum LongAs {
    Number,
    TimeOfDay,
    Instant { digits: u32 },
    Local { digits: u32 },
}

/// What bytes stand for.
#[derive(Clone, Copy, Debug)]
pub(super) enum BytesAs {
    Base64,
    Decimal {
        scale: i64,
    },
    /// Unscaled value and scale, both in the bytes.
    BigDecimal,
    /// 16 bytes.
    Uuid,
    /// 12 bytes.
    Duration,
}

/// A type of a union.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) node: NodeId,
    /// The type's name as a JSON string.
    pub(super) quoted: String,
}

/// A field of a record.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    /// The name as a JSON string.
    pub(super) quoted: String,
    pub(super) node: NodeId,
}

/// What a type looks like in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Node {
    /// What it looks like in JSON; `None` where only another node tells.
    pub(super) fn look(&self) -> Option<Look> {
        Some(match self {
            Self::Null => Look::Null,
            Self::Boolean => Look::Boolean,
            Self::Int(IntAs::Number)
            | Self::Long(LongAs::Number)
            | Self::Float
            | Self::Double
            | Self::Bytes(BytesAs::Decimal { .. } | BytesAs::BigDecimal)
            | Self::Fixed {
                shown: BytesAs::Decimal { .. } | BytesAs::BigDecimal,
                ..
            } => Look::Number,
            Self::Int(_)
            | Self::Long(_)
            | Self::Text
            | Self::Bytes(_)
            | Self::Fixed { .. }
            | Self::Enum { .. } => Look::String,
            Self::Array(_) => Look::Array,
            Self::Map(_) | Self::Record { .. } => Look::Object,
            Self::Union { .. } | Self::Named { .. } => return None,
        })
    }

    /// Its type's name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Int(_) => "int",
            Self::Long(_) => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Text => "string",
            Self::Bytes(_) => "bytes",
            Self::Array(_) => "array",
            Self::Map(_) => "map",
            Self::Union { .. } => "union",
            Self::Fixed { name, .. }
            | Self::Enum { name, .. }
            | Self::Record { name, .. }
            | Self::Named { name } => name,
        }
    }
}
