//! Where the ranks of a series differ most between what comes before and after.

/// Fewest values between two changes, and before the first and after the last.
pub(crate) const SHORTEST: usize = 3;

/// The split with the largest sum of squares between its sides, and that sum.
pub(crate) fn strongest(ranks: &[f64]) -> (usize, f64) {
    let n = ranks.len();
    let mean = (n as f64 + 1.0) / 2.0;
    let (mut sum, mut best) = (0.0, (SHORTEST, 0.0));
    for (index, rank) in ranks.iter().enumerate() {
        sum += rank - mean;
        let before = index + 1;
        if before >= SHORTEST && n - before >= SHORTEST {
            let between = sum * sum * n as f64 / (before * (n - before)) as f64;
            if between > best.1 {
                best = (before, between);
            }
        }
    }
    best
}

/// From 1; equal values share the mean of theirs.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = below as f64 + f64::midpoint(equal.len() as f64, 1.0);
        equal.iter().for_each(|&index| ranks[index] = rank);
        below += equal.len();
    }
    ranks
}
