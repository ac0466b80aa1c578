//! Transactions and statements of the user's own: which of them decides.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use crate::numbers::{estimate, list, percent, times};
use serde::Serialize;
use stats::Estimate;

/// Which transaction or statement a difference of two targets comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decides {
    pub winner: String,
    pub loser: String,
    /// How many times the throughput of the loser the winner has.
    pub ratio: Estimate,
    pub item: ItemName,
    /// How much of the difference in the time of a transaction, on average of the mix, is its own; at
    /// most 1.
    pub share: f64,
    /// Mean latency of the item on the loser ÷ that on the winner.
    pub item_ratio: Estimate,
    /// What is slower on the winner.
    pub slower: Vec<String>,
}

/// A transaction that does not meet its own bound on latency.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoundMissed {
    pub transaction: String,
    /// Such as `p95 < 20 ms`.
    pub bound: String,
    /// The bounded figure, in milliseconds.
    pub figure: Estimate,
}

impl FindingKind for BoundMissed {
    const HEADING: &'static str = "Bounds that are missed";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { transaction, bound, figure } = found.first;
        format!(
            "the transaction `{transaction}` misses its bound of {bound}: it has {}",
            estimate(figure, "ms")
        )
    }
}

/// A name of the user's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemName {
    Transaction(String),
    Statement(String),
}

impl ItemName {
    pub fn name(&self) -> &str {
        match self {
            Self::Transaction(name) | Self::Statement(name) => name,
        }
    }
}

impl FindingKind for Decides {
    const HEADING: &'static str = "What decides";

    fn say(found: &Group<'_, Self>) -> String {
        let decides = found.first;
        let (winner, loser) = (target_name(&decides.winner), target_name(&decides.loser));
        let throughput = times(&decides.ratio, &format!("the throughput of {loser}"));
        let name = format!("`{}`", decides.item.name());
        let slower: Vec<String> = decides.slower.iter().map(|name| format!("`{name}`")).collect();
        let against = match slower.len() {
            0 => String::new(),
            1 => format!("; {} is slower on {winner}", slower[0]),
            _ => format!("; {} are slower on {winner}", list(&slower)),
        };
        format!(
            "{winner} has {throughput}; {name} explains {} of the difference: on {loser} it takes {}\
             {against}",
            percent(decides.share),
            times(&decides.item_ratio, "as long"),
        )
    }
}
