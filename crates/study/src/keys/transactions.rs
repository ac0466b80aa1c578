//! The keys of the workload `transactions`, SQL of the user's own.

use crate::keys::Maybe;
use crate::keys::key::{AnyLength, Bounded, Flag, Key, Whole};
use crate::keys::statement::Texts;
use model::bounds::{MAX_OPERATIONS, MAX_TRANSACTIONS, MAX_WEIGHT};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The keys of the workload `transactions`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TransactionsKeys {
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
