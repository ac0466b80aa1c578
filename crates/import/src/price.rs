//! Prices out of rows that name an amount: what is counted is in the name.

use crate::{ImportedPrice, Problem};
use model::{Price, PriceItem, PriceUnit, Target};

/// The row that gives the number of requests in one IO, which is not an amount of money.
pub(crate) const REQUESTS_PER_IO: &str = "requests_per_io";

/// Endings of the names of amounts. What stands before says what the amount is for.
const ENDINGS: [(&str, PriceUnit); 8] = [
    ("monthly", PriceUnit::Month),
    ("hourly", PriceUnit::Hour),
    ("per_million_io", PriceUnit::MillionIos),
    ("per_million_ios", PriceUnit::MillionIos),
    ("per_million_requests", PriceUnit::MillionRequests),
    ("per_gb_sent", PriceUnit::GbSent),
    ("per_gb_monthly", PriceUnit::GbMonth),
    ("per_gb_month", PriceUnit::GbMonth),
];

/// Adds an amount to what a target costs.
pub(crate) fn add(target: &mut Target, row: ImportedPrice) -> Result<(), Problem> {
    let refused =
        |message: String| Err(Problem { file: row.file.clone(), line: row.line, message });
    if row.item == REQUESTS_PER_IO {
        return match &mut target.price {
            Some(Price { requests_per_io: Some(known), .. }) if *known != row.amount => {
                refused(format!(
                    "{REQUESTS_PER_IO} of {} is {known} already; a target has one",
                    target.name
                ))
            }
            Some(price) if row.amount > 0.0 => {
                price.requests_per_io = Some(row.amount);
                Ok(())
            }
            Some(_) => refused(format!("{REQUESTS_PER_IO} must be more than 0")),
            None => refused(format!("{REQUESTS_PER_IO} stands before any price of the target")),
        };
    }
    let Some(per) = unit(&row.item) else {
        let known: Vec<&str> = ENDINGS.iter().map(|(ending, _)| *ending).collect();
        return refused(format!(
            "the price {} is left out: the name does not end in {}, so what is counted is not known",
            row.item,
            known.join(", ")
        ));
    };
    let price =
        target.price.get_or_insert_with(|| Price::from_items(row.currency.clone(), Vec::new()));
    if price.currency != row.currency {
        let (has, is) = (&price.currency, &row.currency);
        return refused(format!("{} has prices in {has} and {is}", target.name));
    }
    price.items.push(PriceItem { name: row.item, amount: row.amount, per, quantity: None });
    Ok(())
}

/// The unit of the longest ending that is the name or follows an underscore in it.
fn unit(name: &str) -> Option<PriceUnit> {
    let ends = |ending: &str| {
        name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
    };
    let known = ENDINGS.into_iter().filter(|(ending, _)| ends(ending));
    known.max_by_key(|(ending, _)| ending.len()).map(|(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_says_what_is_counted() {
        for (name, per) in [
            ("monthly", Some(PriceUnit::Month)),
            ("instance_monthly", Some(PriceUnit::Month)),
            ("volume_per_gb_monthly", Some(PriceUnit::GbMonth)),
            ("instance_hourly", Some(PriceUnit::Hour)),
            ("per_million_io", Some(PriceUnit::MillionIos)),
            ("bimonthly", None),
            ("setup", None),
        ] {
            assert_eq!(unit(name), per, "{name}");
        }
    }
}
