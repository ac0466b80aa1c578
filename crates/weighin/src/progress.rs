//! A run while it goes on: how far it is, and whoever observes it.

mod left;
mod lines;
mod observer;
mod words;

pub(crate) use left::{TimeLeft, TrialCount};
pub(crate) use observer::{Judgement, News, Observer, Standing};
pub(crate) use words::{
    LONGEST_VERSION, activity, diagnostic_line, instance_line, learned, outcome, waiting,
};

use crate::arguments::TellingArguments;
use crate::exit::CliError;
use crate::log::Log;
use crate::metrics::{Metrics, RunState};
use crate::passing::Doings;
use crate::signals;
use crate::view::{State, View};
use campaign::{Event, OnSample};
use lines::Lines;
use model::{Block, Note, Plan, Stop, Study, Trial, UnitName, UnixMillis, Workload};
use serve::FigureListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A whole run.
pub(crate) struct RunProgress {
    standing: Standing,
    /// One of the observers, which also takes what the user asks for.
    view: Option<Rc<View>>,
    observers: Vec<Box<dyn Observer>>,
    /// Whether an observer shows what may be said of the trials so far.
    is_watched: bool,
    stop: Stop,
    /// When the first trial of this run began.
    trials_since: Option<Instant>,
    /// Trials that ended since then.
    finished: u32,
    /// Trials that run at once, as a rule.
    at_once: usize,
    under_way: usize,
}

/// How a run tells what it does, and what of it.
pub(crate) struct Telling<'a> {
    pub(crate) arguments: &'a TellingArguments,
    /// Where its figures can be asked for.
    pub(crate) listener: Option<FigureListener>,
    /// The name of its results file.
    pub(crate) results: &'a str,
    pub(crate) started_at: UnixMillis,
}

impl RunProgress {
    /// The whole plan should take `estimate`.
    ///
    /// # Errors
    /// When the file for a log cannot be opened, or a thread not started.
    pub(crate) fn start(
        study: &Study,
        trials: TrialCount,
        estimate: Duration,
        stop: &Stop,
        telling: Telling<'_>,
    ) -> Result<Self, CliError> {
        let TrialCount { total, done } = trials;
        let Telling { arguments, listener, results, started_at } = telling;
        let workload = study.tests.first().and_then(model::Test::workload);
        let counted = workload.map_or(UnitName::TRANSACTION, Workload::operation);
        let left = estimate.mul_f64((total - done) as f64 / total.max(1) as f64);
        let left = TimeLeft::new(left, Instant::now());
        let mut lines = Lines::new(Log::new(arguments)?);
        let view = match arguments.is_plain() || done == total {
            true => None,
            false => {
                let state = State::new(&study.name, counted, trials, left);
                View::start(state, signals::request_stop).map(Rc::new)
            }
        };
        let metrics = listener.map(|listener| {
            let name = study.name.as_str();
            let state = RunState::new(name, results, started_at, counted.many, total, left);
            Metrics::start(listener, state)
        });
        let metrics = metrics.transpose()?;
        let is_watched = view.is_some() || metrics.is_some();
        lines.begin(study, trials, estimate);
        // What takes long is told where no view shows it.
        let shown: Box<dyn Observer> = match &view {
            Some(view) => Box::new(Rc::clone(view)),
            None => Box::new(Doings::default()),
        };
        let mut observers: Vec<Box<dyn Observer>> = vec![Box::new(lines), shown];
        observers.extend(metrics.map(|metrics| Box::new(metrics) as Box<dyn Observer>));
        Ok(Self {
            standing: Standing {
                counted,
                made: match workload {
                    Some(Workload::KeyValue(_)) => "keys",
                    Some(Workload::Storage(_)) => "bytes",
                    _ => "rows",
                },
                total,
                done,
                left,
                in_turns: study.slices.map(|_| 1),
                in_duet: study.duet,
            },
            view,
            observers,
            is_watched,
            stop: stop.clone(),
            trials_since: None,
            finished: 0,
            at_once: match (study.parallel, study.duet) {
                (true, _) => study.targets.len().max(1),
                (false, true) => study.servers().count().max(1),
                (false, false) => 1,
            },
            under_way: 0,
        })
    }

    /// What is to be shown every sample, where it is.
    pub(crate) fn on_sample(&self) -> Option<OnSample> {
        let all = self.observers.iter().filter_map(|observer| observer.on_sample());
        let all: Vec<OnSample> = all.collect();
        let show = move |sample: &_| all.iter().for_each(|OnSample(show)| show(sample));
        self.is_watched.then(|| OnSample(Arc::new(show)))
    }

    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::SideBySide { trials } => {
                let count = u32::try_from(trials.len()).unwrap_or(u32::MAX);
                self.standing.in_turns = self.standing.in_turns.map(|_| count);
            }
            Event::TrialStarted { trial, skip } => {
                self.started(trial);
                // It waits for the turns of the others too.
                let load_time = trial.load_time * self.standing.in_turns.unwrap_or(1);
                let trial = &Trial { load_time, ..(*trial).clone() };
                return self.tell(&News::Event(&Event::TrialStarted { trial, skip }));
            }
            Event::TrialEnded { .. } => self.ended(),
            _ => {}
        }
        self.tell(&News::Event(event));
    }

    /// Blocks were planned after what was measured before.
    pub(crate) fn next_blocks(&mut self, blocks: &[Block], before: &Plan) {
        self.standing.total += blocks.iter().map(|block| block.trials.len()).sum::<usize>();
        self.tell(&News::Planned { blocks, before });
    }

    /// How many trials are under way.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    /// Whether somebody looks at what may be said of the trials so far.
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Shows what may be said of the trials so far.
    pub(crate) fn judged(&mut self, judgement: &Judgement) {
        self.tell(&News::Judged(judgement));
    }

    /// What the user has noted since it was last asked.
    pub(crate) fn take_notes(&self) -> Vec<Note> {
        self.view.as_ref().map(|view| view.take_notes()).unwrap_or_default()
    }

    fn tell(&mut self, news: &News<'_>) {
        for observer in &mut self.observers {
            observer.note(news, &self.standing);
        }
    }

    fn started(&mut self, trial: &Trial) {
        if let Some(view) = self.view.clone().filter(|view| view.pauses()) {
            self.tell(&News::Paused(Some(Instant::now())));
            view.wait_while_paused(&self.stop);
            self.tell(&News::Paused(None));
        }
        self.trials_since.get_or_insert_with(Instant::now);
        self.under_way += 1;
        let Standing { total, done, .. } = self.standing;
        let others = (total - done).saturating_sub(1) / self.at_once;
        let others = u32::try_from(others).unwrap_or(u32::MAX);
        self.standing.left.at_least = trial.load_time * others;
    }

    fn ended(&mut self) {
        let Standing { total, done, left, .. } = &mut self.standing;
        *done += 1;
        self.finished += 1;
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(since) = self.trials_since {
            let remaining = u32::try_from(*total - *done).unwrap_or(u32::MAX);
            left.then = since.elapsed() / self.finished * remaining;
            left.known_at = Instant::now();
        }
        if done == total {
            left.at_least = Duration::ZERO;
        }
    }
}
