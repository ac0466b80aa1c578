//! Break-evens, and what more throughput costs.

use stats::Estimate;
use crate::Amount;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, figure, percent, times};
use crate::names::target_name;

/// An amount with its currency, and with its interval where it rests on measurements:
/// `873.00 USD`, `71.4 USD (50.1–110)`.
pub fn amount(amount: &Amount, unit: &str) -> String {
    match amount.is_exact() {
        true => format!("{} {unit}", numbers::money(amount.point)),
        false => measured(amount, unit),
    }
}

/// A figure with its interval where its digits do not say the same.
fn measured(amount: &Amount, unit: &str) -> String {
    let point = figure(amount.point);
    match amount.interval.map(|(low, high)| numbers::range(low, high)) {
        Some(same) if same == point => format!("{point} {unit}"),
        Some(range) => format!("{point} {unit} ({range})"),
        None => format!("{point} {unit} (without interval)"),
    }
}

/// A load in requests per second, likewise.
fn load(amount: &Amount) -> String {
    measured(amount, "requests/s")
}

/// Two targets' costs against one another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakEven {
    /// The test whose IOs decide; absent where prices alone do.
    pub test: Option<String>,
    /// One target, the earlier in the study.
    pub a: String,
    pub b: String,
    /// ISO 4217 code.
    pub currency: String,
    pub outcome: Outcome,
    /// The highest throughput that both reached in one test; absent where no test has both.
    pub reached: Option<f64>,
}

impl FindingKind for BreakEven {
    const HEADING: &'static str = "Break-even";

    fn say(found: &Group<'_, Self>) -> String {
        let found = found.first;
        // A sentence about no test in particular would begin with a target's name, and change it.
        let basis = if found.test.is_none() { "as priced, " } else { "" };
        let said = format!("{basis}{}", outcome(found));
        let Outcome::At { load, monthly, .. } = &found.outcome else { return said };
        let bill = amount(monthly, &found.currency);
        let reached = found.reached.filter(|&reached| reached < load.point);
        let beyond = reached.map_or(String::new(), |reached| {
            format!("; the highest load that both reached here is {}/s", figure(reached))
        });
        format!("{said}; at that load a month costs {bill}{beyond}")
    }
}

/// Why a cost is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CostGap {
    /// IOs are charged, and how many requests make one is neither given nor measured.
    RequestsPerIo,
    /// Gigabytes sent are charged, and how many bytes a request makes the target send was not measured.
    SentBytes,
    /// Storage is charged by the gigabyte, and its size is neither given nor known from the
    /// tables.
    Gigabytes,
}

/// From which load on which of two targets costs less.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Outcome {
    /// There is a load at which they cost the same.
    At {
        /// The one that costs less below it.
        below: String,
        /// The one that costs less above it.
        above: String,
        /// That load in requests per second.
        load: Amount,
        /// What a month of it costs.
        monthly: Amount,
    },
    /// One costs less at every load.
    Always {
        cheaper: String,
        dearer: String,
    },
    Same,
    /// What was measured of the use allows more than one of these.
    Unresolved,
}

/// From which load on which of two targets costs less.
pub fn outcome(found: &BreakEven) -> String {
    let (a, b) = (target_name(&found.a), target_name(&found.b));
    match &found.outcome {
        Outcome::At { below, above, load: at, .. } => format!(
            "{} costs less than {} below {}, and more above",
            target_name(below),
            target_name(above),
            load(at),
        ),
        Outcome::Always { cheaper, dearer } => format!(
            "{} costs less than {} at every load",
            target_name(cheaper),
            target_name(dearer)
        ),
        Outcome::Same => format!("{a} and {b} cost the same at every load"),
        Outcome::Unresolved => format!(
            "it is not resolved which of {a} and {b} costs less: the usage-based \
             charges of a request were not measured precisely enough"
        ),
    }
}

/// From one target on the Pareto front to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriceStep {
    /// The cheaper one.
    pub from: String,
    /// The next dearer one, which is clearly faster.
    pub to: String,
    /// ISO 4217 code.
    pub currency: String,
    /// What it costs more a month, both at their peaks.
    pub monthly: Amount,
    /// Its throughput over that of `from`, at their peaks.
    pub ratio: Estimate,
    /// What each further 10 % of `from`'s throughput costs a month on the way:
    /// 0.1 × `monthly` ÷ (`ratio` − 1). A target cannot be had by halves; this is its price for
    /// comparison with other steps.
    pub next_tenth: Amount,
}

impl FindingKind for PriceStep {
    const HEADING: &'static str = "Cost of more throughput";

    fn say(found: &Group<'_, Self>) -> String {
        let step = found.first;
        let from = target_name(&step.from);
        format!(
            "{} has {} for {} a month more, both at their peaks; each further {} of {from}’s \
             throughput costs {} a month",
            target_name(&step.to),
            times(&step.ratio, &format!("the throughput of {from}")),
            amount(&step.monthly, &step.currency),
            percent(0.1),
            amount(&step.next_tenth, &step.currency),
        )
    }
}

/// A target has a price and what it costs is not known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostUnknown {
    pub gap: CostGap,
}

impl FindingKind for CostUnknown {
    const HEADING: &'static str = "Unknown costs";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let why = match found.first.gap {
            CostGap::RequestsPerIo => {
                "IOs are charged, and the number of requests per IO is neither given \
                 (requests_per_io) nor could it be measured"
            }
            CostGap::SentBytes => {
                "gigabytes sent are charged, and how many bytes the server sends for a request was not \
                 measured"
            }
            CostGap::Gigabytes => {
                "storage is charged by the gigabyte, and its size is neither given (quantity) nor \
                 known from the tables"
            }
        };
        format!("the cost is not known: {why}")
    }
}

/// Prices are in several currencies, and compared within each alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurrenciesDiffer {
    /// ISO 4217 codes in order.
    pub currencies: Vec<String>,
}

impl FindingKind for CurrenciesDiffer {
    const HEADING: &'static str = "Currencies";

    fn say(found: &Group<'_, Self>) -> String {
        let currencies = numbers::list(&found.first.currencies);
        format!("prices are in {currencies}: costs are compared only within one currency")
    }
}
