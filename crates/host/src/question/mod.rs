//! What is asked of a machine, and what it answers: no more than data, and the interfaces of what a machine
//! holds. [`crate::local`] answers, [`crate::remote`] carries.

mod ask;
mod held_volume;
mod host;
mod lines;
mod program;
mod running_server;
mod sampling;
mod server;

pub(crate) use self::ask::{
    ANSWER_TIMEOUT, CheckBuiltVolume, Facts, FindServer, IsRoot, LONGEST, reply,
};
pub use self::ask::{Answer, AnyQuestion, Asker};
pub use self::held_volume::{HeldVolume, Looking, Share, Space, Volume, VolumeFacts};
pub use self::host::Host;
pub(crate) use self::host::known;
pub use self::lines::{Handed, Heard, Lines, Mouthpiece, handed};
pub use self::program::{
    CommandOrder, Ended, Finished, InstanceOrder, KeptInstance, ProgramOrder, Usage, UserCommand,
    Weighin,
};
pub use self::running_server::{Ends, ProcessClue, RunningServer};
pub use self::sampling::{
    CounterSource, DiskCounters, MeasuredPhase, SampleSink, SamplerOptions, Scope, SpaceUsed,
    Watch, Watched,
};
pub use self::server::{
    GroupMember, Password, PrivateServer, SandboxOptions, ServerAct, ServerState,
};
