//! Where one target overtakes another, and which is never behind.

use crate::cell::Cells;
use crate::cell::series::Series;
use crate::compare::by_pair;
use crate::study::each_pair;
use crate::{Comparison, Metric};
use findings::{AtHighestLevel, Crossover, Dominates, Evidence, Finding, Subject, Verdict};
use model::{Level, Study};
use stats::{Bootstrap, Estimate};

/// The crossings of each pair of targets, in the order of the study, then of levels.
pub(crate) fn crossovers(
    study: &Study,
    cells: &Cells,
    comparisons: &[Comparison],
    bootstrap: &Bootstrap,
) -> Vec<Crossover> {
    let mut found = Vec::new();
    let by_pair = by_pair(comparisons, Metric::Throughput);
    for pair in each_pair(study) {
        let all = closed(by_pair.get(&pair));
        let decided: Vec<&Comparison> = all.filter(|c| winner(c).is_some()).collect();
        for two in decided.windows(2) {
            let (Some(below), Some(above)) = (winner(two[0]), winner(two[1])) else { continue };
            if below != above {
                found.push(Crossover {
                    below: below.to_owned(),
                    above: above.to_owned(),
                    between: (two[0].level, two[1].level),
                    at: point(study, cells, pair, (two[0].level, two[1].level), bootstrap),
                });
            }
        }
    }
    found
}

/// Those comparisons of a pair that are of closed loops, in order of level.
fn closed<'a>(of_pair: Option<&Vec<&'a Comparison>>) -> impl Iterator<Item = &'a Comparison> {
    let all = of_pair.into_iter().flatten().copied();
    all.filter(|c| c.level.rate.is_none() && c.level.clients > 0)
}

fn winner(comparison: &Comparison) -> Option<&str> {
    match comparison.verdict {
        Verdict::CandidateBetter => Some(&comparison.candidate),
        Verdict::BaselineBetter => Some(&comparison.baseline),
        Verdict::Equivalent | Verdict::Unresolved => None,
    }
}

/// Where a straight line through the logarithms of the ratios at all levels between the two passes
/// 0, over the logarithm of clients; with an interval from a bootstrap over the repeats.
fn point(
    study: &Study,
    cells: &Cells,
    (baseline, candidate): (&str, &str),
    (low, high): (Level, Level),
    bootstrap: &Bootstrap,
) -> Option<Estimate> {
    let series =
        |target: &str, level: Level| Some(cells.at(target, level)?.series(Metric::Throughput));
    let levels = cells.for_target(baseline).iter().map(|cell| cell.level);
    let both: Vec<(f64, &Series, &Series)> = levels
        .filter(|level| (low..=high).contains(level))
        .filter_map(|level| {
            let (base, candidate) = (series(baseline, level)?, series(candidate, level)?);
            let usable = base.repeats().next().is_some() && candidate.repeats().next().is_some();
            usable.then_some((f64::from(level.clients).ln(), base, candidate))
        })
        .collect();
    let complete = |repeat| {
        let ratio = |(_, base, candidate): &(f64, &Series, &Series)| {
            Some((candidate.at(repeat)? / base.at(repeat)?).ln())
        };
        both.iter().map(ratio).collect::<Option<Vec<f64>>>()
    };
    let rows: Vec<Vec<f64>> = both.first()?.1.repeats().filter_map(complete).collect();
    if rows.len() < 2 {
        return None;
    }
    let at: Vec<f64> = both.iter().map(|(log_clients, ..)| *log_clients).collect();
    let ends = (f64::from(low.clients).ln(), f64::from(high.clients).ln());
    let zero = |ratios: &[f64]| zero_of_line(&at, ratios).clamp(ends.0, ends.1).exp();
    let means: Vec<f64> = (0..at.len())
        .map(|level| rows.iter().map(|row| row[level]).sum::<f64>() / rows.len() as f64)
        .collect();
    let point = zero(&means);
    let interval = bootstrap.interval(point, &rows, study.confidence, zero);
    Some(Estimate { point, interval, n: rows.len() })
}

/// Where the line of least squares through these points passes 0; the mean of `x` for a level line.
fn zero_of_line(x: &[f64], y: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let slope = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>()
        / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>();
    let zero = mean_x - mean_y / slope;
    if zero.is_nan() { mean_x } else { zero }
}

/// Crossovers; for each pair the ratio at the highest level of several, where it is resolved; and
/// which target is nowhere behind the other.
pub(crate) fn findings(
    study: &Study,
    test: &str,
    crossovers: &[Crossover],
    comparisons: &[Comparison],
) -> Vec<Finding> {
    let crossings = crossovers.iter().map(|found| found.clone().into());
    let by_pair = by_pair(comparisons, Metric::Throughput);
    let of_pairs = each_pair(study).flat_map(|pair| {
        let all: Vec<&Comparison> = closed(by_pair.get(&pair)).collect();
        at_highest(&all).into_iter().chain(dominance(&all))
    });
    let all = crossings.chain(of_pairs);
    all.map(|evidence: Evidence| Finding::new(Subject::test(test), evidence)).collect()
}

fn at_highest(all: &[&Comparison]) -> Option<Evidence> {
    let last = all.last().filter(|_| all.len() > 1)?;
    let winner = winner(last)?;
    let (loser, ratio) = if winner == last.candidate {
        (&last.baseline, last.ratio)
    } else {
        (&last.candidate, last.ratio.reciprocal())
    };
    let (winner, loser) = (winner.to_owned(), loser.clone());
    Some(AtHighestLevel { winner, loser, level: last.level, ratio }.into())
}

/// One target is better at some level and better or the same at all others; unresolved levels
/// leave it open.
fn dominance(all: &[&Comparison]) -> Option<Evidence> {
    let winners: Vec<&str> = all.iter().filter_map(|comparison| winner(comparison)).collect();
    let first = *winners.first()?;
    let open = all.iter().any(|comparison| comparison.verdict == Verdict::Unresolved);
    if all.len() < 2 || open || winners.iter().any(|other| *other != first) {
        return None;
    }
    let pair = [&all[0].baseline, &all[0].candidate];
    let loser = pair.into_iter().find(|name| *name != first)?;
    let (better, same): (Vec<&&Comparison>, Vec<&&Comparison>) =
        all.iter().partition(|comparison| winner(comparison).is_some());
    let levels = |part: Vec<&&Comparison>| part.iter().map(|c| c.level).collect();
    Some(
        Dominates {
            winner: first.to_owned(),
            loser: loser.clone(),
            better: levels(better),
            same: levels(same),
        }
        .into(),
    )
}
