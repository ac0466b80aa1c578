//! Machines that weighin measures on. Whatever touches the files, processes, devices or clock of one
//! goes through [`Host`]; [`Local`] is the machine that weighin itself runs on.

#[doc(hidden)]
pub mod fuzzing;
mod held_volume;
mod interface;
mod lines;
pub mod local;
mod order;
pub mod recipe;
mod remote;
mod running_server;
mod waiting;

// The recipes of servers name this crate as those in crates of their own do.
extern crate self as host;

pub use self::held_volume::{HeldVolume, Share, VolumeFacts};
pub use self::interface::{
    Host, KeptInstance, PrivateServer, ProgramOrder, Scope, Space, SpaceUsed, UserCommand, Watch,
    Watched, Weighin,
};
pub use self::lines::{Handed, Heard, Lines, Mouthpiece, handed};
pub use self::local::child::{Ended, Finished, Usage};
pub use self::local::command::command;
pub use self::local::instance::{KEEPER_COMMAND, SECOND_COMMAND, keep, stand_by};
pub use self::local::os::random_hex;
pub use self::local::sample::{CounterSource, DiskCounters, SamplerOptions, Volume};
pub use self::local::sandbox::mariadb::CLIENT_HOSTS;
pub use self::local::sandbox::{GroupMember, SandboxOptions, forget_kept, remove_left};
pub use self::local::size::in_words as size_in_words;
pub use self::local::storage::{Looking, no_room};
pub use self::local::{Local, this_machine};
pub use self::order::{CommandOrder, InstanceOrder};
pub use self::remote::{
    AGENT_COMMAND, Carrier, Duty, HELLO, Hello, InstanceDestination, Link, Remote, Route, serve,
};
pub use self::running_server::{Ends, ProcessClue, RunningServer};
pub use self::waiting::{Waiting, listen, long_waits};
pub use engine::storage::{FileSpec, Filling, Processors};
