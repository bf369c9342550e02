//! Expressions in jq over a record, within bounds.
//!
//! An expression sees `{topic, partition, offset, timestamp_ms, key, value, key_text, value_text, headers}`; `key` and
//! `value` are data when they decode to JSON (of a repeated name the last counts), else a string, null when they are
//! null; `…_text` is the text of the bytes, and bytes that are not UTF-8 stay in it as they are. `headers` is an array
//! of `[name, text]`, null for a null value.
//!
//! It has no files, no environment, no further inputs, no modules, and nothing to write to. Integers are exact
//! however long, and so are decimals that are compared with each other or with integers; arithmetic with decimals is
//! that of 64-bit floats, and so is equality of decimals within arrays and objects.
//!
//! What one record may take is bounded: steps, the stack, the size of strings, arrays, objects and long integers.
//! What is not: the time of a single built-in step over data that an expression shares with itself many times over
//! (`reduce range(60) as $i (1; [., .]) | tojson`), or of sorting as much as a record and the bounds allow.

mod budget;
mod natives;
mod pattern;
mod rewrite;

use std::ops::Range;

use bytes::Bytes;
use jaq_core::load::lex::{Expect as LexExpect, Lexer};
use jaq_core::load::parse::{Def, Parser, Term};
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Filter, Vars};
use jaq_json::Val;

use crate::decode::value::{Decoded, Part, Shape};

use super::{Fault, Parts, deep};
use budget::{Bounded, Budget};

/// Longer expressions are not read.
const MOST_BYTES: usize = 16 << 10;
/// Data nested deeper is not looked into.
const MOST_DEPTH: usize = 256;
/// The definition that holds the expression.
const MAIN: &str = "tideline_expression";

/// An expression, ready to run.
pub struct Program {
    filter: Filter<Bounded>,
    /// As many terms as `filter` has, every one of them an error: where it goes on once its budget is spent.
    halted: Filter<Bounded>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}

impl Program {
    /// Reads an expression.
    pub fn parse(code: &str) -> Result<Self, Fault> {
        if code.len() > MOST_BYTES {
            return Err(Fault::new(
                MOST_BYTES..code.len(),
                "The expression is too long.",
            ));
        }
        // Reading is recursive, and an expression may be nothing but brackets.
        deep::run_deep(|| compile(code))
            .unwrap_or_else(|message| Err(Fault::new(0..code.len(), message)))
    }

    /// Whether any output for this record is neither false nor null. An error after such an output is not met.
    pub fn keeps(&self, parts: &Parts<'_>) -> Result<bool, String> {
        let input = input(parts)?;
        deep::run_deep(move || self.run(input))?
    }

    fn run(&self, input: Val) -> Result<bool, String> {
        let budget = Budget::new(&self.filter.lut, &self.halted.lut);
        let ctx = Ctx::<Bounded>::new(&budget, Vars::new([]));
        for output in self.filter.id.run((ctx, input)) {
            if budget.is_spent() {
                break;
            }
            match output {
                Ok(Val::Null | Val::Bool(false)) => {}
                Ok(_) => return Ok(true),
                Err(error) => {
                    return Err(error.get_err().map_or_else(
                        |_| "The expression broke off.".to_owned(),
                        |error| sentence(&error),
                    ));
                }
            }
        }
        if budget.is_spent() {
            return Err("The expression takes too many steps on this record.".to_owned());
        }
        Ok(false)
    }
}

/// What an expression says of an error, shortened: it may quote data.
fn sentence(error: &jaq_json::Error) -> String {
    const MOST: usize = 200;
    let text = error.to_string();
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("The expression failed: {short}")
}

fn input(parts: &Parts<'_>) -> Result<Val, String> {
    let record = parts.record;
    let key = data(parts.part(Part::Key), record.key.as_ref())?;
    let value = data(parts.part(Part::Value), record.value.as_ref())?;
    let headers = record.headers.iter().map(|header| {
        let name = Val::utf8_str(header.name.as_bytes().to_vec());
        [name, text(header.value.as_ref())].into_iter().collect()
    });
    let fields: [(&'static str, Val); 9] = [
        ("topic", Val::utf8_str(record.topic.as_bytes().to_vec())),
        ("partition", integer(record.partition.0.into())),
        ("offset", integer(record.offset.0)),
        (
            "timestamp_ms",
            record.timestamp.map_or(Val::Null, |time| integer(time.0)),
        ),
        ("key", key),
        ("value", value),
        ("key_text", text(record.key.as_ref())),
        ("value_text", text(record.value.as_ref())),
        ("headers", headers.collect()),
    ];
    Ok(Val::obj(
        fields
            .into_iter()
            .map(|(name, value)| (Val::utf8_str(name), value))
            .collect(),
    ))
}

fn integer(number: i64) -> Val {
    Val::Num(jaq_json::Num::from_integral(number))
}

fn text(bytes: Option<&Bytes>) -> Val {
    bytes.map_or(Val::Null, |bytes| Val::utf8_str(bytes.clone()))
}

fn data(decoded: &Decoded, bytes: Option<&Bytes>) -> Result<Val, String> {
    let Some(decoded_text) = decoded.text.as_deref() else {
        return Ok(text(bytes));
    };
    if decoded.shape == Shape::Json {
        if !is_shallow(decoded_text.as_bytes()) {
            return Err(format!(
                "The record is nested deeper than {MOST_DEPTH} levels: expressions do not look into it."
            ));
        }
        if let Ok(value) = jaq_json::read::parse_single(decoded_text.as_bytes()) {
            return Ok(value);
        }
    }
    Ok(Val::utf8_str(decoded_text.as_bytes().to_vec()))
}

/// Whether JSON can be read without going too deep.
fn is_shallow(json: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut is_string = false;
    let mut is_escaped = false;
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' | b'[' if !is_string => {
                depth = depth.saturating_add(1);
                if depth > MOST_DEPTH {
                    return false;
                }
            }
            b'}' | b']' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

fn compile(code: &str) -> Result<Program, Fault> {
    let arena = Arena::default();
    let mut main = read(code)?;
    rewrite::term(&mut main);
    let mut prelude: Vec<Def<&str>> = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .collect();
    for def in &mut prelude {
        rewrite::definition(def);
    }
    prelude.push(named(main));
    let filter = link(&arena, prelude, MAIN).map_err(|(name, what)| {
        let at = within(code, name).unwrap_or(0..code.len());
        Fault::new(at, format!("There is no {what} “{name}”."))
    })?;
    // The last term is the call of the definition that holds the expression.
    let debug = format!("{:?}", filter.id);
    let last: usize = debug
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .ok()
        .ok_or_else(|| unbounded(code))?;
    let stops = (0..=last)
        .map(|_| named(Term::Call("error_empty", Vec::new())))
        .collect();
    let halted = link(&arena, stops, MAIN)
        .ok()
        .ok_or_else(|| unbounded(code))?;
    Ok(Program { filter, halted })
}

fn unbounded(code: &str) -> Fault {
    Fault::new(0..code.len(), "The expression cannot be bounded.")
}

/// The definition that holds `body`.
fn named(body: Term<&str>) -> Def<&str> {
    Def {
        name: MAIN,
        args: Vec::new(),
        body,
    }
}

/// Compiles definitions; of what is not defined its name and what it should be.
fn link<'s>(
    arena: &'s Arena,
    definitions: Vec<Def<&'s str>>,
    main: &'s str,
) -> Result<Filter<Bounded>, (&'s str, &'static str)> {
    let unknown = ("", "such expression");
    let modules = Loader::new(definitions)
        .load(
            arena,
            File {
                code: main,
                path: (),
            },
        )
        .or(Err(unknown))?;
    Compiler::default()
        .with_funs(natives::all())
        .compile(modules)
        .map_err(|errors| {
            errors
                .into_iter()
                .flat_map(|(_, errors)| errors)
                .next()
                .map_or(unknown, |(name, kind)| (name, kind.as_str()))
        })
}

/// Reads the words of an expression, and then the expression.
fn read(code: &str) -> Result<Term<&str>, Fault> {
    let tokens = Lexer::new(code).lex().map_err(|errors| {
        errors.into_iter().next().map_or_else(
            || Fault::new(0..code.len(), "The expression cannot be read."),
            |(expected, found)| {
                let mut at = within(code, found).unwrap_or(0..code.len());
                let message = match expected {
                    LexExpect::Delim("(" | "[" | "{" | "\"") => {
                        format!("The {} is missing.", expected.as_str())
                    }
                    LexExpect::Delim(_) => "A closing bracket is missing.".to_owned(),
                    LexExpect::Token if found.chars().next().is_some_and(char::is_alphabetic) => {
                        "A name with such letters is written in quotes: .\"Größe\".".to_owned()
                    }
                    LexExpect::Token => "This cannot stand here.".to_owned(),
                    _ => format!("Here should be: {}.", expected.as_str()),
                };
                // The rest of the expression is given; wrong is where it begins.
                let first = found.chars().next().map_or(0, char::len_utf8);
                at.end = at.start.saturating_add(first);
                Fault::new(at, message)
            },
        )
    })?;
    Parser::new(&tokens).parse(Parser::term).map_err(|errors| {
        errors.into_iter().next().map_or_else(
            || Fault::new(0..code.len(), "The expression cannot be read."),
            |(expected, found)| {
                let at = found
                    .and_then(|token| within(code, token.as_str()))
                    .unwrap_or(code.len()..code.len());
                Fault::new(at, format!("Here should be: {}.", expected.as_str()))
            },
        )
    })
}

/// Which bytes of `whole` are `part`; `None` when it is no part of it.
fn within(whole: &str, part: &str) -> Option<Range<usize>> {
    let from = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let to = from.checked_add(part.len())?;
    (to <= whole.len()).then_some(from..to)
}
