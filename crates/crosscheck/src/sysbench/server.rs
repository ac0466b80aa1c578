use crate::Address;
use std::fmt;

/// Where a server is and who logs in. `Debug` does not show the password.
#[derive(Clone)]
pub struct Server {
    /// Where it listens, resolved: sysbench's client library would take `localhost` for a socket.
    pub address: Address,
    /// Account name.
    pub user: String,
    /// Its password; empty for none.
    pub password: Vec<u8>,
    /// Schema that the test tables are in.
    pub database: String,
    /// Whether what travels is compressed.
    pub compression: bool,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, user, database, .. } = self;
        write!(f, "Server({user} at {address:?}, database {database})")
    }
}

impl Server {
    /// The arguments that say where it is and who logs in, without the password.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = match &self.address {
            Address::Tcp(address) => vec![
                format!("--mysql-host={}", address.ip()),
                format!("--mysql-port={}", address.port()),
            ],
            Address::Unix(path) => vec![format!("--mysql-socket={}", path.display())],
        };
        arguments.push(format!("--mysql-user={}", self.user));
        arguments.push(format!("--mysql-db={}", self.database));
        if self.compression {
            arguments.push("--mysql-compression=on".to_owned());
        }
        arguments
    }
}
