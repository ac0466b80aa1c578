//! Earlier runs of a study, which tell how much runs of the same differ.

use super::history::{CellKey, RunPoints};
use model::{Level, Metric, Test, UnixMillis};
use stats::BetweenRuns;

/// Earlier runs of a study, in order of time; none where nothing is known of any.
#[derive(Clone, Debug, Default)]
pub struct EarlierRuns {
    runs: Vec<RunPoints>,
}

/// The cells whose mean a figure is of: a target, with one level or several.
pub(super) type Figure<'a> = (&'a str, Vec<Level>);

impl EarlierRuns {
    /// The runs of that study among these which began before a time.
    pub fn from_points(runs: Vec<RunPoints>, study: &str, before: UnixMillis) -> Self {
        let mut runs = runs;
        runs.retain(|run| run.study == study && run.started_at < before);
        runs.sort_by(|a, b| (a.started_at, &a.file).cmp(&(b.started_at, &b.file)));
        Self { runs }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// How much such figures of a test scatter from run to run, by the runs whose test did the same.
    pub(super) fn scatter(
        &self,
        study: &str,
        test: &Test,
        metric: Metric,
        figures: &[Figure<'_>],
    ) -> Option<BetweenRuns> {
        let alike = test.without_levels();
        let of_run = |run: &RunPoints, (target, levels): &Figure<'_>| -> Option<f64> {
            let log = |level: &Level| {
                let place = CellKey {
                    study: study.to_owned(),
                    test: test.name.clone(),
                    target: (*target).to_owned(),
                    level: *level,
                };
                let (value, test) = run.point(&place, metric)?;
                (*test == alike && value > 0.0).then(|| value.ln())
            };
            let logs: Vec<f64> = levels.iter().map(log).collect::<Option<_>>()?;
            (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
        };
        let of_figure = |figure| self.runs.iter().filter_map(|run| of_run(run, figure)).collect();
        let logs: Vec<Vec<f64>> = figures.iter().map(of_figure).collect();
        BetweenRuns::from_figures(&logs)
    }
}
