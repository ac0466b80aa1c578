//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use crate::client::password_file::{Wanted, find};
use crate::protocol::certificate_hash;

/// Reads bytes as a password file, and as a certificate.
pub fn read(bytes: &[u8]) {
    find(bytes, &Wanted { host: "db", port: "5432", database: "shop", user: "ann" });
    certificate_hash(bytes);
}
