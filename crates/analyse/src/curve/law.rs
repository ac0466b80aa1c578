//! Laws of scalability, fitted to a target's curve.

use crate::CurveShape;
use crate::curve::{CurveData, Point};
use findings::words::{BY_SCATTER, is_near};
use findings::{Finding, FittedLaw, NoLaw, NoScalingLaw, ScalingLaw, Subject};
use model::Study;
use stats::{Bootstrap, Estimate, SaturationFit, USL_MIN_LEVELS, UslFit, UslParameters};

/// Curves of fewer levels raise no expectation of a law.
const CURVE_FROM: usize = 3;

/// By target.
pub(crate) type Laws = Vec<(String, Result<ScalingLaw, NoLaw>)>;

/// For each target with a curve its law, or why there is none.
pub(crate) fn laws(study: &Study, peaks: &[CurveData], bootstrap: &Bootstrap) -> Laws {
    let curve = |peak: &&CurveData| {
        let levels = || peak.points.iter().map(|point| point.level);
        peak.points.len() >= CURVE_FROM && levels().all(|l| l.rate.is_none() && l.clients > 0)
    };
    let of_target = |peak: &CurveData| (peak.curve.target.clone(), fit(study, peak, bootstrap));
    peaks.iter().filter(curve).map(of_target).collect()
}

fn fit(study: &Study, peak: &CurveData, bootstrap: &Bootstrap) -> Result<ScalingLaw, NoLaw> {
    let steady: Vec<&Point> = peak.points.iter().filter(|point| point.steady).collect();
    if steady.len() < USL_MIN_LEVELS {
        return Err(NoLaw::FewLevels { steady: steady.len(), needed: USL_MIN_LEVELS });
    }
    let first = steady.first().filter(|point| point.level.clients == 1);
    let (first, last) = first.zip(steady.last()).ok_or(NoLaw::NoSingleClient)?;
    let clients: Vec<f64> = steady.iter().map(|point| point.level.clients.into()).collect();
    let complete = |repeat| steady.iter().map(|point| point.series.at(repeat)).collect();
    let repeats: Vec<Vec<f64>> = first.series.repeats().filter_map(complete).collect();
    let universal = UslFit::fit(&clients, &repeats).ok_or(NoLaw::FewRepeats)?;
    let saturating = SaturationFit::fit(&clients, &repeats, study.confidence);
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
    let known = || universal.parameters(study.confidence, bootstrap);
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
        highest: None,
        either: stays && bends,
        measured_up_to: last.level,
        measured_peak: peak.curve.peak,
        describes: false,
        residuals: levels.zip(residuals).collect(),
        lack_of_fit,
    };
    Ok(match saturating.filter(|_| settles || stays && !bends) {
        Some(SaturationFit { lambda, ceiling, highest, residuals, lack_of_fit, law }) => {
            let law = FittedLaw::Saturating { lambda, ceiling, sharpness: law.sharpness };
            let highest = highest.filter(|_| stays);
            ScalingLaw { describes: stays, highest, ..of_law(law, residuals, lack_of_fit) }
        }
        None => {
            let (law, n) = (universal.law, repeats.len());
            let bare = |point| Estimate { point, interval: None, n };
            let bare = || (bare(law.lambda), bare(law.sigma), bare(law.kappa), None, None);
            let (lambda, sigma, kappa, peak, highest) = parameters.map_or_else(bare, |found| {
                let UslParameters { lambda, sigma, kappa, peak, highest } = found;
                (lambda, sigma, kappa, Some(peak), highest)
            });
            let peak = peak.filter(|peak| bends && !stays && peak.clients.is_some());
            let law = FittedLaw::Universal { lambda, sigma, kappa };
            let UslFit { residuals, lack_of_fit, .. } = universal;
            let highest = highest.filter(|_| bends);
            ScalingLaw { describes: bends, peak, highest, ..of_law(law, residuals, lack_of_fit) }
        }
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
