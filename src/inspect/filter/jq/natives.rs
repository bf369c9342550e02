//! The built-in functions that expressions may use: the library's, but for those that reach out of the expression,
//! and those that need bounds.

use std::cmp::Ordering;

use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Bind, Cv, Error, Exn, RunPtr, ValX, ValXs};
use jaq_json::{Num, Val};

use crate::decode::number;

use super::budget::Bounded;
use super::pattern::{self, Parts};

/// Longer strings are not made.
const MOST_BYTES: usize = 4 << 20;
/// Larger arrays and objects are not joined.
const MOST_ELEMENTS: usize = 1 << 20;
/// Longer integers are not multiplied.
const MOST_BITS: u64 = 1 << 16;

type Checked = (&'static str, Box<[Bind]>, RunPtr<Bounded>);

/// All of them.
pub fn all() -> impl Iterator<Item = Fun<Bounded>> {
    let mine = own();
    let names: Vec<(&'static str, usize)> = mine
        .iter()
        .map(|(name, arguments, _)| (*name, arguments.len()))
        .collect();
    jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(move |(name, arguments, _)| !names.contains(&(*name, arguments.len())))
        .chain(mine.into_iter().map(|function| run::<Bounded>(function)))
}

fn own() -> Vec<Checked> {
    let function = || -> Box<[Bind]> { [Bind::Fun(())].into() };
    vec![
        ("halt", v(1), |cv| refuse(cv, "halt")),
        ("env", v(0), |cv| refuse(cv, "env")),
        ("debug_empty", v(0), |cv| refuse(cv, "debug")),
        ("stderr_empty", v(0), |cv| refuse(cv, "stderr")),
        ("range", v(3), range),
        ("fromjson", v(0), from_json),
        ("tojson", v(0), |cv| {
            bome(short(Val::utf8_str(cv.1.to_string())))
        }),
        ("length", v(0), length),
        ("matches", v(2), |cv| pattern::run(cv, Parts::Matches)),
        ("split_matches", v(2), |cv| pattern::run(cv, Parts::Both)),
        ("split_", v(2), |cv| pattern::run(cv, Parts::Between)),
        ("!short", function(), |mut cv| {
            let (inner, ctx) = cv.0.pop_fun();
            Box::new(inner.run((ctx, cv.1)).map(|value| Ok(short(value?)?)))
        }),
        ("!counted", function(), counted),
        ("!add", v(2), |cv| bome(binary(cv, add))),
        ("!times", v(2), |cv| bome(binary(cv, times))),
        ("!lt", v(2), |cv| {
            bome(binary(cv, |a, b| holds(compare(&a, &b).is_lt())))
        }),
        ("!le", v(2), |cv| {
            bome(binary(cv, |a, b| holds(compare(&a, &b).is_le())))
        }),
        ("!gt", v(2), |cv| {
            bome(binary(cv, |a, b| holds(compare(&a, &b).is_gt())))
        }),
        ("!ge", v(2), |cv| {
            bome(binary(cv, |a, b| holds(compare(&a, &b).is_ge())))
        }),
        ("!eq", v(2), |cv| {
            bome(binary(cv, |a, b| holds(is_equal(&a, &b))))
        }),
        ("!ne", v(2), |cv| {
            bome(binary(cv, |a, b| holds(!is_equal(&a, &b))))
        }),
    ]
}

type Result = jaq_json::ValR;

fn refuse<'a>(_: Cv<'a, Bounded>, name: &str) -> ValXs<'a, Val> {
    bome(Err(Error::str(format!("{name} is not available"))))
}

fn too_large() -> jaq_json::Error {
    Error::str("what it makes is too large")
}

fn binary(mut cv: Cv<'_, Bounded>, operation: fn(Val, Val) -> Result) -> Result {
    let right = cv.0.pop_var();
    let left = cv.0.pop_var();
    operation(left, right)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it stands where operations that can fail stand"
)]
fn holds(is: bool) -> Result {
    Ok(Val::Bool(is))
}

fn short(value: Val) -> Result {
    match &value {
        Val::TStr(text) | Val::BStr(text) if text.len() > MOST_BYTES => Err(too_large()),
        _ => Ok(value),
    }
}

fn add(left: Val, right: Val) -> Result {
    let is_within = match (&left, &right) {
        (Val::TStr(a) | Val::BStr(a), Val::TStr(b) | Val::BStr(b)) => {
            a.len().saturating_add(b.len()) <= MOST_BYTES
        }
        (Val::Arr(a), Val::Arr(b)) => a.len().saturating_add(b.len()) <= MOST_ELEMENTS,
        (Val::Obj(a), Val::Obj(b)) => a.len().saturating_add(b.len()) <= MOST_ELEMENTS,
        _ => true,
    };
    if is_within {
        left + right
    } else {
        Err(too_large())
    }
}

fn times(left: Val, right: Val) -> Result {
    let is_within = match (&left, &right) {
        (Val::TStr(text) | Val::BStr(text), Val::Num(times))
        | (Val::Num(times), Val::TStr(text) | Val::BStr(text)) => match times {
            Num::Int(times) => usize::try_from(*times)
                .map_or(true, |times| text.len().saturating_mul(times) <= MOST_BYTES),
            Num::BigInt(_) => false,
            Num::Float(_) | Num::Dec(_) => true,
        },
        (Val::Num(Num::BigInt(a)), Val::Num(Num::BigInt(b))) => {
            a.bits().saturating_add(b.bits()) <= MOST_BITS
        }
        _ => true,
    };
    if is_within {
        left * right
    } else {
        Err(too_large())
    }
}

/// Two numbers as they are written, when both are and one of them is a decimal: the library would round them.
fn exactly(left: &Val, right: &Val) -> Option<Ordering> {
    let (Val::Num(left), Val::Num(right)) = (left, right) else {
        return None;
    };
    let is_float = |number: &Num| matches!(number, Num::Float(_));
    let is_decimal = |number: &Num| matches!(number, Num::Dec(_));
    (!is_float(left) && !is_float(right) && (is_decimal(left) || is_decimal(right)))
        .then(|| number::compare(&left.to_string(), &right.to_string()))
}

fn compare(left: &Val, right: &Val) -> Ordering {
    exactly(left, right).unwrap_or_else(|| left.cmp(right))
}

fn is_equal(left: &Val, right: &Val) -> bool {
    exactly(left, right).map_or_else(|| left == right, Ordering::is_eq)
}

fn length(cv: Cv<'_, Bounded>) -> ValXs<'_, Val> {
    // The library's own overflows at the smallest integer.
    let value = match cv.1 {
        Val::Null => Ok(0),
        Val::Num(number) => {
            let negative = Val::Num(number.clone());
            return bome(if compare(&negative, &Val::from(0_isize)).is_lt() {
                -negative
            } else {
                Ok(negative)
            });
        }
        Val::TStr(text) => Ok(String::from_utf8_lossy(&text).chars().count()),
        Val::BStr(bytes) => Ok(bytes.len()),
        Val::Arr(elements) => Ok(elements.len()),
        Val::Obj(fields) => Ok(fields.len()),
        Val::Bool(is) => Err(Error::str(format!("{is} has no length"))),
    };
    bome(value.map(|length| Val::Num(Num::from_integral(length))))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the library's shape for functions"
)]
fn from_json(cv: Cv<'_, Bounded>) -> ValXs<'_, Val> {
    let read = match &cv.1 {
        Val::TStr(text) if !super::is_shallow(text) => {
            Err(Error::str("the text is nested too deeply"))
        }
        Val::TStr(text) => jaq_json::read::parse_single(text)
            .map_err(|error| Error::str(format!("the text is no JSON: {error}"))),
        _ => Err(Error::str("only text can be read as JSON")),
    };
    bome(read)
}

/// Passes outputs on as long as there are steps left.
fn counted(mut cv: Cv<'_, Bounded>) -> ValXs<'_, Val> {
    let (inner, ctx) = cv.0.pop_fun();
    let budget = *ctx.data();
    Box::new(inner.run((ctx, cv.1)).map(move |value| {
        if budget.step() {
            value
        } else {
            Err(Exn::from(too_large()))
        }
    }))
}

/// `range(from; to; by)`, every number a step.
fn range(mut cv: Cv<'_, Bounded>) -> ValXs<'_, Val> {
    let by = cv.0.pop_var();
    let to = cv.0.pop_var();
    let mut next: Option<ValX<'_, Val>> = Some(Ok(cv.0.pop_var()));
    let direction = compare(&by, &Val::from(0_isize));
    let budget = *cv.0.data();
    Box::new(std::iter::from_fn(move || {
        let here = match next.take()? {
            Ok(here) => here,
            error => return Some(error),
        };
        let is_on = match direction {
            Ordering::Greater => compare(&here, &to).is_lt(),
            Ordering::Less => compare(&here, &to).is_gt(),
            Ordering::Equal => !is_equal(&here, &to),
        };
        if !is_on {
            return None;
        }
        if !budget.step() {
            return Some(Err(Exn::from(too_large())));
        }
        next = Some((here.clone() + by.clone()).map_err(Exn::from));
        Some(Ok(here))
    }))
}
