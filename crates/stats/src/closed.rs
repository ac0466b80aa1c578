//! Several independent comparisons of one pair, held together.

use crate::centre::normal_score;
use crate::local;

/// Adjusts the p-values of independent comparisons, such as those of one pair of targets at each
/// level: to call different what stays at or below α is wrong anywhere among them with at most α.
///
/// Closed testing (R. Marcus, E. Peritz and K. R. Gabriel, *Biometrika* 63, 1976): a comparison
/// counts if every set of comparisons that it belongs to can be told from "all equal". A set can be
/// in two ways, put together in one test that errs with α: all its members are a little apart
/// (the sum of the squares of their normal scores is χ² where they are equal), so that levels support
/// each other, whichever target is ahead at which; or one is far apart (Šidák), which the others
/// do not hide then. Either grows when any score does: of all sets of one size the one with the
/// smallest scores decides, so that one set for each size is enough. A p-value is never adjusted to
/// below itself.
///
/// ```
/// // Alone none of the three would pass Holm's 0.05 ÷ 3.
/// let adjusted = stats::closed(&[0.03, 0.03, 0.03]);
/// assert!(adjusted.iter().all(|p| (p - 0.03).abs() < 1e-9), "{adjusted:?}");
/// // One small one among large ones pays for having been looked for.
/// let adjusted = stats::closed(&[0.03, 0.9, 0.8]);
/// assert!(adjusted[0] > 0.1, "{adjusted:?}");
/// // It is found if it is small enough, however many large ones there are.
/// let adjusted = stats::closed(&[[0.001].as_slice(), &[0.5; 11]].concat());
/// assert!(adjusted[0] < 0.03, "{adjusted:?}");
/// ```
pub fn closed(p_values: &[f64]) -> Vec<f64> {
    let squares: Vec<f64> = p_values.iter().map(|&p| normal_score(p).powi(2)).collect();
    let mut ascending: Vec<(f64, f64)> = squares.iter().copied().zip(p_values.to_vec()).collect();
    ascending.sort_by(|a, b| a.0.total_cmp(&b.0));
    let adjusted = |(&p, own): (&f64, &f64)| {
        // The smallest others: all in order but one that is as large as the own.
        let place = ascending.partition_point(|(square, _)| square < own);
        let others = ascending[..place].iter().chain(&ascending[place + 1..]);
        let (mut sum, mut smallest) = (*own, p);
        let mut worst = p;
        for (others, (square, other)) in others.enumerate() {
            sum += square;
            smallest = smallest.min(*other);
            worst = worst.max(local::p_value(others + 2, sum, smallest));
        }
        worst.min(1.0)
    };
    p_values.iter().zip(&squares).map(adjusted).collect()
}

/// The same for several groups that may depend on one another, such as the levels of each pair of
/// targets: [`closed`] within each, and over the groups Holm's step-down procedure, in which a group
/// leaves only when all its members were called different. To call different what stays at or below
/// α is wrong anywhere in all groups with at most α.
pub fn closed_groups(groups: &[Vec<f64>]) -> Vec<Vec<f64>> {
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
