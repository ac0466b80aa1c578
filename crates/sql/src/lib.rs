//! What servers of SQL have in common: sessions that run programs of transactions, whatever the
//! protocol, and the test tables.

mod control;
pub mod data;
mod definitions;
mod explained;
mod load;
mod outline;
mod picked;
mod pipeline;
mod plan_step;
mod probe;
mod program;
mod reading;
mod sample;
mod session;
mod statements;
pub mod tables;
mod text;
mod timed;
mod wire;
mod workloads;

pub use control::{Control, ControlError, DefinitionQueries};
pub use definitions::definitions;
pub use explained::examine_statements;
pub use load::{SqlClients, SqlKind, SqlWorkloads, load_failure, only_reads};
pub use outline::{OutlineKind, Outlined};
pub use pipeline::{Piped, PipelineWire};
pub use plan_step::{ExplainKind, PlanStep, Refusal, Steps, WholeTable};
pub use probe::{ProbeKind, Probed};
pub use program::{Column, Reader};
pub use reading::{read_row, wrong_rows};
pub use sample::{SampleStatement, sample_statements};
pub use session::{ProgramSession, run_part};
pub use statements::Statements;
pub use text::TextTemplate;
pub use timed::{ADDED, TimedKind, TimedSession, take_back};
pub use wire::{Answer, Ready, Wire};
