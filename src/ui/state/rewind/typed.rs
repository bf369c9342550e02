//! What is typed into the fields of a plan. A number out of range is refused or told by the plan, never changed.

use crate::model::Offset;

/// The offset that `text` is; thousands may be separated.
///
/// # Errors
/// What is wrong with it.
pub fn offset(text: &str) -> Result<Offset, String> {
    let digits = plain(text);
    if let Some(rest) = digits.strip_prefix('-')
        && !rest.is_empty()
        && rest.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Err("an offset is never negative".to_owned());
    }
    number(&digits, text).map(Offset)
}

/// How many records on, or back when negative: `-500`, `+100`.
///
/// # Errors
/// What is wrong with it.
pub fn shift(text: &str) -> Result<i64, String> {
    let plain = plain(text);
    let (negative, digits) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let number = number(digits, text)?;
    if number == 0 {
        return Err("0 moves nothing: write −500 to go back, +500 to skip".to_owned());
    }
    Ok(if negative {
        number.saturating_neg()
    } else {
        number
    })
}

/// Without what separates thousands, and with the sign that keyboards have.
fn plain(text: &str) -> String {
    text.trim()
        .chars()
        .filter(|letter| !matches!(letter, ',' | '_' | '\u{202f}' | '\u{a0}' | ' '))
        .map(|letter| if letter == '−' { '-' } else { letter })
        .collect()
}

fn number(digits: &str, text: &str) -> Result<i64, String> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("“{}” is not a whole number", text.trim()));
    }
    digits
        .parse::<i64>()
        .ok()
        .ok_or_else(|| format!("“{}” is larger than any offset", text.trim()))
}
