//! Percent-encoding of the values of a link.

/// Bytes that stand for themselves: those that no program between two people takes for something else.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b',')
}

/// Adds `bytes` to `text`.
pub(super) fn encode(bytes: &[u8], text: &mut String) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or('0');
    for byte in bytes {
        if is_plain(*byte) {
            text.push(char::from(*byte));
        } else {
            text.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

/// The bytes that `text` stands for; `None` where a `%` is not followed by two hexadecimal digits.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let (high, low) = (hex(rest.next()?)?, hex(rest.next()?)?);
            bytes.push((high << 4) | low);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}
