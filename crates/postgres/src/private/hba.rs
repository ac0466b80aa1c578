//! Who may log in to a private server, and how.

use super::facts::USER;
use host::recipe::ADDRESSES;

/// The file of that, which weighin writes and the server only reads.
pub(super) const FILE: &str = "hba.conf";

/// Its text: weighin's login, by its password, over the socket, from loopback and from a network of the
/// server's own; from elsewhere over TLS alone, where there is a certificate.
pub(super) fn text(from_others: bool) -> String {
    let (network, bits) = ADDRESSES;
    let mut text = format!(
        "local all {USER} scram-sha-256\n\
         host all {USER} 127.0.0.1/32 scram-sha-256\n\
         host all {USER} ::1/128 scram-sha-256\n\
         host all {USER} {network}/{bits} scram-sha-256\n"
    );
    if from_others {
        text += &format!("hostssl all {USER} all scram-sha-256\n");
    }
    text
}
