//! How throughput grows with clients.

use super::{Group, Words};
use crate::numbers::{self, figure, percent};
use crate::words::place::{levels, what_grows};
use analyse::{FittedLaw, Growth, NoLaw, NoScalingLaw, ScalingLaw};
use stats::Estimate;

impl Words for Growth {
    const HEADING: &'static str = "Growth of throughput";

    fn say(found: &Group<'_, Self>) -> String {
        let growth = found.first;
        let margin = percent(growth.margin);
        let mut parts = Vec::new();
        match (growth.linear_up_to, growth.below_ideal_from) {
            (Some(to), _) => parts.push(format!(
                "throughput grows in proportion to {} up to {to} (short by at most {margin} for \
                 each doubling)",
                what_grows(to)
            )),
            (None, Some(from)) => parts.push(format!(
                "by {from} throughput has grown less than in proportion to {} (short by more than \
                 {margin} for each doubling)",
                what_grows(from)
            )),
            (None, None) => {}
        }
        match growth.knee.as_slice() {
            [] => {}
            [only] => parts.push(format!(
                "the throughput knee, where throughput ÷ latency is highest, is at {only}"
            )),
            several => parts.push(format!(
                "the throughput knee, where throughput ÷ latency is highest, is one of {}",
                levels(several)
            )),
        }
        if let Some((from, to)) = growth.plateau {
            parts.push(format!(
                "from {} to {to} throughput is the same as at its peak, within {margin}",
                from.clients
            ));
        }
        if let Some(from) = growth.declines_from {
            parts.push(format!("from {from} on it is lower than at its peak"));
        }
        parts.join("; ")
    }
}

impl Words for ScalingLaw {
    const HEADING: &'static str = "Scaling laws";

    fn say(found: &Group<'_, Self>) -> String {
        let law = found.first;
        let furthest = law.furthest().map_or(String::new(), |(level, residual)| {
            format!("{} from it, at {level}", percent(residual.abs()))
        });
        if !law.describes {
            let why = match (law.is_near(), law.is_off_by_scatter()) {
                (false, _) => String::new(),
                (true, false) => ", which is more than scatter explains".to_owned(),
                (true, true) => {
                    format!(
                        ", and it peaks below {}, where throughput still rises",
                        law.measured_peak
                    )
                }
            };
            return format!(
                "no law of scalability describes this curve: the best fit, {}, is {}{why}; its \
                 parameters do not apply",
                law_name(&law.law),
                law.furthest().map_or(String::new(), |(level, residual)| {
                    format!("off by {} at {level}", percent(residual.abs()))
                }),
            );
        }
        match &law.law {
            FittedLaw::Universal { sigma, kappa, .. } => format!(
                "the Universal Scalability Law fits with contention σ = {} and coherency κ = {}; \
                 throughput lies at most {furthest}. {}",
                parameter(sigma),
                parameter(kappa),
                peak(law),
            ),
            FittedLaw::Saturating { ceiling, .. } => {
                let ceiling_at = numbers::estimate(ceiling, &format!("{}/s", found.counted));
                let (up_to, also) = (law.measured_up_to, if law.either { ALSO } else { "" });
                let share = law.throughput(up_to.clients.into()) / ceiling.point;
                let guess = if share < REACHED { ": an extrapolation" } else { "" };
                let rise = format!(
                    "throughput rises towards a ceiling of {ceiling_at}, of which it has {} at \
                     {up_to}{guess}",
                    percent(share)
                );
                format!("{rise}; throughput lies at most {furthest}{also}")
            }
        }
    }
}

/// Below this share of its ceiling, what lies above is a guess.
const REACHED: f64 = 0.8;
const ALSO: &str = ". The Universal Scalability Law describes the curve too, but not better";

/// A law in words.
pub(crate) fn law_name(law: &FittedLaw) -> &'static str {
    match law {
        FittedLaw::Universal { .. } => "the Universal Scalability Law",
        FittedLaw::Saturating { .. } => "a rise to a ceiling",
    }
}

fn parameter(estimate: &Estimate) -> String {
    match &estimate.interval {
        Some(interval) => {
            format!("{} ({})", figure(estimate.point), numbers::interval_with_confidence(interval))
        }
        None => figure(estimate.point),
    }
}

/// Where the law has its peak; the measured peak is the better evidence where there is one.
fn peak(law: &ScalingLaw) -> String {
    let (up_to, measured) = (law.measured_up_to, law.measured_peak);
    let whole = |clients: f64| numbers::count(clients.round() as u64);
    let unit = what_grows(measured);
    let Some(peak) = &law.peak else {
        return match law.either {
            true => format!(
                "No peak is shown up to {up_to}: a law that rises to a ceiling and stays there fits as \
                 well"
            ),
            false => "By the law throughput has no peak".to_owned(),
        };
    };
    let confidence = percent(peak.confidence);
    let at = match (peak.clients, peak.low, peak.high) {
        (Some(at), Some(low), Some(high)) => format!(
            "By the law throughput is highest at {} {unit} ({confidence} interval {}–{})",
            whole(at),
            whole(low),
            whole(high)
        ),
        (Some(at), Some(low), None) => format!(
            "By the law throughput is highest at {} {unit} ({confidence} interval from {}, without \
             an upper end)",
            whole(at),
            whole(low)
        ),
        _ => return "By the law throughput has no peak".to_owned(),
    };
    if peak.clients.is_some_and(|at| at > f64::from(up_to.clients)) {
        format!("{at}: an extrapolation, as no more than {up_to} were measured")
    } else {
        format!("{at}; measured, it is highest at {measured}")
    }
}

impl Words for NoScalingLaw {
    const HEADING: &'static str = "No scaling law";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let why = match found.first.why {
            NoLaw::FewLevels { steady, needed } => {
                format!("it needs {needed} steady levels, but there are {steady}")
            }
            NoLaw::NoSingleClient => "it needs a steady level of 1 client".to_owned(),
            NoLaw::FewRepeats => "it needs two repeats of every level".to_owned(),
        };
        format!("no law of scalability was fitted: {why}")
    }
}
