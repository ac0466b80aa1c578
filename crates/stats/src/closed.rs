//! Several independent comparisons of one pair, held together.

use crate::local;
use crate::p_value::normal_score;

/// How likely a comparison is by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// The p-value of the comparison by itself.
    pub alone: f64,
    /// What it counts as where it is looked for among others: by what all of them tell of their scatter.
    pub among: f64,
}

impl From<f64> for Chance {
    /// Where nothing is known of others.
    fn from(p_value: f64) -> Self {
        Self { alone: p_value, among: p_value }
    }
}

/// Adjusts the p-values of independent comparisons, such as those of one pair of targets at each
/// level: to call different what stays at or below α is wrong anywhere among them with at most α.
///
/// Closed testing (R. Marcus, E. Peritz and K. R. Gabriel, *Biometrika* 63, 1976): a comparison
/// counts if every set of comparisons that it belongs to can be told from "all equal". A set can be
/// in two ways, put together in one test that errs with α: all its members are a little apart
/// (the sum of the squares of their normal scores is χ² where they are equal), so that levels support
/// each other, whichever target is ahead at which; or one is far apart (Šidák, of [`Chance::among`]),
/// which the others do not hide then. Either grows when any score does: of all sets of one size none
/// has smaller scores than the smallest ones, so that one look for each size is enough. A p-value is
/// never adjusted to below itself.
///
/// ```
/// // Alone none of the three would pass Holm's 0.05 ÷ 3.
/// let adjusted = stats::closed(&[0.03, 0.03, 0.03].map(Into::into));
/// assert!(adjusted.iter().all(|p| (p - 0.03).abs() < 1e-9), "{adjusted:?}");
/// // One small one among large ones pays for having been looked for.
/// let adjusted = stats::closed(&[0.03, 0.9, 0.8].map(Into::into));
/// assert!(adjusted[0] > 0.1, "{adjusted:?}");
/// // It is found if it is small enough, however many large ones there are.
/// let mut many = [0.5.into(); 12];
/// many[0] = 0.001.into();
/// let adjusted = stats::closed(&many);
/// assert!(adjusted[0] < 0.03, "{adjusted:?}");
/// ```
pub fn closed(chances: &[Chance]) -> Vec<f64> {
    let squares: Vec<f64> =
        chances.iter().map(|chance| normal_score(chance.alone).powi(2)).collect();
    let sorted = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values
    };
    let ascending = sorted(squares.clone());
    let mut descending = sorted(chances.iter().map(|chance| chance.among).collect());
    descending.reverse();
    let adjusted = |(chance, square): (&Chance, &f64)| {
        // The least that others can add: all in order but one that is as large as the own.
        let place = ascending.partition_point(|other| other < square);
        let squares = ascending[..place].iter().chain(&ascending[place + 1..]);
        let place = descending.partition_point(|&other| other > chance.among);
        let amongs = descending[..place].iter().chain(&descending[place + 1..]);
        let mut sum = *square;
        let mut worst = chance.alone;
        for (others, (square, among)) in squares.zip(amongs).enumerate() {
            if worst >= 1.0 {
                break;
            }
            sum += square;
            worst = local::at_least(worst, others + 2, sum, chance.among.min(*among));
        }
        worst.min(1.0)
    };
    chances.iter().zip(&squares).map(adjusted).collect()
}

/// The same for several groups that may depend on one another, such as the levels of each pair of
/// targets: [`closed`] within each, and over the groups Holm's step-down procedure, in which a group
/// leaves only when all its members were called different. To call different what stays at or below
/// α is wrong anywhere in all groups with at most α.
pub fn closed_groups(groups: &[Vec<Chance>]) -> Vec<Vec<f64>> {
    let within: Vec<Vec<f64>> = groups.iter().map(|group| closed(group)).collect();
    let most = |group: &[f64]| group.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&a, &b| most(&within[a]).total_cmp(&most(&within[b])));
    let mut adjusted = within.clone();
    // What each step takes at least, with how many groups it still holds together.
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut so_far = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        steps.push((so_far, (groups.len() - rank) as f64));
        for p in &mut adjusted[index] {
            let at = |&(least, groups): &(f64, f64)| least.max(*p * groups);
            *p = steps.iter().map(at).fold(1.0, f64::min);
        }
        so_far = so_far.max(most(&adjusted[index]));
    }
    adjusted
}
