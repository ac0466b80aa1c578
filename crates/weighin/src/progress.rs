//! What a run shows while it goes on: a view that fills the terminal, or lines on standard error.

mod left;
mod words;

pub(crate) use left::{TimeLeft, TrialCount};
pub(crate) use words::{instance_line, waiting};

use crate::arguments::TellingArguments;
use crate::exit::CliError;
use crate::log::{Log, Weight};
use crate::metrics::{Ended, Metrics, RunState, Verdict};
use crate::passing::Doings;
use crate::signals;
use crate::slo_output::{answer_line, capacity_line, step_line};
use crate::view::{End, HostNow, Sentence, State, View};
use analyse::{Severity, Validity};
use campaign::{Event, InstanceStep, OnSample, SearchProgress, Wait};
use model::{
    Block, Interval, Note, Outcome, Phase, Plan, Stop, Study, Trial, TrialEnd, TrialKey,
    TrialRecord, UnitName, UnixMillis, Workload, text,
};
use report::numbers::{count, duration, figure, list};
use serve::FigureListener;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use words::placed;

/// Most characters of a server's version that are shown.
pub(crate) const LONGEST_VERSION: usize = 200;
/// How long nothing succeeds until it is said, and again.
const SILENCE: Duration = Duration::from_secs(10);
/// The shortest load of a trial whose begin is told.
const LONG: Duration = Duration::from_secs(5);

/// A whole run.
pub(crate) struct RunProgress {
    log: Log,
    view: Option<View>,
    /// What is done to targets, where no view shows it.
    doings: Doings,
    metrics: Option<Metrics>,
    /// What the throughput of its tests counts: they run on the same targets, so that they are of
    /// one kind.
    counted: UnitName,
    /// What its targets are filled with, in the plural.
    made: &'static str,
    stop: Stop,
    total: usize,
    done: usize,
    /// When the first trial of this run began.
    trials_since: Option<Instant>,
    /// Trials that ended since then.
    finished: u32,
    /// Trials that run at once, as a rule.
    at_once: usize,
    /// Whether loads take turns, and of how many those of this round do.
    in_turns: Option<u32>,
    /// Whether those that run at once share this machine.
    in_duet: bool,
    under_way: usize,
    left: TimeLeft,
    /// For how long nothing has succeeded in the trials, by position.
    silence: BTreeMap<u32, Duration>,
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

/// A trial's key without its repeat.
fn cell(trial: &Trial) -> TrialKey {
    TrialKey { repeat: 0, ..trial.key.clone() }
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
        let now = Instant::now();
        let left = estimate.mul_f64((total - done) as f64 / total.max(1) as f64);
        let left = TimeLeft::new(left, now);
        let log = Log::new(arguments)?;
        let view = match arguments.is_plain() || done == total {
            true => None,
            false => {
                let state = State::new(&study.name, counted, trials, left);
                View::start(state, signals::request_stop)
            }
        };
        let metrics = listener.map(|listener| {
            let name = study.name.as_str();
            let state = RunState::new(name, results, started_at, counted.many, total, left);
            Metrics::start(listener, state)
        });
        let mut progress = Self {
            log,
            view,
            doings: Doings::default(),
            metrics: metrics.transpose()?,
            counted,
            made: match workload {
                Some(Workload::KeyValue(_)) => "keys",
                Some(Workload::Storage(_)) => "bytes",
                _ => "rows",
            },
            stop: stop.clone(),
            total,
            done,
            trials_since: None,
            finished: 0,
            at_once: match (study.parallel, study.duet) {
                (true, _) => study.targets.len().max(1),
                (false, true) => study.servers().count().max(1),
                (false, false) => 1,
            },
            in_turns: study.slices.map(|_| 1),
            in_duet: study.duet,
            under_way: 0,
            left,
            silence: BTreeMap::new(),
        };
        let then = match (study.places_levels(), study.until.is_some()) {
            (false, false) => "",
            (false, true) => "; then more of what is not resolved",
            (true, false) => "; then further levels where they tell most",
            (true, true) => {
                "; then further levels where they tell most, and more of what is not resolved"
            }
        };
        progress.say(&match done {
            0 => format!("{total} trials, about {}{then}", duration(estimate)),
            _ => format!("{done} of {total} trials are recorded; going on"),
        });
        Ok(progress)
    }

    /// What is to be shown every sample, where it is.
    pub(crate) fn on_sample(&self) -> Option<OnSample> {
        let view = self.view.as_ref().map(View::updater);
        let metrics = self.metrics.as_ref().map(Metrics::updater);
        if view.is_none() && metrics.is_none() {
            return None;
        }
        Some(OnSample(Arc::new(move |sample| {
            if let Some(update) = &view {
                let host = HostNow::from_sample(sample);
                update(Box::new(|state| state.sampled(host)));
            }
            if let Some(update) = &metrics {
                let sample = sample.clone();
                update(Box::new(|state| state.sampled(sample)));
            }
        })))
    }

    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Instance { target, step } => {
                let weight = match step {
                    InstanceStep::Failed(_) | InstanceStep::IsLeft(_) => Weight::Trouble,
                    _ => Weight::Normal,
                };
                self.log.say(weight, &instance_line(target, *step));
                match step {
                    InstanceStep::Up(_) => self.doing(target, "coming up"),
                    InstanceStep::Down(_) => self.doing(target, "going down"),
                    InstanceStep::Said(_) => {}
                    _ => self.doings.over(target),
                }
            }
            Event::BringingUp { target } => {
                self.say(&format!("{target}: bringing up"));
                self.doing(target, "bringing up");
            }
            Event::Checking { target, step } => {
                let (read, of) = (count(step.done), count(step.of));
                self.doing(target, &format!("{read} of {of} bytes checked"));
            }
            Event::Checked { target, path, found } => {
                self.doings.over(target);
                self.say(&format!("{target}: {}: {found}", path.display()));
            }
            // Errors end the run and are told then; notes are for checks.
            Event::Found { diagnostic } if diagnostic.severity == system::Severity::Warning => {
                let whose = diagnostic.target.iter().map(|target| format!("{target}: "));
                let whose: String = whose.collect();
                let warning = format!("{whose}{}", diagnostic.message);
                self.log.say(Weight::Trouble, &format!("warning: {warning}"));
                self.update(move |state| state.warned(&warning));
                if !diagnostic.remedy.is_empty() {
                    let help = format!("  = help: {}", diagnostic.remedy);
                    self.log.say(Weight::Trouble, &help);
                }
            }
            Event::Found { .. } => {}
            Event::Preparing { target, step } => {
                // Many a second: nothing for a log.
                let (made, of) = (count(step.done), count(step.of));
                self.doing(target, &format!("{made} of {of} {} made", self.made));
            }
            Event::Ready { target, version, prepared } => {
                self.doings.over(target);
                let noun = prepared.noun;
                let data = match prepared.made {
                    0 => format!("{noun}s were there"),
                    1 => format!("1 {noun} made in {}", duration(prepared.elapsed)),
                    n => {
                        let took = duration(prepared.elapsed);
                        format!("{} {noun}s made in {took}", count(n.into()))
                    }
                };
                let version = text::excerpt(version, LONGEST_VERSION);
                self.say(&format!("{target}: {version}, {data}"));
            }
            Event::SideBySide { trials } => self.side_by_side(trials),
            Event::TrialStarted { trial, skip } => self.started(trial, skip),
            Event::Searching { trial, progress } => {
                let learned = match progress {
                    SearchProgress::Waiting(limit) => waiting(*limit),
                    SearchProgress::Capacity(rate) => capacity_line(*rate, self.counted),
                    SearchProgress::Step { goal, step } => {
                        step_line(step, goal.over, &goal.bound, self.counted)
                    }
                };
                self.detail(trial, &learned);
                let position = trial.position;
                self.update(move |state| state.searched(position, &learned));
            }
            Event::Waiting { trial, wait } => {
                let what = match wait {
                    Wait::Answers(limit) => waiting(*limit),
                    Wait::Release => {
                        "failed; waiting for the end of what it has started".to_owned()
                    }
                };
                self.say(&format!("{}: {what}", trial.key));
                self.doing(&trial.key.target, &what);
            }
            Event::Interval { trial, interval } => {
                self.note_silence(trial, interval);
                if self.log.takes(Weight::Detail) {
                    self.detail(trial, &self.second(interval));
                }
                if let Some(view) = &self.view {
                    let (interval, now) = ((*interval).clone(), Instant::now());
                    let position = trial.position;
                    view.update(move |state| state.second(position, &interval, now));
                }
                if let Some(metrics) = &self.metrics {
                    let (interval, position) = ((*interval).clone(), trial.position);
                    metrics.update(move |state| state.second(position, &interval));
                }
            }
            Event::TrialEnded { record, .. } => self.ended(record),
        }
    }

    /// Blocks were planned after what was measured before.
    pub(crate) fn next_blocks(&mut self, blocks: &[Block], before: &Plan) {
        let added: usize = blocks.iter().map(|block| block.trials.len()).sum();
        self.total += added;
        let total = self.total;
        self.update(move |state| state.planned(total));
        self.export(move |state| state.planned(total));
        let Some(first) = blocks.first() else { return };
        if first.number <= before.repeats() {
            self.say(&placed(first));
            return;
        }
        let there: HashSet<TrialKey> = before.trials().map(cell).collect();
        self.say(&format!("block {}: {added} of {} cells open", first.number, there.len()));
    }

    /// How many trials are under way.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    /// Whether somebody looks at what may be said of the trials so far.
    pub(crate) fn is_watched(&self) -> bool {
        self.view.is_some() || self.metrics.is_some()
    }

    /// Shows what may be said of the trials so far: by position whether they count, and in sentences.
    pub(crate) fn judged(
        &self,
        validities: BTreeMap<u32, Validity>,
        said: Vec<Sentence>,
        verdicts: BTreeMap<u32, Verdict>,
        severities: Vec<Severity>,
    ) {
        self.update(move |state| state.judged(&validities, said));
        self.export(move |state| state.judged(verdicts, &severities));
    }

    /// What the user has noted since it was last asked.
    pub(crate) fn take_notes(&self) -> Vec<Note> {
        self.view.as_ref().map(View::take_notes).unwrap_or_default()
    }

    fn update(&self, update: impl FnOnce(&mut State) + Send + 'static) {
        if let Some(view) = &self.view {
            view.update(update);
        }
    }

    /// Changes the figures that others collect.
    fn export(&self, update: impl FnOnce(&mut RunState) + Send + 'static) {
        if let Some(metrics) = &self.metrics {
            metrics.update(update);
        }
    }

    fn doing(&self, target: &str, what: &str) {
        let what = format!("{target}: {what}");
        if self.view.is_none() {
            self.doings.update(target, &what);
        }
        self.update(move |state| state.doing(&what));
    }

    fn say(&mut self, message: &str) {
        self.log.say(Weight::Normal, message);
    }

    fn detail(&mut self, trial: &Trial, what: &str) {
        self.log.say(Weight::Detail, &format!("{}: {what}", trial.key));
    }

    fn side_by_side(&mut self, trials: &[&Trial]) {
        let Some(first) = trials.first() else { return };
        let targets: Vec<String> = trials.iter().map(|trial| trial.key.target.clone()).collect();
        let TrialKey { test, level, repeat, .. } = &first.key;
        let targets = list(&targets);
        let how = match &mut self.in_turns {
            Some(count) => {
                *count = u32::try_from(trials.len()).unwrap_or(u32::MAX);
                "in turns"
            }
            None if self.in_duet => "at once",
            None => "side by side",
        };
        self.say(&format!("{how} on {targets}: {test}, {level}, repeat {repeat}"));
    }

    fn started(&mut self, trial: &Trial, skip: &Stop) {
        if let Some(view) = self.view.as_ref().filter(|view| view.pauses()) {
            let since = Instant::now();
            self.export(move |state| state.paused(Some(since), since));
            view.wait_while_paused(&self.stop);
            self.export(|state| state.paused(None, Instant::now()));
        }
        self.trials_since.get_or_insert_with(Instant::now);
        self.under_way += 1;
        let others = (self.total - self.done).saturating_sub(1) / self.at_once;
        self.left.at_least = trial.load_time * u32::try_from(others).unwrap_or(u32::MAX);
        // It waits for the turns of the others too.
        let load_time = trial.load_time * self.in_turns.unwrap_or(1);
        match load_time >= LONG {
            true => self.say(&format!("{}: starting, about {}", trial.key, duration(load_time))),
            false => self.detail(trial, "starting"),
        }
        let trial = Trial { load_time, ..trial.clone() };
        let (skip, left) = (skip.clone(), self.left);
        let exported = trial.clone();
        self.export(move |state| state.trial_started(&exported, left));
        self.update(move |state| state.trial_started(&trial, skip, left));
    }

    /// Says so where nothing succeeds for long.
    fn note_silence(&mut self, trial: &Trial, interval: &Interval) {
        if interval.phase == Phase::Drain {
            // It is the turn of others.
            return;
        }
        let silence = self.silence.entry(trial.position).or_default();
        if interval.transactions > 0 {
            *silence = Duration::ZERO;
            return;
        }
        let before = silence.as_secs() / SILENCE.as_secs();
        *silence += interval.length;
        if silence.as_secs() / SILENCE.as_secs() > before {
            let seconds = silence.as_secs();
            let what = format!("nothing has succeeded for {seconds} s");
            self.say(&format!("{}: {what}", trial.key));
        }
    }

    fn second(&self, interval: &Interval) -> String {
        let rate = interval.transactions as f64 / interval.length.as_secs_f64().max(1e-9);
        let p95 = interval.latencies.unpack().percentile_ms(95.0);
        let warming = if interval.phase == Phase::Warmup { "warming up, " } else { "" };
        let latency = p95.map(|p95| format!(", p95 {} ms", figure(p95))).unwrap_or_default();
        format!("{warming}{} {}/s{latency}", figure(rate), self.counted)
    }

    /// What a trial that completed came to.
    fn outcome(&self, record: &TrialRecord, outcome: &Outcome) -> String {
        let Some(load) = &outcome.load else {
            return match &outcome.source {
                Some(source) => format!("read from {}", text::line(&source.file)),
                None => outcome
                    .took()
                    .map_or("completed".to_owned(), |took| format!("{} s", figure(took.value))),
            };
        };
        if let Some(search) = &record.search {
            return answer_line(search, self.counted);
        }
        let rate = figure(load.measure.transactions_per_second());
        let p95 = match load.latencies.percentile_ms(95.0) {
            _ if load.is_overloaded() => ", overloaded".to_owned(),
            Some(p95) => format!(", p95 {} ms", figure(p95)),
            None => String::new(),
        };
        format!("{rate} {}/s{p95}", self.counted)
    }

    fn ended(&mut self, record: &TrialRecord) {
        self.done += 1;
        self.finished += 1;
        self.under_way = self.under_way.saturating_sub(1);
        self.silence.remove(&record.position);
        // What a trial that failed had to wait for is over too.
        self.doings.over(&record.key.target);
        if let Some(since) = self.trials_since {
            let remaining = u32::try_from(self.total - self.done).unwrap_or(u32::MAX);
            self.left.then = since.elapsed() / self.finished * remaining;
            self.left.known_at = Instant::now();
        }
        let (what, end, weight) = match &record.end {
            TrialEnd::Completed(outcome) => {
                (self.outcome(record, outcome), End::Completed(None), Weight::Normal)
            }
            TrialEnd::Failed(failure) if failure.is_not_offered() => {
                let message = text::indented(&failure.message, "  ");
                (format!("not offered: {message}"), End::NotOffered, Weight::Normal)
            }
            TrialEnd::Failed(failure) => {
                let message = text::indented(&failure.message, "  ");
                (format!("FAILED: {message}"), End::Failed, Weight::Trouble)
            }
        };
        self.log.say(weight, &format!("[{}/{}] {}: {what}", self.done, self.total, record.key));
        if self.done == self.total {
            self.left.at_least = Duration::ZERO;
        }
        let (position, name, left) = (record.position, record.key.to_string(), self.left);
        if let Some(metrics) = &self.metrics {
            let ended = Ended::from_record(record);
            metrics.update(move |state| state.trial_ended(ended, left));
        }
        self.update(move |state| {
            let figures = what.split_once(": ").filter(|_| !matches!(end, End::Completed(_)));
            let figures = figures.map_or(what.as_str(), |(_, message)| message);
            state.trial_ended(position, &name, figures, end, left);
        });
    }
}
