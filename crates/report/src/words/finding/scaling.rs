//! How throughput grows with clients.

use super::{Group, Words};
use crate::numbers::{self, figure, percent};
use crate::words::place::{levels, what_grows};
use analyse::{Growth, NoLaw, NoScalingLaw, ScalingLaw};
use model::Level;
use stats::{Estimate, UslPeak};

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
            return format!(
                "the Universal Scalability Law does not describe this curve: throughput lies \
                 {furthest}; its parameters do not apply"
            );
        }
        format!(
            "the Universal Scalability Law fits with contention σ = {} and coherency κ = {}; \
             throughput lies at most {furthest}. {}",
            parameter(&law.sigma),
            parameter(&law.kappa),
            peak(&law.peak, law.measured_up_to, law.measured_peak),
        )
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
fn peak(peak: &UslPeak, up_to: Level, measured: Level) -> String {
    let whole = |clients: f64| numbers::count(clients.round() as u64);
    let (confidence, unit) = (percent(peak.confidence), what_grows(measured));
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
        format!("the Universal Scalability Law was not fitted: {why}")
    }
}
