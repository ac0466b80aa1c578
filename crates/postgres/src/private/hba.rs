//! Who may log in to a private server, and how.

use super::facts::{DATABASE, REPLICATION_USER, USER};
use host::recipe::ADDRESSES;

/// The file of that, which weighin writes and the server only reads.
pub(super) const FILE: &str = "hba.conf";

/// Its text: weighin's login, by its password, over the socket, from loopback and from a network of the
/// server's own; from elsewhere over TLS alone, where there is a certificate. Replicas of a member of a
/// group (`replicates`) log in likewise, from this machine.
pub(super) fn text(from_others: bool, replicates: bool) -> String {
    let (network, bits) = ADDRESSES;
    let mut text = format!("local all {USER} scram-sha-256\n");
    let mut accounts = vec![("all", USER)];
    if replicates {
        // The second is for what makes their slots.
        accounts.extend([("replication", REPLICATION_USER), (DATABASE, REPLICATION_USER)]);
    }
    for (database, user) in accounts {
        for place in ["127.0.0.1/32", "::1/128", &format!("{network}/{bits}")] {
            text += &format!("host {database} {user} {place} scram-sha-256\n");
        }
    }
    if from_others {
        text += &format!("hostssl all {USER} all scram-sha-256\n");
    }
    text
}
