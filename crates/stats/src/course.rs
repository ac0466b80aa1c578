//! How values that follow one another correlate, and how likely a series is for it.

use std::sync::OnceLock;

/// Of longer series this many values count.
pub(crate) const LONGEST: usize = 24;
/// Effects on longer ones are those of such.
const AS_GOOD_AS_ENDLESS: usize = 60;

/// How values at a distance correlate: shares of their variance, each with what of it is left after one
/// step; the rest lasts for no step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Course([(f64, f64); 3]);

impl Course {
    pub(crate) const INDEPENDENT: Self = Self([(0.0, 0.0); 3]);

    /// Of which that share lasts.
    pub(crate) fn of_share(share: f64, kept: f64) -> Self {
        Self([(share, kept), (0.0, 0.0), (0.0, 0.0)])
    }

    /// Of the sum of something like it and something else, which is that share of the variance.
    pub(crate) fn and(&self, share: f64, kept: f64) -> Self {
        let [(first, of_first), ..] = self.0;
        Self([(first * (1.0 - share), of_first), (share, kept), (0.0, 0.0)])
    }

    pub(crate) fn at(&self, distance: usize) -> f64 {
        if distance == 0 {
            return 1.0;
        }
        let power = i32::try_from(distance).unwrap_or(i32::MAX);
        self.0.iter().map(|(share, kept)| share * kept.powi(power)).sum()
    }

    /// What share of the variance of `n` values their scatter shows.
    pub(crate) fn seen(&self, n: usize) -> f64 {
        let size = n as f64;
        let common = 1.0 + (1..n).map(|k| 2.0 * (n - k) as f64 * self.at(k)).sum::<f64>() / size;
        (size - common) / (size - 1.0)
    }

    /// By what factor the error of the mean of `n` values is larger than their scatter says, and what share
    /// of the degrees of freedom of their variance is left: (Σλ)² ÷ Σλ² over the eigenvalues of the
    /// covariance of their deviations (F. E. Satterthwaite, *Biometrics Bulletin* 2, 1946).
    pub(crate) fn effect(&self, n: usize) -> (f64, f64) {
        let n = n.min(AS_GOOD_AS_ENDLESS);
        if n < 2 || *self == Self::INDEPENDENT {
            return (1.0, 1.0);
        }
        let size = n as f64;
        let at: Vec<f64> = (0..n).map(|k| self.at(k)).collect();
        let row = |i: usize| (0..n).map(|j| at[i.abs_diff(j)]).sum::<f64>();
        let rows: Vec<f64> = (0..n).map(row).collect();
        let common = rows.iter().sum::<f64>() / size;
        let all = size + (1..n).map(|k| 2.0 * (n - k) as f64 * at[k].powi(2)).sum::<f64>();
        let squares = rows.iter().map(|row| row.powi(2)).sum::<f64>();
        // The sum of squares of all elements of the covariance of deviations.
        let squared = all - 2.0 * squares / size + common.powi(2);
        let widening = (common * (size - 1.0) / (size - common)).sqrt();
        (widening, (size - common).powi(2) / squared / (size - 1.0))
    }

    pub(crate) fn matrix(&self, n: usize) -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..n).map(|j| self.at(i.abs_diff(j))).collect()).collect()
    }
}

/// What the likelihood of a series needs, for one covariance: the mean is integrated out with a flat prior.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    n: usize,
    /// Row by row: x'Px is the sum of squares.
    p: Vec<f64>,
    pub(crate) constant: f64,
}

impl Form {
    /// Of a positive definite covariance.
    pub(crate) fn from_matrix(matrix: &[Vec<f64>]) -> Self {
        let n = matrix.len();
        let (inverse, determinant) = inverse(matrix);
        let sums: Vec<f64> = inverse.iter().map(|row| row.iter().sum()).collect();
        let ones: f64 = sums.iter().sum();
        let row = |i: usize| {
            let (inverse, sums) = (&inverse, &sums);
            (0..n).map(move |j| inverse[i][j] - sums[i] * sums[j] / ones)
        };
        let constant = -f64::midpoint(determinant, ones.ln());
        Self { n, p: (0..n).flat_map(row).collect(), constant }
    }

    pub(crate) fn squares(&self, values: &[f64]) -> f64 {
        let product = |row: &[f64]| row.iter().zip(values).map(|(p, value)| p * value).sum::<f64>();
        self.p.chunks(self.n).zip(values).map(|(row, value)| value * product(row)).sum()
    }

    /// The variance is integrated out, with a prior that is flat on logarithms.
    pub(crate) fn log_likelihood(&self, values: &[f64]) -> f64 {
        self.constant - (self.n as f64 - 1.0) / 2.0 * self.squares(values).ln()
    }
}

/// With the logarithm of the determinant, by Gauss and Jordan.
fn inverse(matrix: &[Vec<f64>]) -> (Vec<Vec<f64>>, f64) {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    let both = |(i, row): (usize, &Vec<f64>)| row.iter().copied().chain(unit(i)).collect();
    let mut rows: Vec<Vec<f64>> = matrix.iter().enumerate().map(both).collect();
    let mut determinant = 0.0;
    for k in 0..n {
        let pivot = rows[k][k];
        determinant += pivot.ln();
        rows[k].iter_mut().for_each(|value| *value /= pivot);
        let own = rows[k].clone();
        for row in rows.iter_mut().enumerate().filter(|(i, _)| *i != k).map(|(_, row)| row) {
            let by = row[k];
            row.iter_mut().zip(&own).for_each(|(value, own)| *value -= by * own);
        }
    }
    (rows.into_iter().map(|row| row[n..].to_vec()).collect(), determinant)
}

/// Forms of all series of a length, which are the same in all studies.
pub(crate) fn forms(n: usize, of: impl Fn(usize) -> Vec<Form>) -> &'static [Form] {
    static FORMS: [OnceLock<Vec<Form>>; LONGEST + 1] = [const { OnceLock::new() }; LONGEST + 1];
    FORMS[n].get_or_init(|| of(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_course_have_the_error_and_the_freedom_of_their_covariance() {
        // Of two values r: variance of the mean (1 + r) ÷ 2, and 1 − r is what the scatter shows.
        let half = Course::of_share(1.0, 0.5);
        let (widening, freedom) = half.effect(2);
        assert!((widening - 3.0_f64.sqrt()).abs() < 1e-12 && (freedom - 1.0).abs() < 1e-12);
        assert!((half.seen(2) - 0.5).abs() < 1e-12);
        assert_eq!(Course::INDEPENDENT.effect(7), (1.0, 1.0));
        assert_eq!(Course::INDEPENDENT.seen(7), 1.0);
    }

    #[test]
    fn independent_values_have_their_own_sum_of_squares() {
        let form = Form::from_matrix(&Course::INDEPENDENT.matrix(4));
        // Of 1, 2, 4, 9 around their mean, 4.
        assert!((form.squares(&[1.0, 2.0, 4.0, 9.0]) - 38.0).abs() < 1e-9);
        assert!((form.constant + 4.0_f64.ln() / 2.0).abs() < 1e-12);
    }

    #[test]
    fn an_inverse_is_one() {
        let matrix = Course::of_share(0.8, 0.7).matrix(5);
        let (inverse, determinant) = inverse(&matrix);
        for (i, row) in matrix.iter().enumerate() {
            let of = |j: usize| row.iter().zip(&inverse).map(|(one, other)| one * other[j]).sum();
            let products: Vec<f64> = (0..5).map(of).collect();
            let is_unit =
                |(j, product): (usize, &f64)| (product - f64::from(u8::from(i == j))).abs() < 1e-12;
            assert!(products.iter().enumerate().all(is_unit), "{products:?}");
        }
        assert!(determinant < 0.0);
    }
}
