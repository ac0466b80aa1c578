//! Whether repeats are independent of one another.

use crate::Basis;
use crate::cell::CellData;
use findings::{
    BlocksInCommon, Evidence, Finding, IndependenceAssumed, LastingPair, RatiosLast, RepeatsAlike,
    Subject,
};
use stats::Lasting;

/// Standard deviations beyond which it is said: one test in 700 by chance.
const SAID_FROM: f64 = 3.0;
/// How likely it is that noise lasts where it is said.
pub(crate) const LIKELY: f64 = 0.9;
/// From this share of the variance on what blocks have in common is worth a word.
const MUCH_IN_COMMON: f64 = 0.5;

/// Of the figure that a test is judged by.
pub(crate) fn findings(test: &str, basis: Option<Basis>, cells: &[CellData]) -> Vec<Finding> {
    let Some(Basis { metric, .. }) = basis else { return Vec::new() };
    let all = || cells.iter().map(|cell| cell.series(metric));
    let Some(longest) = all().max_by_key(|series| series.repeats().count()) else {
        return Vec::new();
    };
    let repeats = longest.repeats().count();
    let alike = longest.autocorrelation().filter(|found| found.score > SAID_FROM).map(|found| {
        let widening = found.widening(repeats as f64);
        Evidence::from(RepeatsAlike { autocorrelation: found.coefficient, widening, repeats })
    });
    let mut firsts: Vec<&CellData> = cells.iter().collect();
    firsts.dedup_by_key(|cell| cell.target);
    let later = |first: usize| (first + 1..firsts.len()).map(move |second| (first, second));
    let pairs = (0..firsts.len()).flat_map(later).filter_map(|(one, other)| {
        let (one, other) = (firsts[one], firsts[other]);
        let lasting = one.series(metric).lasting(other.series(metric), repeats)?;
        (lasting.likely >= LIKELY).then(|| LastingPair {
            a: one.target.to_owned(),
            b: other.target.to_owned(),
            likely: lasting.likely,
            autocorrelation: lasting.autocorrelation,
            widening: lasting.widening,
        })
    });
    let pairs: Vec<LastingPair> = pairs.collect();
    let in_blocks = !longest.is_apart();
    let of_target = |target: &str| cells.iter().filter(|cell| cell.target == target).count();
    let levels = firsts.iter().map(|cell| of_target(cell.target)).max().unwrap_or(0);
    let last = match pairs.is_empty() {
        // A single repeat is worth no verdict that could take it for anything.
        true => (firsts.len() > 1 && repeats > 1 && !Lasting::shows(levels, repeats))
            .then(|| Evidence::from(IndependenceAssumed { levels, repeats })),
        false => Some(Evidence::from(RatiosLast { pairs, repeats, in_blocks })),
    };
    let common = longest.in_common();
    let blocks = (common.share >= MUCH_IN_COMMON && firsts.len() > 1).then(|| {
        let deviation = common.deviation.exp_m1();
        Evidence::from(BlocksInCommon { share: common.share, deviation, repeats })
    });
    let found = [alike, last, blocks].into_iter().flatten();
    found.map(|evidence| Finding::new(Subject::test(test), evidence)).collect()
}
