//! Price against performance: which targets are worth their price, and what more costs.

use super::{Amount, Bill, PriceStep, Standing, TargetCost};
use crate::curve::CurveData;
use crate::race::{Contender, Race};
use stats::{Estimate, Relation};
use std::cmp::Ordering;

/// Throughput by which the cost of a step is given: a tenth of what there was.
const A_TENTH: f64 = 0.1;

/// The race of the targets at their peaks.
pub(super) struct PeakRace<'a> {
    pub(super) race: Race<'a>,
    pub(super) peaks: &'a [CurveData],
}

impl PeakRace<'_> {
    /// How the throughputs of two targets compare, each at its own peak.
    fn relation(&self, numerator: &str, denominator: &str) -> Relation {
        let both = self.contender(numerator).zip(self.contender(denominator));
        both.map_or(Relation::Unresolved, |(one, other)| self.race.relation(&one, &other))
    }

    /// Throughput over throughput, each at its target's own peak.
    fn ratio(&self, numerator: &str, denominator: &str) -> Option<Estimate> {
        self.race.ratio(&self.contender(numerator)?, &self.contender(denominator)?)
    }

    fn contender(&self, name: &str) -> Option<Contender<'_>> {
        let peak = self.peaks.iter().find(|peak| peak.curve.target == name)?;
        Some(peak.contender())
    }
}

/// Gives every target with a bill its place against the others of its currency.
pub(super) fn place(race: &PeakRace, costs: &mut [TargetCost]) {
    let standings: Vec<Option<Standing>> =
        costs.iter().map(|cost| standing(race, costs, cost)).collect();
    for (cost, standing) in costs.iter_mut().zip(standings) {
        cost.standing = standing;
    }
}

/// A target is dominated by one that costs no more and is clearly faster, or costs less and is as
/// fast. It stands on the Pareto front if that can be ruled out of every other target; where speed or
/// cost is not resolved against some other one, so is its place. Without any other there is none.
fn standing(race: &PeakRace, costs: &[TargetCost], cost: &TargetCost) -> Option<Standing> {
    let own = cost.monthly()?;
    let mut compared = false;
    let mut unresolved = None;
    for rival in costs.iter().filter(|rival| rival.target != cost.target) {
        if rival.currency != cost.currency {
            continue;
        }
        let by = || rival.target.clone();
        let Some(theirs) = rival.monthly() else {
            // It may cost less, and is worth it unless it is slower.
            if race.relation(&rival.target, &cost.target) != Relation::Smaller {
                unresolved = unresolved.or(Some(Standing::Unresolved { rival: by() }));
            }
            continue;
        };
        compared = true;
        match (theirs.compare(&own), race.relation(&rival.target, &cost.target)) {
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

/// From each target on the Pareto front to the next dearer one: what it costs, and what a tenth more
/// throughput comes to at that price.
pub(super) fn steps(race: &PeakRace, costs: &[TargetCost]) -> Vec<PriceStep> {
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
            if race.relation(&to.target, &from.target) != Relation::Larger {
                return None;
            }
            let ratio = race.ratio(&to.target, &from.target)?;
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
