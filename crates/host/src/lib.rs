//! Machines that weighin measures on. Whatever touches the files, processes, devices or clock of one
//! goes through [`Host`]; [`Local`] is the machine that weighin itself runs on.

#[doc(hidden)]
pub mod fuzzing;
pub mod local;
mod question;
pub mod recipe;
mod remote;
mod supervise;
mod waiting;

pub use self::local::command::command;
pub use self::local::os::random_hex;
pub use self::local::processors::{DividedProcessors, Holding, ProcessorSet};
pub use self::local::sandbox::{forget_kept, remove_left};
pub use self::local::size::in_words as size_in_words;
pub use self::local::storage::no_room;
pub use self::local::{Local, this_machine};
pub use self::question::{
    Answer, AnyQuestion, Asker, CommandOrder, CounterSource, DiskCounters, Ended, Ends, Finished,
    GroupMember, Handed, Heard, HeldVolume, Host, InstanceOrder, KeptInstance, Lines, Looking,
    MeasuredPhase, Mouthpiece, Password, PrivateServer, ProcessClue, ProgramOrder, RunningServer,
    SamplerOptions, SandboxOptions, Scope, ServerAct, ServerState, Share, Space, SpaceUsed, Usage,
    UserCommand, Volume, VolumeFacts, Watch, Watched, Weighin, handed,
};
pub use self::remote::{
    AGENT_COMMAND, Connection, Duty, HELLO, Hello, InstanceDestination, Link, Remote, Route, serve,
};
pub use self::supervise::{KEEPER_COMMAND, keep};
pub use self::waiting::{Waiting, listen, long_waits};
pub use engine::storage::{FileSpec, Filling, Processors};
