//! What a run shows while it goes on, on standard error: a live line on a terminal, plain lines
//! elsewhere.

use campaign::Event;
use campaign::tables::Step;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{Interval, Phase, Trial, TrialEnd, TrialRecord};
use report::numbers::{count, duration, figure};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Columns of the terminal.
pub(crate) fn terminal_width() -> usize {
    usize::from(console::Term::stdout().size().1)
}

/// Rows being made.
pub(crate) struct Rows(ProgressBar);

impl Rows {
    pub(crate) fn start() -> Self {
        Self(bar("{msg} {wide_bar} {percent} %"))
    }

    pub(crate) fn show(&self, step: Step) {
        self.0.set_length(step.of);
        self.0.set_position(step.rows);
        self.0.set_message(format!("{} rows", count(step.rows)));
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
    total: usize,
    done: usize,
    done_before: usize,
    estimate: Duration,
    trials_since: Option<Instant>,
    failed: usize,
}

impl RunProgress {
    /// `done` trials of `total` have a record already; the whole plan should take `estimate`.
    pub(crate) fn start(total: usize, done: usize, estimate: Duration) -> Self {
        let bar = bar("{wide_msg}\n{prefix} {wide_bar:.cyan/dim} {pos}/{len}");
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        let plain = !std::io::stderr().is_terminal();
        let progress = Self {
            bar,
            plain,
            total,
            done,
            done_before: done,
            estimate,
            trials_since: None,
            failed: 0,
        };
        progress.line(&match done {
            0 => format!("{total} trials, about {}", duration(estimate)),
            _ => format!("{done} of {total} trials are recorded; going on"),
        });
        progress
    }

    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::BringingUp { target } => self.say(format!("{target}: bringing up")),
            Event::Preparing { target, step } => {
                let message =
                    format!("{target}: preparing, {} of {} rows", count(step.rows), count(step.of));
                // Many a second: nothing for a log.
                self.bar.set_message(message);
            }
            Event::Ready { target, version, prepared } => {
                let tables = match prepared.made {
                    0 => "tables were there".to_owned(),
                    n => format!("{n} tables made in {}", duration(prepared.elapsed)),
                };
                self.line(&format!("{target}: {version}, {tables}"));
            }
            Event::TrialStarted { trial } => {
                self.trials_since.get_or_insert_with(Instant::now);
                self.bar.set_message(self.trial_line(trial, "starting"));
                self.bar.set_prefix(self.left());
            }
            Event::Interval { trial, interval } => self.interval(trial, interval),
            Event::TrialEnded { record } => self.ended(record),
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn interval(&self, trial: &Trial, interval: &Interval) {
        let rate = interval.transactions as f64 / interval.length.as_secs_f64().max(1e-9);
        let p95 = interval.latencies.unpack().percentile_ms(95.0);
        let phase = match interval.phase {
            Phase::Warmup => "warm-up",
            Phase::Measure | Phase::Drain => "measuring",
        };
        let latency = p95.map(|p95| format!(" · p95 {} ms", figure(p95))).unwrap_or_default();
        let now = format!("{phase} · {} transactions/s{latency}", figure(rate));
        self.bar.set_message(self.trial_line(trial, &now));
        self.bar.set_prefix(self.left());
    }

    fn ended(&mut self, record: &TrialRecord) {
        self.done += 1;
        self.bar.set_position(self.done as u64);
        let what = match &record.end {
            TrialEnd::Completed(load) => {
                let p95 = load.latencies.percentile_ms(95.0).unwrap_or(f64::NAN);
                format!(
                    "{} transactions/s, p95 {} ms",
                    figure(load.measure.transactions_per_second()),
                    figure(p95)
                )
            }
            TrialEnd::Failed(failure) => {
                self.failed += 1;
                format!("FAILED: {}", failure.message)
            }
        };
        let failed = matches!(record.end, TrialEnd::Failed(_));
        // A terminal has the live line; what went wrong should stay to be read.
        if self.plain || failed {
            self.line(&format!("[{}/{}] {}: {what}", self.done, self.total, record.key));
        }
    }

    fn trial_line(&self, trial: &Trial, now: &str) -> String {
        format!("{}: {now}", trial.key)
    }

    /// Time left: by the pace so far once there is one, by the estimate before.
    fn left(&self) -> String {
        let finished = self.done - self.done_before;
        let remaining = self.total - self.done;
        let left = match (self.trials_since, finished) {
            (Some(since), 1..) => since.elapsed() / finished as u32 * remaining as u32,
            _ => self.estimate.mul_f64(remaining as f64 / self.total.max(1) as f64),
        };
        format!("{} left", duration(Duration::from_secs(left.as_secs())))
    }

    /// A line that stays.
    #[expect(clippy::print_stderr, reason = "where progress goes when nobody watches")]
    fn line(&self, text: &str) {
        if self.plain {
            eprintln!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    /// A line that stays in a log, and passes on a terminal.
    fn say(&self, text: String) {
        if self.plain {
            self.line(&text);
        } else {
            self.bar.set_message(text);
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
