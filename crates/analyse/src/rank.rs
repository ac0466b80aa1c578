//! Which target is best at its own peak.

use crate::curve::Peak;
use crate::series::Series;
use crate::{Place, Ranking};
use model::{Price, Study};
use stats::Relation;

/// Seconds of a month: a twelfth of a year of 365 days.
const MONTH_SECONDS: f64 = 2_628_000.0;

/// Sorts targets by throughput at their peaks into tiers; see [`Ranking`] for where a tier ends.
///
/// Peaks are compared like cells, paired by repeat, at the study's confidence. Every target's
/// peak is the luckiest of its levels, which favours all alike while they scatter alike. Where one
/// scatters far more than another the luck is its own: for equal targets, six levels, three
/// repeats and tenfold scatter a boundary is drawn falsely in 8 % of runs instead of 5 %
/// (`tests/behaviour/false_alarms.rs` keeps watch).
pub(crate) fn ranking(study: &Study, peaks: &[Peak]) -> Ranking {
    let mut ordered: Vec<&Peak> = peaks.iter().collect();
    // Stable: of equal ones the earlier in the study comes first.
    ordered.sort_by(|a, b| b.curve.peak_throughput.point.total_cmp(&a.curve.peak_throughput.point));
    let tiers = tiers(&ordered, |upper, lower| is_above(study, &upper.series, &lower.series))
        .into_iter()
        .map(|tier| tier.into_iter().map(|peak| place(study, peak)).collect())
        .collect();
    let unranked = study.targets.iter().map(|target| &target.name);
    let unranked =
        unranked.filter(|name| peaks.iter().all(|peak| peak.curve.target != **name)).cloned();
    Ranking { tiers, unranked: unranked.collect() }
}

/// Cuts a list that begins with the best into tiers: a tier ends where every one above is clearly
/// better than every one below.
pub(crate) fn tiers<'a, T>(
    ordered: &[&'a T],
    is_above: impl Fn(&T, &T) -> bool,
) -> Vec<Vec<&'a T>> {
    let mut tiers: Vec<Vec<&T>> = Vec::new();
    for (i, one) in ordered.iter().enumerate() {
        let (above, below) = ordered.split_at(i);
        let separated = above.iter().all(|upper| below.iter().all(|lower| is_above(upper, lower)));
        match tiers.last_mut() {
            Some(tier) if !separated => tier.push(one),
            _ => tiers.push(vec![one]),
        }
    }
    tiers
}

/// Whether the larger of two series is so beyond doubt and by more than the margin.
pub(crate) fn is_above(study: &Study, upper: &Series, lower: &Series) -> bool {
    upper
        .ratio_to(lower, study.confidence)
        .is_some_and(|ratio| ratio.relation(study.margin) == Relation::Larger)
}

fn place(study: &Study, peak: &Peak) -> Place {
    let curve = &peak.curve;
    let target = study.targets.iter().find(|target| target.name == curve.target);
    let price = target.and_then(|target| target.price.as_ref());
    Place {
        target: curve.target.clone(),
        level: curve.peak,
        throughput: curve.peak_throughput,
        cost_per_million: price.and_then(|price| cost(price, curve.peak_throughput.point)),
    }
}

fn cost(price: &Price, throughput: f64) -> Option<(f64, String)> {
    let cost = price.monthly / (throughput * MONTH_SECONDS) * 1e6;
    cost.is_finite().then(|| (cost, price.currency.clone()))
}
