//! Machines that weighin reaches over a network, and how.

use crate::PasswordSource;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// A machine that the user's `ssh` reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SshHost {
    /// What the study calls it: its name, or the destination where it has none.
    pub name: String,
    /// What `ssh` connects to, such as `admin@db2.internal` or an alias of `~/.ssh/config`. It does
    /// not begin with `-`, and has no character that means something to a shell.
    pub destination: String,
}

impl SshHost {
    /// A provisioned one: its destination stands for the one that it has while it is there, and is
    /// none that `ssh` could be given.
    pub fn of_instance(name: String) -> Self {
        Self { destination: format!("the instance {name}"), name }
    }
}

/// A machine that makes load, or that a target is on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RemoteHost {
    /// What the study calls it.
    pub name: String,
    pub transport: Transport,
    /// Whether no trial begins without it. Only of one that makes load may that be false.
    #[serde(default = "is_required", skip_serializing_if = "Clone::clone")]
    pub required: bool,
}

fn is_required() -> bool {
    true
}

/// How weighin reaches a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// With the user's `ssh`, by what that connects to: see [`SshHost::destination`].
    Ssh(String),
    /// By an agent there that has registered with the broker of the study.
    Agent(AgentChoice),
}

/// Which of the agents that have registered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentChoice {
    /// The one that registered under that name.
    Named(String),
    /// Any that has all of these labels, and that the study does not name elsewhere.
    Any(BTreeMap<String, String>),
}

impl From<SshHost> for RemoteHost {
    fn from(SshHost { name, destination }: SshHost) -> Self {
        Self { name, transport: Transport::Ssh(destination), required: true }
    }
}

impl RemoteHost {
    /// Where it is reached over SSH.
    pub fn ssh(&self) -> Option<SshHost> {
        match &self.transport {
            Transport::Ssh(destination) => {
                Some(SshHost { name: self.name.clone(), destination: destination.clone() })
            }
            Transport::Agent(_) => None,
        }
    }

    /// Whether its destination stands for that of an instance ([`SshHost::of_instance`]).
    pub fn comes_and_goes(&self) -> bool {
        self.ssh().is_some_and(|host| host == SshHost::of_instance(self.name.clone()))
    }

    /// Which agent it is to have, where it is reached by one.
    pub fn agent(&self) -> Option<&AgentChoice> {
        match &self.transport {
            Transport::Agent(choice) => Some(choice),
            Transport::Ssh(_) => None,
        }
    }
}

/// Which machines make a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadHosts {
    /// These, whatever the target; the one that weighin runs on where there are none.
    Same(Vec<RemoteHost>),
    /// Those of the target ([`crate::Target::load_hosts`]): the first so many of them, or all.
    OfTarget(Option<u32>),
}

impl Default for LoadHosts {
    fn default() -> Self {
        Self::Same(Vec::new())
    }
}

impl LoadHosts {
    /// Whether the machine that weighin runs on makes the load, whatever the target.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The broker of a study, with which agents register. Holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broker {
    pub address: BrokerAddress,
    /// Where the token is, or the seed of the one who logs in.
    pub token: PasswordSource,
    pub proof: BrokerProof,
    /// With seeds: which agents are believed, by name, with the public key of each. A name that ends
    /// with `*` stands for all that begin so.
    pub agents: BTreeMap<String, String>,
    /// PEM file with the certificates to trust; those of the system when absent.
    pub ca: Option<PathBuf>,
}

/// What shows a broker who logs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokerProof {
    /// A secret that all of a fleet have.
    Token,
    /// The seed of a key pair (an nkey) of each one’s own.
    Seed,
}

impl BrokerProof {
    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Seed => "seed",
        }
    }
}

/// Where a broker is that speaks the protocol of NATS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokerAddress {
    /// Whether the connection is encrypted, and the broker's certificate checked. Only one to this
    /// very machine may go without.
    pub tls: bool,
    pub host: String,
    pub port: u16,
    /// Which of the fleets on the broker: letters, digits, `-` and `_`.
    pub fleet: String,
}

impl BrokerAddress {
    /// What a broker listens on unless told otherwise.
    pub const PORT: u16 = 4222;
    /// The fleet where none is named.
    pub const FLEET: &str = "default";
}

impl fmt::Display for BrokerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "tls" } else { "nats" };
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        write!(f, "{scheme}://{open}{}{close}:{}", self.host, self.port)?;
        if self.fleet == Self::FLEET { Ok(()) } else { write!(f, "/{}", self.fleet) }
    }
}
