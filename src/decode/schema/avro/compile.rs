//! From a schema's text to its nodes.
//!
//! Only what reading needs is looked at, and only what makes reading impossible is refused: defaults, aliases and
//! the letters of names are the writer's business.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::decode::schema::out::quoted;

use super::Avro;
use super::node::{Branch, BytesAs, Field, IntAs, LongAs, Look, Node, NodeId};

/// No schema has more types than these.
const MOST_NODES: usize = 200_000;

/// The nodes of `text` and of what it refers to.
pub(super) fn compile(text: &str, references: &[(String, String)]) -> Result<Avro, String> {
    let mut compiler = Compiler::default();
    for (name, text) in references {
        let value = parse(text).map_err(|error| format!("what {name} refers to: {error}"))?;
        compiler
            .node(&value, "")
            .map_err(|error| format!("what {name} refers to: {error}"))?;
    }
    let root = compiler.node(&parse(text)?, "")?;
    let found = compiler.found()?;
    let root = found.get(&root).copied().unwrap_or(root);
    compiler.link(&found);
    compiler.name_branches();
    let what = compiler.nodes.get(root).map_or("", Node::name).to_owned();
    Ok(Avro {
        what,
        root,
        nodes: compiler.nodes,
    })
}

/// A schema may be nothing but the name of a type, which registries also keep without quotes.
fn parse(text: &str) -> Result<Value, String> {
    let trimmed = text.trim();
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    if trimmed.starts_with(|c: char| c.is_ascii_alphabetic()) && trimmed.chars().all(is_bare) {
        return Ok(Value::String(trimmed.to_owned()));
    }
    serde_json::from_str(text).map_err(|error| format!("it is no JSON ({error})"))
}

#[derive(Default)]
struct Compiler {
    nodes: Vec<Node>,
    /// Records, enums and fixed types by their full names.
    names: HashMap<String, NodeId>,
    /// Names that are looked up at last, with the namespace around them.
    open: Vec<(NodeId, String)>,
}

impl Compiler {
    fn add(&mut self, node: Node) -> Result<NodeId, String> {
        let id = self.nodes.len();
        if id >= MOST_NODES {
            return Err(format!("it has more than {MOST_NODES} types"));
        }
        self.nodes.push(node);
        Ok(id)
    }

    fn node(&mut self, value: &Value, namespace: &str) -> Result<NodeId, String> {
        match value {
            Value::String(name) => self.by_name(name, namespace),
            Value::Array(types) => self.union(types, namespace),
            Value::Object(object) => self.object(object, namespace),
            _ => Err("a type is neither a name, a list nor an object".to_owned()),
        }
    }

    fn by_name(&mut self, name: &str, namespace: &str) -> Result<NodeId, String> {
        if let Some(node) = primitive(name) {
            return self.add(node);
        }
        let id = self.add(Node::Named {
            name: name.to_owned(),
        })?;
        self.open.push((id, namespace.to_owned()));
        Ok(id)
    }

    fn union(&mut self, types: &[Value], namespace: &str) -> Result<NodeId, String> {
        let mut branches = Vec::with_capacity(types.len());
        for kind in types {
            let node = self.node(kind, namespace)?;
            branches.push(Branch {
                node,
                quoted: String::new(),
            });
        }
        self.add(Node::Union {
            branches,
            named: false,
        })
    }

    fn object(&mut self, object: &Map<String, Value>, namespace: &str) -> Result<NodeId, String> {
        let kind = object
            .get("type")
            .ok_or_else(|| "a type is an object without “type”".to_owned())?;
        let Value::String(kind) = kind else {
            return self.node(kind, namespace);
        };
        let logical = object.get("logicalType").and_then(Value::as_str);
        match kind.as_str() {
            "record" | "error" => self.record(object, namespace),
            "enum" => self.symbols(object, namespace),
            "fixed" => self.fixed(object, logical, namespace),
            "array" => {
                let items = inner(object, "array", "items")?;
                let items = self.node(items, namespace)?;
                self.add(Node::Array(items))
            }
            "map" => {
                let values = inner(object, "map", "values")?;
                let values = self.node(values, namespace)?;
                self.add(Node::Map(values))
            }
            name => match (primitive(name), logical) {
                (Some(node), Some(logical)) => self.add(logically(node, logical, object)),
                _ => self.by_name(name, namespace),
            },
        }
    }

    /// Adds a node that has a name, before what is in it, so that it may contain itself.
    fn named(&mut self, name: String, node: Node) -> Result<NodeId, String> {
        let id = self.add(node)?;
        self.names.insert(name, id);
        Ok(id)
    }

    fn record(&mut self, object: &Map<String, Value>, namespace: &str) -> Result<NodeId, String> {
        let (name, namespace) = full_name(object, namespace, "record")?;
        let listed = object
            .get("fields")
            .and_then(Value::as_array)
            .ok_or_else(|| format!("the record {name} has no “fields”"))?;
        let node = Node::Record {
            name: name.clone(),
            fields: Vec::new(),
        };
        let id = self.named(name.clone(), node)?;
        let mut read = Vec::with_capacity(listed.len());
        for field in listed {
            let field_name = field.get("name").and_then(Value::as_str);
            let field_name =
                field_name.ok_or_else(|| format!("a field of {name} has no “name”"))?;
            let kind = field
                .get("type")
                .ok_or_else(|| format!("the field {name}.{field_name} has no “type”"))?;
            let node = self
                .node(kind, &namespace)
                .map_err(|error| format!("{field_name}: {error}"))?;
            read.push(Field {
                name: field_name.to_owned(),
                quoted: quoted(field_name),
                node,
            });
        }
        if let Some(Node::Record { fields, .. }) = self.nodes.get_mut(id) {
            *fields = read;
        }
        Ok(id)
    }

    fn symbols(&mut self, object: &Map<String, Value>, namespace: &str) -> Result<NodeId, String> {
        let (name, _) = full_name(object, namespace, "enum")?;
        let symbols = object.get("symbols").and_then(Value::as_array);
        let symbols = symbols.ok_or_else(|| format!("the enum {name} has no “symbols”"))?;
        let symbols: Option<Vec<String>> = symbols
            .iter()
            .map(|symbol| symbol.as_str().map(str::to_owned))
            .collect();
        let symbols = symbols.ok_or_else(|| format!("a symbol of the enum {name} is no text"))?;
        let node = Node::Enum {
            name: name.clone(),
            symbols,
        };
        self.named(name, node)
    }

    fn fixed(
        &mut self,
        object: &Map<String, Value>,
        logical: Option<&str>,
        namespace: &str,
    ) -> Result<NodeId, String> {
        let (name, _) = full_name(object, namespace, "fixed")?;
        let size = object.get("size").and_then(Value::as_u64);
        let size = size.and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or_else(|| format!("the fixed type {name} has no “size”"))?;
        let shown = match (logical, size) {
            (Some("decimal"), _) => decimal(object),
            (Some("uuid"), 16) => BytesAs::Uuid,
            (Some("duration"), 12) => BytesAs::Duration,
            _ => BytesAs::Base64,
        };
        let node = Node::Fixed {
            name: name.clone(),
            size,
            shown,
        };
        self.named(name, node)
    }

    /// What names stand for: in the namespace around them, else as they are.
    fn found(&mut self) -> Result<HashMap<NodeId, NodeId>, String> {
        let mut all = HashMap::new();
        for (id, namespace) in std::mem::take(&mut self.open) {
            let Some(Node::Named { name }) = self.nodes.get(id) else {
                continue;
            };
            let within = if name.contains('.') || namespace.is_empty() {
                None
            } else {
                self.names.get(&format!("{namespace}.{name}"))
            };
            let Some(found) = within.or_else(|| self.names.get(name.as_str())) else {
                return Err(format!("the type {name} is nowhere defined"));
            };
            all.insert(id, *found);
        }
        Ok(all)
    }

    /// Puts what names stand for in their places.
    fn link(&mut self, found: &HashMap<NodeId, NodeId>) {
        let real = |id: &mut NodeId| *id = found.get(id).copied().unwrap_or(*id);
        for node in &mut self.nodes {
            match node {
                Node::Array(inner) | Node::Map(inner) => real(inner),
                Node::Union { branches, .. } => {
                    for branch in branches {
                        real(&mut branch.node);
                    }
                }
                Node::Record { fields, .. } => {
                    for field in fields {
                        real(&mut field.node);
                    }
                }
                _ => {}
            }
        }
    }

    /// Decides for each union whether its values need the names of their types.
    fn name_branches(&mut self) {
        for id in 0..self.nodes.len() {
            let Some(Node::Union { branches, .. }) = self.nodes.get(id) else {
                continue;
            };
            let types: Vec<Option<&Node>> = branches
                .iter()
                .map(|branch| self.nodes.get(branch.node))
                .collect();
            let names: Vec<String> = types
                .iter()
                .map(|node| quoted(node.map_or("", Node::name)))
                .collect();
            let mut looks: Vec<Look> = Vec::new();
            let mut alike = false;
            for node in types.into_iter().flatten() {
                let look = node.look().unwrap_or(Look::Object);
                alike |= look != Look::Null && looks.contains(&look);
                looks.push(look);
            }
            if let Some(Node::Union { branches, named }) = self.nodes.get_mut(id) {
                *named = alike;
                for (branch, quoted) in branches.iter_mut().zip(names) {
                    branch.quoted = quoted;
                }
            }
        }
    }
}

fn inner<'a>(object: &'a Map<String, Value>, kind: &str, key: &str) -> Result<&'a Value, String> {
    object
        .get(key)
        .ok_or_else(|| format!("a type “{kind}” has no “{key}”"))
}

fn primitive(name: &str) -> Option<Node> {
    Some(match name {
        "null" => Node::Null,
        "boolean" => Node::Boolean,
        "int" => Node::Int(IntAs::Number),
        "long" => Node::Long(LongAs::Number),
        "float" => Node::Float,
        "double" => Node::Double,
        "bytes" => Node::Bytes(BytesAs::Base64),
        "string" => Node::Text,
        _ => return None,
    })
}

/// What a primitive type stands for. A logical type that does not fit is passed over, as Avro wants it.
fn logically(node: Node, logical: &str, object: &Map<String, Value>) -> Node {
    let long = match logical {
        "time-micros" => Some(LongAs::TimeOfDay),
        "timestamp-millis" => Some(LongAs::Instant { digits: 3 }),
        "timestamp-micros" => Some(LongAs::Instant { digits: 6 }),
        "timestamp-nanos" => Some(LongAs::Instant { digits: 9 }),
        "local-timestamp-millis" => Some(LongAs::Local { digits: 3 }),
        "local-timestamp-micros" => Some(LongAs::Local { digits: 6 }),
        "local-timestamp-nanos" => Some(LongAs::Local { digits: 9 }),
        _ => None,
    };
    match (node, logical, long) {
        (Node::Int(_), "date", _) => Node::Int(IntAs::Date),
        (Node::Int(_), "time-millis", _) => Node::Int(IntAs::TimeOfDay),
        (Node::Long(_), _, Some(long)) => Node::Long(long),
        (Node::Bytes(_), "decimal", _) => Node::Bytes(decimal(object)),
        (Node::Bytes(_), "big-decimal", _) => Node::Bytes(BytesAs::BigDecimal),
        (Node::Bytes(_), "uuid", _) => Node::Bytes(BytesAs::Uuid),
        (node, ..) => node,
    }
}

/// How a decimal is shown. Without a sound scale it is none.
fn decimal(object: &Map<String, Value>) -> BytesAs {
    let whole = |key: &str| object.get(key).and_then(Value::as_i64);
    let scale = match object.get("scale") {
        None => Some(0),
        Some(_) => whole("scale"),
    };
    match (whole("precision"), scale) {
        (Some(1..), Some(scale @ 0..)) => BytesAs::Decimal { scale },
        _ => BytesAs::Base64,
    }
}

/// The full name of what is defined here, and the namespace of what stands in it.
fn full_name(
    object: &Map<String, Value>,
    namespace: &str,
    kind: &str,
) -> Result<(String, String), String> {
    let name = object.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| format!("a type “{kind}” has no “name”"))?;
    if let Some((within, _)) = name.rsplit_once('.') {
        return Ok((name.to_owned(), within.to_owned()));
    }
    let own = object.get("namespace").and_then(Value::as_str);
    let namespace = own.unwrap_or(namespace);
    let full = if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}.{name}")
    };
    Ok((full, namespace.to_owned()))
}
