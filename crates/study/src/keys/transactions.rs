//! The keys of the workload `transactions`, SQL of the user's own.

use crate::keys::Maybe;
use crate::keys::choices::RestoreKey;
use crate::keys::key::{AnyLength, Bounded, Choice, Flag, Key, Whole};
use crate::keys::own_data::{InvariantTable, SourceKey};
use crate::keys::statement::Texts;
use model::bounds::{MAX_DATA_FILES, MAX_INVARIANTS, MAX_OPERATIONS, MAX_TRANSACTIONS, MAX_WEIGHT};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The keys of the workload `transactions`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TransactionsKeys {
    /// A workload of weighin's own, with its tables, rows, transactions and invariants: `order-entry`, which
    /// is derived from TPC-C (its figures are no TPC results), or pgbench's `tpcb-like`, `simple-update` and
    /// `select-only`. `set` gives it other sizes, such as `{ warehouses = 10 }` or
    /// `{ scale = 10, partitions = 8 }`; transactions that the test has take the place of its own.
    #[schemars(with = "Option<String>", extend("x-absent" = "the workload is what the test says"))]
    pub built_in: Maybe<String>,
    /// In place of a `duration`: measure until so many transactions were done. The time that they took
    /// is a figure beside the rate.
    pub transactions: Key<Bounded<1, { MAX_OPERATIONS as i64 }>>,
    /// The transactions, each a script in pgbench's language. Each client runs one after another, and
    /// chooses by their weights.
    #[schemars(
        with = "Option<Vec<TransactionTable>>",
        length(min = 1, max = MAX_TRANSACTIONS),
        extend("x-absent" = "the test has none to run")
    )]
    pub transaction: Option<Vec<Spanned<TransactionTable>>>,
    /// What variables of the scripts hold at the beginning, such as `{ customers = 100_000 }`.
    #[schemars(with = "Option<BTreeMap<String, SetKey>>", extend("x-absent" = "none"))]
    pub set: Option<BTreeMap<String, Spanned<SetKey>>>,
    /// Whether statements are prepared once and executed by number, or each is sent as text.
    pub prepared: Key<Flag<true>>,
    /// Whether the scripts may change data of a server that the study names by its `url`; weighin also
    /// takes the option --allow-writes for it. A private server is weighin's own, and needs neither.
    pub writes: Key<Flag<false>>,
    /// SQL scripts that make the tables, one or a list, relative to the study file. They run once for
    /// each target, before its first trial.
    #[schemars(with = "Option<Texts>", extend("x-absent" = "the test runs on what is there"))]
    pub setup: Maybe<Texts>,
    /// What fills the tables, in this order: SQL scripts, CSV files such as
    /// `{ table = "customers", file = "customers.csv" }`, and rows that are made up, such as
    /// `{ table = "orders", rows = 1_000_000, columns = { id = "sequence", customer_id = { of = "customers.id" } } }`.
    #[schemars(with = "Option<Vec<SourceKey>>", length(max = MAX_DATA_FILES))]
    #[schemars(extend("x-absent" = "nothing"))]
    pub load: Option<Vec<Spanned<SourceKey>>>,
    /// When what trials changed of the data is undone, where weighin made it or `undo` takes it back: before
    /// every `trial`, before the first trial of every repeat (`block`), or never (`none`).
    pub restore: Key<Choice<RestoreKey>>,
    /// SQL scripts that undo what trials changed of data which is there already, one or a list, relative to
    /// the study file: for servers with a `url`, where weighin has no copy of it. They run before the first
    /// trial too, and `restore` says when again. A private server gets a fresh copy in their place.
    #[schemars(with = "Option<Texts>", extend("x-absent" = "what is there already is not restored there"))]
    pub undo: Maybe<Texts>,
    /// What must hold of the data after every trial. A trial that breaks it is void.
    #[schemars(with = "Option<Vec<InvariantTable>>", length(max = MAX_INVARIANTS))]
    #[schemars(extend("x-absent" = "nothing is checked"))]
    pub invariant: Option<Vec<Spanned<InvariantTable>>>,
}

/// A transaction: a `script`, or `sql`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["script"] }, { "required": ["sql"] }]))]
pub(crate) struct TransactionTable {
    /// Unique within the test.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    #[schemars(extend("x-absent" = "the name of the script's file without its ending"))]
    pub name: Maybe<String>,
    /// A file in pgbench's language, relative to the study file; or one of weighin's own, such as
    /// `builtin:tpcb-like`.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub script: Maybe<String>,
    /// In place of a `script`: one statement or a list of them, with `:name` where a value of a
    /// variable goes. A text may be a whole script.
    #[schemars(with = "Option<Texts>")]
    pub sql: Maybe<Texts>,
    /// Its share among the others: of two transactions with the weights 1 and 3, every fourth is the
    /// first.
    pub weight: Key<Whole<1, { MAX_WEIGHT as i64 }, 1>>,
    /// How long its client does nothing after it, such as `50ms`; no latency has it.
    #[schemars(extend("x-absent" = "it goes on at once"))]
    pub think_time: Key<AnyLength>,
    /// A bound on its own latency, such as `p95 < 20ms`. The report says whether it is met; a search
    /// keeps it as it keeps that of the test.
    #[schemars(
        with = "Option<String>",
        regex(pattern = r"^\s*(mean|p50|p95|p99|p999|max)\s*<=?\s*[0-9.]+\s*(us|ms|s)\s*$")
    )]
    pub slo: Maybe<String>,
    /// `deadlock`: when a deadlock, a lock wait timeout or another conflict ends it, all of it is done
    /// again with the same values. This is counted, and its latency has all of it.
    #[schemars(with = "Option<String>", extend("enum" = [RETRY]))]
    #[schemars(extend("x-absent" = "as `on_conflict` says"))]
    pub retry: Maybe<String>,
}

/// What `retry` takes.
pub(crate) const RETRY: &str = "deadlock";

/// What a variable holds.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number or a text")]
pub(crate) enum SetKey {
    Integer(i64),
    Double(f64),
    Text(String),
}
