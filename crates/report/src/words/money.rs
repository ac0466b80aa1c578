//! Prices, costs and break-evens in words.

use crate::numbers::{figure, money};
use analyse::Standing;
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
