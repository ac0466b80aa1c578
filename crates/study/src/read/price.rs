//! What a target costs.

use crate::keys::value::name;
use crate::keys::{Maybe, PriceItemTable, PriceTable};
use crate::problem::Problems;
use model::{Price, PriceItem};
use toml::Spanned;

/// Validates one `price`. What it returns is a price only if no problem was noted.
pub(crate) fn price(table: Spanned<PriceTable>, problems: &mut Problems) -> Option<Price> {
    let at = table.span();
    let table = table.into_inner();
    let has_amount = table.monthly.is_some() || table.items.is_some();
    if !has_amount || table.currency.is_none() {
        problems.missing(
            at,
            "a price has an amount and a currency",
            "write price = { monthly = 23.00, currency = \"EUR\" }",
        );
    }
    let monthly = not_negative("a price", &table.monthly, problems).map(PriceItem::monthly);
    let further = table.items.unwrap_or_default();
    let further: Vec<PriceItem> = further.iter().filter_map(|wire| item(wire, problems)).collect();
    let requests_per_io = table.requests_per_io.and_then(|written| {
        let value = *written.get_ref();
        let possible = value.is_finite() && value > 0.0;
        if !possible {
            problems.add(written.span(), "`requests_per_io` must be more than 0");
        }
        possible.then_some(value)
    });
    let currency = table.currency?;
    let code = currency.get_ref();
    if code.len() != 3 || !code.chars().all(|c| c.is_ascii_uppercase()) {
        problems
            .add(currency.span(), format!("`{code}` is not the code of a currency"))
            .help("write the three capital letters of ISO 4217, such as EUR or USD");
    }
    Some(Price {
        currency: currency.into_inner(),
        items: monthly.into_iter().chain(further).collect(),
        date: table.date,
        region: table.region,
        term: table.term,
        requests_per_io,
    })
}

fn item(table: &Spanned<PriceItemTable>, problems: &mut Problems) -> Option<PriceItem> {
    let at = table.span();
    let table = table.get_ref();
    if table.name.is_none() || table.amount.is_none() {
        problems.missing(
            at,
            "an item of a price has a name and an amount",
            "write { name = \"instance\", amount = 0.27, per = \"hour\" }",
        );
    }
    let named = table
        .name
        .as_ref()
        .and_then(|written| name(written.get_ref(), written.span(), "price item", problems));
    let amount = not_negative("a price", &table.amount, problems);
    let per = table.per.value("per", problems)?;
    let quantity = not_negative("a quantity", &table.quantity, problems);
    if let (Some(written), false) = (&table.quantity, per.has_quantity()) {
        problems
            .add(written.span(), format!("the load decides how often a {} comes", per.name()))
            .help("remove `quantity`");
    }
    Some(PriceItem { name: named?, amount: amount?, per, quantity })
}

fn not_negative(what: &str, written: &Maybe<f64>, problems: &mut Problems) -> Option<f64> {
    let written = written.as_ref()?;
    let value = *written.get_ref();
    let possible = value.is_finite() && value >= 0.0;
    if !possible {
        problems.add(written.span(), format!("{what} is 0 or more"));
    }
    possible.then_some(value)
}
