//! Prices, costs and break-evens in words.

use super::comparisons::times;
use super::labels::target_name;
use crate::numbers::{self, figure, money, percent};
use analyse::{Amount, BreakEven, CostGap, Outcome, PriceStep, Standing};
use model::{Price, PriceItem, PriceUnit};

/// An amount with its currency, and with its interval where it rests on measurements:
/// `873.00 USD`, `71.4 USD (50.1–110)`.
pub(crate) fn amount(amount: &Amount, unit: &str) -> String {
    match amount.interval {
        _ if amount.is_exact() => format!("{} {unit}", money(amount.point)),
        Some((low, high)) => {
            format!("{} {unit} ({})", figure(amount.point), numbers::range(low, high))
        }
        None => format!("{} {unit} (measured once, so without interval)", figure(amount.point)),
    }
}

/// A load in requests per second, likewise.
fn load(amount: &Amount) -> String {
    let unit = "requests/s";
    match amount.interval {
        Some((low, high)) if !amount.is_exact() => {
            format!("{} {unit} ({})", figure(amount.point), numbers::range(low, high))
        }
        Some(_) => format!("{} {unit}", figure(amount.point)),
        None => format!("{} {unit} (measured once, so without interval)", figure(amount.point)),
    }
}

/// The line items of a price, and what it holds for.
pub(crate) fn offer(price: &Price) -> String {
    let items: Vec<String> = price.items.iter().map(|item| line(item, &price.currency)).collect();
    let items = if items.is_empty() { "nothing".to_owned() } else { items.join(" + ") };
    let given = price.requests_per_io.map(|n| format!("{} requests per IO as given", figure(n)));
    let known: Vec<String> = [&price.date, &price.region, &price.term]
        .into_iter()
        .flatten()
        .cloned()
        .chain(given)
        .collect();
    if known.is_empty() { items } else { format!("{items}; {}", known.join(", ")) }
}

fn line(item: &PriceItem, currency: &str) -> String {
    let per = match item.per {
        PriceUnit::Month => "a month",
        PriceUnit::Hour => "an hour",
        PriceUnit::MillionIos => "per million IOs",
        PriceUnit::GbMonth => "per GB and month",
        PriceUnit::MillionRequests => "per million requests",
    };
    let times = item.quantity.map_or(String::new(), |quantity| format!("{} × ", figure(quantity)));
    let amount = format!("{times}{} {currency} {per}", money(item.amount));
    // The name that `monthly` gives says nothing that the amount does not.
    let plain = *item == PriceItem::monthly(item.amount);
    if plain { amount } else { format!("{}: {amount}", item.name) }
}

/// From which load on which of two targets costs less.
pub(super) fn break_even(found: &BreakEven) -> String {
    // A sentence about no test in particular would begin with a target's name, and change it.
    let basis = if found.test.is_none() { "as priced, " } else { "" };
    let said = format!("{basis}{}", outcome(found));
    let Outcome::At { load, monthly, .. } = &found.outcome else { return said };
    let bill = amount(monthly, &found.currency);
    let reached = found.reached.filter(|&reached| reached < load.point);
    let beyond = reached.map_or(String::new(), |reached| {
        format!("; the highest load that both reached here is {}/s", figure(reached))
    });
    format!("{said}; there a month costs {bill}{beyond}")
}

/// The same in short.
pub(crate) fn outcome(found: &BreakEven) -> String {
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
        Outcome::Same => format!(
            "{} and {} cost the same at every load",
            target_name(&found.a),
            target_name(&found.b)
        ),
        Outcome::Unresolved => format!(
            "which of {} and {} costs less is not resolved: the number of requests per IO was not \
             measured closely enough",
            target_name(&found.a),
            target_name(&found.b)
        ),
    }
}

/// What a step along the front costs.
pub(super) fn next_tenth(step: &PriceStep) -> String {
    let from = target_name(&step.from);
    format!(
        "{} has {} for {} a month more, both at their peaks; each further {} of {from}’s \
         throughput comes to {} a month",
        target_name(&step.to),
        times(&step.ratio, &format!("the throughput of {from}")),
        amount(&step.monthly, &step.currency),
        percent(0.1),
        amount(&step.next_tenth, &step.currency),
    )
}

/// Why a cost is not known, and what would mend it.
pub(super) fn gap(gap: CostGap) -> &'static str {
    match gap {
        CostGap::RequestsPerIo => {
            "what it costs is not known: IOs are charged, and how many requests make one is \
             neither given (requests_per_io) nor could it be measured"
        }
        CostGap::Gigabytes => {
            "what it costs is not known: storage is charged by the gigabyte, and its size is \
             neither given (quantity) nor known from the tables"
        }
    }
}

/// That amounts of several currencies are not compared.
pub(super) fn currencies(currencies: &[String]) -> String {
    format!("prices are in {}: costs are compared within each alone", numbers::list(currencies))
}

/// A target's place between price and performance, in few words.
pub(crate) fn standing(standing: &Standing) -> String {
    match standing {
        Standing::OnFront => "worth its price".to_owned(),
        Standing::Dominated { by } => format!("{by} gives more for the money"),
        Standing::Unresolved { rival } => format!("not resolved against {rival}"),
    }
}
