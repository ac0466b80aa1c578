//! On which target transactions cost least, each at its own peak.

use super::pareto::PeakComparison;
use super::{AgainstCheapest, Bill, TargetCost};
use crate::compare::peer::{Contender, PeerComparison};
use crate::curve::CurveData;
use findings::Amount;
use model::{Metric, Study};
use stats::Relation;

/// Sets every bill against the lowest in its currency.
pub(super) fn place(study: &Study, race: &PeakComparison, costs: &mut [TargetCost]) {
    let found: Vec<Option<AgainstCheapest>> = costs
        .iter()
        .map(|own| {
            own.per_million()?;
            let rivals = costs.iter().filter(|rival| rival.currency == own.currency);
            let cheapest = rivals
                .filter_map(|rival| Some((rival, rival.per_million()?.point)))
                .min_by(|(_, a), (_, b)| a.total_cmp(b));
            let (cheapest, _) = cheapest?;
            if cheapest.target == own.target {
                return Some(AgainstCheapest { ratio: None, relation: Relation::Equivalent });
            }
            against(study, race, own, cheapest)
        })
        .collect();
    for (cost, found) in costs.iter_mut().zip(found) {
        cost.against_cheapest = found;
    }
}

fn against(
    study: &Study,
    race: &PeakComparison,
    own: &TargetCost,
    cheapest: &TargetCost,
) -> Option<AgainstCheapest> {
    let (peak, best) = (race.peak(&own.target)?, race.peak(&cheapest.target)?);
    let (ratio, relation) = match (fixed(own), fixed(cheapest)) {
        (Some(own_monthly), Some(monthly)) => {
            // What a unit of money buys: transactions for the price of the month.
            let bought = |peak: &CurveData, monthly: f64| peak.series().times(monthly.recip());
            let (own_series, series) = (bought(peak, own_monthly), bought(best, monthly));
            let own = Contender { series: &own_series, ..peak.contender() };
            let best_of = Contender { series: &series, ..best.contender() };
            let scaled;
            // At one price the faster is the cheaper, by the same verdict.
            let race = match own_monthly == monthly {
                true => &race.race,
                false => {
                    scaled = PeerComparison::new(
                        study,
                        Metric::Throughput,
                        &[],
                        race.floors,
                        race.peaks.len(),
                    );
                    &scaled
                }
            };
            let ratio = race.ratio(&best_of, &own)?;
            (Amount::from_estimate(&ratio), race.relation(&best_of, &own, 1))
        }
        _ => {
            let (own, cheapest) = (own.per_million()?, cheapest.per_million()?);
            let relation =
                own.compare(&cheapest).map_or(Relation::Unresolved, |order| match order {
                    std::cmp::Ordering::Less => Relation::Smaller,
                    std::cmp::Ordering::Equal => Relation::Equivalent,
                    std::cmp::Ordering::Greater => Relation::Larger,
                });
            (own.with(cheapest, |own, cheapest| own / cheapest), relation)
        }
    };
    // One that did all that it was offered may do more, and cost less.
    let is_open = match relation {
        Relation::Larger => peak.is_at_least(),
        Relation::Smaller => best.is_at_least(),
        _ => peak.is_at_least() || best.is_at_least(),
    };
    let relation = if is_open { Relation::Unresolved } else { relation };
    Some(AgainstCheapest { ratio: Some(ratio), relation })
}

/// What a month costs, where that does not depend on the load and is not nothing.
fn fixed(cost: &TargetCost) -> Option<f64> {
    match cost.bill {
        Bill::Known { monthly, .. } if monthly.is_exact() && monthly.point > 0.0 => {
            Some(monthly.point)
        }
        _ => None,
    }
}
