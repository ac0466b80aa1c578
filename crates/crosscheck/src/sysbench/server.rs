use crate::{Address, libpq};
use std::fmt;

/// Where a server is and who logs in. `Debug` does not show the password.
#[derive(Clone)]
pub struct Server {
    /// Where it listens, resolved: client libraries would take `localhost` for a socket.
    pub address: Address,
    /// Account name.
    pub user: String,
    /// Its password; empty for none.
    pub password: Vec<u8>,
    /// Database that the test tables are in.
    pub database: String,
    pub driver: Driver,
}

/// By which of its drivers sysbench speaks to a server.
#[derive(Clone, Debug)]
pub enum Driver {
    Mysql {
        /// Whether what travels is compressed.
        compression: bool,
    },
    Pgsql(libpq::Encryption),
}

impl Driver {
    /// How the names of its options begin.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Mysql { .. } => "mysql",
            Self::Pgsql(_) => "pgsql",
        }
    }
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
        match &self.driver {
            Driver::Mysql { compression } => self.of_mysql(*compression),
            Driver::Pgsql(encryption) => self.of_pgsql(encryption),
        }
    }

    fn of_mysql(&self, compression: bool) -> Vec<String> {
        let mut arguments = match &self.address {
            Address::Tcp(address) => vec![
                format!("--mysql-host={}", address.ip()),
                format!("--mysql-port={}", address.port()),
            ],
            Address::Unix(path) => vec![format!("--mysql-socket={}", path.display())],
        };
        arguments.push(format!("--mysql-user={}", self.user));
        arguments.push(format!("--mysql-db={}", self.database));
        if compression {
            arguments.push("--mysql-compression=on".to_owned());
        }
        arguments
    }

    /// Its option for the database takes whatever libpq does.
    fn of_pgsql(&self, encryption: &libpq::Encryption) -> Vec<String> {
        let (host, port) = libpq::place(&self.address, encryption);
        vec![
            "--db-driver=pgsql".to_owned(),
            format!("--pgsql-host={host}"),
            format!("--pgsql-port={port}"),
            format!("--pgsql-user={}", self.user),
            format!("--pgsql-db={}", libpq::database(&self.database, &self.address, encryption)),
        ]
    }
}
