//! What is asked of a private server.

use model::{
    BuiltVolume, Failure, ProxyProgram, ServerAddress, Software, Stop, System, VersionSetting,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// A password that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    pub fn new(password: String) -> Self {
        Self(password)
    }

    /// The password itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}

/// How to start a private server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SandboxOptions {
    /// Which server software to start.
    pub system: System,
    /// The program that is started before a server of that kind, in place of one, and where the server is.
    pub proxy: Option<(ProxyProgram, SocketAddr)>,
    /// The target's name, for messages.
    pub name: String,
    /// Server settings by name as in an option file, without `--`; an empty value stands for an
    /// option without one.
    pub settings: BTreeMap<String, String>,
    /// Settings that could harm this host are given to the server as well.
    pub trusted: bool,
    /// Existing directory in which the server's own directory is made; the usual one when
    /// absent.
    pub directory: Option<PathBuf>,
    /// Where the server's programs come from.
    pub software: Software,
    /// Name of the server program; the first of its kind that is installed when absent.
    pub program: Option<String>,
    /// The settings are of another machine: more of the memory than this one has is not asked for.
    pub fits_memory: bool,
    /// Settings that it gets where it has their version.
    pub of_versions: Vec<VersionSetting>,
    /// A data directory on this machine that the server gets a copy of; a new one when absent.
    pub data: Option<PathBuf>,
    /// The database that clients use; that of its kind when absent.
    pub database: Option<String>,
    /// A volume to build there for the data, which goes with the sandbox; without one the data is on
    /// the directory's own disk.
    pub volume: Option<BuiltVolume>,
    /// Another for temporary files, without limits; they are with the data when absent.
    pub temporary_volume: Option<BuiltVolume>,
    /// What it takes to be the member of a group; a server alone when absent.
    pub member: Option<GroupMember>,
    /// The password of the login, of a replica or proxy that has its primary's accounts; a random one when
    /// absent.
    /// It is never sent to another machine.
    #[serde(skip)]
    pub password: Option<Password>,
    /// Its Unix socket is its address, and not its port on loopback; always so in a container.
    pub over_socket: bool,
    /// The address of this machine on which others reach it, encrypted; loopback alone, as it is, when
    /// absent.
    pub listen: Option<IpAddr>,
    /// Ends every wait for the server, which is then killed: whatever asks to stop needs it no more.
    #[serde(skip)]
    pub stop: Stop,
}

/// A server of a group: a primary or a replica. It is started as one that can be either; who
/// replicates from whom is said when all of them are up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupMember {
    /// By this the members of the group tell each other apart; from 1.
    pub number: u32,
    /// Whether a commit on the primary waits until a replica has its transaction.
    pub semi_sync: bool,
}

/// What is known of a private server.
#[derive(Clone, Serialize, Deserialize)]
pub struct ServerState {
    /// Where it listens, with login and database. It may be another after it was started again.
    pub address: ServerAddress,
    /// The same with the login of those that replicate from it; `None` of a server that was not
    /// started as the member of a group, or is on another machine.
    pub replication_address: Option<ServerAddress>,
    /// The password of the login in `address`: of a server on another machine what names its place there
    /// says nothing here.
    pub password: Option<String>,
    /// Process id; of the last one while it is stopped.
    pub pid: u32,
    /// Which program it is, in words: its path, or the image that it is of.
    pub program: String,
    /// The disks under its data, by kernel name; none where that is not known.
    pub disks: Vec<String>,
    /// Where its data is.
    pub data: PathBuf,
}

impl Debug for ServerState {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerState").field("pid", &self.pid).finish_non_exhaustive()
    }
}

/// What a private server is to do, or to suffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerAct {
    /// It is shut down cleanly; nothing when it is stopped or has ended by itself. `TimedOut` when it did
    /// not end within three minutes and was killed; [`Failure::stopped`].
    Stop,
    /// It is killed, as a crash would (SIGKILL), and gone then.
    Kill,
    /// It hangs (SIGSTOP): its connections stay open, and it answers nothing.
    Freeze,
    /// It goes on; nothing where it does not hang.
    Thaw,
    /// It moves, by a restart, to a network of its own, which can be cut; nothing where it has one.
    /// `NotPermitted` where its machine lets weighin make no network.
    MoveApart,
    /// Its network is cut off: what is sent to it and from it is lost, and nobody is told.
    CutOff,
    /// Undoes that; nothing where it is not cut off.
    Reconnect,
    /// It forgets, while it is stopped, what was in its cache, which it otherwise reads again when it
    /// starts.
    ForgetCache,
    /// A copy of its data is kept while it is stopped, in place of one kept before. The file system shares
    /// blocks where it can.
    KeepData,
    /// Its data becomes, while it is stopped, what was kept. `NotPermitted` where nothing was.
    RestoreData,
    /// It is started again on the same data; nothing when it runs. Fails as
    /// [`super::Host::start_server`].
    StartAgain,
}

/// A private server, running or stopped. Dropping it ends the server and removes its data.
pub trait PrivateServer: Debug + Send {
    fn state(&self) -> &ServerState;

    /// Has something done with it, to its end.
    ///
    /// # Errors
    /// When it cannot be done; see [`ServerAct`].
    fn act(&mut self, act: ServerAct) -> Result<(), Failure>;

    /// Why it has ended by itself, with the telling lines of its log; `None` when it runs, or was
    /// stopped.
    fn last_words(&mut self) -> Option<Failure>;

    /// Why it is there no more, where its machine was lost.
    fn lost(&self) -> Option<Failure> {
        None
    }
}
