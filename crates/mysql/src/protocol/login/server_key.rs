//! Checks the RSA key that a server sends for encrypting the password.
//!
//! mysql_common reads keys without looking at their lengths and would panic on one that was cut
//! or is too small, so only keys that it can use get there.

use crate::protocol::error::LoginError;
use mysql_common::crypto::der::{PubKeyFileType, pem_to_der};

/// Tags of the DER encoding.
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const SEQUENCE: u8 = 0x30;

/// What OAEP padding with SHA-1 adds to a message, in bytes.
const PADDING: usize = 42;
/// Longest modulus that is accepted, in bytes: a larger one only keeps the client busy.
const LONGEST_MODULUS: usize = 2048;
/// Longest exponent that is accepted, in bytes; the usual one has 3.
const LONGEST_EXPONENT: usize = 8;

/// Checks that a PEM file holds an RSA key that can encrypt a password of that many bytes.
///
/// # Errors
/// [`LoginError::BadServerKey`], with what the key is instead.
pub fn check(pem: &[u8], password_length: usize) -> Result<(), LoginError> {
    let (der, form) = pem_to_der(pem).map_err(|_| LoginError::BadServerKey("not a PEM file"))?;
    let key = match form {
        PubKeyFileType::Pkcs1 => Some(&der[..]),
        PubKeyFileType::Pkcs8 => unwrap_pkcs8(&der),
    };
    let (modulus, exponent) =
        key.and_then(integers).ok_or(LoginError::BadServerKey("not an RSA key"))?;
    if modulus.len() > LONGEST_MODULUS || exponent.len() > LONGEST_EXPONENT {
        return Err(LoginError::BadServerKey("far too long"));
    }
    let zero_at_end = 1;
    // One bit less than the full length is how mysql_common counts.
    let usable = (bits(modulus) + 6) / 8;
    if usable < password_length + zero_at_end + PADDING {
        return Err(LoginError::BadServerKey("too short for this password"));
    }
    Ok(())
}

/// The key inside the envelope that names the algorithm.
fn unwrap_pkcs8(der: &[u8]) -> Option<&[u8]> {
    let (outer, _) = element(der, SEQUENCE)?;
    let (_algorithm, rest) = element(outer, SEQUENCE)?;
    let (bits, _) = element(rest, BIT_STRING)?;
    match bits {
        [0, key @ ..] => Some(key),
        _ => None,
    }
}

/// Modulus and exponent.
fn integers(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let (numbers, _) = element(key, SEQUENCE)?;
    let (modulus, rest) = element(numbers, INTEGER)?;
    let (exponent, _) = element(rest, INTEGER)?;
    Some((modulus, exponent))
}

/// Content of the element that `der` starts with, if it has that tag, and what comes after it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, length], rest) = der.split_first_chunk()?;
    if found != tag {
        return None;
    }
    let (length, rest) = match length {
        short @ 0..=0x7F => (usize::from(short), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(length & 0x7F))?;
            (bytes.iter().fold(0, |all, &byte| all << 8 | usize::from(byte)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// Bits of a big-endian number, without the zeros in front.
fn bits(number: &[u8]) -> usize {
    let zeros = number.iter().take_while(|&&byte| byte == 0).count();
    match number.get(zeros) {
        Some(top) => (number.len() - zeros) * 8 - top.leading_zeros() as usize,
        None => 0,
    }
}
