//! Laws of scalability, fitted to a target's curve.

use crate::curve::{CurveData, Point};
use crate::{CurveShape, Finding, Subject};
use model::{Level, Study};
use serde::Serialize;
use stats::{
    Bootstrap, Estimate, Saturation, SaturationFit, USL_MIN_LEVELS, Usl, UslFit, UslParameters,
    UslPeak,
};

/// No law was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoScalingLaw {
    pub why: NoLaw,
}

/// A level further from the law than this, relative to it, and the law does not describe the curve.
const BELIEVED_WITHIN: f64 = 0.1;
/// Departures from a law of a lower p-value are more than scatter.
const BY_SCATTER: f64 = 0.05;
/// Curves of fewer levels raise no expectation of a law.
const CURVE_FROM: usize = 3;

/// The law that fits a target's throughput best.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingLaw {
    pub target: String,
    pub law: FittedLaw,
    /// Where throughput is highest by the law; `None` where it has no peak, or none is shown because a
    /// law without one fits as well. Measured peaks are better evidence.
    pub peak: Option<UslPeak>,
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

/// By target.
pub(crate) type Laws = Vec<(String, Result<ScalingLaw, NoLaw>)>;

/// For each target with a curve its law, or why there is none.
pub(crate) fn laws(study: &Study, peaks: &[CurveData]) -> Laws {
    let curve = |peak: &&CurveData| {
        let levels = || peak.points.iter().map(|point| point.level);
        peak.points.len() >= CURVE_FROM && levels().all(|l| l.rate.is_none() && l.clients > 0)
    };
    let of_target = |peak: &CurveData| (peak.curve.target.clone(), fit(study, peak));
    peaks.iter().filter(curve).map(of_target).collect()
}

fn fit(study: &Study, peak: &CurveData) -> Result<ScalingLaw, NoLaw> {
    let steady: Vec<&Point> = peak.points.iter().filter(|point| point.steady).collect();
    if steady.len() < USL_MIN_LEVELS {
        return Err(NoLaw::FewLevels { steady: steady.len(), needed: USL_MIN_LEVELS });
    }
    let first = steady.first().filter(|point| point.level.clients == 1);
    let (first, last) = first.zip(steady.last()).ok_or(NoLaw::NoSingleClient)?;
    let clients: Vec<f64> = steady.iter().map(|point| point.level.clients.into()).collect();
    let complete = |repeat| steady.iter().map(|point| point.series.at(repeat)).collect();
    let repeats: Vec<Vec<f64>> = first.series.repeats().filter_map(complete).collect();
    let universal = UslFit::of(&clients, &repeats).ok_or(NoLaw::FewRepeats)?;
    let saturating = SaturationFit::of(&clients, &repeats, study.confidence);
    let describes = |residuals: &[f64], p: f64| is_near(residuals) && p >= BY_SCATTER;
    let stays = saturating.as_ref().is_some_and(|fit| describes(&fit.residuals, fit.lack_of_fit));
    let mut bends = describes(&universal.residuals, universal.lack_of_fit);
    // Where neither has a peak, the better known one says as much.
    let only_rises = bends && universal.law.peak().is_infinite();
    let settles = |fit: &SaturationFit| {
        !only_rises && (stays, fit.lack_of_fit) > (bends, universal.lack_of_fit)
    };
    let settles = saturating.as_ref().is_some_and(settles);
    // Of a law that is not given, or does not describe the curve, nothing more is wanted.
    let wanted = bends && !settles;
    let known = || universal.parameters(study.confidence, Bootstrap::new(study.seed));
    let parameters = wanted.then(known).flatten();
    // What rises at the highest level has no peak below it, whatever a law says.
    let rises = peak.curve.shape == CurveShape::StillRising;
    let high = parameters.as_ref().and_then(|parameters| parameters.peak.high);
    bends &= !(rises && high.is_some_and(|high| high < last.level.clients.into()));
    let levels = steady.iter().map(|point| point.level);
    let of_law = |law, residuals: Vec<f64>, lack_of_fit| ScalingLaw {
        target: peak.curve.target.clone(),
        law,
        peak: None,
        either: stays && bends,
        measured_up_to: last.level,
        measured_peak: peak.curve.peak,
        describes: false,
        residuals: levels.zip(residuals).collect(),
        lack_of_fit,
    };
    Ok(match saturating.filter(|_| settles || stays && !bends) {
        Some(SaturationFit { lambda, ceiling, residuals, lack_of_fit, law }) => {
            let law = FittedLaw::Saturating { lambda, ceiling, sharpness: law.sharpness };
            ScalingLaw { describes: stays, ..of_law(law, residuals, lack_of_fit) }
        }
        None => {
            let (law, n) = (universal.law, repeats.len());
            let bare = |point| Estimate { point, interval: None, n };
            let bare = || (bare(law.lambda), bare(law.sigma), bare(law.kappa), None);
            let (lambda, sigma, kappa, peak) = parameters.map_or_else(bare, |found| {
                let UslParameters { lambda, sigma, kappa, peak } = found;
                (lambda, sigma, kappa, Some(peak))
            });
            let peak = peak.filter(|peak| bends && !stays && peak.clients.is_some());
            let law = FittedLaw::Universal { lambda, sigma, kappa };
            let UslFit { residuals, lack_of_fit, .. } = universal;
            ScalingLaw { describes: bends, peak, ..of_law(law, residuals, lack_of_fit) }
        }
    })
}

fn is_near(residuals: &[f64]) -> bool {
    residuals.iter().all(|residual| residual.abs() <= BELIEVED_WITHIN)
}

/// One for each target.
pub(crate) fn findings(test: &str, laws: &[(String, Result<ScalingLaw, NoLaw>)]) -> Vec<Finding> {
    let finding = |(target, law): &(String, Result<ScalingLaw, NoLaw>)| {
        let subject = Subject::test(test).on(target);
        match law {
            Ok(law) => Finding::new(subject, law.clone()),
            Err(why) => Finding::new(subject, NoScalingLaw { why: *why }),
        }
    };
    laws.iter().map(finding).collect()
}
