use crate::{Bound, Slo};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a search varies.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum SearchOver {
    /// Transactions offered per second, in an open loop.
    #[default]
    Rate,
    /// Clients of a closed loop.
    Clients,
}

impl SearchOver {
    /// Both, in the order in which help texts list them.
    pub const ALL: [Self; 2] = [Self::Rate, Self::Clients];

    /// The name that study files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Clients => "clients",
        }
    }
}

/// A search for the highest load that meets a bound on latency, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// What it varied.
    pub over: SearchOver,
    /// What the load must meet.
    #[serde(flatten)]
    pub bound: Bound,
    /// Transactions per second of a closed loop of all connections before the first step, which
    /// says where to begin; absent where clients were searched for.
    pub capacity: Option<f64>,
    /// What was tried, in order.
    pub steps: Vec<SearchStep>,
    /// What came of it.
    pub answer: SearchAnswer,
}

/// A load that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchStep {
    /// Transactions offered per second, or clients.
    pub load: f64,
    /// Transactions per second that succeeded.
    pub achieved: f64,
    /// The bounded figure of this step alone, in milliseconds, the mean where none is bounded;
    /// absent where nothing succeeded.
    pub figure_ms: Option<f64>,
    /// Share of the processors' time in use, 0 to 1, in this step alone: of those that the bound is
    /// about. Absent where that is not bounded or could not be sampled.
    pub cpu_busy: Option<f64>,
    /// The part of it that was neither weighin's nor the server's; absent where that is not known, or
    /// nobody else can have these processors.
    pub cpu_others: Option<f64>,
    /// The most that a replica was behind in this step, in milliseconds. Absent where that is not
    /// bounded or was not seen.
    pub lag_ms: Option<f64>,
    /// Whether the load was tried before: the verdict rests on both runs together then.
    pub repeated: bool,
    /// What was found of the load.
    pub verdict: StepVerdict,
    /// How long was measured.
    pub measured: Duration,
}

impl SearchStep {
    /// Whether what is bounded was within its bound in this step alone, whether or not the load was
    /// achieved.
    pub fn is_within(&self, bound: &Bound) -> bool {
        let figure = |slo: Slo| self.figure_ms.is_some_and(|ms| slo.is_met_by(ms));
        let lag = bound.replica_lag_ms.zip(self.lag_ms);
        bound.slo.is_none_or(figure)
            && self.cpu_busy.is_none_or(|share| bound.allows_busy(share))
            && lag.is_none_or(|(most, lag)| lag <= most as f64)
    }
}

/// What a step says of its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepVerdict {
    /// It was achieved, and the bound met.
    Met,
    /// It was achieved, and the bound on latency missed.
    Missed,
    /// It was achieved, and the processors were busier than they may be.
    TooBusy,
    /// It was achieved, and other processes alone kept the processors busier than they may be: of the
    /// load nothing is known.
    Disturbed,
    /// It was achieved, and a replica was further behind than it may be, or fell further and further
    /// behind.
    Lagging,
    /// The server fell behind the rate, or failed too many of the clients' transactions.
    FellBehind,
}

impl StepVerdict {
    /// Whether the load is one that the server can bear.
    pub fn is_met(self) -> bool {
        self == Self::Met
    }
}

/// Between which loads the highest one lies that meets the bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// The highest load that met the bound; absent where not even the lowest did.
    pub met: Option<f64>,
    /// The lowest load that did not; absent where the highest that could be offered met it.
    pub missed: Option<f64>,
}

impl SearchAnswer {
    /// What steps say: of a load that was tried twice the last verdict counts, and a load above one
    /// that did not meet the bound is no answer, whatever luck it had.
    pub fn from_steps(steps: &[SearchStep]) -> Self {
        let last_of = |load: f64| steps.iter().rev().find(|step| step.load == load);
        let with = |met: bool| {
            let loads = steps.iter().map(|step| step.load);
            loads
                .filter(move |&load| last_of(load).is_some_and(|step| step.verdict.is_met() == met))
        };
        let missed = with(false).min_by(f64::total_cmp);
        let below = |load: &f64| missed.is_none_or(|missed| *load < missed);
        Self { met: with(true).filter(below).max_by(f64::total_cmp), missed }
    }

    /// Of the steps that this answers, the last at the lowest load that is no answer.
    pub fn step_above<'a>(&self, steps: &'a [SearchStep]) -> Option<&'a SearchStep> {
        let missed = self.missed?;
        steps.iter().rev().find(|step| step.load == missed)
    }

    /// The best guess at the highest load that meets the bound, and how far off it may be relative
    /// to itself; `None` where the search did not find both ends.
    ///
    /// It is the geometric middle between the highest load that met the bound and the highest that
    /// may have: of clients, which are whole, the one below the lowest that did not.
    pub fn middle(&self, over: SearchOver) -> Option<(f64, f64)> {
        let (met, missed) = (self.met?, self.missed?);
        let highest = match over {
            SearchOver::Rate => missed,
            SearchOver::Clients => (missed - 1.0).max(met),
        };
        let middle = (met * highest).sqrt();
        Some((middle, highest / middle - 1.0))
    }
}

impl Search {
    /// What the lowest load that is no answer was found to be: more than the bound allows, or more
    /// than is achieved. `None` where there is no such load.
    pub fn what_ended_it(&self) -> Option<StepVerdict> {
        self.answer.step_above(&self.steps).map(|step| step.verdict)
    }

    /// The place of the step that a trial's figures are taken from: the last at the highest load
    /// that met the bound, one that met it by itself where there is one; the last at the lowest
    /// load where none did. `None` without steps.
    pub fn deciding_step(steps: &[SearchStep], bound: &Bound) -> Option<usize> {
        let answer = SearchAnswer::from_steps(steps);
        let load = answer.met.or(answer.missed)?;
        let of_load = || steps.iter().enumerate().rev().filter(|(_, step)| step.load == load);
        let chosen = of_load().find(|(_, step)| step.is_within(bound));
        let chosen = chosen.or_else(|| of_load().next());
        chosen.map(|(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(load: f64, figure_ms: f64, repeated: bool, verdict: StepVerdict) -> SearchStep {
        let measured = Duration::from_secs(1);
        let figure_ms = Some(figure_ms);
        SearchStep {
            load,
            achieved: load,
            figure_ms,
            cpu_busy: None,
            cpu_others: None,
            lag_ms: None,
            repeated,
            verdict,
            measured,
        }
    }

    #[test]
    fn the_last_verdict_on_a_load_counts_and_luck_above_a_miss_does_not() {
        use StepVerdict::{Met, Missed};
        let steps = [
            step(100.0, 5.0, false, Met),
            step(200.0, 11.0, false, Missed),
            step(200.0, 7.0, true, Met),
            step(300.0, 30.0, false, Missed),
            step(400.0, 4.0, false, Met),
        ];
        let answer = SearchAnswer::from_steps(&steps);
        assert_eq!(answer, SearchAnswer { met: Some(200.0), missed: Some(300.0) });
        let bound = Bound::latency("p95 < 10ms".parse().unwrap());
        assert_eq!(Search::deciding_step(&steps, &bound), Some(2));
        assert_eq!(SearchAnswer::from_steps(&[]), SearchAnswer::default());
        assert_eq!(Search::deciding_step(&steps[3..4], &bound), Some(0));
    }

    #[test]
    fn the_middle_lies_as_far_from_either_end() {
        let answer = SearchAnswer { met: Some(100.0), missed: Some(104.04) };
        let (middle, off) = answer.middle(SearchOver::Rate).unwrap();
        assert!((middle - 102.0).abs() < 1e-9 && (off - 0.02).abs() < 1e-9);
        let neighbours = SearchAnswer { met: Some(16.0), missed: Some(17.0) };
        assert_eq!(neighbours.middle(SearchOver::Clients), Some((16.0, 0.0)));
        assert_eq!(SearchAnswer { missed: None, ..answer }.middle(SearchOver::Rate), None);
    }
}
