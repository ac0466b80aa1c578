//! What a target costs a month under the load that is asked about, and whether a budget allows it.

use super::judged::{Axis, Judged, along};
use super::question::Candidate;
use super::question::{Answer, Budget, MonthlyCost, Reason, StoredInMonth};
use crate::answer::money::{self, CostLine, Usage};
use crate::{Analysis, TestAnalysis};
use findings::{Amount, BreakEven};
use model::{Dataset, Level, Metric, Price, Target};
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
    let load = load();
    let at = load.or_else(|| Some(Amount::from_estimate(&at_peak(test, &target.name)?)));
    let (line, used_at) = line_at(dataset, test, (target, price), at.map(|load| load.point))?;
    let amount = match line.per_million == Amount::exact(0.0) {
        true => Amount::exact(line.monthly),
        false => line.monthly_at(load.ok_or(Reason::LoadUnknown)?),
    };
    let growth = line.growth.map(|growth| StoredInMonth {
        gigabytes: growth.gigabytes_at(at.unwrap_or(Amount::exact(0.0))),
    });
    let (date, currency) = (price.date.clone(), price.currency.clone());
    Ok(MonthlyCost { amount, currency, date, used_at, growth })
}

/// What a target costs against its load, by what transactions took where its throughput was nearest to
/// one, and where that was.
fn line_at(
    dataset: &Dataset,
    test: &TestAnalysis,
    (target, price): (&Target, &Price),
    load: Option<f64>,
) -> Result<(CostLine, Option<Level>), Reason> {
    let used = load.and_then(|load| Usage::nearest(test, (&target.name, price), load));
    let usage = used.map_or_else(Usage::default, |(_, usage)| usage);
    let line = money::line(dataset, Some(&test.test), target, price, &usage);
    Ok((line.map_err(|gap| Reason::CostUnknown { gap })?, used.map(|(level, _)| level)))
}

fn at_peak(test: &TestAnalysis, target: &str) -> Option<Estimate> {
    Some(test.curves.iter().find(|curve| curve.target == target)?.peak_throughput)
}

/// From which load on which of two sufficient targets costs less, by what was measured where their
/// throughputs were nearest to the load that is asked about.
pub(super) fn break_evens(
    analysis: &Analysis<'_>,
    test: &TestAnalysis,
    rate: f64,
    sufficient: &[String],
) -> Vec<BreakEven> {
    let targets = &analysis.dataset.study.targets;
    let priced = |name: &String| {
        let target = targets.iter().find(|target| target.name == *name)?;
        let price = target.price.as_ref()?;
        let (line, _) = line_at(analysis.dataset, test, (target, price), Some(rate)).ok()?;
        Some((target, line))
    };
    let lines: Vec<(&Target, CostLine)> = sufficient.iter().filter_map(priced).collect();
    let money = [(test.test.as_str(), &test.money)];
    let mut found = Vec::new();
    for (i, (first, a)) in lines.iter().enumerate() {
        for (second, b) in lines[i + 1..].iter().filter(|(_, b)| b.currency == a.currency) {
            found.push(money::break_even(Some(&test.test), &money, (first, a), (second, b)));
        }
    }
    found
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
        None => at_peak(test, candidate.target)?,
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
    let reason = Reason::Priced { monthly: Box::new(monthly.clone()) };
    Judged { answer, reason, grounds: Vec::new() }
}

fn one_currency(candidate: &Candidate<'_>) -> bool {
    let targets = candidate.analysis.dataset.study.targets.iter();
    let mut currencies = targets.filter_map(|t| t.price.as_ref().map(|p: &Price| &p.currency));
    let first = currencies.next();
    currencies.all(|currency| Some(currency) == first)
}
