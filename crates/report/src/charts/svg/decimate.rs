//! Thinning of long lines that keeps what stands out.

/// At most about `most` points (at least 4): of each stretch of the line the lowest and the
/// highest, so that a short dip or spike survives.
pub(crate) fn decimate(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let most = most.max(4);
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil(most / 2);
    points.chunks(stretch).flat_map(extremes).collect()
}

/// The lowest and the highest point in their order; one of them where they are the same.
fn extremes(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let by_y = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let low = points.iter().min_by(by_y).copied();
    let high = points.iter().max_by(by_y).copied().filter(|high| Some(*high) != low);
    let mut both: Vec<(f64, f64)> = low.into_iter().chain(high).collect();
    both.sort_by(|a, b| a.0.total_cmp(&b.0));
    both.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_left_alone() {
        let line: Vec<(f64, f64)> = (0..50).map(|i| (i.into(), 1.0)).collect();
        assert_eq!(decimate(&line, 50), line);
    }

    #[test]
    fn a_single_spike_and_a_single_dip_survive() {
        let mut line: Vec<(f64, f64)> = (0..5_000).map(|i| (i.into(), 10.0)).collect();
        line[1_234].1 = 99.0;
        line[4_321].1 = 0.0;
        let thin = decimate(&line, 60);
        assert!(thin.len() <= 62, "{}", thin.len());
        assert!(thin.contains(&(1_234.0, 99.0)));
        assert!(thin.contains(&(4_321.0, 0.0)));
        assert!(thin.is_sorted_by(|a, b| a.0 < b.0));
    }
}
