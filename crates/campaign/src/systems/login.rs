use engine::{Address, TlsUpgrade};
use host::Ends;
use model::{Endpoint, Failure, FailureKind, ServerAddress, ServerKey, Stop, System, Tls};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use target::client::{
    Credentials, LoginEnvironment, Secret, SecretRules, resolve, resolve_redis, resolve_server_key,
    server_key, tls,
};

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
    pub(crate) fn needs_of_machine(&self) -> Option<&'static str> {
        let ServerAddress { endpoint, tls, server_key, .. } = &self.address;
        if matches!(endpoint, Endpoint::Socket(_)) {
            return Some("goes through a socket");
        }
        let takes_file =
            matches!(tls, Tls::Verified(Some(_))) || matches!(server_key, ServerKey::Pinned(_));
        takes_file.then_some("takes a file to log in")
    }

    /// Finds user and password for a server of that kind where the address says, as far as the rules
    /// let a password be sent there.
    ///
    /// # Errors
    /// When the password cannot be found or may not be sent, a pinned key cannot be read, TLS cannot be
    /// set up, or that kind of target has no server.
    pub fn of(
        system: System,
        address: &ServerAddress,
        rules: &SecretRules,
    ) -> Result<Self, Failure> {
        let environment = LoginEnvironment::of_this_process(rules);
        let server_key_of = |address| resolve_server_key(address, &environment);
        let (address, credentials) = match system {
            System::Mysql => {
                let server_key = server_key_of(address);
                let address = ServerAddress { server_key, ..address.clone() };
                let credentials = resolve(&address, &environment)?;
                (address, credentials)
            }
            System::Redis => (address.clone(), resolve_redis(address, &environment)?),
            System::Storage | System::Unknown => return Err(no_server(system)),
        };
        let login = Self { system, address, credentials, stop: Stop::default() };
        login.tls()?;
        server_key(&login.address)?;
        Ok(login)
    }

    /// Of a private server on another machine, which has said its password over ssh.
    ///
    /// # Errors
    /// When TLS cannot be set up with its certificate.
    pub(crate) fn private(
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
            (endpoint, Err(error)) => Err(target::client::connect_failure(&error, endpoint)),
        }
    }
}

fn no_server(system: System) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("a target of the kind {system} has no server to log in to"),
        "name a server: mysql://USER@HOST:PORT/DATABASE or redis://HOST:PORT/NUMBER",
    )
}

/// A login with its password, for another process of weighin. Not to be shown.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct PipedLoginData {
    system: System,
    address: ServerAddress,
    user: String,
    password: Vec<u8>,
    /// Where the password was found, in words.
    origin: String,
    /// Whether the server may be given the password as it is.
    may_reveal: bool,
}

impl From<super::load::PipedLogin> for PipedLoginData {
    fn from(super::load::PipedLogin(login): super::load::PipedLogin) -> Self {
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

impl From<PipedLoginData> for super::load::PipedLogin {
    fn from(handed: PipedLoginData) -> Self {
        let PipedLoginData { system, address, user, password, origin, may_reveal } = handed;
        let password = Secret::new(password);
        let credentials = Credentials::found_elsewhere(user, password, origin, may_reveal);
        Self(Login { system, address, credentials, stop: Stop::default() })
    }
}
