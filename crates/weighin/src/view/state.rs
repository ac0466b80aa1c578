//! What a view shows, and what keys change of it. Text from outside is made harmless as it comes in.

use super::keys::Key;
use crate::progress::{TimeLeft, TrialCount};
use analyse::{Severity, Validity};
use model::{Interval, Latencies, Phase, Sample, Stop, Trial, UnitName, text};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Seconds of throughput that are kept to be drawn.
const HISTORY: usize = 240;
/// Most steps of a search that are shown.
const MOST_STEPS: usize = 3;
/// Most disks that are shown: the busiest.
const MOST_DISKS: usize = 2;
/// Most characters of a note.
const LONGEST_NOTE: usize = 500;
/// Rows that a page key scrolls.
const PAGE: usize = 10;

/// What the user asks for by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Whether to pause before the next trial.
    Pause(bool),
    Note(String),
    Stop,
}

/// What keys mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Commands,
    /// Whether to skip the trials under way.
    AsksToSkip,
    AsksToStop,
    /// A note is being written.
    Note(String),
}

/// Of a run while it goes on.
pub(crate) struct State {
    pub(super) study: String,
    pub(super) counted: UnitName,
    pub(super) total: usize,
    pub(super) done: usize,
    pub(super) left: TimeLeft,
    /// What is done before and between trials.
    pub(super) doing: String,
    /// Those under way, several where targets run side by side.
    pub(super) trials: Vec<CurrentTrial>,
    pub(super) ended: Vec<EndedTrial>,
    /// Warnings from before the first trial.
    pub(super) warnings: Vec<Sentence>,
    /// What is waited for, where that takes long.
    pub(super) waits: Vec<Sentence>,
    /// What may be said of the trials so far.
    pub(super) said: Vec<Sentence>,
    pub(super) mode: Mode,
    /// How many trials there are below those that are shown.
    pub(super) below: usize,
    /// Whether to pause before the next trial.
    pub(super) pauses: bool,
    /// Since when it pauses.
    pub(super) paused: Option<Instant>,
    pub(super) is_stopping: bool,
    /// What the last key came to, and when.
    pub(super) reply: Option<(&'static str, Instant)>,
}

/// A trial under way.
pub(super) struct CurrentTrial {
    /// In the plan.
    position: u32,
    pub(super) name: String,
    pub(super) place: usize,
    /// When its load began, as far as is known, and how long that takes.
    pub(super) began: Option<Instant>,
    pub(super) load_time: Duration,
    pub(super) skip: Stop,
    pub(super) is_skipped: bool,
    pub(super) last: Option<Second>,
    /// Of all seconds of the measured phase.
    pub(super) measured: Totals,
    /// Transactions per second, of each second.
    pub(super) rates: Vec<u64>,
    pub(super) steps: Vec<String>,
    pub(super) host: Option<HostNow>,
}

/// A second of a load.
pub(super) struct Second {
    pub(super) phase: Phase,
    pub(super) account: Totals,
}

/// What a load did in some time.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) seconds: f64,
    pub(super) transactions: u64,
    pub(super) errors: u64,
    pub(super) latencies: Latencies,
}

impl Totals {
    fn add(&mut self, interval: &Interval, latencies: &Latencies) {
        self.seconds += interval.length.as_secs_f64();
        self.transactions += interval.transactions;
        self.errors += interval.errors;
        self.latencies.merge(latencies);
    }

    /// Transactions per second.
    pub(super) fn rate(&self) -> f64 {
        self.transactions as f64 / self.seconds.max(1e-9)
    }
}

/// What a machine does.
pub(crate) struct HostNow {
    /// Shares of all processors.
    pub(super) busy: f64,
    pub(super) waiting: f64,
    pub(super) stolen: f64,
    /// Processors used.
    pub(super) server: Option<f64>,
    pub(super) delay: Option<f64>,
    pub(super) weighin: f64,
    /// Name, share of time in which it had work, bytes read and written per second; the busiest first.
    pub(super) disks: Vec<(String, f64, f64, f64)>,
}

impl HostNow {
    pub(crate) fn from_sample(sample: &Sample) -> Self {
        let mut disks: Vec<_> = sample.disks.iter().filter(|disk| disk.ios() > 0.0).collect();
        disks.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
        let disks = disks.into_iter().take(MOST_DISKS).map(|disk| {
            let name = text::line(&disk.device).into_owned();
            (name, disk.utilisation, disk.read_bytes, disk.written_bytes)
        });
        Self {
            busy: sample.cpu.busy(),
            waiting: sample.cpu.iowait,
            stolen: sample.cpu.steal,
            server: sample.server.map(|server| server.cpus),
            weighin: sample.client.cpus,
            delay: sample.delay_cpus,
            disks: disks.collect(),
        }
    }
}

/// A trial that is over.
pub(super) struct EndedTrial {
    /// Its position in the plan.
    pub(super) position: u32,
    pub(super) name: String,
    pub(super) figures: String,
    pub(super) end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Whether conclusions may rest on it, once that was looked at.
    Completed(Option<Validity>),
    Failed,
    NotOffered,
}

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    /// Of a finding.
    pub(super) severity: Option<Severity>,
    pub(super) text: String,
}

impl Sentence {
    pub(crate) fn new(severity: Option<Severity>, text: &str) -> Self {
        Self { severity, text: text::line(text).into_owned() }
    }
}

impl State {
    pub(crate) fn new(study: &str, counted: UnitName, trials: TrialCount, left: TimeLeft) -> Self {
        Self {
            study: text::line(study).into_owned(),
            counted,
            total: trials.total,
            done: trials.done,
            left,
            doing: "beginning".to_owned(),
            trials: Vec::new(),
            ended: Vec::new(),
            warnings: Vec::new(),
            waits: Vec::new(),
            said: Vec::new(),
            mode: Mode::default(),
            below: 0,
            pauses: false,
            paused: None,
            is_stopping: false,
            reply: None,
        }
    }

    /// What is being done; of a trial that searches the last step.
    pub(crate) fn doing(&mut self, what: &str) {
        self.doing = text::line(what).into_owned();
    }

    pub(crate) fn warned(&mut self, message: &str) {
        self.warnings.push(Sentence::new(Some(Severity::Warning), message));
    }

    /// What is waited for now, where that takes long.
    pub(super) fn waits_for(&mut self, waits: &[String]) {
        let said = waits.iter().map(|wait| Sentence::new(Some(Severity::Warning), wait));
        self.waits = said.collect();
    }

    pub(crate) fn planned(&mut self, total: usize) {
        self.total = total;
    }

    /// It pauses, or goes on.
    pub(crate) fn paused(&mut self, since: Option<Instant>) {
        self.paused = since;
    }

    pub(crate) fn trial_started(&mut self, trial: &Trial, skip: Stop, left: TimeLeft) {
        self.left = left;
        let place = self.done + 1 + self.trials.len();
        self.trials.push(CurrentTrial {
            position: trial.position,
            name: text::line(&trial.key.to_string()).into_owned(),
            place,
            began: None,
            load_time: trial.load_time,
            skip,
            is_skipped: false,
            last: None,
            measured: Totals::default(),
            rates: Vec::new(),
            steps: Vec::new(),
            host: None,
        });
        self.doing("preparing");
    }

    fn trial(&mut self, position: u32) -> Option<&mut CurrentTrial> {
        self.trials.iter_mut().find(|trial| trial.position == position)
    }

    pub(crate) fn second(&mut self, position: u32, interval: &Interval, now: Instant) {
        let Some(trial) = self.trial(position) else { return };
        let latencies = interval.latencies.unpack();
        trial.began = now.checked_sub(interval.start + interval.length);
        let mut account = Totals::default();
        account.add(interval, &latencies);
        if trial.rates.len() >= HISTORY {
            trial.rates.remove(0);
        }
        trial.rates.push(account.rate() as u64);
        if interval.phase == Phase::Measure {
            trial.measured.add(interval, &latencies);
        }
        trial.last = Some(Second { phase: interval.phase, account });
    }

    /// A search has learned something.
    pub(crate) fn searched(&mut self, position: u32, what: &str) {
        let Some(trial) = self.trial(position) else { return };
        if trial.steps.len() >= MOST_STEPS {
            trial.steps.remove(0);
        }
        trial.steps.push(text::line(what).into_owned());
    }

    pub(crate) fn sampled(&mut self, host: HostNow) {
        if let Some(trial) = self.trials.first_mut() {
            trial.host = Some(host);
        }
    }

    pub(crate) fn trial_ended(
        &mut self,
        position: u32,
        name: &str,
        figures: &str,
        end: End,
        left: TimeLeft,
    ) {
        self.trials.retain(|trial| trial.position != position);
        self.done += 1;
        self.left = left;
        if self.mode == Mode::AsksToSkip && self.trials.is_empty() {
            // What the answer was meant for is over.
            self.mode = Mode::Commands;
        }
        // Who looks at earlier ones goes on looking at them.
        self.below += usize::from(self.below > 0);
        let (name, figures) = (text::line(name).into_owned(), text::line(figures).into_owned());
        self.ended.push(EndedTrial { position, name, figures, end });
        if self.trials.is_empty() {
            self.doing("between two trials");
        }
    }

    /// What may be said of the trials so far.
    pub(crate) fn judged(&mut self, validities: &BTreeMap<u32, Validity>, said: Vec<Sentence>) {
        for trial in &mut self.ended {
            if let (End::Completed(known), Some(found)) =
                (&mut trial.end, validities.get(&trial.position))
            {
                *known = Some(*found);
            }
        }
        self.said = said;
    }

    /// Takes a key.
    pub(crate) fn key(&mut self, key: Key, now: Instant) -> Option<Wish> {
        self.reply = None;
        match std::mem::take(&mut self.mode) {
            Mode::Commands => self.command(key, now),
            Mode::AsksToSkip => {
                self.skip_if(key == Key::Char('y'));
                None
            }
            Mode::AsksToStop => {
                let is_new = key == Key::Char('y') && !self.is_stopping;
                self.is_stopping |= is_new;
                is_new.then_some(Wish::Stop)
            }
            Mode::Note(note) => self.note(note, key, now),
        }
    }

    fn skip_if(&mut self, is_wanted: bool) {
        for trial in self.trials.iter_mut().filter(|_| is_wanted) {
            trial.skip.request();
            trial.is_skipped = true;
        }
    }

    fn note(&mut self, mut note: String, key: Key, now: Instant) -> Option<Wish> {
        match key {
            Key::Escape => return None,
            Key::Enter => {
                let note = note.trim();
                if note.is_empty() {
                    return None;
                }
                self.reply = Some(("Noted: it will be in the report.", now));
                return Some(Wish::Note(note.to_owned()));
            }
            Key::Backspace => drop(note.pop()),
            Key::Char(c) if note.chars().count() < LONGEST_NOTE => note.push(c),
            _ => {}
        }
        self.mode = Mode::Note(note);
        None
    }

    fn command(&mut self, key: Key, now: Instant) -> Option<Wish> {
        match key {
            Key::Char('p') => {
                self.pauses = !self.pauses;
                return Some(Wish::Pause(self.pauses));
            }
            Key::Char('s') if !self.trials.is_empty() => self.mode = Mode::AsksToSkip,
            Key::Char('s') => self.reply = Some(("No trial is under way.", now)),
            Key::Char('n') => self.mode = Mode::Note(String::new()),
            Key::Char('q') => self.mode = Mode::AsksToStop,
            Key::Up | Key::Char('k') => self.scroll(1),
            Key::PageUp => self.scroll(PAGE as isize),
            Key::Home => self.below = self.ended.len(),
            Key::Down | Key::Char('j') => self.scroll(-1),
            Key::PageDown => self.scroll(-(PAGE as isize)),
            Key::End => self.below = 0,
            _ => {}
        }
        None
    }

    fn scroll(&mut self, rows: isize) {
        self.below = self.below.saturating_add_signed(rows).min(self.ended.len());
    }
}
