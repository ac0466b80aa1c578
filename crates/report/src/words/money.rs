//! Prices, costs and break-evens in words.

use super::amount;
use crate::numbers::{self, figure, money};
use crate::view;
use analyse::{Amount, Analysis, MatrixCell, MatrixPlace, Standing, TestAnalysis};
use findings::names::target_name;
use findings::place::at;
use model::{Price, PriceItem, PriceUnit};

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
        PriceUnit::GbSent => "per GB sent",
        PriceUnit::MillionRequests => "per million requests",
    };
    let times = item.quantity.map_or(String::new(), |quantity| format!("{} × ", figure(quantity)));
    let amount = format!("{times}{} {currency} {per}", money(item.amount));
    // The name that `monthly` gives says nothing that the amount does not.
    let plain = *item == PriceItem::monthly(item.amount);
    if plain { amount } else { format!("{}: {amount}", item.name) }
}

/// A target's place between price and performance, in few words.
pub(crate) fn standing(standing: &Standing) -> String {
    match standing {
        Standing::OnParetoFront => "on the Pareto front".to_owned(),
        Standing::Dominated { by } => format!("dominated by {by}"),
        Standing::Unresolved { rival } => format!("not resolved against {rival}"),
        Standing::NotExhausted { rival } => {
            format!("not known against {rival}: at least one kept up with all it was offered")
        }
    }
}

/// Most targets that are told with their costs.
const MOST_COSTS: usize = 3;

/// On which target a million transactions cost least, and how much more on the others; `None` where the
/// study does not ask for that, or no price says it.
pub(crate) fn cheapest(analysis: &Analysis, test: &TestAnalysis) -> Option<String> {
    let asked = analysis.matrix.iter().find(|asked| asked.by_cost && asked.test == test.test)?;
    let counted = view::counted(test);
    let mut known: Vec<(&MatrixCell, Amount, &str)> = asked
        .cells
        .iter()
        .filter_map(|cell| Some((cell, cell.figure?, cell.currency.as_deref()?)))
        .collect();
    known.sort_by(|a, b| a.1.point.total_cmp(&b.1.point));
    let cost = |&(cell, figure, currency): &(&MatrixCell, Amount, &str)| {
        let place = cell.level.map_or(String::new(), at);
        format!("{} {}{place}", target_name(&cell.target), amount(&figure, currency))
    };
    let (first, others) = known.split_first()?;
    let all: Vec<String> = known.iter().take(MOST_COSTS).map(cost).collect();
    let name = target_name(&first.0.target);
    Some(match &first.0.place {
        MatrixPlace::Best { clear: true } => {
            let (figure, place) =
                (amount(&first.1, first.2), first.0.level.map_or(String::new(), at));
            let more = others.iter().take(MOST_COSTS).filter_map(|(cell, ..)| {
                let times = cell.behind?;
                let ends = times.interval.map_or(String::new(), |(low, high)| {
                    format!(" ({})", numbers::range(low, high))
                });
                let name = target_name(&cell.target);
                Some(format!("{} × as much{ends} on {name}", numbers::figure(times.point)))
            });
            let more: Vec<String> = more.collect();
            format!(
                "A million {counted} cost least on {name}: {figure}{place}; {}.",
                numbers::list(&more)
            )
        }
        MatrixPlace::MeasuredOnce { .. } => format!(
            "Each target was measured once, so whether the order is real is not known. A million \
             {counted} cost: {}.",
            all.join(", ")
        ),
        _ if others.is_empty() => format!("A million {counted} cost: {}.", all.join(", ")),
        _ => format!(
            "It is not resolved where a million {counted} cost least: {}.",
            numbers::list(&all)
        ),
    })
}

/// From which load on which target costs less, as the first screen says it.
pub(crate) fn break_evens(analysis: &Analysis) -> Vec<String> {
    let shown = view::break_evens(analysis);
    match shown.is_empty() {
        true => {
            let mut asked = super::capacity::asked_break_evens(analysis);
            asked.truncate(view::MOST_BREAK_EVENS);
            asked
        }
        false => super::sentences(&shown, |found| view::counted_in(analysis, found)),
    }
}
