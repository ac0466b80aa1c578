//! Price against performance: which targets are worth their price, and what more costs.

use super::{Bill, Standing, TargetCost};
use crate::compare::peer::PeerComparison;
use crate::curve::CurveData;
use findings::{Amount, NoiseFloor, PriceStep};
use stats::{Estimate, Relation};
use std::cmp::Ordering;

/// Throughput by which the cost of a step is given: a tenth of what there was.
const A_TENTH: f64 = 0.1;

/// The race of the targets at their peaks.
pub(super) struct PeakComparison<'a> {
    pub(super) race: PeerComparison<'a>,
    pub(super) peaks: &'a [CurveData],
    pub(super) floors: &'a [NoiseFloor],
}

impl PeakComparison<'_> {
    /// How the throughputs of two targets compare, each at its own peak. `None` where one that was
    /// offered no more than it did may do so much more that they compare otherwise.
    fn relation(&self, numerator: &str, denominator: &str) -> Option<Relation> {
        let (Some(one), Some(other)) = (self.peak(numerator), self.peak(denominator)) else {
            return Some(Relation::Unresolved);
        };
        let relation = self.race.relation(&one.contender(), &other.contender(), 1);
        let is_open = match relation {
            Relation::Larger => other.is_at_least(),
            Relation::Smaller => one.is_at_least(),
            _ => one.is_at_least() || other.is_at_least(),
        };
        (!is_open).then_some(relation)
    }

    /// Throughput over throughput, each at its target's own peak.
    fn ratio(&self, numerator: &str, denominator: &str) -> Option<Estimate> {
        let (one, other) = (self.peak(numerator)?, self.peak(denominator)?);
        self.race.ratio(&one.contender(), &other.contender())
    }

    pub(super) fn peak(&self, name: &str) -> Option<&CurveData> {
        self.peaks.iter().find(|peak| peak.curve.target == name)
    }
}

impl PeakComparison<'_> {
    /// How many targets are clearly faster at their peaks: those that rank before one.
    fn faster_than(&self, name: &str) -> usize {
        let Some(own) = self.peak(name) else { return 0 };
        let others = self.peaks.iter().map(CurveData::contender);
        others.filter(|other| self.race.is_ahead(other, &own.contender(), 1)).count()
    }
}

/// Gives every target with a bill its place against the others of its currency.
pub(super) fn place(race: &PeakComparison, costs: &mut [TargetCost]) {
    let standings: Vec<Option<Standing>> =
        costs.iter().map(|cost| standing(race, costs, cost)).collect();
    for (cost, standing) in costs.iter_mut().zip(standings) {
        cost.standing = standing;
    }
}

/// A target is dominated by one that costs no more and is clearly faster, or costs less, is as
/// fast and does not rank behind it. It stands on the Pareto front if that can be ruled out of every other target; where speed or
/// cost is not resolved or not known against some other one, so is its place. Without any other there
/// is none.
fn standing(race: &PeakComparison, costs: &[TargetCost], cost: &TargetCost) -> Option<Standing> {
    let own = cost.monthly()?;
    let mut compared = false;
    let mut doubt = None;
    for rival in costs.iter().filter(|rival| rival.target != cost.target) {
        if rival.currency != cost.currency {
            continue;
        }
        let by = || rival.target.clone();
        let speed = race.relation(&rival.target, &cost.target);
        let bill = rival.monthly();
        // Being told apart is not transitive: one that is as fast, or faster, may rank behind all the
        // same, where some third is clearly faster than that one alone, as the other scatters widely.
        let ranks_behind = || race.faster_than(&rival.target) > race.faster_than(&cost.target);
        compared |= bill.is_some();
        // One whose bill is not known may cost less, and is worth it unless it is slower.
        let new_doubt = match (bill.and_then(|theirs| theirs.compare(&own)), speed) {
            (Some(Ordering::Less), Some(Relation::Equivalent))
            | (Some(Ordering::Less | Ordering::Equal), Some(Relation::Larger))
                if ranks_behind() =>
            {
                Standing::Unresolved { rival: by() }
            }
            (Some(Ordering::Less), Some(Relation::Equivalent))
            | (Some(Ordering::Less | Ordering::Equal), Some(Relation::Larger)) => {
                return Some(Standing::Dominated { by: by() });
            }
            (Some(Ordering::Greater), _)
            | (_, Some(Relation::Smaller))
            | (Some(Ordering::Equal), Some(Relation::Equivalent)) => continue,
            (_, None) => Standing::NotExhausted { rival: by() },
            (_, Some(_)) => Standing::Unresolved { rival: by() },
        };
        doubt = doubt.or(Some(new_doubt));
    }
    doubt.or(compared.then_some(Standing::OnParetoFront))
}

/// From each target on the Pareto front to the next dearer one: what it costs, and what a tenth more
/// throughput comes to at that price.
pub(super) fn steps(race: &PeakComparison, costs: &[TargetCost]) -> Vec<PriceStep> {
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
            // Of one that may do more the price of a step is not known.
            let is_known = race.peak(&to.target).is_some_and(|peak| !peak.is_at_least());
            if !is_known || race.relation(&to.target, &from.target) != Some(Relation::Larger) {
                return None;
            }
            let ratio = race.ratio(&to.target, &from.target)?;
            let extra = high.with(*low, |high, low| high - low);
            let gain = Amount::from_estimate(&ratio).map(|ratio| ratio - 1.0);
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
