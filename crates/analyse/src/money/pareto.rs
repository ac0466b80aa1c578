//! Price against performance: which targets are worth their price, and what more costs.

use super::{Amount, Bill, PriceStep, Standing, TargetCost};
use crate::curve::CurveData;
use crate::{Metric, NoiseFloor, floor};
use model::Study;
use stats::{Estimate, Relation};
use std::cmp::Ordering;

/// Throughput by which the cost of a step is given: a tenth of what there was.
const A_TENTH: f64 = 0.1;

/// What tells which of two targets is the faster.
pub(super) struct Race<'a> {
    pub(super) study: &'a Study,
    pub(super) peaks: &'a [CurveData],
    pub(super) floors: &'a [NoiseFloor],
}

impl Race<'_> {
    /// How the throughputs of two targets compare, each at its own peak.
    fn relation(&self, numerator: &str, denominator: &str) -> Relation {
        let ratio = self.ratio(numerator, denominator);
        ratio.map_or(Relation::Unresolved, |ratio| self.judged(&ratio))
    }

    fn judged(&self, ratio: &Estimate) -> Relation {
        match ratio.relation(self.study.margin) {
            Relation::Larger | Relation::Smaller
                if floor::hides(self.floors, Metric::Throughput, ratio) =>
            {
                Relation::Unresolved
            }
            relation => relation,
        }
    }

    /// Throughput over throughput, each at its target's own peak.
    fn ratio(&self, numerator: &str, denominator: &str) -> Option<Estimate> {
        let peak = |name: &str| self.peaks.iter().find(|peak| peak.curve.target == name);
        let (above, below) = (peak(numerator)?, peak(denominator)?);
        above.series().ratio_to(below.series(), self.study.confidence)
    }
}

/// Gives every target with a bill its place against the others of its currency.
pub(super) fn place(race: &Race, costs: &mut [TargetCost]) {
    let standings: Vec<Option<Standing>> =
        costs.iter().map(|cost| standing(race, costs, cost)).collect();
    for (cost, standing) in costs.iter_mut().zip(standings) {
        cost.standing = standing;
    }
}

/// A target is dominated by one that costs no more and is clearly faster, or costs less and is as
/// fast. It stands on the Pareto front if that can be ruled out of every other target; where speed or
/// cost is not resolved against some other one, so is its place. Without any other there is none.
fn standing(race: &Race, costs: &[TargetCost], cost: &TargetCost) -> Option<Standing> {
    let own = cost.monthly()?;
    let mut compared = false;
    let mut unresolved = None;
    for rival in costs.iter().filter(|rival| rival.target != cost.target) {
        let Some(theirs) = rival.monthly().filter(|_| rival.currency == cost.currency) else {
            continue;
        };
        compared = true;
        let by = || rival.target.clone();
        match (compare(&theirs, &own), race.relation(&rival.target, &cost.target)) {
            (Some(Ordering::Less), Relation::Equivalent)
            | (Some(Ordering::Less | Ordering::Equal), Relation::Larger) => {
                return Some(Standing::Dominated { by: by() });
            }
            (Some(Ordering::Greater), _)
            | (_, Relation::Smaller)
            | (Some(Ordering::Equal), Relation::Equivalent) => {}
            _ => unresolved = unresolved.or(Some(Standing::Unresolved { rival: by() })),
        }
    }
    unresolved.or(compared.then_some(Standing::OnParetoFront))
}

/// `None` where the intervals of two amounts overlap.
fn compare(a: &Amount, b: &Amount) -> Option<Ordering> {
    let ((a_low, a_high), (b_low, b_high)) = a.interval.zip(b.interval)?;
    if a_high < b_low {
        Some(Ordering::Less)
    } else if a_low > b_high {
        Some(Ordering::Greater)
    } else {
        (a.is_exact() && b.is_exact()).then_some(Ordering::Equal)
    }
}

/// From each target on the Pareto front to the next dearer one: what it costs, and what a tenth more
/// throughput comes to at that price.
pub(super) fn steps(race: &Race, costs: &[TargetCost]) -> Vec<PriceStep> {
    let on_front = |cost: &&TargetCost| cost.standing == Some(Standing::OnParetoFront);
    let mut front: Vec<(&TargetCost, Amount)> =
        costs.iter().filter(on_front).filter_map(|cost| Some((cost, cost.monthly()?))).collect();
    front.sort_by(|(a, at_a), (b, at_b)| {
        a.currency.cmp(&b.currency).then(at_a.point.total_cmp(&at_b.point))
    });
    let pairs = front.windows(2).filter_map(|pair| <&[_; 2]>::try_from(pair).ok());
    pairs
        .filter(|[(from, _), (to, _)]| from.currency == to.currency)
        .filter_map(|[(from, low), (to, high)]| {
            let ratio = race.ratio(&to.target, &from.target)?;
            if race.judged(&ratio) != Relation::Larger {
                return None;
            }
            let extra = high.with(*low, |high, low| high - low);
            let gain = Amount::of(&ratio).map(|ratio| ratio - 1.0);
            Some(PriceStep {
                from: from.target.clone(),
                to: to.target.clone(),
                currency: from.currency.clone(),
                monthly: extra,
                ratio,
                next_tenth: extra.with(gain, |extra, gain| extra * A_TENTH / gain),
            })
        })
        .collect()
}

impl TargetCost {
    /// The bill of a month at the peak, where it is known.
    pub fn monthly(&self) -> Option<Amount> {
        match &self.bill {
            Bill::Known { monthly, .. } => Some(*monthly),
            Bill::Unknown { .. } => None,
        }
    }

    /// The cost of a million transactions at the peak, where it is known.
    pub fn per_million(&self) -> Option<Amount> {
        match &self.bill {
            Bill::Known { per_million, .. } => Some(*per_million),
            Bill::Unknown { .. } => None,
        }
    }
}
