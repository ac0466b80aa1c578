//! Machines that weighin measures on. Whatever touches the files, processes, devices or clock of one
//! goes through [`Host`]; [`Local`] is the machine that weighin itself runs on.

#[doc(hidden)]
pub mod fuzzing;
mod interface;
pub mod local;
mod remote;
mod running_server;

pub use self::interface::{
    CommandOrder, HeldVolume, Host, InstanceOrder, KeptInstance, PrivateServer, ProgramOrder,
    Scope, Share, Space, SpaceUsed, UserCommand, VolumeFacts, Watch, Watched, Weighin,
};
pub use self::local::child::{Ended, Finished, Usage};
pub use self::local::command::command;
pub use self::local::instance::{KEEPER_COMMAND, keep};
pub use self::local::os::random_hex;
pub use self::local::sample::{CounterSource, DiskCounters, SamplerOptions, Volume};
pub use self::local::sandbox::{CLIENT_HOSTS, GroupMember, SandboxOptions};
pub use self::local::size::in_words as size_in_words;
pub use self::local::storage::{Looking, no_room};
pub use self::local::{Local, this_machine};
pub use self::remote::{AGENT_COMMAND, Carrier, Duty, HELLO, Hello, Link, Remote, Route, serve};
pub use self::running_server::{Ends, ProcessClue, RunningServer};
pub use engine::storage::{FileSpec, Filling, Processors};
