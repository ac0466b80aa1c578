//! The keys of a study file: their types, ranges and defaults, and which go together.

pub(crate) mod choices;
pub(crate) mod forms;
pub(crate) mod key;
pub(crate) mod levels;
mod machines;
pub(crate) mod own_data;
mod price;
mod profile;
pub(crate) mod schema;
pub(crate) mod statement;
pub(crate) mod study;
pub(crate) mod target;
mod test;
pub(crate) mod transactions;
pub(crate) mod value;
pub(crate) mod volume;

pub(crate) use levels::{ClientsKey, Numbers, PlacementTable};
pub(crate) use machines::{FleetTable, HostTable, InstanceTable, LoadHostTable, LoadHostsKey};
pub(crate) use price::{PriceItemTable, PriceTable};
pub(crate) use profile::{LoadProfileKey, StageTable};
pub(crate) use statement::{SchemaChangeKeys, StatementKeys, TimedKeys};
pub(crate) use study::{File, RepeatsKey, StudyTable};
pub(crate) use target::{
    ControlActKey, PathTable, ReplicationTable, SandboxTable, Setting, TargetTable,
};
pub(crate) use test::{
    Blocks, CatchUpKeys, FailoverKeys, InterventionTable, KeyValueKeys, LoadKeys, OltpKeys,
    Percent, ServerKeys, StorageKeys, TestKeys,
};
pub(crate) use transactions::TransactionsKeys;
pub(crate) use value::Maybe;
