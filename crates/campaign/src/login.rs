use crate::Control;
use engine::redis::RedisLogin;
use engine::{Address, TlsUpgrade};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Stop, System, Tls};
use protocol::mysql::{LoginOptions, ServerKey};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use target::client::redis::RedisConnection;
use target::client::{
    Connection, Credentials, Limits, Surroundings, resolve, resolve_redis, resolve_server_key,
    server_key, tls,
};

/// Where a server is and who logs in: everything that opening a connection takes, for control
/// and for the load alike.
#[derive(Clone, Debug)]
pub struct Login {
    system: System,
    address: ServerAddress,
    credentials: Credentials,
    tls: Option<TlsUpgrade>,
    server_key: ServerKey,
    stop: Stop,
}

impl Login {
    /// Finds user and password for a MariaDB or MySQL server where the address says.
    ///
    /// # Errors
    /// When the password cannot be found, a pinned key cannot be read, or TLS cannot be set up.
    pub fn resolve(address: &ServerAddress) -> Result<Self, Failure> {
        Self::of(System::MariaDb, address)
    }

    /// The same for a server of that kind.
    ///
    /// # Errors
    /// As [`Self::resolve`].
    pub fn of(system: System, address: &ServerAddress) -> Result<Self, Failure> {
        let surroundings = Surroundings::of_this_process();
        let credentials = match system {
            System::MariaDb | System::Storage | System::Unknown => resolve(address, &surroundings)?,
            System::Redis => resolve_redis(address, &surroundings)?,
        };
        let server_key = resolve_server_key(address, &surroundings);
        Self::with(system, ServerAddress { server_key, ..address.clone() }, credentials)
    }

    /// The same where it is known who logs in.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub(crate) fn with(
        system: System,
        address: ServerAddress,
        credentials: Credentials,
    ) -> Result<Self, Failure> {
        let tls = match tls::client_config(&address.tls)? {
            None => None,
            Some(config) => Some(TlsUpgrade {
                config: Arc::clone(&config),
                name: tls::server_name(&address.endpoint)?,
            }),
        };
        let server_key = server_key(&address)?;
        Ok(Self { system, address, credentials, tls, server_key, stop: Stop::default() })
    }

    /// The same, whose control connections end their waiting when `stop` is requested.
    #[must_use]
    pub fn stopped_by(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// Opens a connection for control work, to whichever server it is.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub fn control(&self) -> Result<Control, Failure> {
        match self.system {
            System::MariaDb | System::Storage | System::Unknown => {
                self.connect().map(Box::new).map(Control::Sql)
            }
            System::Redis => {
                let (password, limits) = (self.credentials.password(), Limits::default());
                RedisConnection::open_within(&self.address, password, limits, &self.stop)
                    .map(Box::new)
                    .map(Control::Redis)
            }
        }
    }

    /// Opens a connection for control work to a MariaDB or MySQL server.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub fn connect(&self) -> Result<Connection, Failure> {
        Connection::open_within(&self.address, &self.credentials, Limits::default(), &self.stop)
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

    /// Which server software it is.
    pub fn system(&self) -> System {
        self.system
    }

    /// What the load engine's sessions log in to Redis with.
    pub(crate) fn redis_options(&self) -> RedisLogin {
        let Credentials { user, .. } = &self.credentials;
        let password = self.credentials.password().bytes();
        RedisLogin {
            user: Some(user.clone()).filter(|user| !user.is_empty()),
            password: Some(password.to_vec()).filter(|password| !password.is_empty()),
            // Checked when the control connection selected it.
            database: self.address.database.parse().unwrap_or(0),
        }
    }

    /// What the load engine's sessions log in to MariaDB and MySQL with.
    pub fn options(&self) -> LoginOptions {
        LoginOptions {
            user: self.credentials.user.clone(),
            password: self.credentials.password().bytes().to_vec(),
            database: Some(self.address.database.clone()),
            tls: self.address.tls != Tls::Off,
            local_transport: matches!(self.address.endpoint, Endpoint::Socket(_)),
            local_infile: false,
            server_key: self.server_key.clone(),
        }
    }

    /// Where the load engine connects to: the very address that `control` reached.
    ///
    /// # Errors
    /// When that connection is gone.
    pub fn load_address(&self, control: &Connection) -> Result<Address, Failure> {
        self.address_of(control.peer())
    }

    pub(crate) fn address_of(
        &self,
        peer: io::Result<Option<SocketAddr>>,
    ) -> Result<Address, Failure> {
        match (&self.address.endpoint, peer) {
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
