//! A workload of the user's own: weighted transactions of SQL.

use crate::set_value::SetValue;
use crate::{OwnData, Restore, Slo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Transactions of the user's own, among which each client chooses by their weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transactions {
    /// At least one; names unique.
    pub transactions: Vec<ScriptTransaction>,
    /// What variables of the scripts hold at the beginning.
    pub set: BTreeMap<String, SetValue>,
    /// Whether statements are prepared once and then executed by number; otherwise each travels as
    /// text, with its values in it.
    pub prepared: bool,
    /// Whether they may change data of servers that the study reaches by their URLs.
    pub writes: bool,
    /// Whether their statements change data, as far as the texts tell: what is not seen to only read
    /// does.
    pub change_data: bool,
    /// What they run on.
    pub data: OwnData,
}

/// A transaction, in pgbench's language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptTransaction {
    pub name: String,
    pub script: Script,
    /// Its share among the others; at least 1.
    pub weight: u32,
    /// How long its client does nothing afterwards, at the expense of no transaction.
    pub think_time: Option<Duration>,
    /// What its own latency must meet.
    pub slo: Option<Slo>,
    /// Whether it is done again, with the same values, when a deadlock or another conflict with other
    /// transactions ends it.
    pub retry: bool,
}

/// The text of a script, as it was when the study was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// What messages call it: a path, or a key of the study.
    pub origin: String,
    pub text: String,
    /// Values of files that it picks from.
    #[serde(default)]
    pub columns: Vec<ScriptColumn>,
}

/// The values of a column of a CSV file, as they were when the study was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptColumn {
    /// As the script calls it.
    pub file: String,
    pub column: String,
    /// One a line; none has a line break in it.
    pub values: String,
}

impl Transactions {
    /// The name of the workload.
    pub const NAME: &'static str = "transactions";

    /// Whether they change data that weighin did not make, and that is to be undone.
    pub fn undo_what_is_there(&self) -> bool {
        self.change_data && self.data.is_as_found() && self.data.restore != Restore::None
    }

    /// The bounds on the latencies of single transactions.
    pub fn slos(&self) -> impl Iterator<Item = (&ScriptTransaction, Slo)> {
        self.transactions.iter().filter_map(|one| Some((one, one.slo?)))
    }

    /// The share of a transaction among all, 0 to 1.
    pub fn share(&self, transaction: &ScriptTransaction) -> f64 {
        let all: u64 = self.transactions.iter().map(|one| u64::from(one.weight)).sum();
        f64::from(transaction.weight) / (all as f64).max(1.0)
    }
}
