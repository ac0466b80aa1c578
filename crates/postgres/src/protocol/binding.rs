//! What binds a login to an encrypted channel: the hash of the server's certificate, by the algorithm
//! that it is signed with (RFC 5929, `tls-server-end-point`).

use sha2::{Digest, Sha256, Sha384, Sha512};

/// Object identifiers of signatures, encoded, with what they hash by. MD5 and SHA-1 stand for SHA-256.
const SIGNATURES: [(&[u8], Hash); 9] = [
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 4], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 5], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 12], Hash::Sha384),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 13], Hash::Sha512),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2], Hash::Sha256),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3], Hash::Sha384),
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 4], Hash::Sha512),
];

#[derive(Clone, Copy)]
enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

const SEQUENCE: u8 = 0x30;
const OBJECT_IDENTIFIER: u8 = 0x06;

/// The hash of a certificate in DER; `None` where its signature has no hash of its own, as Ed25519.
pub(crate) fn certificate_hash(certificate: &[u8]) -> Option<Vec<u8>> {
    let (whole, _) = element(certificate, SEQUENCE)?;
    let (_signed, after) = element(whole, SEQUENCE)?;
    let (algorithm, _signature) = element(after, SEQUENCE)?;
    let (identifier, _parameters) = element(algorithm, OBJECT_IDENTIFIER)?;
    let (_, hash) = SIGNATURES.iter().find(|(known, _)| *known == identifier)?;
    Some(match hash {
        Hash::Sha256 => Sha256::digest(certificate).to_vec(),
        Hash::Sha384 => Sha384::digest(certificate).to_vec(),
        Hash::Sha512 => Sha512::digest(certificate).to_vec(),
    })
}

/// The content of an element of that type, and what comes after it.
fn element(bytes: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    let (&short, rest) = rest.split_first()?;
    let (length, rest) = match short {
        0..=0x7f => (usize::from(short), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(short & 0x7f))?;
            (length.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    (first == kind).then(|| rest.split_at_checked(length)).flatten()
}
