//! The nouns and units of weighin: what a user asks for ([`Study`]), what will be done
//! ([`Plan`]), what happened ([`TrialRecord`]), and all of it together ([`Dataset`]).
//!
//! Nothing here does IO, reads a clock or draws a random number. Times are
//! [`std::time::Duration`] where they are lengths and [`UnixMillis`] where they are dates;
//! plain numbers carry their unit in their name or doc comment.

mod account;
mod answer_by;
mod around;
mod auth;
mod background_work;
mod bound;
pub mod bounds;
mod catch_up;
mod counters;
mod cross_check;
mod dataset;
mod date;
pub mod deadline;
mod debt;
mod disk;
mod durability;
mod endpoint;
mod environment;
mod failover;
mod failure;
mod fleet;
mod instance;
mod intervention;
mod key_value;
mod keys;
mod level;
mod load;
mod login;
mod metric;
mod mix;
mod needs;
mod oltp;
mod outcome;
mod outline;
mod own_data;
mod path;
mod placement;
mod plan;
mod policy;
mod price;
mod processors;
mod read_limit;
mod recent;
mod record;
mod resource;
mod restart;
mod sample;
mod schema_change;
mod search;
mod set_value;
mod setting;
pub mod signal;
mod slo;
mod sql_syntax;
mod statement;
mod steady_load;
mod stop;
mod storage;
mod storage_place;
mod study;
pub mod system;
mod target;
mod task;
mod test;
pub mod text;
mod transactions;
mod unit_name;
mod used;

mod volume;
mod window;
mod workload;

pub use account::{HeldProcessors, HostAccount, NamedUse, OwnProcessors, ProcessorUse, Throttling};
pub use answer_by::{AnswerAt, AnswerBy, AskedLoad};
pub use around::{Around, Mark, Stretch, longest_statement};
pub use auth::{AuthMethod, AuthMethods};
pub use background_work::BackgroundWork;
pub use bound::Bound;
pub use catch_up::{Backlog, CatchUp};
pub use counters::ServerCounters;
pub use cross_check::{
    CrossCheckEnd, CrossCheckFigures, CrossCheckOrder, CrossCheckPart, CrossCheckRecord, Direction,
};
pub use dataset::{Dataset, Extension, Note, RunInfo, SupersededTrial, TargetFacts};
pub use date::UnixMillis;
pub use debt::{Debt, DebtChange, LoadingDebt, Settled};
pub use disk::{DiskRates, VolumeRates};
pub use durability::{DurabilitySetting, Kept, Promise, promises_differ, promises_in_words};
pub use endpoint::Endpoint;
pub use environment::{HostFacts, ServerFacts, StatementAnswer, StatementPlan, TableContents};
pub use failover::{Failover, FailoverCause};
pub use failure::{Failure, FailureKind};
pub use fleet::{
    AgentChoice, Broker, BrokerAddress, BrokerProof, LoadHosts, RemoteHost, SshHost, Transport,
};
pub use instance::{HostInstance, Instance, InstancePer, InstanceSpec};
pub use intervention::{Act, ActResult, Intervention};
pub use key_value::{KeyOrder, KeyValue, ValueSize};
pub use keys::{KeyDistribution, KeyParameters};
pub use latency::{
    EncodedLatencies, Latencies, LatencyDecodeError, LatencyLogLine, LoggedLatencies,
    PackedLatencies, PackedSum, UnitlessLatencies,
};
pub use level::{Level, LevelUnit};
pub use load::{
    AnswerCounts, ArrivalProcess, ClientCost, Effect, ErrorClass, ErrorCount, Fleet,
    GeneratorShare, Interval, IoAccount, IoFigures, IoMethod, LONGEST_TIME, Ledger, LoadProfile,
    LoadResult, MAX_REQUEST_KINDS, Moved, NamedError, NamedResult, OpenLoopResult, Outage, Packets,
    Phase, PhaseTotals, ProfileStage, RateStretch, ReceiveDelay, RequestCount, RequestCounts,
    RequestKind, RequestTally, Slice, StretchResult, Verified, VmAccount, VolumeAccount,
    WorkersTried,
};
pub use login::{PasswordSource, Tls};
pub use metric::{Better, Derivation, Metric, MetricEntry, MetricUnit, PrintedName, seconds_in};
pub use mix::{OltpMix, OltpTransaction};
pub use needs::{Access, Needs};
pub use oltp::{Oltp, OltpDialect, TableSchema};
pub use outcome::{Figure, FigureNumber, FigureValue, Outcome, Printed, ResultSource, TimeSeries};
pub use outline::{Outline, OutlineColumn, OutlineStatement, OutlineTable};
pub use own_data::{
    BrokenInvariant, ColumnValues, DataFile, DataSource, DataState, Fingerprint, GeneratedColumn,
    Invariant, Nulls, OwnData, Popularity, Restore, RowGenerator, TableChange, TableSize,
};
pub use path::{DelayMeasured, NetworkPath, Proxy, ProxyProgram};
pub use placement::LevelPlacement;
pub use plan::{Block, Plan, Trial, TrialKey};
pub use policy::{ErrorAction, ErrorPolicy};
pub use price::{Price, PriceItem, PriceUnit};
pub use processors::{FleetProcessors, Oversubscription, ProcessorCount};
pub use read_limit::{ByLength, OverBudget, ReadBudget, ReadLimit};
pub use record::{SideBySide, TrialEnd, TrialRecord, time_taken};
pub use resource::Resource;
pub use restart::{RestartSpec, RestartWay, UndoSpec};
pub use sample::{
    ClockReading, CounterReading, CpuShares, DataSize, HostSampling, ProcessUsage, Sample, Sampling,
};
pub use schema_change::{Algorithm, BuiltInChange, Change, SchemaChange};
pub use search::{Search, SearchAnswer, SearchOver, SearchStep, StepVerdict};
pub use set_value::SetValue;
pub use setting::{SettingDifference, SettingOrigin, setting_differences};
pub use slo::{LatencyFigure, Slo, SloError};
pub use sql_syntax::{Placeholder, SqlSyntax};
pub use statement::{BesideLoad, BuiltInQuery, Query, Statement, TimedStatement};
pub use steady_load::{Arrivals, Load};
pub use stop::Stop;
pub use storage::{BlockOrder, BlockShare, HotRegion, Storage};
pub use storage_place::{PlacedVolume, StoragePlace, VolumeLayout, VolumePlace};
pub use study::{Budget, Money, Slices, Study, StudyFile, Until};
pub use system::System;
pub use target::{
    ConfigChange, ControlAct, Place, PrivateReplication, ReplicationControl, SandboxSpec,
    ServerAddress, ServerConfig, ServerKey, ServerSpec, Software, Target, VersionSetting,
};
pub use task::{ImportedTask, LoadSearch, Task};
pub use test::{CacheState, Test};
pub use transactions::{Script, ScriptColumn, ScriptTransaction, Transactions};
pub use unit_name::UnitName;
pub use volume::{BuiltVolume, FileSystem, IoLimits};
pub use window::Window;
pub use workload::Workload;
