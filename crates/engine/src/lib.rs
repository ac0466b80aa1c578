//! The load engine: many connections on few threads, and an exact account of what became of
//! every operation.
//!
//! Three layers, each ignorant of the next one out:
//! - a [`Session`] is one client's protocol as a state machine: bytes in, bytes out;
//! - a pool drives the sessions of one thread through warm-up, measure and drain, and keeps the
//!   recorder; it sees bytes and times, but no socket and no clock;
//! - a socket worker moves the bytes and reads the clock.
//!
//! [`run`] starts the workers, lets them begin together, and merges what they recorded. Several processes can
//! make one load: each does its part with [`RunLoad::run_part`], and an [`Assembly`] puts the parts
//! together, also where there is only one.

mod account;
mod arrivals;
mod assembly;
mod clock;
mod coordinator;
mod delay;
mod dry;
mod error;
mod load;
mod part;
mod pool;
mod recorder;
mod rehearsal;
mod result;
mod run;
mod schedule;
mod session;
mod socket;
pub mod storage;
mod turns;
mod usage;

pub use account::Account;
pub use arrivals::OpenLoop;
pub use assembly::{AccountOutline, Assembly};
pub use clock::{Clock, Nanos};
pub use coordinator::OVERDUE;
pub use delay::DELAY_THREAD;
pub use dry::{DryLoad, WithoutServer};
pub use error::LoadError;
pub use load::{FleetSize, LoadSpec, Progress, RunLoad, Timing};
pub use model::Stop;
pub use model::{ErrorAction as Action, ErrorPolicy};
pub use part::{Part, PartProgress, PartRun};
pub(crate) use pool::Pool;
pub use recorder::Ended;
pub use run::{SocketLoad, run};
pub use schedule::{Limit, Schedule};
pub use session::{Answered, Event, OperationError, ServedBy, Session, SessionError, Unasked};
pub use socket::{Address, TlsUpgrade};
pub use turns::{Turns, mixed};
pub use usage::{cpus_allowed, peak_rss_bytes, process_cpu, process_times};
