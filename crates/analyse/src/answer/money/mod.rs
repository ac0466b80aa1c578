//! What targets cost, at the loads that were measured.

mod break_even;
mod cheapest;
mod line;
mod pareto;
mod usage;

pub use line::{CostLine, StorageGrowth};
pub use usage::Usage;
pub(crate) use usage::nearest;

use crate::cell::Cells;
use crate::compare::peer::PeerComparison;
use crate::curve::CurveData;
use crate::study::has_first_data;
use crate::{Comparison, Metric};
use findings::{
    Amount, BreakEven, CostGap, CostUnknown, CurrenciesDiffer, Finding, NoiseFloor, Outcome,
    PriceStep, Subject,
};
use model::{Dataset, Level, Price, Study, Target, Test};
use serde::Serialize;
use stats::{Estimate, Relation};
use std::collections::BTreeSet;

/// What the targets of a test cost, each at its own peak.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TestMoney {
    /// One for each target that has a price and an estimate, in the order of the study.
    pub costs: Vec<TargetCost>,
    /// Along the Pareto front, the cheapest target first.
    pub steps: Vec<PriceStep>,
}

/// What one target costs at its peak in one test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetCost {
    pub target: String,
    /// ISO 4217 code.
    pub currency: String,
    /// Where its throughput is highest.
    pub level: Level,
    /// Throughput there in transactions per second.
    pub throughput: Estimate,
    /// What a transaction took there of what is charged by use.
    #[serde(flatten)]
    pub usage: Usage,
    /// What the bill has of data that the load adds, where storage is charged by the size of the data.
    pub growth: Option<StorageGrowth>,
    /// What it comes to.
    pub bill: Bill,
    /// Its place among the targets with a price in the same currency; absent without a
    /// bill, or where it is the only one.
    pub standing: Option<Standing>,
    /// Absent without a bill.
    #[serde(skip)]
    pub(crate) against_cheapest: Option<AgainstCheapest>,
}

/// What a million transactions cost on a target, against the cheapest in the same currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AgainstCheapest {
    /// This one ÷ the cheapest; `None` of the cheapest itself.
    pub(crate) ratio: Option<Amount>,
    /// How its cost relates to that of the cheapest.
    pub(crate) relation: Relation,
}

/// A bill, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Bill {
    /// All that it takes is known.
    Known {
        /// A month with that throughput throughout.
        monthly: Amount,
        /// A million transactions: `monthly` ÷ the transactions of the month × 10⁶.
        per_million: Amount,
    },
    Unknown {
        gap: CostGap,
    },
}

/// A target's place in the plane of price and performance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Standing {
    /// No other target is faster at the same price, or as fast for less.
    OnParetoFront,
    Dominated {
        /// Which, the first in the study.
        by: String,
    },
    Unresolved {
        /// Which, the first in the study.
        rival: String,
    },
    /// One of the two did all that it was offered, and may do more.
    NotExhausted {
        /// Which, the first in the study.
        rival: String,
    },
}

/// What each priced target costs at its peak in a test.
pub(crate) fn of_test(
    dataset: &Dataset,
    test: &Test,
    cells: &Cells,
    peaks: &[CurveData],
    comparisons: &[Comparison],
    floors: &[NoiseFloor],
) -> TestMoney {
    let study = &dataset.study;
    let cost = |target: &Target| {
        let price = target.price.as_ref()?;
        let peak = peaks.iter().find(|peak| peak.curve.target == target.name)?;
        Some(target_cost(dataset, test, cells, peak, target, price))
    };
    let mut costs: Vec<TargetCost> = study.targets.iter().filter_map(cost).collect();
    let (metric, targets) = (Metric::Throughput, peaks.len());
    let race = PeerComparison::new(study, metric, comparisons, floors, targets);
    let race = pareto::PeakComparison { race, peaks, floors };
    pareto::place(&race, &mut costs);
    cheapest::place(study, &race, &mut costs);
    let steps = pareto::steps(&race, &costs);
    TestMoney { costs, steps }
}

fn target_cost(
    dataset: &Dataset,
    test: &Test,
    cells: &Cells,
    peak: &CurveData,
    target: &Target,
    price: &Price,
) -> TargetCost {
    let (level, throughput) = (peak.curve.peak, peak.curve.peak_throughput);
    let cell = cells.at(&target.name, level);
    let confidence = dataset.study.confidence;
    let usage = cell.map(|cell| Usage::from_data(cell, price, confidence)).unwrap_or_default();
    let load = Amount::from_estimate(&throughput);
    let line = line(dataset, Some(&test.name), target, price, &usage);
    let growth = line.as_ref().ok().and_then(|line| line.growth);
    let bill = match line {
        Ok(line) => {
            Bill::Known { monthly: line.monthly_at(load), per_million: line.per_million_at(load) }
        }
        Err(gap) => Bill::Unknown { gap },
    };
    TargetCost {
        target: target.name.clone(),
        currency: price.currency.clone(),
        level,
        throughput,
        usage,
        growth,
        bill,
        standing: None,
        against_cheapest: None,
    }
}

/// What a target costs against its load, with what trials measured of what is charged by use; in one
/// test, or in all of them. The size of data is known of the first test alone.
pub(crate) fn line(
    dataset: &Dataset,
    test: Option<&str>,
    target: &Target,
    price: &Price,
    usage: &Usage,
) -> Result<CostLine, CostGap> {
    let facts = dataset.targets.iter().find(|facts| facts.target == target.name);
    let bytes = facts.and_then(|facts| facts.server.dataset_bytes);
    let study = &dataset.study;
    let mut tests = study.tests.iter().filter(|own| test.is_none_or(|name| own.name == name));
    let bytes = bytes.filter(|_| tests.all(|own| has_first_data(study, own)));
    CostLine::from_price(price, usage.amounts(), bytes)
}

/// Every pair of targets with prices in one currency, in the order of the study: once where prices
/// alone decide, and once for each test where it takes what was measured there.
pub(crate) fn break_evens(dataset: &Dataset, tests: &[(&str, &TestMoney)]) -> Vec<BreakEven> {
    let priced: Vec<(&Target, &Price)> = dataset
        .study
        .targets
        .iter()
        .filter_map(|target| Some((target, target.price.as_ref()?)))
        .collect();
    let mut found = Vec::new();
    for (i, &first) in priced.iter().enumerate() {
        for &second in priced[i + 1..].iter().filter(|second| second.1.currency == first.1.currency)
        {
            let none = Usage::default();
            let lines =
                [first, second].map(|(target, price)| line(dataset, None, target, price, &none));
            let grows = |target: &Target| {
                let costs = tests.iter().flat_map(|(_, money)| &money.costs);
                let mut own = costs.filter(|cost| cost.target == target.name);
                own.any(|cost| cost.usage.stored_bytes_per_request.is_some())
            };
            let [a, b] = &lines;
            if let (Ok(a), Ok(b), false) = (a, b, grows(first.0) || grows(second.0)) {
                found.push(break_even(None, tests, (first.0, a), (second.0, b)));
                continue;
            }
            for (test, money) in tests {
                let of = |(target, price): (&Target, &Price)| {
                    let cost = money.costs.iter().find(|cost| cost.target == target.name)?;
                    line(dataset, Some(test), target, price, &cost.usage).ok()
                };
                if let Some((a, b)) = of(first).zip(of(second)) {
                    let of_test = [(*test, *money)];
                    found.push(break_even(Some(test), &of_test, (first.0, &a), (second.0, &b)));
                }
            }
        }
    }
    found
}

pub(crate) fn break_even(
    test: Option<&str>,
    tests: &[(&str, &TestMoney)],
    a: (&Target, &CostLine),
    b: (&Target, &CostLine),
) -> BreakEven {
    let peak = |money: &TestMoney, name: &str| {
        let cost = money.costs.iter().find(|cost| cost.target == name)?;
        Some(cost.throughput.point)
    };
    let both = |money: &TestMoney| Some(peak(money, &a.0.name)?.min(peak(money, &b.0.name)?));
    BreakEven {
        test: test.map(str::to_owned),
        a: a.0.name.clone(),
        b: b.0.name.clone(),
        currency: a.1.currency.clone(),
        outcome: break_even::outcome((&a.0.name, a.1), (&b.0.name, b.1)),
        reached: tests.iter().filter_map(|(_, money)| both(money)).reduce(f64::max),
    }
}

/// Break-evens that there are, steps along the Pareto fronts, bills that are not known, and currencies
/// that cannot be compared.
pub(crate) fn findings(
    study: &Study,
    tests: &[(&str, &TestMoney)],
    break_evens: &[BreakEven],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for found in break_evens {
        if matches!(found.outcome, Outcome::At { .. } | Outcome::Unresolved) {
            let subject = found.test.as_deref().map_or_else(Subject::default, Subject::test);
            findings.push(Finding::new(subject, found.clone()));
        }
    }
    for (test, money) in tests {
        let steps = money.steps.iter().cloned();
        findings.extend(steps.map(|step| Finding::new(Subject::test(test), step)));
        for cost in &money.costs {
            if let Bill::Unknown { gap } = cost.bill {
                let subject = Subject::test(test).on(&cost.target);
                findings.push(Finding::new(subject, CostUnknown { gap }));
            }
        }
    }
    let prices = || study.targets.iter().filter_map(|target| target.price.as_ref());
    let currencies: BTreeSet<String> = prices().map(|price| price.currency.clone()).collect();
    if currencies.len() > 1 {
        let currencies = currencies.into_iter().collect();
        findings.push(Finding::new(Subject::default(), CurrenciesDiffer { currencies }));
    }
    findings
}
