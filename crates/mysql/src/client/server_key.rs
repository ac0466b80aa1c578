//! The RSA key that may encrypt a password on a connection without TLS.

use crate::protocol::{ServerKey, check_server_key};
use model::{Failure, FailureKind, ServerAddress, ServerKey as Asked};
use std::path::Path;
use system::client::read_public;

/// The key that an address says.
///
/// # Errors
/// `AccessDenied` when the file of a pinned key cannot be read, or holds none.
pub fn server_key(address: &ServerAddress) -> Result<ServerKey, Failure> {
    Ok(match &address.server_key {
        // Option files that matter have been asked by now.
        Asked::OptionFile | Asked::Refuse => ServerKey::Refuse,
        Asked::Request => ServerKey::Request,
        Asked::Pinned(path) => ServerKey::Pinned(read(path)?),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |reason: String| {
        Failure::new(
            FailureKind::AccessDenied,
            format!("cannot use the server's public key in {}: {reason}", path.display()),
            "give the PEM file that the server has as caching_sha2_password_public_key_path \
             (public_key.pem in its data directory)",
        )
    };
    let pem = read_public(path).map_err(|error| failed(error.to_string()))?;
    // How long the password may be is checked when it is used.
    check_server_key(&pem, 0).map_err(|error| failed(error.to_string()))?;
    Ok(pem)
}
