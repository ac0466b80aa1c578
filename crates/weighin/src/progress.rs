//! What a run shows while it goes on, on standard error: a live line on a terminal, plain lines
//! elsewhere.

use crate::messages::tell;
use crate::slo_output::{answer_line, capacity_line, step_line};
use campaign::{Event, SearchProgress, Severity, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{
    Block, Interval, Level, Metric, Outcome, Phase, Plan, Study, Trial, TrialEnd, TrialKey,
    TrialRecord, UnitName, Workload, text,
};
use report::numbers::{count, duration, figure};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Most characters of a server's version that are shown.
pub(crate) const LONGEST_VERSION: usize = 200;

/// Columns of the terminal that standard output is.
pub(crate) fn terminal_width() -> usize {
    usize::from(console::Term::stdout().size().1)
}

/// Rows, keys or bytes being made.
pub(crate) struct Progress(ProgressBar, &'static str);

impl Progress {
    /// Begins to show what is being made, `rows`, `keys` or `bytes`.
    pub(crate) fn start(what: &'static str) -> Self {
        Self(bar("{msg} {wide_bar} {percent} %"), what)
    }

    pub(crate) fn show(&self, step: Step) {
        self.0.set_length(step.of);
        self.0.set_position(step.done);
        self.0.set_message(format!("{} {}", count(step.done), self.1));
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A whole run.
pub(crate) struct RunProgress {
    bar: ProgressBar,
    /// Whether nobody watches: lines in place of a bar.
    plain: bool,
    /// What the throughput of its tests counts: they run on the same targets, so that they are of
    /// one kind.
    counted: UnitName,
    /// What its targets are filled with, in the plural.
    made: &'static str,
    total: usize,
    done: usize,
    /// When the first trial of this run began.
    trials_since: Option<Instant>,
    /// Trials that ended since then.
    finished: u32,
    left: TimeLeft,
}

/// How long the run will still take, as far as was known at a moment.
struct TimeLeft {
    known_at: Instant,
    then: Duration,
    /// What the trials after this one will take at the least.
    at_least: Duration,
}

/// A trial's key without its repeat.
fn cell(trial: &Trial) -> TrialKey {
    TrialKey { repeat: 0, ..trial.key.clone() }
}

/// The levels of a block that tests placed.
fn placed(block: &Block) -> String {
    let mut tests: BTreeMap<&str, BTreeSet<Level>> = BTreeMap::new();
    for trial in &block.trials {
        tests.entry(&trial.key.test).or_default().insert(trial.key.level);
    }
    let of_test = |(test, levels): (&str, BTreeSet<Level>)| {
        let levels: Vec<String> = levels.iter().map(|level| level.clients.to_string()).collect();
        format!("{test} at {} clients", levels.join(", "))
    };
    let tests: Vec<String> = tests.into_iter().map(of_test).collect();
    format!("levels placed: {}", tests.join("; "))
}

impl TimeLeft {
    fn know(&mut self, left: Duration) {
        self.known_at = Instant::now();
        self.then = left;
    }

    fn now(&self) -> Duration {
        self.then.saturating_sub(self.known_at.elapsed()).max(self.at_least)
    }
}

impl RunProgress {
    /// `done` trials of `total` have a record already; the whole plan should take `estimate`.
    pub(crate) fn start(study: &Study, total: usize, done: usize, estimate: Duration) -> Self {
        let workload = study.tests.first().and_then(model::Test::workload);
        let bar = bar("{wide_msg}\n{prefix} {wide_bar:.cyan/dim} {pos}/{len}");
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        let left = estimate.mul_f64((total - done) as f64 / total.max(1) as f64);
        let progress = Self {
            bar,
            plain: !std::io::stderr().is_terminal(),
            counted: workload.map_or(UnitName::TRANSACTION, Workload::operation),
            made: match workload {
                Some(Workload::KeyValue(_)) => "keys",
                Some(Workload::Storage(_)) => "bytes",
                _ => "rows",
            },
            total,
            done,
            trials_since: None,
            finished: 0,
            left: TimeLeft { known_at: Instant::now(), then: left, at_least: Duration::ZERO },
        };
        let then = match (study.places_levels(), study.until.is_some()) {
            (false, false) => "",
            (false, true) => "; then more of what is not resolved",
            (true, false) => "; then further levels where they tell most",
            (true, true) => {
                "; then further levels where they tell most, and more of what is not resolved"
            }
        };
        progress.line(&match done {
            0 => format!("{total} trials, about {}{then}", duration(estimate)),
            _ => format!("{done} of {total} trials are recorded; going on"),
        });
        progress
    }

    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            // A line that stays in a log, and passes on a terminal.
            Event::BringingUp { target } if self.plain => {
                self.line(&format!("{target}: bringing up"));
            }
            Event::BringingUp { target } => self.live(target, ": bringing up"),
            Event::Checking { target, step } => {
                let (read, of) = (count(step.done), count(step.of));
                self.live(target, &format!(": {read} of {of} bytes checked"));
            }
            Event::Checked { target, path, found } => {
                self.line(&format!("{target}: {}: {found}", path.display()));
            }
            // Errors end the run and are told then; notes are for checks.
            Event::Found { diagnostic } if diagnostic.severity == Severity::Warning => {
                let whose = diagnostic.target.iter().map(|target| format!("{target}: "));
                let whose: String = whose.collect();
                self.line(&format!("warning: {whose}{}", diagnostic.message));
                if !diagnostic.remedy.is_empty() {
                    self.line(&format!("  = help: {}", diagnostic.remedy));
                }
            }
            Event::Found { .. } => {}
            Event::Preparing { target, step } => {
                // Many a second: nothing for a log.
                let (made, of) = (count(step.done), count(step.of));
                self.live(target, &format!(": {made} of {of} {} made", self.made));
            }
            Event::Ready { target, version, prepared } => {
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
                self.line(&format!("{target}: {version}, {data}"));
            }
            Event::TrialStarted { trial } => {
                self.trials_since.get_or_insert_with(Instant::now);
                let others = (self.total - self.done).saturating_sub(1);
                self.left.at_least = trial.load_time * u32::try_from(others).unwrap_or(u32::MAX);
                self.live(&trial.key.to_string(), ": starting");
            }
            Event::Searching { trial, progress: SearchProgress::Capacity(rate) } => {
                self.live(
                    &trial.key.to_string(),
                    &format!(": {}", capacity_line(*rate, self.counted)),
                );
            }
            Event::Searching { trial, progress: SearchProgress::Step { goal, step } } => {
                let tried = format!(": {}", step_line(step, goal.over, &goal.bound, self.counted));
                self.live(&trial.key.to_string(), &tried);
            }
            Event::Interval { trial, interval } => self.interval(trial, interval),
            Event::TrialEnded { record } => self.ended(record),
        }
    }

    /// Blocks were planned after what was measured before.
    pub(crate) fn next_blocks(&mut self, blocks: &[Block], before: &Plan) {
        let added: usize = blocks.iter().map(|block| block.trials.len()).sum();
        self.total += added;
        self.bar.set_length(self.total as u64);
        let Some(first) = blocks.first() else { return };
        if first.number <= before.repeats() {
            self.line(&placed(first));
            return;
        }
        let there: HashSet<TrialKey> = before.trials().map(cell).collect();
        self.line(&format!("block {}: {added} of {} cells open", first.number, there.len()));
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn interval(&self, trial: &Trial, interval: &Interval) {
        let rate = interval.transactions as f64 / interval.length.as_secs_f64().max(1e-9);
        let p95 = interval.latencies.unpack().percentile_ms(95.0);
        let warming = if interval.phase == Phase::Warmup { "warming up, " } else { "" };
        let latency = p95.map(|p95| format!(", p95 {} ms", figure(p95))).unwrap_or_default();
        let now = format!(": {warming}{} {}/s{latency}", figure(rate), self.counted);
        self.live(&trial.key.to_string(), &now);
    }

    /// What a trial that completed came to.
    fn outcome(&self, record: &TrialRecord, outcome: &Outcome) -> String {
        let Some(load) = &outcome.load else {
            return match &outcome.source {
                Some(source) => format!("read from {}", text::line(&source.file)),
                None => [Metric::Elapsed, Metric::CatchUpTime]
                    .into_iter()
                    .find_map(|metric| outcome.metric(metric))
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
        self.bar.set_position(self.done as u64);
        if let Some(since) = self.trials_since {
            let remaining = u32::try_from(self.total - self.done).unwrap_or(u32::MAX);
            self.left.know(since.elapsed() / self.finished * remaining);
        }
        let (what, failed) = match &record.end {
            TrialEnd::Completed(outcome) => (self.outcome(record, outcome), false),
            TrialEnd::Failed(failure) if failure.is_not_offered() => {
                (format!("not offered: {}", text::indented(&failure.message, "  ")), false)
            }
            TrialEnd::Failed(failure) => {
                (format!("FAILED: {}", text::indented(&failure.message, "  ")), true)
            }
        };
        // A terminal has the live line; what went wrong should stay to be read.
        if self.plain || failed {
            self.line(&format!("[{}/{}] {}: {what}", self.done, self.total, record.key));
        }
        if self.done == self.total {
            self.left.at_least = Duration::ZERO;
            self.live("ending", "");
        }
    }

    /// Changes the line that passes: who, shortened where the terminal is narrow, and what of it.
    fn live(&self, who: &str, what: &str) {
        let width = usize::from(console::Term::stderr().size().1);
        let room = width.saturating_sub(console::measure_text_width(what));
        self.bar.set_prefix(match self.left.now() {
            left if left < Duration::from_secs(1) => "soon done".to_owned(),
            left => format!("{} left", duration(Duration::from_secs(left.as_secs()))),
        });
        // The bar writes what it is given as it is.
        let (who, what) = (text::line(who), text::line(what));
        self.bar.set_message(format!("{}{what}", console::truncate_str(&who, room, "…")));
    }

    /// A line that stays.
    fn line(&self, message: &str) {
        if self.plain {
            tell(message);
        } else {
            self.bar.println(text::visible(message));
        }
    }
}

fn bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸─");
    bar.set_style(style);
    bar
}
