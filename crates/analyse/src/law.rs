//! The Universal Scalability Law, fitted to a target's curve.

use crate::curve::{CurveData, Point};
use crate::{Finding, Subject};
use model::{Level, Study};
use serde::Serialize;
use stats::{Bootstrap, Estimate, USL_MIN_LEVELS, Usl, UslFit, UslPeak};

/// No law was fitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NoScalingLaw {
    pub why: NoLaw,
}

/// A level further from the law than this, relative to it, and the law does not describe the curve.
const BELIEVED_WITHIN: f64 = 0.1;
/// Curves of fewer levels raise no expectation of a law.
const CURVE_FROM: usize = 3;

/// X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) as fitted to a target's throughput.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingLaw {
    pub target: String,
    /// λ, transactions per second of a single client.
    pub lambda: Estimate,
    /// σ, contention: the share of work that clients do one after another.
    pub sigma: Estimate,
    /// κ, coherency: what each pair of clients costs.
    pub kappa: Estimate,
    /// Where throughput is highest by the law. Measured peaks are better evidence.
    pub peak: UslPeak,
    /// The highest level that the fit rests on: what the law says of more clients is extrapolated.
    pub measured_up_to: Level,
    /// Where throughput measured highest.
    pub measured_peak: Level,
    /// Measured ÷ fitted − 1 at each level of the fit, 0.05 being 5 % above the law.
    pub residuals: Vec<(Level, f64)>,
    /// Whether every level lies within 10 % of the law. Where not, it does not describe the
    /// curve, and its parameters and its peak mean nothing.
    pub describes: bool,
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
        let law =
            Usl { lambda: self.lambda.point, sigma: self.sigma.point, kappa: self.kappa.point };
        law.throughput(clients)
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
    let fit = UslFit::of(&clients, &repeats, study.confidence, Bootstrap::new(study.seed))
        .ok_or(NoLaw::FewRepeats)?;
    let levels = steady.iter().map(|point| point.level);
    Ok(ScalingLaw {
        target: peak.curve.target.clone(),
        lambda: fit.lambda,
        sigma: fit.sigma,
        kappa: fit.kappa,
        peak: fit.peak,
        measured_up_to: last.level,
        measured_peak: peak.curve.peak,
        describes: fit.residuals.iter().all(|residual| residual.abs() <= BELIEVED_WITHIN),
        residuals: levels.zip(fit.residuals).collect(),
    })
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
