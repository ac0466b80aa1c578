//! What a target costs.

mod azure;
mod columns;
mod google;
mod infracost;
mod item;
mod json;
mod list;
mod listed;
mod row;
mod unit;

use crate::keys::PriceTable;
use crate::problem::Problems;
use item::{item, not_negative};
use model::{Price, PriceItem};
use toml::Spanned;

/// Validates one `price`. What it returns is a price only if no problem was noted.
pub(crate) fn price(table: Spanned<PriceTable>, problems: &mut Problems) -> Option<Price> {
    let at = table.span();
    let table = table.into_inner();
    let listed = listed::items(&table, problems);
    let has_amount = table.monthly.is_some() || table.items.is_some();
    // A list that cannot be read, or lacks an item, was noted.
    if !has_amount || (table.currency.is_none() && table.list.is_none()) {
        problems.missing(
            at,
            "a price has an amount and a currency",
            "write price = { monthly = 23.00, currency = \"EUR\" }",
        );
    }
    let monthly = not_negative("a price", &table.monthly, problems).map(PriceItem::monthly);
    let further = table.items.unwrap_or_default();
    let written = further.iter().filter(|item| item.get_ref().sku.is_none());
    let further: Vec<PriceItem> = written.filter_map(|wire| item(wire, problems)).collect();
    let requests_per_io = table.requests_per_io.and_then(|written| {
        let value = *written.get_ref();
        let possible = value.is_finite() && value > 0.0;
        if !possible {
            problems.add(written.span(), "`requests_per_io` must be more than 0");
        }
        possible.then_some(value)
    });
    let place = table.currency.as_ref().or(table.list.as_ref()).map(Spanned::span)?;
    let currency = table.currency.map(Spanned::into_inner).or(listed.currency)?;
    if currency.len() != 3 || !currency.chars().all(|c| c.is_ascii_uppercase()) {
        let shown = model::text::excerpt(&currency, 16);
        problems
            .add(place, format!("`{shown}` is not the code of a currency"))
            .help("write the three capital letters of ISO 4217, such as EUR or USD");
    }
    Some(Price {
        currency,
        items: monthly.into_iter().chain(further).chain(listed.items).collect(),
        date: table.date.or(listed.date),
        region: table.region.or(listed.region),
        term: table.term,
        requests_per_io,
    })
}
