//! What is asked of a private server.

use model::{BuiltVolume, Failure, ServerAddress, Software, Stop, System};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// How to start a private server.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SandboxOptions {
    /// Which server software to start.
    pub system: System,
    /// The target's name, for messages.
    pub name: String,
    /// Server settings by name as in an option file, without `--`; an empty value stands for an
    /// option without one.
    pub settings: BTreeMap<String, String>,
    /// Settings that could harm this host are given to the server as well.
    pub trusted: bool,
    /// Existing directory in which the server's own directory is made; [`sandbox_directory`] when
    /// absent.
    pub directory: Option<PathBuf>,
    /// Where the server's programs come from.
    pub software: Software,
    /// Name of the server program; the first of its kind that is installed when absent.
    pub program: Option<String>,
    /// A volume to build there for the data, which goes with the sandbox; without one the data is on
    /// the directory's own disk.
    pub volume: Option<BuiltVolume>,
    /// Another for temporary files, without limits; they are with the data when absent.
    pub temporary_volume: Option<BuiltVolume>,
    /// What it takes to be the member of a group; a server alone when absent.
    pub member: Option<GroupMember>,
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

/// A private server, running or stopped. Dropping it ends the server and removes its data.
pub trait PrivateServer: Debug + Send {
    /// Where it listens, with login and database. It may be another after it was started again.
    fn address(&self) -> &ServerAddress;

    /// The same with the login of those that replicate from it; `None` of a server that was not
    /// started as the member of a group.
    fn replication_address(&self) -> Option<ServerAddress>;

    /// The password of the login in [`Self::address`], of a server on another machine: what names its
    /// place there says nothing here.
    fn password(&self) -> Option<String> {
        None
    }

    /// Why it is there no more, where its machine was lost.
    fn lost(&self) -> Option<Failure> {
        None
    }

    /// Process id; of the last one while it is stopped.
    fn pid(&self) -> u32;

    /// Which program it is, in words: its path, or the image that it is of.
    fn program(&self) -> String;

    /// The disks under its data, by kernel name; none where that is not known.
    fn disks(&self) -> Vec<String>;

    /// Where its data is.
    fn data_directory(&self) -> &Path;

    /// Shuts it down cleanly; does nothing when it is stopped or has ended by itself.
    ///
    /// # Errors
    /// `TimedOut` when it did not end within three minutes and was killed; [`Failure::stopped`].
    fn stop(&mut self) -> Result<(), Failure>;

    /// Kills it, as a crash would (SIGKILL); returns when it is gone.
    ///
    /// # Errors
    /// When it cannot be killed.
    fn kill(&mut self) -> Result<(), Failure>;

    /// Makes it hang (SIGSTOP): its connections stay open, and it answers nothing.
    ///
    /// # Errors
    /// When it cannot be signalled.
    fn freeze(&mut self) -> Result<(), Failure>;

    /// Lets it go on; does nothing where it does not hang.
    ///
    /// # Errors
    /// As [`Self::freeze`].
    fn thaw(&mut self) -> Result<(), Failure>;

    /// Moves it, by a restart, to a network of its own, which can be cut; does nothing where it has one.
    ///
    /// # Errors
    /// `NotPermitted` where this machine lets weighin make no network; as [`Self::start_again`].
    fn move_apart(&mut self) -> Result<(), Failure>;

    /// Cuts its network off: what is sent to it and from it is lost, and nobody is told.
    ///
    /// # Errors
    /// When the network is gone.
    fn cut_off(&mut self) -> Result<(), Failure>;

    /// Undoes [`Self::cut_off`]; does nothing where it is not cut off.
    ///
    /// # Errors
    /// When the network is gone.
    fn reconnect(&mut self) -> Result<(), Failure>;

    /// Makes a stopped server forget what was in its cache, which MariaDB otherwise reads again when
    /// it starts.
    ///
    /// # Errors
    /// When the file that remembers it cannot be removed.
    fn forget_cache(&mut self) -> Result<(), Failure>;

    /// Starts it again on the same data; does nothing when it runs.
    ///
    /// # Errors
    /// As [`Host::start_server`].
    fn start_again(&mut self) -> Result<(), Failure>;

    /// Why it has ended by itself, with the telling lines of its log; `None` when it runs, or was
    /// stopped.
    fn last_words(&mut self) -> Option<Failure>;
}
