use crate::client::{Credentials, Secret, connect_failure, tls};
use crate::no_server;
use engine::{Address, TlsUpgrade};
use host::Ends;
use model::{Endpoint, Failure, FailureKind, ServerAddress, ServerKey, Stop, System, Tls};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;

/// Where a server is and who logs in: everything that opening a connection takes, for control
/// and for the load alike.
#[derive(Clone, Debug)]
pub struct Login {
    system: System,
    address: ServerAddress,
    credentials: Credentials,
    stop: Stop,
}

impl Login {
    /// What it takes of the machine that logs in, besides a network.
    pub fn needs_of_machine(&self) -> Option<&'static str> {
        let ServerAddress { endpoint, tls, server_key, .. } = &self.address;
        if matches!(endpoint, Endpoint::Socket(_)) {
            return Some("goes through a socket");
        }
        let takes_file = matches!(tls, Tls::Verified(Some(_)) | Tls::Chain(_))
            || matches!(server_key, ServerKey::Pinned(_));
        takes_file.then_some("takes a file to log in")
    }

    /// A login with credentials that were found.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn with_credentials(
        system: System,
        address: ServerAddress,
        credentials: Credentials,
    ) -> Result<Self, Failure> {
        let login = Self { system, address, credentials, stop: Stop::default() };
        login.tls()?;
        Ok(login)
    }

    /// Of a private server on another machine, which has said its password over ssh.
    ///
    /// # Errors
    /// When TLS cannot be set up with its certificate.
    pub fn private(
        system: System,
        address: &ServerAddress,
        password: &str,
    ) -> Result<Self, Failure> {
        let user = address.user.clone().unwrap_or_default();
        let credentials = Credentials::new(user, Secret::new(password));
        let login = Self { system, address: address.clone(), credentials, stop: Stop::default() };
        login.tls()?;
        Ok(login)
    }

    /// The same, whose control connections end their waiting when `stop` is requested.
    #[must_use]
    pub fn stopped_by(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// The same place with another account, which weighin has just made.
    pub fn with_account(&self, user: &str, password: &str) -> Self {
        let origin = "a password of weighin's own".to_owned();
        let (secret, may_reveal) = (Secret::new(password), self.credentials.may_reveal());
        let credentials = Credentials::found_elsewhere(user, secret, origin, may_reveal);
        Self { credentials, ..self.clone() }
    }

    /// The same, encrypted as a connection was for which the address left that to the server.
    pub fn encrypted_as(&self, tls: Option<Tls>) -> Self {
        let tls = tls.unwrap_or_else(|| self.address.tls.clone());
        Self { address: ServerAddress { tls, ..self.address.clone() }, ..self.clone() }
    }

    /// What ends the waiting of control connections.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The address as configured.
    pub fn address(&self) -> &ServerAddress {
        &self.address
    }

    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// As [`Credentials::assumed_user`].
    pub fn assumed_user(&self) -> Option<(String, String)> {
        self.credentials.assumed_user(self.system, &self.address)
    }

    /// What the load engine's connections are encrypted with.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn tls(&self) -> Result<Option<TlsUpgrade>, Failure> {
        let Some(config) = tls::client_config(&self.address.tls)? else { return Ok(None) };
        let name = tls::server_name(&self.address.endpoint)?;
        Ok(Some(TlsUpgrade { config: Arc::clone(&config), name }))
    }

    /// Which server software it is.
    pub fn system(&self) -> System {
        self.system
    }

    /// That there is no server to log in to.
    pub fn no_server(&self) -> Failure {
        no_server(self.system)
    }

    /// Where the load engine connects to: the very address that a control connection reached.
    ///
    /// # Errors
    /// When that connection is gone.
    pub fn address_of(&self, ends: io::Result<Ends>) -> Result<Address, Failure> {
        match (&self.address.endpoint, ends.map(|ends| ends.peer())) {
            (Endpoint::Socket(path), _) => Ok(Address::Unix(path.clone())),
            (_, Ok(Some(peer))) => Ok(Address::Tcp(peer)),
            (endpoint, Ok(None)) => Err(Failure::new(
                FailureKind::Other,
                format!("the connection to {endpoint} has no address"),
                "",
            )),
            (endpoint, Err(error)) => Err(connect_failure(&error, endpoint)),
        }
    }
}

/// A login that another process of weighin gets through a pipe.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "PipedLoginData", into = "PipedLoginData")]
pub struct PipedLogin(pub Login);

/// A login with its password, for another process of weighin. Not to be shown.
#[derive(Clone, Serialize, Deserialize)]
pub struct PipedLoginData {
    system: System,
    address: ServerAddress,
    user: String,
    password: Vec<u8>,
    /// Where the password was found, in words.
    origin: String,
    /// Whether the server may be given the password as it is.
    may_reveal: bool,
}

impl From<PipedLogin> for PipedLoginData {
    fn from(PipedLogin(login): PipedLogin) -> Self {
        Self {
            system: login.system,
            user: login.credentials.user.clone(),
            password: login.credentials.password().bytes().to_vec(),
            origin: login.credentials.origin().to_owned(),
            may_reveal: login.credentials.may_reveal(),
            address: ServerAddress { tls: tls::carried(&login.address.tls), ..login.address },
        }
    }
}

impl From<PipedLoginData> for PipedLogin {
    fn from(handed: PipedLoginData) -> Self {
        let PipedLoginData { system, address, user, password, origin, may_reveal } = handed;
        let password = Secret::new(password);
        let credentials = Credentials::found_elsewhere(user, password, origin, may_reveal);
        Self(Login { system, address, credentials, stop: Stop::default() })
    }
}
