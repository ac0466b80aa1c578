//! What weighin asks of a machine.
//!
//! The questions are as large as they can be. So a machine elsewhere can be asked by messages, and what it
//! does there is what [`crate::Local`] does here. Moments
//! ([`std::time::Instant`]) are of the clock of the machine that weighin runs on; a machine elsewhere
//! translates them.

use super::ask::{
    Answer, AnyQuestion, Boot, CheckBuiltVolume, CheckCaches, CheckConnection, CheckProcessors,
    ClearVolume, Disks, DropCaches, Facts, FindProgram, FindServer, FreeSpace, IsRoot, OpenFiles,
    ProcessorCount, Question, read,
};
use super::held_volume::{HeldVolume, Space};
use super::program::{
    CommandOrder, Ended, InstanceOrder, KeptInstance, ProgramOrder, UserCommand, Weighin,
};
use super::running_server::{Ends, ProcessClue, RunningServer};
use super::sampling::{DiskCounters, Scope, Watch};
use super::server::{PrivateServer, SandboxOptions};
use crate::local::processors::DividedProcessors;
use engine::storage::Processors;
use model::{BuiltVolume, Failure, FailureKind, HostFacts, Stop, UnixMillis};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A machine on which targets are, or that makes load.
pub trait Host: Debug + Send + Sync {
    /// By this it is told from others.
    fn name(&self) -> &str;

    /// Has a question answered there, connecting where that is needed. It is not waited for when `stop` is
    /// requested, or what the machine has in place of that.
    ///
    /// # Errors
    /// As [`Self::reach`], and what is the answer.
    fn carry(&self, question: AnyQuestion, stop: Option<&Stop>)
    -> Result<Box<dyn Answer>, Failure>;

    /// The same of a machine that is connected to already, and not otherwise.
    ///
    /// # Errors
    /// As [`Self::carry`].
    fn carry_if_connected(&self, question: AnyQuestion) -> Result<Box<dyn Answer>, Failure> {
        self.carry(question, None)
    }

    /// What it is. What cannot be found out is absent, or empty where it is a plain string.
    fn facts(&self) -> HostFacts {
        known(self, Facts())
    }

    /// The time of day there.
    fn time(&self) -> UnixMillis;

    /// Processors that weighin may use there; at least 1.
    fn processors(&self) -> u32 {
        known(self, ProcessorCount()).max(1)
    }

    /// Whether weighin is root there.
    fn is_root(&self) -> bool {
        known(self, IsRoot())
    }

    /// What its disks have counted since boot, by kernel name; no partitions, and no disk that did
    /// nothing.
    fn disk_counters(&self) -> BTreeMap<String, DiskCounters> {
        known(self, Disks())
    }

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
    fn drop_caches(&self, stop: &Stop) -> Result<(), Failure> {
        ask(self, DropCaches(), Some(stop))
    }

    /// Whether [`Self::drop_caches`] is permitted; empties nothing.
    ///
    /// # Errors
    /// `NotPermitted` where it is not.
    fn check_caches(&self) -> Result<(), Failure> {
        ask(self, CheckCaches(), None)
    }

    /// What is free on the file system of a directory, or of that for private servers where none is
    /// named; of one that is not there yet, where it would be made. `None` where weighin may not look.
    fn space(&self, directory: Option<&Path>) -> Option<Space> {
        known(self, FreeSpace(directory.map(Path::to_owned)))
    }

    /// Files and sockets that this process may have open at a time; `None` where that is not limited.
    fn open_files(&self) -> Option<u64> {
        known(self, OpenFiles())
    }

    /// What the machine was given when it started: the same for all that run on it, in containers too.
    /// `None` where it does not say.
    fn boot(&self) -> Option<String> {
        known(self, Boot())
    }

    /// Where a program is that is on the `PATH` there; one with a slash in its name is at that path.
    fn find_program(&self, name: &str) -> Option<PathBuf> {
        known(self, FindProgram(name.to_owned()))
    }

    /// Runs a program to its end, or until `stop` says so.
    ///
    /// # Errors
    /// When it cannot be started as ordered.
    fn run(&self, _: &ProgramOrder<'_>, _: &dyn Fn() -> bool) -> Result<Ended, Failure> {
        Err(not_there("run programs", self.name()))
    }

    /// Gets ready to run a command of the user, until `stop` is requested.
    ///
    /// # Errors
    /// When nothing could be started.
    fn user_command(&self, _: CommandOrder, _: &Stop) -> Result<Box<dyn UserCommand>, Failure> {
        Err(not_there("run commands", self.name()))
    }

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
    fn check_connection(&self, address: SocketAddr) -> Result<(), Failure> {
        ask(self, CheckConnection(address), None)
    }

    /// So many processors for threads of this process, which join them by themselves.
    ///
    /// # Errors
    /// `NotPermitted` when the machine or its permissions do not allow it.
    fn hold_processors(&self, _: f64) -> Result<Arc<dyn Processors>, Failure> {
        Err(not_there("limit processors", self.name()))
    }

    /// Divides its processors into so many equal sets, which can be exchanged.
    ///
    /// # Errors
    /// `NotPermitted` when there are too few, or the machine or its permissions do not allow it.
    fn divide_processors(&self, _: usize) -> Result<DividedProcessors, Failure> {
        Err(not_there("divide processors", self.name()))
    }

    /// Whether so many processors can be held there for threads, and what these do with them be
    /// counted; holds none.
    ///
    /// # Errors
    /// `NotPermitted` where they cannot.
    fn check_processors(&self, count: f64) -> Result<(), Failure> {
        ask(self, CheckProcessors(count), None)
    }

    /// The process at the other end of a connection from there; `None` where it is not on the
    /// machine, may not be looked at, or is not what the server says of itself.
    fn running_server(&self, ends: &Ends, clue: &ProcessClue) -> Option<RunningServer> {
        known(self, FindServer(*ends, clue.clone()))
    }

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
    fn check_networks(&self) -> Result<(), Failure> {
        Err(not_there("make networks", self.name()))
    }

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
    ) -> Result<(), Failure> {
        ask(self, CheckBuiltVolume(*volume, directory.map(Path::to_owned), bytes), None)
    }

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
    fn clear_volume(&self, path: &Path, stop: &Stop) -> Result<bool, Failure> {
        ask(self, ClearVolume(path.to_owned()), Some(stop))
    }
}

fn not_there(what: &str, name: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("weighin does not {what} on {name}, which is another machine"),
        "run weighin on that machine, or leave out what asks for it; docs/hosts.md says what can be \
         done elsewhere",
    )
}

/// Asks a machine, connecting to it where that is needed.
fn ask<Q: Question>(
    host: &(impl Host + ?Sized),
    question: Q,
    stop: Option<&Stop>,
) -> Result<Q::Answer, Failure> {
    read::<Q>(host.carry(question.into(), stop)?)
}

/// What is absent where the machine does not answer.
pub(crate) fn known<Q: Question>(host: &(impl Host + ?Sized), question: Q) -> Q::Answer
where
    Q::Answer: Default,
{
    host.carry_if_connected(question.into()).and_then(read::<Q>).unwrap_or_default()
}
