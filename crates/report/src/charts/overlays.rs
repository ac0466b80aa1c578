//! Fitted laws and crossings in the chart of throughput.

use crate::charts::svg::{Crossing, Law, Overlays};
use crate::{numbers, view, words};
use analyse::{Analysis, Crossover, ScalingLaw, TestAnalysis};

/// More of either than this would hide the measurements.
const MOST: usize = 4;
/// Pieces of a law's curve, which is drawn over a logarithmic axis.
const PIECES: u32 = 48;

/// What there is to draw; none of a kind of which there are too many.
pub(super) fn of_throughput(analysis: &Analysis, test: &TestAnalysis) -> Overlays {
    let laws = laws(test).map(|law| Law {
        series: view::series(analysis, &law.target),
        title: format!("{}: {}", law.target, words::law_name(&law.law)),
        points: curve(law),
    });
    let crossings = crossings(test).filter_map(|found| {
        let at = found.at?;
        Some(Crossing {
            series: (view::series(analysis, &found.below), view::series(analysis, &found.above)),
            at: at.point,
            bounds: at.interval.map(|interval| (interval.low, interval.high)),
            title: words::crossover(found),
        })
    });
    Overlays { laws: laws.collect(), crossings: crossings.collect() }
}

/// The laws that are drawn: those that describe their curve.
fn laws(test: &TestAnalysis) -> impl Iterator<Item = &ScalingLaw> {
    let few = test.laws.len() <= MOST;
    test.laws.iter().filter(move |law| few && law.describes)
}

fn crossings(test: &TestAnalysis) -> impl Iterator<Item = &Crossover> {
    let few = test.crossovers.len() <= MOST;
    test.crossovers.iter().filter(move |_| few)
}

/// Points of a law from one client to the highest level that it rests on.
fn curve(law: &ScalingLaw) -> Vec<(f64, f64)> {
    let most = f64::from(law.measured_up_to.clients);
    let level = |piece: u32| most.powf(f64::from(piece) / f64::from(PIECES));
    (0..=PIECES).map(|piece| (level(piece), law.throughput(level(piece)))).collect()
}

/// What curves and upright lines mean, where there are such.
pub(super) fn captions(analysis: &Analysis) -> (Option<String>, Option<String>) {
    let tests = || analysis.tests.iter();
    let has_laws = tests().flat_map(laws).next().is_some();
    let crosses = tests().flat_map(crossings).any(|found| found.at.is_some());
    let law = "A thin curve is the law of scalability that fits best.";
    let crossing = format!(
        "A dotted upright line marks where one target overtakes another, in the {} interval of that \
         point.",
        numbers::percent(analysis.dataset.study.confidence)
    );
    (has_laws.then(|| law.to_owned()), crosses.then_some(crossing))
}
