//! What weighin asks of a machine.
//!
//! The operations are as large as they can be: an order in, an answer out. So a machine elsewhere can
//! be asked by messages, and what it does there is what [`crate::Local`] does here. Moments
//! ([`std::time::Instant`]) are of the clock of the machine that weighin runs on; a machine elsewhere
//! translates them.

use crate::held_volume::HeldVolume;
use crate::lines::Lines;
use crate::local::child::Ended;
use crate::local::sample::{DiskCounters, SamplerOptions};
use crate::local::sandbox::SandboxOptions;
use crate::order::{CommandOrder, InstanceOrder};
use crate::running_server::{Ends, ProcessClue, RunningServer};
use engine::Nanos;
use engine::storage::{Processors, StorageError};
use model::{
    BuiltVolume, ClockReading, Failure, HostAccount, HostFacts, Sample, ServerAddress, Stop,
    UnixMillis,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A machine on which targets are, or that makes load.
pub trait Host: Debug + Send + Sync {
    /// By this it is told from others.
    fn name(&self) -> &str;

    /// What it is. What cannot be found out is absent, or empty where it is a plain string.
    fn facts(&self) -> HostFacts;

    /// The time of day there.
    fn time(&self) -> UnixMillis;

    /// Processors that weighin may use there; at least 1.
    fn processors(&self) -> u32;

    /// Whether weighin is root there.
    fn is_root(&self) -> bool;

    /// What its disks have counted since boot, by kernel name; no partitions, and no disk that did
    /// nothing.
    fn disk_counters(&self) -> BTreeMap<String, DiskCounters>;

    /// Makes sure that it answers, connecting where that is needed. One that was lost is waited for.
    ///
    /// # Errors
    /// `Unreachable` where it does not answer; [`Failure::stopped`].
    fn reach(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// The same, but one that was lost is not waited for.
    ///
    /// # Errors
    /// As [`Self::reach`].
    fn find(&self) -> Result<(), Failure> {
        self.reach()
    }

    /// Begins to watch what a load does there.
    ///
    /// # Errors
    /// As [`Self::reach`].
    fn watch(&self, scope: &Scope) -> Result<Box<dyn Watch>, Failure>;

    /// Writes dirty pages out and empties the operating system's page, dentry and inode caches.
    ///
    /// # Errors
    /// `NotPermitted` where weighin may not; [`Failure::stopped`].
    fn drop_caches(&self, stop: &Stop) -> Result<(), Failure>;

    /// Whether [`Self::drop_caches`] is permitted; empties nothing.
    ///
    /// # Errors
    /// `NotPermitted` where it is not.
    fn check_caches(&self) -> Result<(), Failure>;

    /// What is free on the file system of a directory, or of that for private servers where none is
    /// named; of one that is not there yet, where it would be made. `None` where weighin may not look.
    fn space(&self, directory: Option<&Path>) -> Option<Space>;

    /// Files and sockets that this process may have open at a time; `None` where that is not limited.
    fn open_files(&self) -> Option<u64>;

    /// What the machine was given when it started: the same for all that run on it, in containers too.
    /// `None` where it does not say.
    fn boot(&self) -> Option<String>;

    /// Where a program is that is on the `PATH` there; one with a slash in its name is at that path.
    fn find_program(&self, name: &str) -> Option<PathBuf>;

    /// Runs a program to its end, or until `stop` says so.
    ///
    /// # Errors
    /// When it cannot be started as ordered.
    fn run(&self, program: &ProgramOrder<'_>, stop: &dyn Fn() -> bool) -> Result<Ended, Failure>;

    /// Gets ready to run a command of the user, until `stop` is requested.
    ///
    /// # Errors
    /// When nothing could be started.
    fn user_command(
        &self,
        order: CommandOrder,
        stop: &Stop,
    ) -> Result<Box<dyn UserCommand>, Failure>;

    /// Gets ready to bring up something of the user's, and to take it down again.
    ///
    /// # Errors
    /// When nothing could be started, or a variable is not there that the commands are to get.
    fn keep_instance(&self, order: InstanceOrder) -> Result<Box<dyn KeptInstance>, Failure>;

    /// Starts weighin there with that hidden command, in a process of its own.
    ///
    /// # Errors
    /// When the process cannot be started, or the machine does not answer.
    fn start_weighin(&self, command: &str) -> Result<Box<dyn Weighin>, Failure>;

    /// Whether it is the machine of that name or IP address, as far as it knows without asking others.
    fn is_at(&self, _host: &str) -> bool {
        false
    }

    /// Whether it can connect to an address over TCP.
    ///
    /// # Errors
    /// `Unreachable` where it cannot.
    fn check_connection(&self, address: SocketAddr) -> Result<(), Failure>;

    /// So many processors for threads of this process, which join them by themselves.
    ///
    /// # Errors
    /// `NotPermitted` when the machine or its permissions do not allow it.
    fn hold_processors(&self, count: f64) -> Result<Arc<dyn Processors>, Failure>;

    /// Whether so many processors can be held there for threads, and what these do with them be
    /// counted; holds none.
    ///
    /// # Errors
    /// `NotPermitted` where they cannot.
    fn check_processors(&self, count: f64) -> Result<(), Failure> {
        check_counted(self.hold_processors(count)?.as_ref())
    }

    /// The process at the other end of a connection from there; `None` where it is not on the
    /// machine, may not be looked at, or is not what the server says of itself.
    fn running_server(&self, ends: &Ends, clue: &ProcessClue) -> Option<RunningServer>;

    /// Starts a private server; returns when it answers.
    ///
    /// # Errors
    /// `MissingProgram`, `SandboxStart`, `DiskFull` or `NotPermitted`, with what to do;
    /// [`Failure::stopped`].
    fn start_server(&self, options: SandboxOptions) -> Result<Box<dyn PrivateServer>, Failure>;

    /// Whether private servers can have networks of their own, which can be cut.
    ///
    /// # Errors
    /// `NotPermitted` where they cannot.
    fn check_networks(&self) -> Result<(), Failure>;

    /// Whether a volume for a private server can be built in a directory, or in that for private
    /// servers where none is named, beside others there: all of them take so many bytes.
    ///
    /// # Errors
    /// The first thing that is missing for it.
    fn check_built_volume(
        &self,
        volume: &BuiltVolume,
        directory: Option<&Path>,
        bytes: u64,
    ) -> Result<(), Failure>;

    /// Takes a volume for weighin alone, and makes sure that it can be read and written in such
    /// blocks. Changes nothing.
    ///
    /// # Errors
    /// When it is in use, or cannot be used.
    fn hold_volume(&self, path: &Path, block: u32) -> Result<Box<dyn HeldVolume>, Failure>;

    /// Removes what weighin made on a volume; whether there was anything of its own.
    ///
    /// # Errors
    /// When it is in use, or what is there is not weighin's to remove.
    fn clear_volume(&self, path: &Path, stop: &Stop) -> Result<bool, Failure>;
}

/// Whether what threads do with processors that are held for them can be read, as it will be at both
/// ends of measuring.
fn check_counted(held: &dyn Processors) -> Result<(), Failure> {
    let uncounted = |source: io::Error| StorageError::Uncounted { reason: source.to_string() };
    held.did().map(drop).map_err(|source| Failure::from(&uncounted(source)))
}

/// A process of weighin, started once more; it ends when this is dropped.
pub trait Weighin: Send {
    /// The process's number on its machine.
    fn pid(&self) -> u32;

    /// A moment by the clock of its machine, as far as that is known.
    fn there(&self, at: Instant) -> Nanos;

    /// How long it takes to tell it something and hear the answer, at best.
    fn round_trip(&self) -> Duration {
        Duration::ZERO
    }

    /// Tells it something: a line of text.
    ///
    /// # Errors
    /// When it listens no more.
    fn tell(&mut self, line: &str) -> io::Result<()>;

    /// Has it told that line again and again, as long as this machine is there, by whoever stands
    /// between: that may go on when the lead is gone. A process with nobody between is told nothing; it
    /// hears of the lead's end through its pipe.
    ///
    /// # Errors
    /// As [`Self::tell`].
    fn tell_at_beats(&mut self, _line: &str) -> io::Result<()> {
        Ok(())
    }

    /// What it says; `None` when that was taken already.
    fn take_answers(&mut self) -> Option<Lines>;

    /// How it ended, in words that follow its name. Only of one whose answers have ended.
    fn last_words(&mut self) -> String;

    /// Why its machine does not answer any more; `None` where it does.
    fn lost(&self) -> Option<Failure> {
        None
    }

    /// Lets it know that it is to end.
    fn dismiss(&mut self);
}

/// What is watched while a load runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The server's process, where it runs there.
    pub server_pid: Option<u32>,
    /// Whether to look how much space its temporary files take, fifty times a second.
    pub temporary_space: bool,
    /// Its data directory there, to look as often how much space the files in it take.
    pub data: Option<PathBuf>,
}

/// Watches a load, from before it begins.
pub trait Watch: Send {
    /// Begins to take samples, now that it is known when the load starts.
    fn sample(&mut self, options: SamplerOptions);

    /// Requests that stop as soon as the machine is lost, so that no load goes on unseen.
    fn stop_when_lost(&mut self, _stop: &Stop) {}

    /// The load is over.
    ///
    /// # Errors
    /// `HostLost` where the machine was lost meanwhile.
    fn end(self: Box<Self>) -> Result<Watched, Failure>;
}

/// What was seen of a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// In order of time; none where sampling did not begin.
    pub samples: Vec<Sample>,
    pub account: HostAccount,
    pub space: SpaceUsed,
    /// The clock of a machine elsewhere, when watching began and when it ended.
    pub clocks: Option<(ClockReading, ClockReading)>,
}

/// The most space that a server took beyond that at the beginning, in bytes on disk; `None` where it
/// was not asked for, or may not be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceUsed {
    /// In temporary files, and in copies of tables that are being made.
    pub temporary: Option<u64>,
    /// In its data directory, temporary files there included.
    pub data: Option<u64>,
}

/// A program to be run to its end.
#[derive(Clone, Copy, Debug)]
pub struct ProgramOrder<'a> {
    pub path: &'a Path,
    pub arguments: &'a [String],
    /// What it finds on standard input.
    pub input: &'a [u8],
    /// After that time it is killed.
    pub limit: Duration,
    /// What it prints goes to [`crate::Finished`]; some results it writes only to a file. The last
    /// argument is then this, with the path of a file behind it.
    pub result_option: Option<&'a str>,
    /// The processors that it is limited to; all where absent.
    pub processors: Option<f64>,
}

impl<'a> ProgramOrder<'a> {
    /// Without input, on all processors, with results that are printed.
    pub fn new(path: &'a Path, arguments: &'a [String], limit: Duration) -> Self {
        Self { path, arguments, input: b"", limit, result_option: None, processors: None }
    }
}

/// A command that is ready to be run once. With this, or with weighin, however that ends, ends
/// whatever the command has started and not detached.
pub trait UserCommand: Send {
    /// Runs it to its end. The last lines that it printed, in one; `None` where it printed nothing.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long; [`Failure::stopped`].
    fn run(&mut self) -> Result<Option<String>, Failure>;
}

/// Something that is brought up and taken down by commands of the user. What was brought up is taken
/// down when this is dropped, or weighin ends, however it does: by a process that goes on for that.
pub trait KeptInstance: Send + Debug {
    /// Brings it up; what `up` printed on standard output. `said` gets each line of its standard error.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long; [`Failure::stopped`].
    fn up(&mut self, stop: &Stop, said: &mut dyn FnMut(&str)) -> Result<String, Failure>;

    /// Takes it down, where `up` was begun, and ends `up` first where that goes on. `said` gets each
    /// line that is printed.
    ///
    /// # Errors
    /// When it does not start, does not end well or takes too long.
    fn down(&mut self, said: &mut dyn FnMut(&str)) -> Result<(), Failure>;
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

/// What a directory has of its file system. Of one that holds no volume, `own` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Which file system.
    pub device: u64,
    /// Bytes that are free there.
    pub free: u64,
    /// Bytes in weighin's own files, which make room for new ones.
    pub own: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{FailureKind, ProcessorCount};

    /// Processors whose counters cannot be read.
    #[derive(Debug)]
    struct Uncounted;

    impl Processors for Uncounted {
        fn count(&self) -> f64 {
            1.0
        }

        fn period(&self) -> Duration {
            Duration::from_millis(100)
        }

        fn join(&self) -> io::Result<()> {
            Ok(())
        }

        fn did(&self) -> io::Result<ProcessorCount> {
            Err(io::Error::other("cpu.stat has no nr_periods"))
        }
    }

    #[test]
    fn counters_that_cannot_be_read_are_found_by_the_check_with_the_reason() {
        let failure = check_counted(&Uncounted).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(failure.message.ends_with(": cpu.stat has no nr_periods"), "{failure}");
        assert!(failure.remedy.contains("leave `cpu_oversubscription` out"), "{failure}");
    }
}
