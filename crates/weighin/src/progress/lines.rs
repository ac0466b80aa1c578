//! A run line by line.

use super::left::TrialCount;
use super::observer::{News, Observer, Standing};
use super::words::{
    LONGEST_VERSION, diagnostic_line, instance_line, learned, outcome, placed, rate_words,
    wait_words,
};
use crate::log::{Log, Weight};
use campaign::{Event, InstanceStep};
use model::{Block, Interval, Phase, Plan, Study, Trial, TrialEnd, TrialKey, TrialRecord, text};
use report::numbers::{count, duration, list};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;
use system::{Diagnostic, Prepared};

/// How long nothing succeeds until it is said, and again.
const SILENCE: Duration = Duration::from_secs(10);
/// The shortest load of a trial whose begin is told.
const LONG: Duration = Duration::from_secs(5);

/// Tells a log what happens.
pub(super) struct Lines {
    log: Log,
    /// For how long nothing has succeeded in the trials, by position.
    silence: BTreeMap<u32, Duration>,
}

/// A trial's key without its repeat.
fn cell(trial: &Trial) -> TrialKey {
    TrialKey { repeat: 0, ..trial.key.clone() }
}

impl Lines {
    pub(super) fn new(log: Log) -> Self {
        Self { log, silence: BTreeMap::new() }
    }

    pub(super) fn begin(&mut self, study: &Study, trials: TrialCount, estimate: Duration) {
        let TrialCount { total, done } = trials;
        let then = match (study.places_levels(), study.until.is_some()) {
            (false, false) => "",
            (false, true) => "; then more of what is not resolved",
            (true, false) => "; then further levels where they tell most",
            (true, true) => {
                "; then further levels where they tell most, and more of what is not resolved"
            }
        };
        self.say(&match done {
            0 => format!("{total} trials, about {}{then}", duration(estimate)),
            _ => format!("{done} of {total} trials are recorded; going on"),
        });
    }

    fn say(&mut self, message: &str) {
        self.log.say(Weight::Normal, message);
    }

    fn detail(&mut self, trial: &Trial, what: &str) {
        self.log.say(Weight::Detail, &format!("{}: {what}", trial.key));
    }

    fn event(&mut self, event: &Event<'_>, standing: &Standing) {
        match event {
            Event::Instance { target, step } => {
                let weight = match step {
                    InstanceStep::Failed(_) | InstanceStep::IsLeft(_) => Weight::Trouble,
                    _ => Weight::Normal,
                };
                self.log.say(weight, &instance_line(target, *step));
            }
            Event::BringingUp { target } => self.say(&format!("{target}: bringing up")),
            Event::Checked { target, path, found } => {
                self.say(&format!("{target}: {}: {found}", path.display()));
            }
            // Errors end the run and are told then; notes are for checks.
            Event::Found { diagnostic } if diagnostic.severity == system::Severity::Warning => {
                self.warn(diagnostic);
            }
            // Many a second: nothing for a log.
            Event::Found { .. } | Event::Checking { .. } | Event::Preparing { .. } => {}
            Event::Ready { target, version, prepared } => self.ready(target, version, prepared),
            Event::SideBySide { trials } => self.side_by_side(trials, standing),
            Event::TrialStarted { trial, .. } if trial.load_time >= LONG => {
                let about = duration(trial.load_time);
                self.say(&format!("{}: starting, about {about}", trial.key));
            }
            Event::TrialStarted { trial, .. } => self.detail(trial, "starting"),
            Event::Searching { trial, progress } => {
                self.detail(trial, &learned(progress, standing.counted));
            }
            Event::Waiting { trial, wait } => {
                self.say(&format!("{}: {}", trial.key, wait_words(*wait)));
            }
            Event::Interval { trial, interval } => {
                self.note_silence(trial, interval);
                if self.log.takes(Weight::Detail) {
                    self.detail(trial, &rate_words(interval, standing.counted));
                }
            }
            Event::TrialEnded { record, .. } => self.ended(record, standing),
        }
    }

    fn warn(&mut self, diagnostic: &Diagnostic) {
        let warning = diagnostic_line(diagnostic);
        self.log.say(Weight::Trouble, &format!("warning: {warning}"));
        if !diagnostic.remedy.is_empty() {
            self.log.say(Weight::Trouble, &format!("  = help: {}", diagnostic.remedy));
        }
    }

    fn ready(&mut self, target: &str, version: &str, prepared: &Prepared) {
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

    fn side_by_side(&mut self, trials: &[&Trial], standing: &Standing) {
        let Some(first) = trials.first() else { return };
        let targets: Vec<String> = trials.iter().map(|trial| trial.key.target.clone()).collect();
        let TrialKey { test, level, repeat, .. } = &first.key;
        let targets = list(&targets);
        let how = match (standing.in_turns, standing.in_duet) {
            (Some(_), _) => "in turns",
            (None, true) => "at once",
            (None, false) => "side by side",
        };
        self.say(&format!("{how} on {targets}: {test}, {level}, repeat {repeat}"));
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

    fn ended(&mut self, record: &TrialRecord, standing: &Standing) {
        self.silence.remove(&record.position);
        let (how, weight) = match &record.end {
            TrialEnd::Completed(_) => ("", Weight::Normal),
            TrialEnd::Failed(failure) if failure.is_not_offered() => {
                ("not offered: ", Weight::Normal)
            }
            TrialEnd::Failed(_) => ("FAILED: ", Weight::Trouble),
        };
        let (Standing { done, total, counted, .. }, key) = (standing, &record.key);
        let what = outcome(record, *counted);
        self.log.say(weight, &format!("[{done}/{total}] {key}: {how}{what}"));
    }

    fn planned(&mut self, blocks: &[Block], before: &Plan) {
        let Some(first) = blocks.first() else { return };
        if first.number <= before.repeats() {
            self.say(&placed(first));
            return;
        }
        let added: usize = blocks.iter().map(|block| block.trials.len()).sum();
        let there: HashSet<TrialKey> = before.trials().map(cell).collect();
        self.say(&format!("block {}: {added} of {} cells open", first.number, there.len()));
    }
}

impl Observer for Lines {
    fn note(&mut self, news: &News<'_>, standing: &Standing) {
        match news {
            News::Event(event) => self.event(event, standing),
            News::Planned { blocks, before } => self.planned(blocks, before),
            News::Paused(_) | News::Judged(_) => {}
        }
    }
}
