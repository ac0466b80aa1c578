use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, counted, number_of, percent};

/// Errors happened during a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Errors {
    /// Transactions that failed in the measured phase.
    pub failed: u64,
    /// Transactions that succeeded in it.
    pub succeeded: u64,
    pub message: String,
    /// Its SQL state, or the word by which the server tells kinds of errors; may be empty.
    pub code: String,
    /// How to fix it; may be empty.
    pub remedy: String,
}

impl FindingKind for Errors {
    const HEADING: &'static str = "Errors under load";

    fn is_like(&self, other: &Self) -> bool {
        self.message == other.message
    }

    fn say(found: &Group<'_, Self>) -> String {
        let failed = found.total(|errors| errors.failed);
        let all = failed + found.total(|errors| errors.succeeded);
        let fix = match found.first.remedy.as_str() {
            "" => String::new(),
            remedy => format!(". To fix: {remedy}"),
        };
        format!(
            "{} of {} failed ({}), most often with: {}{fix}",
            count(failed),
            number_of(all, found.counted),
            percent(failed as f64 / all.max(1) as f64),
            found.first.message.trim_end_matches('.'),
        )
    }
}

/// Closed loop: fewer transactions ended in the measured phase than there were clients, so some client
/// was at its first one throughout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FewTransactions {
    pub transactions: u64,
    pub clients: u32,
}

impl FindingKind for FewTransactions {
    const HEADING: &'static str = "Few transactions";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let few = match found.is_one() {
            true => format!(
                "{} ended {} in the measured phase",
                counted(found.first.clients as usize, "client"),
                number_of(found.first.transactions, found.counted),
            ),
            false => format!(
                "fewer {} ended in the measured phase than there were clients",
                found.counted.for_count(2)
            ),
        };
        format!(
            "{few}: too few for a reliable rate and latencies; choose a longer `duration`"
        )
    }
}

/// The ledger of a trial does not balance: a defect of weighin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LedgerUnbalanced;

impl FindingKind for LedgerUnbalanced {
    const HEADING: &'static str = "Operations not accounted for";
    const TOGETHER: bool = true;

    fn say(_found: &Group<'_, Self>) -> String {
        "some scheduled operations are not accounted for; this is a defect of weighin, please \
         report it"
            .to_owned()
    }
}
