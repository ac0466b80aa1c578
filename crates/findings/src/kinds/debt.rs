//! Check 4: work that the target put off before, during and after a load.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, duration, figure, list, percent};
use model::{Debt, DebtChange};
use serde::Serialize;
use std::time::Duration;

/// The load ran until debts were level, and was measured then.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SteadyStart {
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// The debts when it was measured, and when it began.
    pub debts: Vec<DebtChange>,
}

impl FindingKind for SteadyStart {
    const HEADING: &'static str = "Steady start";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let (least, most) = found.range(|start| start.seconds);
        let ran = match figure(least) == figure(most) {
            true => seconds(most),
            false => format!("{} to {}", figure(least), seconds(most)),
        };
        let amounts = amounts(&found.first.debts, found.is_one());
        format!(
            "before it was measured, the load ran for {ran}, until what the server puts off was level{amounts}"
        )
    }
}

/// The time in which debts were to become level was not enough.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotLevel {
    /// How long the load ran before it was measured, in seconds.
    pub seconds: f64,
    /// Debts that still grew or fell then.
    pub debts: Vec<DebtChange>,
}

impl FindingKind for NotLevel {
    const HEADING: &'static str = "No steady start";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let courses: Vec<String> = found.first.debts.iter().map(course).collect();
        let such = if found.is_one() { "" } else { ", for example: " };
        let courses = match such {
            "" => format!(" {}", list(&courses)),
            _ => format!("{such}{}", list(&courses)),
        };
        format!(
            "the server’s deferred work was not level when measuring began, after {} of load:{courses}; \
             raise `steady_within`",
            seconds(found.most(|one| one.seconds))
        )
    }
}

/// Debts were to become level, and the target told of none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebtsNotTold {}

impl FindingKind for DebtsNotTold {
    const HEADING: &'static str = "Steady start not known";
    const TOGETHER: bool = true;

    fn say(_found: &Group<'_, Self>) -> String {
        "the server does not report its deferred work, so it is not known whether the load was steady \
         when measuring began; give weighin’s account the right to read its counters, or give `warmup` a \
         length"
            .to_owned()
    }
}

/// The target put off work while it was measured, or did work that was put off before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebtChanged {
    /// From the beginning of the measured phase to its end.
    pub debt: DebtChange,
    /// How long that was, in seconds.
    pub seconds: f64,
}

impl DebtChanged {
    /// Whether there was more of it at the end.
    pub fn has_grown(&self) -> bool {
        self.debt.to > self.debt.from
    }

    /// By how much of its limit.
    fn share(&self) -> f64 {
        let DebtChange { from, to, limit, .. } = self.debt;
        to.abs_diff(from) as f64 / limit.unwrap_or(1).max(1) as f64
    }

    /// After how many seconds more at this pace the limit is reached.
    fn seconds_left(&self) -> Option<f64> {
        let DebtChange { from, to, limit, .. } = self.debt;
        let growth = to.checked_sub(from).filter(|&growth| growth > 0)?;
        Some(limit?.saturating_sub(to) as f64 / growth as f64 * self.seconds)
    }
}

impl FindingKind for DebtChanged {
    const HEADING: &'static str = "Rate not known to last";

    fn is_like(&self, other: &Self) -> bool {
        self.debt.debt == other.debt.debt && self.has_grown() == other.has_grown()
    }

    /// Of several the one that changed most.
    fn say(found: &Group<'_, Self>) -> String {
        let most = found.iter().max_by(|a, b| a.share().total_cmp(&b.share()));
        let most = most.unwrap_or(found.first);
        let such = if found.is_one() { "" } else { "at most, " };
        let course = format!("{such}{} in {}", course(&most.debt), seconds(most.seconds));
        if !most.has_grown() {
            return format!(
                "{course} of measurement: the server also did work left from before it, so the load may be \
                 faster than measured"
            );
        }
        let left = match most.seconds_left() {
            Some(left) if left >= 1.0 => {
                format!(": at this pace the limit is reached after {} more", seconds(left))
            }
            _ => ": the limit is reached".to_owned(),
        };
        format!(
            "{course} of measurement{left}, so whether the rate lasts is not known; a longer warm-up, or \
             `warmup = \"steady\"`, shows one that does"
        )
    }
}

/// Making the data of a load left work, which was waited for before the first trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadingLeftDebt {
    /// How long it was waited for, in seconds.
    pub seconds: f64,
    pub debts: Vec<DebtChange>,
    /// Whether all of it was done, or at least stood still.
    pub is_level: bool,
}

impl FindingKind for LoadingLeftDebt {
    const HEADING: &'static str = "Debt of loading";

    fn severity(&self) -> Severity {
        if self.is_level { Severity::Notice } else { Severity::Warning }
    }

    fn say(found: &Group<'_, Self>) -> String {
        let courses: Vec<String> = found.first.debts.iter().map(course).collect();
        let end = match found.first.is_level {
            true => "",
            false => ", and the server was still working on it when the first trial began",
        };
        format!(
            "before the first trial, weighin waited {} for what loading had left to do: {}{end}",
            seconds(found.first.seconds),
            list(&courses)
        )
    }
}

fn seconds(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds.round()).unwrap_or_default())
}

/// `checkpoint age grew from 10 % to 78 % of the log`.
fn course(change: &DebtChange) -> String {
    let DebtChange { debt, from, to, .. } = *change;
    if debt.is_work() {
        return match to {
            0 => format!("{} ended", name(debt)),
            _ => format!("{} was under way", name(debt)),
        };
    }
    let way = match from.cmp(&to) {
        std::cmp::Ordering::Less => "grew",
        std::cmp::Ordering::Equal => {
            return format!("{} stayed at {}", name(debt), amount(change, to));
        }
        std::cmp::Ordering::Greater => "fell",
    };
    match change.limit {
        // As little as nobody sees in figures that are printed.
        Some(_) if amount(change, from) == amount(change, to) => {
            format!("{} stayed at {}", name(debt), amount(change, to))
        }
        Some(limit) => format!(
            "{} {way} from {} to {}",
            name(debt),
            percent(from as f64 / limit.max(1) as f64),
            amount(change, to)
        ),
        None => format!("{} {way} from {} to {}", name(debt), count(from), count(to)),
    }
}

/// How much there was of each at the end, in parentheses; of one trial only.
fn amounts(debts: &[DebtChange], of_one: bool) -> String {
    let amounts: Vec<String> = debts
        .iter()
        .filter(|change| !change.debt.is_work())
        .map(|change| format!("{} {}", name(change.debt), amount(change, change.to)))
        .collect();
    match of_one && !amounts.is_empty() {
        true => format!(" ({})", list(&amounts)),
        false => String::new(),
    }
}

fn name(debt: Debt) -> &'static str {
    match debt {
        Debt::CheckpointAge => "checkpoint age",
        Debt::ChangedData => "changed data in memory",
        Debt::OldVersions => "old row versions",
        Debt::DeadRows => "dead rows",
        Debt::Snapshot => "a snapshot",
        Debt::LogRewrite => "a rewrite of the log",
        Debt::Checkpoint => "a checkpoint",
        Debt::Cleanup => "cleaning of dead rows",
    }
}

/// `78 % of the log`.
fn amount(change: &DebtChange, value: u64) -> String {
    let Some(limit) = change.limit else { return count(value) };
    let share = percent(value as f64 / limit.max(1) as f64);
    let of = match change.debt {
        Debt::CheckpointAge => "the log",
        Debt::ChangedData => "the cache",
        Debt::DeadRows => "the number at which autovacuum begins",
        _ => "what the server allows",
    };
    format!("{share} of {of}")
}
