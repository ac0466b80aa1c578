use crate::{
    AuthMethods, BuiltVolume, Endpoint, Failure, FailureKind, InstanceSpec, NetworkPath,
    PasswordSource, Price, RemoteHost, RestartSpec, SshHost, StoragePlace, System, Tls, UndoSpec,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// One candidate: a system as configured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Unique within the study.
    pub name: String,
    /// Which server software it is.
    pub system: System,
    /// Where the server is, or how to start one.
    pub place: Place,
    /// What it costs, where the user gave a price.
    pub price: Option<Price>,
    /// The user's own factors: tenancy, instance family, tuned or not.
    pub labels: BTreeMap<String, String>,
    /// What lies on the way of its loads because the study wants it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<NetworkPath>,
    /// The machines that make loads on it, where each target has its own; empty where the one that
    /// weighin runs on does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_hosts: Option<Vec<RemoteHost>>,
}

/// Where a target's server is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A private server that weighin starts and ends.
    Sandbox(SandboxSpec),
    /// A server that runs already.
    Server(ServerSpec),
    /// Volumes without a server.
    Storage(StoragePlace),
    /// Not within reach: its results were measured elsewhere and imported.
    Imported,
}

/// How to start a private server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SandboxSpec {
    /// Server settings by name as in its option file, without `--`.
    pub settings: BTreeMap<String, String>,
    /// The study says that those of the settings which could harm this host are meant: that load
    /// code, connect to others, or name paths.
    pub trusted: bool,
    /// Restart the server before every trial; true unless the study says otherwise.
    pub restart: bool,
    /// Directory in which the server's own is made, with its data or with the files of `volume`;
    /// weighin chooses one when absent.
    pub directory: Option<PathBuf>,
    /// Where the server's programs come from.
    pub software: Software,
    /// Name of the server program, where servers of several names speak the same protocol and the
    /// study says which; the first that is there when absent.
    pub program: Option<String>,
    /// An option file of another server, whose settings are among `settings`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<ServerConfig>,
    /// A data directory that the server gets a copy of, on its machine, such as a physical backup that was
    /// prepared; a new one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// The database of that which loads run in; weighin's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// A volume to build for the data; it is on the directory's own disk when absent. Every member of
    /// a group has one.
    pub volume: Option<BuiltVolume>,
    /// A volume to build for temporary files, without limits; they are with the data when absent.
    pub temporary_volume: Option<BuiltVolume>,
    /// The replicas of the server, which are private too; a server alone when absent.
    pub replication: Option<PrivateReplication>,
    /// The machine that it is started on, which weighin reaches over SSH; this one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<SshHost>,
    /// The IP address of that machine on which it listens; the one by which ssh reaches it when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
}

/// The settings of another server, as an option file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerConfig {
    /// As the study names it.
    pub file: String,
    /// All that are meant for the server, by name with underscores.
    pub settings: BTreeMap<String, String>,
    /// Those of them that the private server does not get, or gets otherwise.
    pub changes: Vec<ConfigChange>,
    /// Those that only a server of one version gets.
    pub of_versions: Vec<VersionSetting>,
    /// The setting of the memory in which the server caches data, and how many bytes the file gives it.
    pub cache: Option<(String, u64)>,
}

/// A setting of a group that only servers of one version read, such as `[mysqld-8.0]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionSetting {
    pub group: String,
    /// The beginning of the version, such as `8.0`.
    pub version: String,
    /// With underscores.
    pub name: String,
    pub value: String,
}

impl VersionSetting {
    /// Whether a server of that version, such as `8.0.36`, reads it.
    pub fn suits(&self, version: &str) -> bool {
        let rest = version.strip_prefix(&self.version);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

/// A setting that a private server does not get as the option file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigChange {
    pub name: String,
    pub value: String,
    /// What it gets in its place; nothing where that is absent.
    pub instead: Option<String>,
    pub why: String,
}

/// The replicas of a private primary. Primary and replicas are the members of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrivateReplication {
    /// How many, from 1 to [`PrivateReplication::MAX_REPLICAS`].
    pub replicas: u32,
    /// Whether a commit on the primary waits until a replica has its transaction.
    pub semi_sync: bool,
    /// Settings of the replicas, which add to those of the primary or replace them.
    pub settings: BTreeMap<String, String>,
}

impl PrivateReplication {
    pub const MAX_REPLICAS: u32 = 8;
}

impl SandboxSpec {
    /// The volumes that are built for each server.
    pub fn built_volumes(&self) -> impl Iterator<Item = BuiltVolume> {
        self.volume.into_iter().chain(self.temporary_volume)
    }

    /// All settings of the replicas.
    pub fn replica_settings(&self) -> BTreeMap<String, String> {
        let own = self.replication.iter().flat_map(|replication| &replication.settings);
        self.settings.iter().chain(own).map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// A server that runs already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerSpec {
    /// Where it is. Of a group the primary.
    pub address: ServerAddress,
    /// Servers that replicate from it.
    pub replicas: Vec<ServerAddress>,
    /// What controls the replicas, where that is not what the server offers.
    pub control: ReplicationControl,
    /// The machine that it is on, where weighin can reach that over SSH.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<SshHost>,
    /// What brings it up and takes it down, where it is there for the study alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<InstanceSpec>,
    /// What stops and starts it, where weighin may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartSpec>,
    /// What undoes there what trials change of data that weighin did not make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoSpec>,
}

impl ServerSpec {
    /// A server without replicas.
    pub fn new(address: ServerAddress) -> Self {
        let (replicas, control) = (Vec::new(), ReplicationControl::default());
        Self { address, replicas, control, host: None, instance: None, restart: None, undo: None }
    }
}

/// What stops and starts the applier of a replica in place of what the server offers, which a service
/// may forbid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicationControl {
    pub stop_applier: Option<ControlAct>,
    pub start_applier: Option<ControlAct>,
}

/// One of the user's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlAct {
    /// SQL that runs on the replica.
    Statement(String),
    /// A program of the machine that makes the load, with its arguments.
    Command(Vec<String>),
}

/// Where the programs of a private server come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Software {
    /// What is installed on the machine.
    #[default]
    Installed,
    /// An unpacked distribution: the directory above its `bin`, or above its `usr`.
    Base(PathBuf),
    /// A container image by the name that podman or docker has for it.
    Container(String),
}

/// Address and login of a server reached over the network or a socket.
///
/// Holds no secret: a password is named by where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerAddress {
    /// Host and port, or socket.
    pub endpoint: Endpoint,
    /// Login name; the option file's or the operating system's user when absent.
    pub user: Option<String>,
    /// Schema that the test tables are in.
    pub database: String,
    /// Where the password comes from.
    pub password: PasswordSource,
    /// Whether to encrypt the connection.
    pub tls: Tls,
    /// MySQL: whether what the clients of a load send and get is compressed with zlib.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compression: bool,
    /// MySQL: which RSA key may encrypt the password where the connection is not encrypted.
    #[serde(default, skip_serializing_if = "ServerKey::is_default")]
    pub server_key: ServerKey,
    /// PostgreSQL: by which methods the server may ask who logs in.
    #[serde(default, skip_serializing_if = "AuthMethods::are_all")]
    pub auth: AuthMethods,
}

/// Which RSA key may encrypt a password of `caching_sha2_password` or `sha256_password` that has to
/// travel on a connection without TLS. Whoever has made the key reads the password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerKey {
    /// What the option files say: `get-server-public-key` or `server-public-key-path`; none where
    /// they say nothing.
    #[default]
    OptionFile,
    /// None: such a login is refused.
    Refuse,
    /// Whichever key the server sends.
    Request,
    /// The one in this PEM file.
    Pinned(PathBuf),
}

impl ServerKey {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Target {
    /// The same target under a name of its own, to be measured against it; it has no price.
    pub fn aa_control(&self) -> Self {
        Self { name: format!("{} (again)", self.name), price: None, ..self.clone() }
    }

    /// By how much the round trips of its loads are to be longer.
    pub fn delay(&self) -> Option<Duration> {
        self.path.as_ref()?.delay
    }

    /// How many replicas it has.
    pub fn replicas(&self) -> usize {
        match &self.place {
            Place::Sandbox(spec) => {
                spec.replication.as_ref().map_or(0, |replication| replication.replicas as usize)
            }
            Place::Server(spec) => spec.replicas.len(),
            Place::Storage(_) | Place::Imported => 0,
        }
    }

    /// The machine of a server, where weighin reaches that over SSH.
    pub fn ssh_host(&self) -> Option<&SshHost> {
        match &self.place {
            Place::Server(spec) => spec.host.as_ref(),
            Place::Sandbox(spec) => spec.host.as_ref(),
            Place::Storage(_) | Place::Imported => None,
        }
    }

    /// The machines that weighin reaches over SSH for it: that of its server, or those of its volumes.
    pub fn hosts(&self) -> Vec<RemoteHost> {
        match &self.place {
            Place::Storage(place) => place.hosts.clone(),
            Place::Server(_) | Place::Sandbox(_) | Place::Imported => {
                self.ssh_host().cloned().map(RemoteHost::from).into_iter().collect()
            }
        }
    }

    /// What brings its server up and takes it down, where it is provisioned.
    pub fn instance(&self) -> Option<&InstanceSpec> {
        match &self.place {
            Place::Server(spec) => spec.instance.as_ref(),
            Place::Sandbox(_) | Place::Storage(_) | Place::Imported => None,
        }
    }

    /// What stops and starts its server, where that runs already and weighin may.
    pub fn restart(&self) -> Option<&RestartSpec> {
        match &self.place {
            Place::Server(spec) => spec.restart.as_ref(),
            Place::Sandbox(_) | Place::Storage(_) | Place::Imported => None,
        }
    }

    /// What undoes there what trials change of data that weighin did not make.
    pub fn undo(&self) -> Option<&UndoSpec> {
        match &self.place {
            Place::Server(spec) => spec.undo.as_ref(),
            Place::Sandbox(_) | Place::Storage(_) | Place::Imported => None,
        }
    }

    /// Whether it has a way of its own to undo what trials change of data that weighin did not make: a
    /// private server has a copy.
    pub fn can_undo(&self) -> bool {
        matches!(self.place, Place::Sandbox(_)) || self.undo().is_some()
    }

    /// What is said when something is to be run on a target that is elsewhere.
    pub fn out_of_reach(&self) -> Failure {
        Failure::new(
            FailureKind::Unreachable,
            format!("the results of {} were imported, so there is no server to reach", self.name),
            "write a study file whose target has a url or a sandbox",
        )
    }
}
