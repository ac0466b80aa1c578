//! How throughput grows with clients.

use model::Level;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, figure, percent};
use crate::place::{levels, what_grows};
use stats::{Estimate, HighestThroughput, UslPeak, Usl, Saturation};

/// A level further from the law than this, relative to it, and the law does not describe the curve.
pub const BELIEVED_WITHIN: f64 = 0.1;
/// Departures from a law of a lower p-value are more than scatter.
pub const BY_SCATTER: f64 = 0.05;
/// Whether every level lies so near to the law that it could describe the curve.
pub fn is_near(residuals: &[f64]) -> bool {
    residuals.iter().all(|residual| residual.abs() <= BELIEVED_WITHIN)
}


/// How throughput grows with clients: each part is absent where it is not the case or is not
/// resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    pub target: String,
    /// The highest level up to which throughput grows in proportion to clients: surely no more
    /// than the study's margin short for each doubling since the lowest level.
    pub linear_up_to: Option<Level>,
    /// The lowest level at which it is surely further short than that.
    pub below_ideal_from: Option<Level>,
    /// Levels that may be the knee, in order: those of which throughput ÷ latency is highest (the
    /// power of L. Kleinrock, *ICC '79*), and cannot be told from the highest. Empty where the
    /// highest level is among them, and more clients may be better still.
    pub knee: Vec<Level>,
    /// The lowest and the highest of the levels around the peak, at least two, that all have the
    /// same throughput as the peak within the study's margin.
    pub plateau: Option<(Level, Level)>,
    /// The level after the peak from which on throughput is lower than at the peak at every level.
    pub declines_from: Option<Level>,
    /// The study's margin, 0.03 being 3 %.
    pub margin: f64,
}

impl Growth {
    /// Whether any part is the case.
    pub fn says_something(&self) -> bool {
        self.linear_up_to.is_some()
            || self.below_ideal_from.is_some()
            || !self.knee.is_empty()
            || self.plateau.is_some()
            || self.declines_from.is_some()
    }
}

impl FindingKind for Growth {
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

/// A law with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum FittedLaw {
    /// The Universal Scalability Law, X(N) = λN / (1 + σ(N − 1) + κN(N − 1)).
    Universal {
        /// λ, transactions per second of a single client.
        lambda: Estimate,
        /// σ, contention: the share of work that clients do one after another.
        sigma: Estimate,
        /// κ, coherency: what each pair of clients costs.
        kappa: Estimate,
    },
    /// X(N) = λN / (1 + (λN / C)^p)^(1/p), which rises to a ceiling and stays there.
    Saturating {
        /// λ, transactions per second of a single client.
        lambda: Estimate,
        /// C, in transactions per second.
        ceiling: Estimate,
        /// p, from 1 (gradual) to 64 (at once).
        sharpness: f64,
    },
}

/// Why no law was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum NoLaw {
    /// Too few levels are steady.
    FewLevels {
        steady: usize,
        /// Levels that a fit takes.
        needed: usize,
    },
    /// No steady level has one client.
    NoSingleClient,
    /// Fewer than two repeats have all steady levels.
    FewRepeats,
}

/// The law that fits a target's throughput best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingLaw {
    pub target: String,
    pub law: FittedLaw,
    /// Where throughput is highest by the law; `None` where it has no peak, or none is shown because a
    /// law without one fits as well. Measured peaks are better evidence.
    pub peak: Option<UslPeak>,
    /// The highest throughput by the law, with the prediction interval of one further trial there; `None`
    /// where it rises for ever, or does not describe the curve.
    pub highest: Option<HighestThroughput>,
    /// Whether both laws describe the curve, the one with a peak and the one that stays at its ceiling.
    pub either: bool,
    /// The highest level that the fit rests on: what the law says of more clients is extrapolated.
    pub measured_up_to: Level,
    /// Where throughput measured highest.
    pub measured_peak: Level,
    /// Measured ÷ fitted − 1 at each level of the fit, 0.05 being 5 % above the law.
    pub residuals: Vec<(Level, f64)>,
    /// The p-value of these departures; small where scatter does not explain them.
    pub lack_of_fit: f64,
    /// Whether every level lies within 10 % of the law, scatter explains what it is off, and no rise is
    /// measured above its peak. Where not, it does not describe the curve, and its parameters and its
    /// peak mean nothing.
    pub describes: bool,
}

impl ScalingLaw {
    /// Throughput by the law, in transactions per second.
    pub fn throughput(&self, clients: f64) -> f64 {
        match &self.law {
            FittedLaw::Universal { lambda, sigma, kappa } => {
                let (lambda, sigma, kappa) = (lambda.point, sigma.point, kappa.point);
                Usl { lambda, sigma, kappa }.throughput(clients)
            }
            FittedLaw::Saturating { lambda, ceiling, sharpness } => {
                let (lambda, ceiling) = (lambda.point, ceiling.point);
                Saturation { lambda, ceiling, sharpness: *sharpness }.throughput(clients)
            }
        }
    }

    /// Whether every level lies so near that the law could describe the curve.
    pub fn is_near(&self) -> bool {
        is_near(&self.residuals.iter().map(|(_, residual)| *residual).collect::<Vec<f64>>())
    }

    /// Whether scatter explains what the levels are off.
    pub fn is_off_by_scatter(&self) -> bool {
        self.lack_of_fit >= BY_SCATTER
    }

    /// The level that lies furthest from the law, and by how much of it.
    pub fn furthest(&self) -> Option<(Level, f64)> {
        self.residuals.iter().copied().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))
    }
}

impl FindingKind for ScalingLaw {
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
pub fn law_name(law: &FittedLaw) -> &'static str {
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

/// No law was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoScalingLaw {
    pub why: NoLaw,
}

impl FindingKind for NoScalingLaw {
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
