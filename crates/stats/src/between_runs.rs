//! How much runs of the same differ from one another.

/// How much the logarithm of a figure scatters from run to run, of runs in order of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetweenRuns {
    /// The standard deviation of a run's figure, trials and all.
    pub deviation: f64,
    /// Degrees of freedom of its square.
    pub(crate) freedom: f64,
    /// The most runs that a figure has.
    pub runs: usize,
}

impl BetweenRuns {
    /// Of the logarithms of several figures, each in the same runs or some of them; `None` where none has
    /// two runs at least, or nothing scatters.
    ///
    /// Half of the mean square of the steps from one run to the next (J. von Neumann and others, *Annals
    /// of Mathematical Statistics* 12, 1941), so that a lasting change counts as one step and not in all
    /// runs after it. What differs from run to run is mostly common to the figures of a run, so that
    /// together they have no more degrees of freedom than one of them: 2 (k − 1)² ÷ (3k − 4) of k runs.
    pub fn from_figures(figures: &[Vec<f64>]) -> Option<Self> {
        let steps = || figures.iter().flat_map(|logs| logs.windows(2).map(|two| two[1] - two[0]));
        let squares: f64 = steps().map(|step| step * step).sum();
        let deviation = (squares / (2.0 * steps().count() as f64)).sqrt();
        let runs = figures.iter().map(Vec::len).max()?;
        let count = runs as f64;
        let freedom = 2.0 * (count - 1.0).powi(2) / (3.0 * count - 4.0);
        (runs > 1 && deviation > 0.0 && deviation.is_finite()).then_some(Self {
            deviation,
            freedom,
            runs,
        })
    }

    /// The standard error of the difference between two runs.
    pub(crate) fn error(&self) -> f64 {
        self.deviation * std::f64::consts::SQRT_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_change_is_one_step() {
        let found =
            BetweenRuns::from_figures(&[vec![0.0, 0.1, 0.0, 0.1], vec![1.0, 1.1, 1.0, 1.1]])
                .unwrap();
        // Steps of 0.1 alone: √(0.01 ÷ 2), with 2 · 9 ÷ 8 degrees of freedom.
        assert!((found.deviation - 0.005_f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert!((found.freedom - 2.25).abs() < 1e-12 && found.runs == 4);
        let changed = BetweenRuns::from_figures(&[vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]).unwrap();
        assert!((changed.deviation - 0.1_f64.sqrt()).abs() < 1e-12, "{changed:?}");
    }

    #[test]
    fn one_run_or_no_scatter_tells_nothing() {
        assert_eq!(BetweenRuns::from_figures(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(BetweenRuns::from_figures(&[vec![1.0, 1.0]]), None);
        assert_eq!(BetweenRuns::from_figures(&[]), None);
    }
}
