use engine::{Address, TlsUpgrade};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Tls};
use protocol::mysql::LoginOptions;
use std::sync::Arc;
use target::client::{Connection, Credentials, Surroundings, resolve, tls};

/// Where a server is and who logs in: everything that opening a connection takes, for control
/// and for the load alike.
#[derive(Clone, Debug)]
pub struct Login {
    address: ServerAddress,
    credentials: Credentials,
    tls: Option<TlsUpgrade>,
}

impl Login {
    /// Finds user and password where the address says.
    ///
    /// # Errors
    /// When the password cannot be found, or TLS cannot be set up.
    pub fn resolve(address: &ServerAddress) -> Result<Self, Failure> {
        let credentials = resolve(address, &Surroundings::of_this_process())?;
        let tls = match tls::client_config(&address.tls)? {
            None => None,
            Some(config) => Some(TlsUpgrade {
                config: Arc::clone(&config),
                name: tls::server_name(&address.endpoint)?,
            }),
        };
        Ok(Self { address: address.clone(), credentials, tls })
    }

    /// Opens a connection for control work.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub fn connect(&self) -> Result<Connection, Failure> {
        Connection::open(&self.address, &self.credentials)
    }

    /// The address as configured.
    pub fn address(&self) -> &ServerAddress {
        &self.address
    }

    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// What the load engine's connections are encrypted with.
    pub fn tls(&self) -> Option<TlsUpgrade> {
        self.tls.clone()
    }

    /// What the load engine's sessions log in with.
    pub fn options(&self) -> LoginOptions {
        LoginOptions {
            user: self.credentials.user.clone(),
            password: self.credentials.password().bytes().to_vec(),
            database: Some(self.address.database.clone()),
            tls: self.address.tls != Tls::Off,
            local_transport: matches!(self.address.endpoint, Endpoint::Socket(_)),
            local_infile: false,
        }
    }

    /// Where the load engine connects to: the very address that `control` reached.
    ///
    /// # Errors
    /// When that connection is gone.
    pub fn load_address(&self, control: &Connection) -> Result<Address, Failure> {
        match (&self.address.endpoint, control.peer()) {
            (Endpoint::Socket(path), _) => Ok(Address::Unix(path.clone())),
            (_, Ok(Some(peer))) => Ok(Address::Tcp(peer)),
            (endpoint, Ok(None)) => Err(Failure::new(
                FailureKind::Other,
                format!("the connection to {endpoint} has no address"),
                "",
            )),
            (endpoint, Err(error)) => Err(target::client::connect_failure(&error, endpoint)),
        }
    }
}
