//! Break-evens, and what more throughput costs.

use super::{Group, Words};
use crate::numbers::{self, figure, percent, times};
use crate::words::labels::target_name;
use crate::words::money::{amount, load};
use analyse::{BreakEven, CostGap, CostUnknown, CurrenciesDiffer, Outcome, PriceStep};

impl Words for BreakEven {
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

/// From which load on which of two targets costs less.
pub(crate) fn outcome(found: &BreakEven) -> String {
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
            "it is not resolved which of {a} and {b} costs less: the number of requests per IO was \
             not measured precisely enough"
        ),
    }
}

impl Words for PriceStep {
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

impl Words for CostUnknown {
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
            CostGap::Gigabytes => {
                "storage is charged by the gigabyte, and its size is neither given (quantity) nor \
                 known from the tables"
            }
        };
        format!("the cost is not known: {why}")
    }
}

impl Words for CurrenciesDiffer {
    const HEADING: &'static str = "Currencies";

    fn say(found: &Group<'_, Self>) -> String {
        let currencies = numbers::list(&found.first.currencies);
        format!("prices are in {currencies}: costs are compared only within one currency")
    }
}
