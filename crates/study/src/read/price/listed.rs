//! Items of a price that a list gives: by SKU, on demand, in one currency.

use super::infracost::MONTH;
use super::item::{item_name, not_negative, refuse_quantity};
use super::list;
use super::row::Row;
use super::unit::unit;
use crate::keys::{PriceItemTable, PriceTable};
use crate::problem::Problems;
use model::{PriceItem, text};
use std::collections::BTreeSet;
use toml::Spanned;

/// Most characters of an item's name out of a list.
const LONGEST_NAME: usize = 48;
/// What helps where a list does not.
const BY_HAND: &str = "write the item with `name`, `amount` and `per`";
/// Characters of a date: `2026-11-01`.
const DATE: usize = 10;

/// What a list says beside amounts, where the price does not say it.
#[derive(Debug, Default)]
pub(super) struct FromList {
    pub(super) items: Vec<PriceItem>,
    pub(super) currency: Option<String>,
    pub(super) date: Option<String>,
    pub(super) region: Option<String>,
}

/// Looks up the items that have a SKU; notes what cannot be had.
pub(super) fn items(table: &PriceTable, problems: &mut Problems) -> FromList {
    let wanted: Vec<&Spanned<PriceItemTable>> =
        table.items.iter().flatten().filter(|item| item.get_ref().sku.is_some()).collect();
    let (Some(written), false) = (&table.list, wanted.is_empty()) else {
        refuse_half(table, &wanted, problems);
        return FromList::default();
    };
    // Several items may be of one SKU.
    let skus: BTreeSet<String> = wanted.iter().filter_map(|item| sku(item)).collect();
    let skus: Vec<String> = skus.into_iter().collect();
    let at = written.span();
    let Some(rows) = list::read(written.get_ref(), at, &skus, problems) else {
        return FromList::default();
    };
    let currency = table.currency.as_ref().map(|currency| currency.get_ref().as_str());
    let mut from = FromList::default();
    for item in wanted {
        let listed = listed(item, &rows, currency, problems);
        let Some((row, _)) = listed.first() else { continue };
        if from.currency.as_ref().is_some_and(|first| *first != row.currency) {
            problems
                .add(item.span(), "the items are listed in several currencies")
                .help("say which with `currency`");
        }
        if !row.currency.is_empty() {
            from.currency.get_or_insert_with(|| row.currency.clone());
        } else if currency.is_none() {
            problems
                .add(item.span(), "the price list does not say in which currency its prices are")
                .help("say it in the price, such as currency = \"USD\"");
        }
        let date: String = row.effective.chars().take(DATE).collect();
        // The whole is as old as its youngest part.
        from.date = from.date.take().max((!date.is_empty()).then_some(date));
        let region = (!row.region.is_empty()).then(|| text::line(&row.region).into_owned());
        from.region = from.region.take().or(region);
        from.items.extend(listed.into_iter().map(|(_, item)| item));
    }
    from
}

/// A list without SKUs, or SKUs without a list.
fn refuse_half(table: &PriceTable, wanted: &[&Spanned<PriceItemTable>], problems: &mut Problems) {
    if let Some(list) = &table.list {
        problems
            .add(
                list.span(),
                "a price list gives the prices of items with a `sku`, and there is none",
            )
            .help("write items = [{ sku = \"…\" }] with what the list calls the product");
    }
    for item in wanted {
        problems
            .add(item.span(), "a `sku` is looked up in a price list, and the price names none")
            .help("write list = \"AmazonRDS.csv\" in the price");
    }
}

fn sku(item: &Spanned<PriceItemTable>) -> Option<String> {
    item.get_ref().sku.as_ref().map(|sku| sku.get_ref().clone())
}

/// The rows of an item's SKU, and what they are in a bill; none where a problem was noted. They are several only
/// of what is paid in parts.
fn listed<'a>(
    item: &Spanned<PriceItemTable>,
    rows: &'a [Row],
    currency: Option<&str>,
    problems: &mut Problems,
) -> Vec<(&'a Row, PriceItem)> {
    let (at, table) = (item.span(), item.get_ref());
    let Some(sku) = sku(item) else { return Vec::new() };
    let shown = text::excerpt(&sku, LONGEST_NAME).into_owned();
    if table.amount.is_some() || table.per.is_some() {
        problems
            .add(at.clone(), "an item with a `sku` has its amount and its unit from the price list")
            .help("remove `amount` and `per`, or `sku`");
    }
    let is_in = |row: &Row, currency: &str| row.currency.is_empty() || row.currency == currency;
    let mut prices = BTreeSet::new();
    let own: Vec<&Row> = rows
        .iter()
        .filter(|row| row.sku == sku && row.is_on_demand)
        .filter(|row| currency.is_none_or(|currency| is_in(row, currency)))
        .filter(|row| row.is_part || prices.insert(row.price_and_unit()))
        .collect();
    let is_whole = own.len() == 1 || own.iter().all(|row| row.is_part);
    if own.is_empty() {
        let of = currency.map_or(String::new(), |currency| format!(" in {currency}"));
        problems.add(at, format!("the price list has no SKU {shown} on demand{of}")).help(
            "take it from a row of the list without commitment: the column SKU of AWS where TermType is \
             OnDemand, meterId or skuId of Azure where the type is Consumption, SKU ID of Google Cloud; in a \
             breakdown of Infracost it is the address of a resource that costs something",
        );
        return Vec::new();
    }
    if !is_whole {
        let message =
            format!("the price list has {} prices of {shown}: tiers, or currencies", own.len());
        problems.add(at, message).help(format!("say `currency`, or {BY_HAND}"));
        return Vec::new();
    }
    let name = item_name(table, problems);
    let of_row = |row: &'a Row| Some((row, line_item(item, row, name.as_deref(), problems)?));
    let items: Vec<Option<(&Row, PriceItem)>> = own.into_iter().map(of_row).collect();
    items.into_iter().collect::<Option<_>>().unwrap_or_default()
}

/// A row in a bill.
fn line_item(
    item: &Spanned<PriceItemTable>,
    row: &Row,
    name: Option<&str>,
    problems: &mut Problems,
) -> Option<PriceItem> {
    let (at, table) = (item.span(), item.get_ref());
    let called = match row.is_part {
        true => format!("{}, {}", row.sku, row.description),
        false => row.sku.clone(),
    };
    let called = text::excerpt(&called, 2 * LONGEST_NAME).into_owned();
    let unit_name = text::excerpt(&row.unit, LONGEST_NAME);
    let Some(unit) = unit(&row.unit).filter(|_| !row.is_part || row.unit == MONTH) else {
        let (why, help) = match row.is_part {
            true => (
                "its quantity is not in the breakdown",
                format!("say it in Infracost’s usage file, or {BY_HAND}"),
            ),
            false => ("which a load does not determine", BY_HAND.to_owned()),
        };
        problems.add(at, format!("{called} is priced by the {unit_name}, {why}")).help(help);
        return None;
    };
    let times = if table.quantity.is_some() { unit.times_as_sold } else { unit.times };
    let amount = row.price.parse::<f64>().ok().map(|price| price * times);
    let Some(amount) = amount.filter(|amount| amount.is_finite() && *amount >= 0.0) else {
        problems.add(at, format!("the price list has no amount for {called}")).help(BY_HAND);
        return None;
    };
    let quantity = not_negative("a quantity", &table.quantity, problems);
    if unit.needs_quantity && quantity.is_none() {
        problems
            .add(
                at,
                format!("{called} is sold by the {unit_name}: how many are paid for is not known"),
            )
            .help("give the item a `quantity`");
        return None;
    }
    refuse_quantity(&table.quantity, unit.per, problems);
    let name = match (name, row.is_part) {
        (Some(name), false) => name.to_owned(),
        (Some(name), true) => shortened(&format!("{name}: {}", row.description)),
        (None, _) => name_of(row),
    };
    Some(PriceItem { name, amount, per: unit.per, quantity })
}

/// The beginning of what the list calls it.
fn name_of(row: &Row) -> String {
    let described = row.description.trim();
    shortened(if described.is_empty() { &row.sku } else { described })
}

fn shortened(name: &str) -> String {
    let cut: String = name.chars().take(LONGEST_NAME).collect();
    text::line(cut.trim_end()).into_owned()
}
