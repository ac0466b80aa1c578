//! Items of a price.

use crate::keys::value::name;
use crate::keys::{Maybe, PriceItemTable};
use crate::problem::Problems;
use model::{PriceItem, PriceUnit};
use toml::Spanned;

/// An item whose amount stands in the study.
pub(super) fn item(table: &Spanned<PriceItemTable>, problems: &mut Problems) -> Option<PriceItem> {
    let at = table.span();
    let table = table.get_ref();
    if table.name.is_none() || table.amount.is_none() {
        problems.missing(
            at,
            "an item of a price has a name and an amount",
            "write { name = \"instance\", amount = 0.27, per = \"hour\" }",
        );
    }
    let named = item_name(table, problems);
    let amount = not_negative("a price", &table.amount, problems);
    let per = table.per.value("per", problems)?;
    let quantity = not_negative("a quantity", &table.quantity, problems);
    refuse_quantity(&table.quantity, per, problems);
    Some(PriceItem { name: named?, amount: amount?, per, quantity })
}

pub(super) fn item_name(table: &PriceItemTable, problems: &mut Problems) -> Option<String> {
    let written = table.name.as_ref()?;
    name(written.get_ref(), written.span(), "price item", problems)
}

/// Notes how many are paid for of something that a load decides.
pub(super) fn refuse_quantity(quantity: &Maybe<f64>, per: PriceUnit, problems: &mut Problems) {
    if let (Some(written), false) = (quantity, per.has_quantity()) {
        problems
            .add(written.span(), format!("the load decides how often a {} comes", per.name()))
            .help("remove `quantity`");
    }
}

pub(super) fn not_negative(
    what: &str,
    written: &Maybe<f64>,
    problems: &mut Problems,
) -> Option<f64> {
    let written = written.as_ref()?;
    let value = *written.get_ref();
    let possible = value.is_finite() && value >= 0.0;
    if !possible {
        problems.add(written.span(), format!("{what} is 0 or more"));
    }
    possible.then_some(value)
}
