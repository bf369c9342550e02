//! Holds the arrows between the layers: reads the sources and finds whoever reaches where it may not.
#![cfg(test)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every layer with those that it may use.
const LAYERS: [(&str, &[&str]); 9] = [
    ("model", &[]),
    ("bus", &["model"]),
    ("store", &["model"]),
    ("decode", &["model", "bus"]),
    ("inspect", &["model", "bus", "decode"]),
    ("rewind", &["model", "decode", "inspect"]),
    (
        "engine",
        &["model", "bus", "store", "decode", "inspect", "rewind"],
    ),
    ("cli", &["model", "decode", "inspect", "rewind", "engine"]),
    ("ui", &["model", "decode", "inspect", "rewind", "engine"]),
];

/// Outside crates with the layers that alone may use them.
const CRATES: [(&str, &[&str]); 11] = [
    ("egui", &["ui"]),
    ("egui_plot", &["ui"]),
    ("eframe", &["ui"]),
    ("egui_extras", &["ui"]),
    ("rdkafka", &["bus"]),
    ("rdkafka_sys", &["bus"]),
    ("kafka_protocol", &["bus"]),
    ("ureq", &["bus"]),
    ("rusqlite", &["store"]),
    ("tokio", &["bus", "engine"]),
    ("tokio_util", &["bus", "engine"]),
];

/// Only these layers know about asynchronous code.
const ASYNC_LAYERS: [&str; 2] = ["bus", "engine"];

/// The one place for `unsafe`.
const UNSAFE: &str = "bus/kafka/ffi";

const MOST_LINES: usize = 600;

#[test]
fn no_layer_reaches_where_it_may_not() {
    let mut found = Vec::new();
    for file in sources("src") {
        let name = file.strip_prefix("src").unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        found.extend(
            violations(name, &text)
                .into_iter()
                .map(|violation| format!("src/{name}:{violation}")),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_folder_is_a_layer_that_this_test_knows() {
    let folders: BTreeSet<String> = std::fs::read_dir("src")
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let known: BTreeSet<String> = LAYERS
        .iter()
        .map(|(layer, _)| (*layer).to_owned())
        .collect();
    assert_eq!(folders, known);
}

#[test]
fn every_file_has_one_subject_and_so_is_short() {
    let long: Vec<String> = sources("src")
        .into_iter()
        .chain(sources("tests"))
        .filter_map(|file| {
            let lines = std::fs::read_to_string(&file).unwrap().lines().count();
            (lines > MOST_LINES).then(|| format!("{}: {lines} lines", file.display()))
        })
        .collect();
    assert!(
        long.is_empty(),
        "longer than {MOST_LINES} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn made_up_violations_are_found() {
    let cases = [
        (
            "model/topic.rs",
            "use crate::bus::Bus;",
            "1: model uses crate::bus",
        ),
        (
            "bus/mod.rs",
            "\nfn f() -> crate::engine::Engine { todo() }",
            "2: bus uses crate::engine",
        ),
        (
            "cli/mod.rs",
            "use crate::{engine::Engine, bus::{Bus, kafka}, model};",
            "1: cli uses crate::bus",
        ),
        (
            "ui/lanes/paint.rs",
            "use super::super::super::bus::Bus;",
            "1: ui uses crate::bus",
        ),
        (
            "decode/json.rs",
            "mod tests { use super::super::super::ui; }",
            "1: decode uses crate::ui",
        ),
        (
            "ui/mod.rs",
            "use crate::cli::Args;",
            "1: ui uses crate::cli",
        ),
        (
            "inspect/mod.rs",
            "use crate::store::Store;",
            "1: inspect uses crate::store",
        ),
        (
            "engine/mod.rs",
            "fn f(ctx: &egui::Context) {}",
            "1: engine uses egui",
        ),
        ("main.rs", "use eframe;", "1: root uses eframe"),
        (
            "store/mod.rs",
            "use super::bus::Bus;",
            "1: store uses crate::bus",
        ),
        (
            "engine/memory.rs",
            "use rusqlite::Connection;",
            "1: engine uses rusqlite",
        ),
        (
            "engine/mod.rs",
            "use rdkafka::{Message, Offset};",
            "1: engine uses rdkafka",
        ),
        ("ui/mod.rs", "use tokio::sync::mpsc;", "1: ui uses tokio"),
        (
            "inspect/lag.rs",
            "pub async fn f() {}",
            "1: inspect is asynchronous",
        ),
        ("cli/mod.rs", "f().await", "1: cli is asynchronous"),
        (
            "bus/kafka/client.rs",
            "unsafe { f() }",
            "1: unsafe outside src/bus/kafka/ffi",
        ),
    ];
    for (file, text, expected) in cases {
        assert_eq!(violations(file, text), [expected], "{file}: {text}");
    }
}

#[test]
fn what_only_looks_like_a_violation_is_left_alone() {
    let cases = [
        (
            "model/topic.rs",
            "// use crate::bus::Bus;\n/* unsafe /* async */ crate::ui */\n/// [`crate::engine`]\nstruct A;",
        ),
        (
            "model/topic.rs",
            r##"const A: &str = "crate::bus \" async"; const B: &str = r#"unsafe " egui::"#; const C: char = '"';"##,
        ),
        (
            "model/topic.rs",
            "use super::time::Clock; fn f<'a>(x: &'a str) { x.tokio::<A>() }",
        ),
        (
            "model/time.rs",
            "mod tests { use super::*; use super::super::Topic; use crate::model; }",
        ),
        (
            "engine/mod.rs",
            "async fn f(bus: &dyn crate::bus::Bus) { tokio::task::yield_now().await }",
        ),
        ("bus/kafka/ffi/mod.rs", "unsafe { rdkafka::bindings::f() }"),
        (
            "ui/mod.rs",
            "use crate::engine::{self, ui as other}; fn f(egui: u8) { egui::Context::default(); }",
        ),
        ("main.rs", "use tideline::{cli, ui};"),
    ];
    for (file, text) in cases {
        assert_eq!(
            violations(file, text),
            Vec::<String>::new(),
            "{file}: {text}"
        );
    }
}

fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `file` is relative to `src`. Each violation is `LINE: what`.
fn violations(file: &str, text: &str) -> Vec<String> {
    let words = words_of(text);
    let module = module_of(file);
    let layer = if module.is_empty() {
        "root"
    } else {
        module[0].as_str()
    };
    let mut found = Vec::new();
    for (line, target) in own_paths(&words, &module) {
        let allowed = LAYERS
            .iter()
            .find(|(name, _)| *name == layer)
            .map_or(&[][..], |(_, allowed)| allowed);
        if layer != "root" && target != layer && !allowed.contains(&target.as_str()) {
            found.push(format!("{line}: {layer} uses crate::{target}"));
        }
    }
    for (at, (line, word)) in words.iter().enumerate() {
        let before = at
            .checked_sub(1)
            .map_or("", |before| words[before].1.as_str());
        let after = words.get(at + 1).map_or("", |(_, word)| word.as_str());
        let starts_path =
            !matches!(before, "::" | ".") && (after == "::" || matches!(before, "use" | "crate"));
        if let Some((name, layers)) = CRATES.iter().find(|(name, _)| name == word)
            && starts_path
            && !layers.contains(&layer)
        {
            found.push(format!("{line}: {layer} uses {name}"));
        }
        if matches!(word.as_str(), "async" | "await") && !ASYNC_LAYERS.contains(&layer) {
            found.push(format!("{line}: {layer} is asynchronous"));
        }
        if word == "unsafe" && !file.starts_with(UNSAFE) {
            found.push(format!("{line}: unsafe outside src/{UNSAFE}"));
        }
    }
    found
}

/// `bus/kafka/mod.rs` is the module `bus::kafka`.
fn module_of(file: &str) -> Vec<String> {
    let path = Path::new(file).with_extension("");
    let mut module: Vec<String> = path
        .iter()
        .map(|part| part.to_str().unwrap().to_owned())
        .collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

/// The first part below the crate's root of every path that starts with `crate` or climbs by `super`, with its line.
fn own_paths(words: &[(usize, String)], module: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut module = module.to_vec();
    let mut inner: Vec<usize> = Vec::new();
    let mut depth = 0;
    let word = |at: usize| words.get(at).map_or("", |(_, word)| word.as_str());
    let mut at = 0;
    while at < words.len() {
        match word(at) {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if inner.last() == Some(&depth) {
                    inner.pop();
                    module.pop();
                }
            }
            "mod" if word(at + 2) == "{" => {
                inner.push(depth);
                module.push(word(at + 1).to_owned());
            }
            start @ ("crate" | "super") if word(at + 1) == "::" => {
                let mut here = if start == "crate" {
                    Vec::new()
                } else {
                    module[..module.len().saturating_sub(1)].to_vec()
                };
                at += 2;
                while word(at) == "super" && word(at + 1) == "::" {
                    here.pop();
                    at += 2;
                }
                let line = words.get(at).map_or(0, |(line, _)| *line);
                match here.first() {
                    Some(layer) => found.push((line, layer.clone())),
                    None => found.extend(
                        first_parts(&words[at..])
                            .into_iter()
                            .map(|part| (line, part)),
                    ),
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Of `a::b` that is `a`; of `{a, b::{c, d}}` it is `a` and `b`.
fn first_parts(words: &[(usize, String)]) -> Vec<String> {
    let name = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let Some((_, first)) = words.first() else {
        return Vec::new();
    };
    if first != "{" {
        return if name(first) {
            vec![first.clone()]
        } else {
            Vec::new()
        };
    }
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut before = "";
    for (_, word) in words {
        match word.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && matches!(before, "{" | ",") && name(word) {
            parts.push(word.clone());
        }
        before = word;
    }
    parts
}

/// Names, `::` and single signs, each with its line; without comments, texts, characters, lifetimes.
fn words_of(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let mut words = Vec::new();
    let mut line = 1;
    let mut index = 0;
    while index < chars.len() {
        let from = index;
        match (at(index), at(index + 1)) {
            ('/', '/') => index = after(&chars, index, &['\n']) - 1,
            ('/', '*') => index = after_block_comment(&chars, index),
            ('r', '"' | '#') if raw_end(&chars, index).is_some() => {
                index = raw_end(&chars, index).unwrap();
            }
            ('"', _) => index = after_quoted(&chars, index, '"'),
            ('\'', '\\') => index = after_quoted(&chars, index, '\''),
            ('\'', _) if at(index + 2) == '\'' => index += 3,
            ('\'', _) => index += 2,
            (':', ':') => {
                words.push((line, "::".to_owned()));
                index += 2;
            }
            (c, _) if c.is_alphanumeric() || c == '_' => {
                while at(index).is_alphanumeric() || at(index) == '_' {
                    index += 1;
                }
                words.push((line, chars[from..index].iter().collect()));
            }
            (c, _) => {
                if !c.is_whitespace() {
                    words.push((line, c.to_string()));
                }
                index += 1;
            }
        }
        index = index.min(chars.len());
        line += chars[from..index].iter().filter(|c| **c == '\n').count();
    }
    words
}

/// The index behind the next occurrence of `end`, or one more than the length.
fn after(chars: &[char], from: usize, end: &[char]) -> usize {
    let rest = &chars[from.min(chars.len())..];
    rest.windows(end.len())
        .position(|part| part == end)
        .map_or(chars.len() + 1, |found| from + found + end.len())
}

fn after_block_comment(chars: &[char], from: usize) -> usize {
    let (mut index, mut depth) = (from, 0);
    while index < chars.len() {
        match chars[index..].first_chunk() {
            Some(['/', '*']) => (index, depth) = (index + 2, depth + 1),
            Some(['*', '/']) => (index, depth) = (index + 2, depth - 1),
            _ => index += 1,
        }
        if depth == 0 {
            break;
        }
    }
    index
}

fn after_quoted(chars: &[char], from: usize, quote: char) -> usize {
    let mut index = from + 1;
    while index < chars.len() && chars[index] != quote {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The index behind a raw text such as `r#"…"#`; none when it is not one (`r#name`).
fn raw_end(chars: &[char], from: usize) -> Option<usize> {
    let hashes = chars[from + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(from + 1 + hashes) != Some(&'"') {
        return None;
    }
    let end: Vec<char> = std::iter::once('"')
        .chain(std::iter::repeat_n('#', hashes))
        .collect();
    Some(after(chars, from + 2 + hashes, &end))
}
