use crate::{
    Broker, BuiltVolume, Failure, FailureKind, HostInstance, InstanceSpec, PasswordSource, Price,
    RemoteHost, RestartSpec, SshHost, StoragePlace, System, Test, Tls, Trial,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What the user asked for: a validated study file.
///
/// Built only by the `study` crate, which guarantees: at least one target and one test, names
/// unique, `repeats` ≥ 1, every level ≥ 1 client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Short name, used for file names: letters, digits, `-` and `_`.
    pub name: String,
    /// The question the study is to answer, in the user's words.
    pub question: Option<String>,
    /// How many times every cell is measured; with `until` at most.
    pub repeats: u32,
    /// Whether repeats end where all is resolved, and what must be there before.
    pub until: Option<Until>,
    /// What the run may take, where that ends repeats too; only with `until`.
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Seeds the order of trials and every random stream of every workload.
    pub seed: u64,
    /// Confidence of every interval, in (0, 1); 0.95 unless the study says otherwise.
    pub confidence: f64,
    /// Relative difference below which two targets count as the same; 0.03 is 3 %.
    pub margin: f64,
    /// Time between two samples of host and server while a trial runs, from 100 ms to a minute;
    /// [`Study::SAMPLE_EVERY`] unless the study says otherwise.
    pub sample_every: Duration,
    /// Whether the targets run their trials side by side: within a block all of them at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// The candidates, in the order of the file.
    pub targets: Vec<Target>,
    /// The first target a second time, where the study asks for the noise floor: what its tests
    /// tell apart from the first is noise. It is no candidate.
    pub aa_control: Option<Target>,
    /// What is run on every target, in the order of the file.
    pub tests: Vec<Test>,
    /// Where agents register, where some of the loads are made by such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<Broker>,
    /// What brings machines up that come and go with the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_instances: Vec<HostInstance>,
    /// The study file itself, byte for byte.
    pub source: String,
}

/// Repeats go on for what is not resolved: after each block the comparisons that are decided are
/// left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Until {
    /// Repeats of every cell before the first look, at least 2 and no more than all.
    pub min: u32,
}

/// What a run may take: its trials with what goes before each, and what goes before the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    pub time: Duration,
    /// The same in money, where the study has it so: all targets are paid for as long as the run takes.
    pub money: Option<Money>,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Money {
    pub amount: f64,
    /// ISO 4217 code.
    pub currency: String,
}

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
}

impl ServerSpec {
    /// A server without replicas.
    pub fn new(address: ServerAddress) -> Self {
        let (replicas, control) = (Vec::new(), ReplicationControl::default());
        Self { address, replicas, control, host: None, instance: None, restart: None }
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

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Endpoint {
    /// TCP.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
    /// Unix socket.
    Socket(PathBuf),
    /// Of a server that is not up yet: `up` of its instance will tell.
    NotUp,
}

impl Study {
    /// The confidence of intervals where a study does not say.
    pub const CONFIDENCE: f64 = 0.95;
    /// The margin where a study does not say.
    pub const MARGIN: f64 = 0.03;
    /// Time between two samples where a study does not say.
    pub const SAMPLE_EVERY: Duration = Duration::from_secs(1);

    /// The test of that name.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.tests.iter().find(|test| test.name == name)
    }

    /// All that trials run on: the targets in the order of the file, then the A/A control.
    pub fn measured(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().chain(&self.aa_control)
    }

    /// Where the server of a target or of the A/A control is among [`Self::measured`], by name: an A/A control of
    /// a server that runs already is that server, an A/A control of a private one has its own.
    pub fn server_of(&self, name: &str) -> Option<usize> {
        let place = self.measured().position(|target| target.name == name)?;
        let shared = place == self.targets.len() && !self.aa_control_is_private();
        Some(if shared { 0 } else { place })
    }

    /// Trials of a block in the order in which they run, in groups that run at once: each by itself, or
    /// of a study whose targets run side by side those of one test and level, which follow each other.
    /// The A/A control runs by itself.
    pub fn rounds<'t>(&self, trials: &[&'t Trial]) -> Vec<Vec<&'t Trial>> {
        let is_control =
            |trial: &Trial| self.aa_control.as_ref().is_some_and(|c| c.name == trial.key.target);
        let cell = |trial: &Trial| (trial.key.test.clone(), trial.key.level, trial.key.repeat);
        let mut rounds: Vec<Vec<&Trial>> = Vec::new();
        let mut all = trials;
        while let Some(first) = all.first() {
            let alike = all.iter().take_while(|trial| cell(trial) == cell(first)).count();
            let count = if self.parallel { alike } else { 1 };
            let (group, rest) = all.split_at(count);
            all = rest;
            let control = group.iter().position(|trial| is_control(trial));
            let alone = control.and_then(|place| group.get(place)).map(|trial| vec![*trial]);
            let others: Vec<&Trial> =
                group.iter().copied().filter(|trial| !is_control(trial)).collect();
            // First or last, as it falls in the order.
            let is_early = control.is_some_and(|place| place * 2 < count);
            let (before, after) = if is_early { (alone, None) } else { (None, alone) };
            rounds.extend(before);
            rounds.extend((!others.is_empty()).then_some(others));
            rounds.extend(after);
        }
        rounds
    }

    /// The machines that make loads in place of the one that weighin runs on: each for every test and
    /// target that it makes a load for.
    pub fn load_hosts(&self) -> impl Iterator<Item = &RemoteHost> {
        let loads = self.tests.iter().filter_map(Test::load);
        loads.flat_map(|load| self.measured().flat_map(|target| load.makers(target)))
    }

    /// What brings the machine of that name up, where it comes and goes.
    pub fn host_instance(&self, name: &str) -> Option<&HostInstance> {
        self.host_instances.iter().find(|instance| instance.name == name)
    }

    /// Whether anything comes and goes with the study.
    pub fn has_instances(&self) -> bool {
        !self.host_instances.is_empty() || self.targets.iter().any(|t| t.instance().is_some())
    }

    /// Whether the A/A control has a server of its own, which weighin starts.
    pub fn aa_control_is_private(&self) -> bool {
        self.aa_control
            .as_ref()
            .is_some_and(|aa_control| matches!(aa_control.place, Place::Sandbox(_)))
    }

    /// Every target with a server of its own.
    pub fn servers(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().chain(self.aa_control.as_ref().filter(|_| self.aa_control_is_private()))
    }
}

impl Target {
    /// The same target under a name of its own, to be measured against it; it has no price.
    pub fn aa_control(&self) -> Self {
        Self { name: format!("{} (again)", self.name), price: None, ..self.clone() }
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

    /// What brings its server up and takes it down, where it comes and goes.
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

    /// What is said when something is to be run on a target that is elsewhere.
    pub fn out_of_reach(&self) -> Failure {
        Failure::new(
            FailureKind::Unreachable,
            format!("the results of {} were imported, so there is no server to reach", self.name),
            "write a study file whose target has a url or a sandbox",
        )
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Socket(path) => write!(f, "{}", path.display()),
            Self::NotUp => f.write_str("an instance that is not up"),
        }
    }
}
