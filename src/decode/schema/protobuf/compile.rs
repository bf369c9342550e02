//! From a schema's text, or a set of descriptors, to descriptors that are linked.
//!
//! Options and extensions are left out before anything is linked: reading needs none of them, they may come from files
//! that nobody has, and the linker's care for them ends in panics. So an import that only options need may be
//! missing; one that a type needs is named.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::prost::Message as _;
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MessageOptions,
};
use prost_reflect::{DescriptorPool, FileDescriptor, Kind, MessageDescriptor};
use protox::file::File;

use super::Protobuf;

/// Brackets may be nested as deep as this in a text.
const MOST_NESTED: usize = 200;
/// No more messages are named in a sentence than these.
const MOST_NAMED: usize = 8;
/// What Confluent's serializers know without being told.
const CONFLUENT_DECIMAL: &str = "syntax = \"proto3\"; package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }";

type Files = BTreeMap<String, FileDescriptorProto>;

pub(super) fn from_text(text: &str, references: &[(String, String)]) -> Result<Protobuf, String> {
    let mut name = "schema.proto".to_owned();
    while references.iter().any(|(known, _)| *known == name) {
        name.insert(0, '_');
    }
    let mut files = Files::new();
    files.insert(name.clone(), parse(&name, text)?);
    for (name, text) in references {
        let file = parse(name, text).map_err(|error| format!("{name}: {error}"))?;
        files.insert(name.clone(), file);
    }
    let file = linked(files)?
        .get_file_by_name(&name)
        .ok_or("the file is empty")?;
    let usual = usual(std::slice::from_ref(&file));
    Ok(Protobuf {
        file,
        usual,
        is_named: false,
    })
}

pub(super) fn from_descriptors(bytes: &[u8], message: Option<&str>) -> Result<Protobuf, String> {
    let set = FileDescriptorSet::decode(bytes)
        .map_err(|error| format!("it is no set of descriptors ({error})"))?;
    // A compiler writes what is imported before what imports it.
    let last = set.file.last().map(|file| file.name().to_owned());
    let last = last.ok_or("the set of descriptors is empty")?;
    let imported: BTreeSet<String> = set
        .file
        .iter()
        .flat_map(|file| file.dependency.iter().cloned())
        .collect();
    let own: Vec<String> = set
        .file
        .iter()
        .map(|file| file.name().to_owned())
        .filter(|name| !imported.contains(name))
        .collect();
    let files = set.file.into_iter();
    let files = files.map(|file| (file.name().to_owned(), file)).collect();
    let pool = linked(files)?;
    let file = pool
        .get_file_by_name(&last)
        .ok_or("the set of descriptors is empty")?;
    let own = own.iter().filter_map(|name| pool.get_file_by_name(name));
    let usual = usual(&own.collect::<Vec<_>>());
    let schema = Protobuf {
        file,
        usual,
        is_named: false,
    };
    match message {
        Some(name) => schema.with_message(name),
        None => Ok(schema),
    }
}

fn parse(name: &str, text: &str) -> Result<FileDescriptorProto, String> {
    if is_too_nested(text) {
        return Err(format!("brackets are nested deeper than {MOST_NESTED}"));
    }
    match File::from_source(name, text) {
        Ok(file) => Ok(file.file_descriptor_proto().clone()),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// Whether brackets are nested so deeply that whoever follows them might run out of stack.
fn is_too_nested(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => {
                chars.by_ref().take_while(|c| *c != '\n').for_each(drop);
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut before = ' ';
                for c in chars.by_ref().skip(1) {
                    if (before, c) == ('*', '/') {
                        break;
                    }
                    before = c;
                }
            }
            '"' | '\'' => {
                while let Some(inner) = chars.next() {
                    match inner {
                        '\\' => drop(chars.next()),
                        inner if inner == c || inner == '\n' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' | '(' | '<' => depth = depth.saturating_add(1),
            '}' | ']' | ')' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_NESTED {
            return true;
        }
    }
    false
}

/// Links files, with those that everybody has and without options. Each may use what any of them defines: the linker
/// follows imports without an end when they go round in circles.
fn linked(mut files: Files) -> Result<DescriptorPool, String> {
    let missing = complete(&mut files)?;
    let names: Vec<String> = files.keys().cloned().collect();
    for (name, file) in &mut files {
        // The linker panics on another one.
        if !matches!(file.syntax(), "" | "proto2" | "proto3") {
            let syntax = file.syntax();
            return Err(format!(
                "{name} is written in the syntax “{syntax}”, which is not supported"
            ));
        }
        let others = names.iter().filter(|other| *other != name);
        file.dependency = others.cloned().collect();
        file.public_dependency.clear();
        file.weak_dependency.clear();
        without_options(file);
    }
    let mut pool = DescriptorPool::new();
    match pool.add_file_descriptor_protos(files.into_values()) {
        Ok(()) => Ok(pool),
        Err(error) if missing.is_empty() => Err(format!("{error}")),
        Err(error) => {
            let missing = missing.join(", ");
            Err(format!(
                "{error}, and what it imports is not there: {missing}"
            ))
        }
    }
}

/// Adds what everybody has as far as it is imported, and returns the imports that are not there.
fn complete(files: &mut Files) -> Result<Vec<String>, String> {
    let known = DescriptorPool::global();
    let mut missing = BTreeSet::new();
    let imports = files.values().flat_map(|file| file.dependency.iter());
    let mut open: Vec<String> = imports.cloned().collect();
    while let Some(name) = open.pop() {
        if files.contains_key(&name) || missing.contains(&name) {
            continue;
        }
        let file = match known.get_file_by_name(&name) {
            Some(file) => file.file_descriptor_proto().clone(),
            None if name == "confluent/type/decimal.proto" => parse(&name, CONFLUENT_DECIMAL)?,
            None => {
                missing.insert(name);
                continue;
            }
        };
        open.extend(file.dependency.iter().cloned());
        files.insert(name, file);
    }
    Ok(missing.into_iter().collect())
}

/// Leaves only what reading needs: messages, their fields, and enums.
fn without_options(file: &mut FileDescriptorProto) {
    file.options = None;
    file.source_code_info = None;
    file.service.clear();
    file.extension.clear();
    file.message_type.iter_mut().for_each(of_message);
    file.enum_type.iter_mut().for_each(of_enum);
}

fn of_message(message: &mut DescriptorProto) {
    let is_map = message
        .options
        .as_ref()
        .and_then(|options| options.map_entry);
    message.options = is_map.map(|is_map| MessageOptions {
        map_entry: Some(is_map),
        ..MessageOptions::default()
    });
    message.field.iter_mut().for_each(of_field);
    message.enum_type.iter_mut().for_each(of_enum);
    for oneof in &mut message.oneof_decl {
        oneof.options = None;
    }
    message.extension.clear();
    message.extension_range.clear();
    message.reserved_range.clear();
    message.reserved_name.clear();
    message.nested_type.iter_mut().for_each(of_message);
}

fn of_enum(symbols: &mut EnumDescriptorProto) {
    // Two names for one number are an option; the first is the one that is shown.
    let mut numbers = BTreeSet::new();
    symbols
        .value
        .retain(|symbol| numbers.insert(symbol.number()));
    symbols.options = None;
    symbols.reserved_range.clear();
    symbols.reserved_name.clear();
    for symbol in &mut symbols.value {
        symbol.options = None;
    }
}

fn of_field(field: &mut FieldDescriptorProto) {
    field.options = None;
    // A default may be the second name of a number; only what is in the bytes is shown anyway.
    field.default_value = None;
}

/// The one message of `files` that no other of them contains.
fn usual(files: &[FileDescriptor]) -> Result<MessageDescriptor, String> {
    let mut used = BTreeSet::new();
    let mut open: Vec<MessageDescriptor> =
        files.iter().flat_map(FileDescriptor::messages).collect();
    while let Some(message) = open.pop() {
        for field in message.fields() {
            match field.kind() {
                Kind::Message(inner) if inner.full_name() != message.full_name() => {
                    used.insert(inner.full_name().to_owned());
                }
                _ => {}
            }
        }
        open.extend(message.child_messages());
    }
    let all: Vec<MessageDescriptor> = files.iter().flat_map(FileDescriptor::messages).collect();
    let outer: Vec<&MessageDescriptor> = all
        .iter()
        .filter(|message| !used.contains(message.full_name()))
        .collect();
    match (&outer[..], &all[..]) {
        ([one], _) => Ok((*one).clone()),
        (_, [one]) => Ok(one.clone()),
        (_, []) => Err("the schema has no message".to_owned()),
        _ => {
            let names = all
                .iter()
                .take(MOST_NAMED)
                .map(MessageDescriptor::full_name);
            let names: Vec<&str> = names.collect();
            let more = if all.len() > MOST_NAMED { ", …" } else { "" };
            Err(format!(
                "the schema has several messages ({}{more}), and nothing says which of them this is",
                names.join(", ")
            ))
        }
    }
}
