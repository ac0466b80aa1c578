//! The certificate of a private server that other machines reach: of its own making, for that address
//! alone. Whoever is to trust it gets it by the way by which the server was asked for.

use super::home::Home;
use super::recipe::Recipe;
use super::trouble::file_trouble;
use model::{Failure, FailureKind};
use std::net::{IpAddr, TcpListener};

/// The file with the certificate, and that with its key.
pub const CERTIFICATE: &str = "server-certificate.pem";
pub const KEY: &str = "server-key.pem";

/// Whether the machine has that address, so that a server can listen on it.
///
/// # Errors
/// `SandboxStart` where it does not.
pub(super) fn check_address(address: IpAddr) -> Result<(), Failure> {
    TcpListener::bind((address, 0)).map(drop).map_err(|error| {
        Failure::new(
            FailureKind::SandboxStart,
            format!("a private server cannot listen on {address}: {error}"),
            "name an address of that machine by which load and lead reach it: sandbox = { listen = \
             \"10.0.1.12\" }",
        )
    })
}

/// Makes certificate and key for that address, and gives both to the server; the certificate, in PEM.
///
/// # Errors
/// When they cannot be made or written.
pub(super) fn write(home: &Home, recipe: &dyn Recipe, address: IpAddr) -> Result<String, Failure> {
    let made = rcgen::generate_simple_self_signed([address.to_string()]);
    let made = made.map_err(|error| {
        let what = format!("no certificate could be made for {address}: {error}");
        Failure::new(FailureKind::SandboxStart, what, "")
    })?;
    let certificate = made.cert.pem();
    let key = made.key_pair.serialize_pem();
    for (name, text) in [(CERTIFICATE, &certificate), (KEY, &key)] {
        home.write(name, text)
            .and_then(|file| recipe.program().run_as().give_file(&file))
            .map_err(|error| file_trouble("a certificate", &home.run(), &error))?;
    }
    Ok(certificate)
}
