//! What a target costs a month under the load that is asked about, and whether a budget allows it.

use super::judged::{Axis, Judged, along};
use super::question::Candidate;
use super::question::{Answer, Budget, MonthlyCost, Reason};
use crate::answer::money;
use crate::{Analysis, TestAnalysis};
use findings::Amount;
use model::{Dataset, Metric, Price, Target};
use stats::Estimate;

/// The bill of a month.
///
/// # Errors
/// Why it is not known.
pub(super) fn monthly(candidate: &Candidate<'_>) -> Result<MonthlyCost, Reason> {
    let Candidate { analysis, test, target, .. } = candidate;
    bill(analysis.dataset, test, target, || load(candidate))
}

/// The bill of a month of a target with that throughput throughout; `None` where it has no price, or
/// what it costs is not known. Where the price does not depend on the load, none is needed.
pub fn monthly_cost(
    analysis: &Analysis<'_>,
    test: &TestAnalysis,
    target: &str,
    throughput: Option<&Estimate>,
) -> Option<MonthlyCost> {
    bill(analysis.dataset, test, target, || throughput.map(Amount::from_estimate)).ok()
}

fn bill(
    dataset: &Dataset,
    test: &TestAnalysis,
    target: &str,
    load: impl FnOnce() -> Option<Amount>,
) -> Result<MonthlyCost, Reason> {
    let target = dataset.study.targets.iter().find(|candidate| candidate.name == target);
    let Some((target, price)) = target.and_then(|t: &Target| Some((t, t.price.as_ref()?))) else {
        return Err(Reason::NoPrice);
    };
    let at_peak = test.money.costs.iter().find(|cost| cost.target == target.name);
    let ios = at_peak.and_then(|cost| cost.requests_per_io.as_ref());
    let line = money::line((dataset, Some(&test.test)), target, price, ios);
    let line = line.map_err(|gap| Reason::CostUnknown { gap })?;
    let amount = match line.per_million == Amount::exact(0.0) {
        true => Amount::exact(line.monthly),
        false => line.monthly_at(load().ok_or(Reason::LoadUnknown)?),
    };
    Ok(MonthlyCost { amount, currency: price.currency.clone() })
}

/// The load that the bill is for: the rate that is asked about, or the throughput with so many
/// clients, or else that at the peak.
fn load(candidate: &Candidate<'_>) -> Option<Amount> {
    let (question, test) = (candidate.question, candidate.test);
    if let Some(rate) = question.rate {
        return Some(Amount::exact(rate));
    }
    let throughput = match question.clients {
        Some(clients) => {
            let cells = along(test, candidate.target, Axis::Clients);
            let mut at = cells.into_iter().filter(|(place, _)| *place == f64::from(clients));
            at.find(|(_, cell)| !cell.level.is_open() && cell.level.search.is_none())?
                .1
                .estimate(Metric::Throughput)?
        }
        None => test.curves.iter().find(|c| c.target == candidate.target)?.peak_throughput,
    };
    Some(Amount::from_estimate(&throughput))
}

/// Whether a month costs no more than a budget.
pub(super) fn within(
    candidate: &Candidate<'_>,
    budget: &Budget,
    monthly: &Result<MonthlyCost, Reason>,
) -> Judged {
    let monthly = match monthly {
        Ok(monthly) => monthly,
        Err(reason) => return Judged::unknown(reason.clone()),
    };
    match &budget.currency {
        Some(currency) if *currency != monthly.currency => {
            let currency = monthly.currency.clone();
            return Judged::unknown(Reason::OtherCurrency { currency });
        }
        None if !one_currency(candidate) => return Judged::unknown(Reason::CurrencyNotStated),
        _ => {}
    }
    let meets = |cost: f64| cost <= budget.amount;
    let answer = match monthly.amount.interval {
        Some((low, high)) if meets(low) == meets(high) => Answer::from_measured(meets(low), false),
        Some(_) => return Judged::unknown(Reason::Straddles),
        None => Answer::from_measured(meets(monthly.amount.point), true),
    };
    let reason = Reason::Priced { monthly: monthly.clone() };
    Judged { answer, reason, grounds: Vec::new() }
}

fn one_currency(candidate: &Candidate<'_>) -> bool {
    let targets = candidate.analysis.dataset.study.targets.iter();
    let mut currencies = targets.filter_map(|t| t.price.as_ref().map(|p: &Price| &p.currency));
    let first = currencies.next();
    currencies.all(|currency| Some(currency) == first)
}
