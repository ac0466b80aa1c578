//! What a run may take.

use crate::keys::Maybe;
use crate::problem::Problems;
use crate::text::duration::parse_duration;
use model::{Budget, Money, Price, Target};
use std::time::Duration;

/// Validates `budget`: a length of time, or an amount of money, which becomes one by the prices of all
/// targets.
pub(crate) fn budget(
    written: &Maybe<String>,
    targets: &[Target],
    problems: &mut Problems,
) -> Option<Budget> {
    let written = written.as_ref()?;
    let (text, at) = (written.get_ref().trim(), written.span());
    let Some(money) = money(text) else {
        return match parse_duration(text) {
            Ok(time) if !time.is_zero() => Some(Budget { time, money: None }),
            Ok(_) => {
                problems.add(at, "`budget` must be more than nothing");
                None
            }
            Err(error) => {
                let help = "write a time, such as \"4h\", or an amount, such as \"50 EUR\"";
                problems.add(at, format!("`budget`: {error}")).help(help);
                None
            }
        };
    };
    match hourly(targets, &money.currency) {
        Ok(hourly) => {
            let hours = money.amount / hourly;
            let time = Duration::try_from_secs_f64(hours * 3600.0).unwrap_or(Duration::MAX);
            Some(Budget { time, money: Some(money) })
        }
        Err(why) => {
            let help = "give every target a price by the month or hour in that currency, or a `budget` \
                        of time";
            problems.add(at, why).help(help);
            None
        }
    }
}

/// An amount and a currency, such as `50 EUR`.
fn money(text: &str) -> Option<Money> {
    let (amount, currency) = text.split_once(char::is_whitespace)?;
    let (amount, currency) = (amount.parse::<f64>().ok()?, currency.trim());
    let is_code = currency.len() == 3 && currency.chars().all(|c| c.is_ascii_uppercase());
    let possible = amount.is_finite() && amount > 0.0 && is_code;
    possible.then(|| Money { amount, currency: currency.to_owned() })
}

/// What an hour of all targets together costs: the machines of all are there as long as the run takes.
fn hourly(targets: &[Target], currency: &str) -> Result<f64, String> {
    let of = |target: &Target| {
        let name = &target.name;
        let Some(price) = &target.price else {
            return Err(format!("`budget` is in {currency}, and {name} has no price"));
        };
        if price.currency != currency {
            return Err(format!(
                "`budget` is in {currency}, and {name} is paid in {}",
                price.currency
            ));
        }
        let monthly = price.fixed_monthly(None);
        monthly.ok_or_else(|| format!("`budget`: what {name} costs by the hour is not known"))
    };
    let monthly: f64 = targets.iter().map(of).sum::<Result<f64, String>>()?;
    if monthly > 0.0 {
        Ok(monthly / Price::MONTH_HOURS)
    } else {
        Err("`budget` is an amount of money, and no target costs anything by the hour".to_owned())
    }
}
