//! Pairs of targets that the measurements do not tell apart, in one sentence: one for each would
//! say the same over and over.

use crate::numbers::{self, figure, percent};
use analyse::{OverallComparison, TestAnalysis, Verdict};
use findings::names::metric_name;
use findings::names::target_name;
use findings::place::at_levels;
use findings::words::further_repeats;
use model::Level;

/// From so many pairs on they are told together.
pub(super) const TOGETHER: usize = 3;

/// What is known of two targets over all levels together, where that leaves open which is ahead and
/// is not below a noise floor, which is another reason.
pub(super) fn open<'a>(
    test: &'a TestAnalysis,
    names: (&str, &str),
) -> Option<&'a OverallComparison> {
    let metric = test.basis?.at_each_level();
    let (a, b) = names;
    let of_pair = |found: &&OverallComparison| {
        let (baseline, candidate) = (found.baseline.as_str(), found.candidate.as_str());
        (baseline, candidate) == (a, b) || (baseline, candidate) == (b, a)
    };
    let found = test.overall.iter().filter(|found| found.metric == metric).find(of_pair)?;
    let open = found.verdict == Verdict::Unresolved && !found.strength.below_noise_floor;
    open.then_some(found)
}

/// Pairs that neither all levels together nor any of them tell apart, each with its ratio.
pub(super) fn over_levels(pairs: &[&OverallComparison]) -> String {
    let Some(first) = pairs.first() else { return String::new() };
    let ratios: Vec<String> = pairs.iter().map(|pair| ratio(pair)).collect();
    let further: Option<Vec<u32>> =
        pairs.iter().map(|pair| pair.strength.further_repeats).collect();
    let further = further.and_then(|each| Some((*each.iter().min()?, *each.iter().max()?)));
    let confidence = first.ratio.interval.map_or(String::new(), |interval| {
        format!(" with {} intervals", percent(interval.confidence))
    });
    format!(
        "By {} these cannot be told apart, neither over all levels together nor at any one; \
         ratios{confidence}: {}{}.",
        metric_name(first.metric),
        ratios.join("; "),
        further_repeats(further),
    )
}

/// `a ÷ b 1.54 (0.583–2.26)`, the one that measured more first.
fn ratio(pair: &OverallComparison) -> String {
    let (baseline, candidate) = (target_name(&pair.baseline), target_name(&pair.candidate));
    let (more, less, ratio) = match pair.ratio.point < 1.0 {
        true => (baseline, candidate, pair.ratio.reciprocal()),
        false => (candidate, baseline, pair.ratio),
    };
    let ends = ratio.interval.map_or(String::new(), |interval| {
        format!(" ({})", numbers::range(interval.low, interval.high))
    });
    format!("{more} ÷ {less} {}{ends}", figure(ratio.point))
}

/// Pairs that the only levels that they have in common do not tell apart.
pub(super) fn at(pairs: &[(&str, &str)], levels: &[Level]) -> String {
    let names: Vec<String> =
        pairs.iter().map(|(a, b)| format!("{} and {}", target_name(a), target_name(b))).collect();
    format!("These cannot be told apart{}: {}.", at_levels(levels), names.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::{Means, Metric, Strength};
    use stats::{Estimate, Interval, IntervalMethod};

    fn pair(names: (&str, &str), (point, low, high): (f64, f64, f64)) -> OverallComparison {
        let interval = Interval { low, high, confidence: 0.95, method: IntervalMethod::StudentLog };
        let ratio = Estimate { point, interval: Some(interval), n: 3 };
        OverallComparison {
            baseline: names.0.to_owned(),
            candidate: names.1.to_owned(),
            levels: vec![Level::clients(1), Level::clients(8)],
            all_levels: true,
            metric: Metric::Throughput,
            base: ratio,
            means: Means { baseline: 1.0, candidate: point },
            ratio,
            verdict: Verdict::Unresolved,
            strength: Strength { further_repeats: Some(4), ..Strength::default() },
        }
    }

    #[test]
    fn pairs_share_a_sentence_each_with_its_ratio_from_the_side_of_the_one_ahead() {
        let (a, b) = (pair(("a", "b"), (1.25, 0.5, 2.0)), pair(("a", "c"), (0.5, 0.25, 2.0)));
        assert_eq!(
            over_levels(&[&a, &b]),
            "By throughput these cannot be told apart, neither over all levels together nor at \
             any one; ratios with 95\u{a0}% intervals: b ÷ a 1.25 (0.500–2.00); a ÷ c 2.00 \
             (0.500–4.00); about 4 more repeats should settle it, if ratio and scatter stay the \
             same."
        );
    }

    #[test]
    fn pairs_at_one_level_are_named() {
        let said = at(&[("a", "b"), ("a", "new disk")], &[Level::clients(8)]);
        assert_eq!(said, "These cannot be told apart at 8 clients: a and b; a and “new disk”.");
    }
}
