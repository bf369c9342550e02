//! What is inside of gzip, zstd and base64.

use std::io::{self, Read};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

/// No more than this is inflated, in bytes.
pub(super) const MOST_INFLATED: usize = 16 * 1024 * 1024;
/// The largest window that is unpacked: 16 MiB, as a power of two.
const WINDOW_LOG: u32 = 24;
/// Fewer bytes than this are no gzip: its frame alone takes as many.
const LEAST_GZIP: usize = 18;
/// Fewer bytes than this are no zstd.
const LEAST_ZSTD: usize = 9;

/// Whether `bytes` begin as gzip does.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.len() >= LEAST_GZIP && matches!(bytes, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0)
}

/// Whether `bytes` begin as zstd does.
pub(super) fn is_zstd(bytes: &[u8]) -> bool {
    bytes.len() >= LEAST_ZSTD && bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// Something unpacked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unpacked {
    /// What was in it.
    pub bytes: Vec<u8>,
    /// Bytes that follow it.
    pub left_over: usize,
}

/// What is in gzip.
///
/// # Errors
/// Why it cannot be told, as the end of a sentence.
pub(super) fn gunzip(bytes: &[u8]) -> Result<Unpacked, String> {
    let mut all = Vec::new();
    let mut rest = bytes;
    loop {
        let mut decoder = flate2::bufread::GzDecoder::new(rest);
        inflate(&mut decoder, &mut all)?;
        rest = decoder.into_inner();
        // One may follow another, and they are read as one.
        if !is_gzip(rest) {
            return Ok(Unpacked {
                bytes: all,
                left_over: rest.len(),
            });
        }
    }
}

/// What is in zstd.
///
/// # Errors
/// Why it cannot be told, as the end of a sentence.
pub(super) fn unzstd(bytes: &[u8]) -> Result<Unpacked, String> {
    let mut decoder =
        zstd::stream::read::Decoder::with_buffer(bytes).map_err(|error| said(&error))?;
    decoder
        .window_log_max(WINDOW_LOG)
        .map_err(|error| said(&error))?;
    let mut all = Vec::new();
    inflate(&mut decoder, &mut all)?;
    Ok(Unpacked {
        bytes: all,
        left_over: 0,
    })
}

fn inflate(from: &mut impl Read, into: &mut Vec<u8>) -> Result<(), String> {
    let room = MOST_INFLATED.saturating_sub(into.len()).saturating_add(1);
    let most = u64::try_from(room).unwrap_or(u64::MAX);
    from.by_ref()
        .take(most)
        .read_to_end(into)
        .map_err(|error| said(&error))?;
    if into.len() > MOST_INFLATED {
        return Err("more than 16 MiB are in it".to_owned());
    }
    Ok(())
}

fn said(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        "it ends too early".to_owned()
    } else {
        error.to_string()
    }
}

/// What base64 writes, in the usual letters or in those for addresses, padded as it must be.
pub(super) fn unbase64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_ascii_end();
    STANDARD
        .decode(text)
        .or_else(|_| URL_SAFE.decode(text))
        .ok()
}

/// The first byte that base64 does not have; its length when all of them do.
pub(super) fn base64_flaw(text: &str) -> usize {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=');
    let text = text.trim_ascii_end();
    text.bytes()
        .position(|byte| !is_letter(byte))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_by_hand() {
        // A stored block: no compression, five bytes; CRC-32 of "hello" is 0x3610a686.
        let bytes = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, 5, 0, 0xfa, 0xff, b'h', b'e', b'l', b'l',
            b'o', 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
        ];
        assert!(is_gzip(&bytes));
        let unpacked = gunzip(&bytes).unwrap();
        assert_eq!(
            (unpacked.bytes.as_slice(), unpacked.left_over),
            (&b"hello"[..], 0)
        );
        let twice = [bytes, bytes].concat();
        assert_eq!(gunzip(&twice).unwrap().bytes, b"hellohello");
        let followed = [&bytes[..], b"xyz"].concat();
        assert_eq!(gunzip(&followed).unwrap().left_over, 3);
        assert_eq!(gunzip(&bytes[..20]), Err("it ends too early".to_owned()));
        let mut wrong = bytes;
        wrong[20] ^= 1;
        assert!(gunzip(&wrong).is_err());
        assert!(!is_gzip(&bytes[..17]) && !is_gzip(b"hello, hello, hello"));
    }

    #[test]
    fn zstd_by_hand() {
        // One segment of five bytes, one raw block that is the last: header 5 << 3 | 1.
        let bytes = [
            0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0, b'h', b'e', b'l', b'l', b'o',
        ];
        assert!(is_zstd(&bytes));
        assert_eq!(unzstd(&bytes).unwrap().bytes, b"hello");
        assert_eq!(unzstd(&bytes[..12]), Err("it ends too early".to_owned()));
        assert!(!is_zstd(&bytes[..8]));
    }

    #[test]
    fn bombs_stop() {
        let zeros = vec![0; MOST_INFLATED + 1];
        let small = gzip(&zeros);
        assert!(small.len() < 32 * 1024);
        assert_eq!(gunzip(&small), Err("more than 16 MiB are in it".to_owned()));
        let small = zstd::encode_all(zeros.as_slice(), 3).unwrap();
        assert_eq!(unzstd(&small), Err("more than 16 MiB are in it".to_owned()));
        let fits = gzip(&zeros[..MOST_INFLATED]);
        assert_eq!(gunzip(&fits).unwrap().bytes.len(), MOST_INFLATED);
        // Many small ones behind one another.
        let part = gzip(&vec![0; 1024 * 1024]);
        assert_eq!(
            gunzip(&part.repeat(17)),
            Err("more than 16 MiB are in it".to_owned())
        );
        // A window of 2 GiB is not even reserved.
        let window = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0, 0, 0];
        assert!(unzstd(&window).is_err());
    }

    #[test]
    fn base64_of_both_kinds() {
        assert_eq!(unbase64("aGVsbG8=").as_deref(), Some(&b"hello"[..]));
        assert_eq!(unbase64("+/8=\n").as_deref(), Some(&[0xfb, 0xff][..]));
        assert_eq!(unbase64("-_8=").as_deref(), Some(&[0xfb, 0xff][..]));
        assert_eq!(unbase64("aGVsbG8"), None);
        assert_eq!(unbase64("aGVs bG8="), None);
        assert_eq!(base64_flaw("aGVs bG8="), 4);
        assert_eq!(base64_flaw("aGVsbG8"), 7);
    }
}
