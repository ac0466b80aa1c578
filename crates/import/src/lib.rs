//! Results that others measured: the text of a file in, trials as printed out.
//!
//! Every [`Format`] reads one file's text into a [`Parsed`]; [`assemble`] makes one dataset of any
//! number of them. Nothing here touches a file: the program reads them. What a file lacks stays
//! unknown; what cannot be read becomes a [`Problem`] with its line, and the rest goes on.

mod assemble;
mod belongs;
mod benchbase;
mod clickhouse;
mod companion;
pub mod decode;
mod diskspd;
mod figures;
mod fio;
mod format;
mod formats;
mod hammerdb;
mod hlog;
mod iostat;
mod json;
mod layout;
mod memtier;
mod mysqlslap;
mod number;
mod parsed;
mod path;
mod pgbench;
mod price;
mod redis_benchmark;
mod show;
mod source;
mod still_running;
pub mod sysbench;
mod table;
mod twice;
mod unpack;
mod unread;

pub use assemble::assemble;
pub use benchbase::BenchBase;
pub use clickhouse::{ClickBench, PostgresBench};
pub use diskspd::DiskSpd;
pub use fio::Fio;
pub use format::Format;
pub use formats::{FORMATS, by_name, parse, recognise};
pub use hammerdb::HammerDb;
pub use hlog::Hlog;
pub use iostat::Iostat;
pub use layout::{
    Layout, LayoutQuestion, Naming, PatternError, Suggestion, Understood, UnderstoodPart,
    name_trials,
};
pub use memtier::Memtier;
pub use mysqlslap::Mysqlslap;
pub use number::{as_printed, printed_number};
pub use parsed::{
    Aspect, CompanionContent, CompanionFile, ImportedPrice, ImportedTrial, Knob, Label, Parsed,
    Problem,
};
pub use pgbench::{Pgbench, PgbenchLog};
pub use redis_benchmark::RedisBenchmark;
pub use show::ShowDump;
pub use source::Source;
pub use table::{ColumnRole, DecimalMark, MapError, Table, TableOptions};
pub use unpack::{Member, UnpackLimits, unpack, without_container};
pub use unread::unread;
