//! What weighin needs where others connect to it: a token, a certificate and its key.

use super::credentials::{LoginEnvironment, Secret, from_environment, from_file, refusal};
use super::private_file::{Owners, Unreadable, read_password, read_public};
use model::{BrokerProof, Failure, FailureKind, PasswordSource};
use std::path::Path;

/// The first line of a file with the seed of a key.
///
/// # Errors
/// `AccessDenied` when the file cannot be read, or others may read it.
pub fn read_seed(path: &Path, environment: &LoginEnvironment<'_>) -> Result<Secret, Failure> {
    from_file(BrokerProof::Seed.word(), path, &"a broker", environment).map(Secret::new)
}

/// The token that visitors of weighin's own pages must know, from where that says.
///
/// # Errors
/// `AccessDenied` when the environment variable is not set, or the file cannot be read or others may
/// read it.
pub fn visitors_token(
    source: &PasswordSource,
    environment: &LoginEnvironment<'_>,
) -> Result<Secret, Failure> {
    let token = match source {
        PasswordSource::Environment(name) => {
            from_environment("token", name, &"weighin's pages", environment)?
        }
        PasswordSource::File(path) => from_file("token", path, &"weighin's pages", environment)?,
        _ => Vec::new(),
    };
    Ok(Secret::new(token))
}

/// A certificate and its private key, as their files have them.
///
/// # Errors
/// `Tls` when the certificate cannot be read, `AccessDenied` when the key cannot or others may read it.
pub fn certificate_and_key(
    certificate: &Path,
    key: &Path,
    environment: &LoginEnvironment<'_>,
) -> Result<(Vec<u8>, Secret), Failure> {
    let chain = read_public(certificate).map_err(|why| {
        Failure::new(
            FailureKind::Tls,
            format!("cannot read the certificate {}: {why}", certificate.display()),
            "name a PEM file with the certificate and those between it and its authority",
        )
    })?;
    let sudo_uid = (environment.variable)("SUDO_UID").and_then(|uid| uid.into_string().ok());
    let key_text = Owners::of_this_process(sudo_uid.as_deref())
        .map_err(Unreadable::from)
        .and_then(|owners| read_password(key, owners))
        .map_err(|why| {
            let remedy = "name a PEM file with the certificate's private key";
            refusal(&format!("the key file {}", key.display()), &why, remedy)
        })?;
    Ok((chain, Secret::new(key_text)))
}
