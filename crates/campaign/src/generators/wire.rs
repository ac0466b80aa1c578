//! What passes between the lead and a generator: a line of JSON each.

use crate::Login;
use engine::{Account, Ended, LoadSpec, Nanos, Part};
use model::{Failure, ServerAddress, System, Workload};
use serde::{Deserialize, Serialize};
use target::client::{Credentials, Secret};

/// What the lead tells a generator. The end of the pipe tells it to end.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// First: what to do.
    Prepare(Box<Assignment>),
    /// When all generators are ready: when to begin.
    Start(Nanos),
}

/// What a generator answers.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// All of its clients are logged in.
    Ready,
    /// An interval ended.
    Interval(Box<Ended>),
    /// Last: what it did.
    Done(Box<Account>),
    /// Last: why it could not.
    Failed(Failure),
}

/// A generator's part of a load.
#[derive(Serialize, Deserialize)]
pub(crate) struct Assignment {
    pub(crate) part: Part,
    /// The whole load.
    pub(crate) spec: LoadSpec,
    pub(crate) workload: Workload,
    pub(crate) by_statement: bool,
    pub(crate) seed: u64,
    pub(crate) login: HandedLogin,
}

/// A login with its password. Not to be shown.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct HandedLogin {
    system: System,
    address: ServerAddress,
    user: String,
    password: Vec<u8>,
    /// Where the password was found, in words.
    origin: String,
}

impl HandedLogin {
    pub(crate) fn of(login: &Login) -> Self {
        let credentials = login.credentials();
        Self {
            system: login.system(),
            address: login.address().clone(),
            user: credentials.user.clone(),
            password: credentials.password().bytes().to_vec(),
            origin: credentials.origin().to_owned(),
        }
    }

    /// # Errors
    /// When TLS cannot be set up.
    pub(crate) fn login(self) -> Result<Login, Failure> {
        let password = Secret::new(self.password);
        let credentials = Credentials::found_elsewhere(self.user, password, self.origin);
        Login::with(self.system, self.address, credentials)
    }
}
