//! How targets scale and where their curves meet, in words.

use super::comparisons::times;
use super::labels::target_name;
use super::place::{levels, what_grows};
use crate::numbers::{self, figure, percent, range};
use analyse::{Crossover, Growth, NoLaw, ScalingLaw};
use model::Level;
use stats::{Estimate, UslPeak};

/// How throughput grows with clients.
pub(super) fn growth(growth: &Growth, margin: f64) -> String {
    let margin = percent(margin);
    let mut parts = Vec::new();
    match (growth.linear_up_to, growth.below_ideal_from) {
        (Some(to), _) => parts.push(format!(
            "throughput grows in proportion to {} up to {to} (short by no more than {margin} for \
             each doubling)",
            what_grows(to)
        )),
        (None, Some(from)) => parts.push(format!(
            "throughput grows less than in proportion to {}, surely so at {from} (short by more \
             than {margin} for each doubling)",
            what_grows(from)
        )),
        (None, None) => {}
    }
    match growth.knee.as_slice() {
        [] => {}
        [only] => {
            parts.push(format!("the knee, where throughput ÷ latency is highest, is at {only}"))
        }
        several => parts.push(format!(
            "the knee, where throughput ÷ latency is highest, is among {}",
            levels(several)
        )),
    }
    if let Some((from, to)) = growth.plateau {
        parts.push(format!(
            "from {} throughput is the same as at its peak, within {margin}",
            from_to(from, to)
        ));
    }
    if let Some(from) = growth.declines_from {
        parts.push(format!("from {from} on it is lower than at its peak"));
    }
    parts.join("; ")
}

/// `16 to 256 clients`.
fn from_to(from: Level, to: Level) -> String {
    format!("{} to {to}", from.clients)
}

/// The law with its parameters, how well it fits, and its peak beside the measured one.
pub(super) fn law(law: &ScalingLaw, measured_peak: Level) -> String {
    let furthest = law.furthest().map_or(String::new(), |(level, residual)| {
        format!("{} from it, at {level}", percent(residual.abs()))
    });
    if !law.describes {
        return format!(
            "the Universal Scalability Law does not describe this curve: throughput lies \
             {furthest}; nothing follows from its parameters"
        );
    }
    format!(
        "the Universal Scalability Law fits with contention σ = {} and coherency κ = {}; \
         throughput lies at most {furthest}. {}",
        parameter(&law.sigma),
        parameter(&law.kappa),
        peak(&law.peak, law.measured_up_to, measured_peak),
    )
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
    let (confidence, unit) = (percent(peak.confidence), measured.unit.noun().many);
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

/// Why no law was fitted.
pub(super) fn no_law(why: NoLaw) -> String {
    let why = match why {
        NoLaw::FewLevels { steady, needed } => {
            format!("it takes {needed} steady levels, and there are {steady}")
        }
        NoLaw::NoSingleClient => "it takes a steady level of 1 client".to_owned(),
        NoLaw::FewRepeats => "it takes two repeats of every level".to_owned(),
    };
    format!("the Universal Scalability Law was not fitted: {why}")
}

/// `b overtakes a between 16 and 32 clients, at about 21 (95 % interval 18.5–24.1)`.
pub(crate) fn crossover(found: &Crossover) -> String {
    let at = found.at.map_or(String::new(), |at| {
        let interval = at.interval.map_or(String::new(), |interval| {
            let ends = range(interval.low, interval.high);
            format!(" ({} interval {ends})", percent(interval.confidence))
        });
        format!(", by interpolation at {}{interval}", figure(at.point))
    });
    let (low, high) = found.between;
    format!(
        "{} overtakes {} between {} and {high}{at}",
        target_name(&found.above),
        target_name(&found.below),
        low.clients,
    )
}

/// At the highest level that both have.
pub(super) fn at_highest(winner: &str, loser: &str, level: Level, ratio: &Estimate) -> String {
    let (winner, loser) = (target_name(winner), target_name(loser));
    format!(
        "at {level}, the highest level, {winner} has {}",
        times(ratio, &format!("the throughput of {loser}"))
    )
}

/// Nowhere behind.
pub(super) fn dominates(winner: &str, loser: &str, better: &[Level], same: &[Level]) -> String {
    let (winner, loser) = (target_name(winner), target_name(loser));
    if same.is_empty() {
        format!("{winner} is ahead of {loser} at every level")
    } else {
        format!(
            "{winner} is nowhere behind {loser}: it is ahead at {}, and the same at {}",
            levels(better),
            levels(same)
        )
    }
}

/// How many more repeats would tell: `; if ratio and scatter stay as they are, about 4 to 9 more
/// repeats would tell`.
pub(super) fn further_repeats(range: Option<(u32, u32)>) -> String {
    let number = match range {
        None => return String::new(),
        Some((1, 1)) => "1 more repeat".to_owned(),
        Some((few, many)) if few == many => format!("{} more repeats", numbers::count(few.into())),
        Some((few, many)) => {
            format!(
                "{} to {} more repeats",
                numbers::count(few.into()),
                numbers::count(many.into())
            )
        }
    };
    format!("; if ratio and scatter stay as they are, about {number} would tell")
}
