use crate::Address;
use model::Tls;
use std::fmt;

/// A Redis server, and how a tool logs in to it.
#[derive(Clone, Debug)]
pub struct Server {
    /// Where it listens.
    pub address: Address,
    /// The number of the database.
    pub database: u32,
    /// Who logs in; nobody where the server asks for no password.
    pub guest: Option<Guest>,
    /// Whether connections are encrypted.
    pub tls: Tls,
    /// The name that the server's certificate is made out for.
    pub host: String,
}

/// An account for a tool. These tools take their password as an argument, which every user of the
/// host can read: it must be one that opens nothing else. `Debug` does not show it.
#[derive(Clone)]
pub struct Guest {
    /// Name of the account.
    pub user: String,
    /// Its password.
    pub password: String,
}

impl fmt::Debug for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guest({})", self.user)
    }
}
