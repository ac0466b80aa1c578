//! What HammerDB prints of TPROC-C and TPROC-H.

mod queries;
mod timing;

use crate::figures::{self, Figures, percentile, problem, trial, with_unit};
use crate::{Format, Parsed, Source, printed_number};
use model::{Failure, FailureKind, FigureNumber, Level, Outcome, TrialEnd};

/// What HammerDB prints of its timed test of TPROC-C and of the query sets of TPROC-H, as its log or in
/// the results of a job; a file may hold several runs. What its time profile prints of all virtual users
/// is read as well.
#[derive(Clone, Copy, Debug)]
pub struct HammerDb;

const RESULT: &str = "TEST RESULT : System achieved ";
const PERIOD: &str = "Timing test period of ";
const USERS: &str = " Active Virtual Users configured";
const PROFILE: &str = ">>>>> SUMMARY OF ";
const PROCEDURE: &str = ">>>>> PROC: ";
/// The procedure that new orders are made with.
const NEW_ORDER: &str = "NEWORD";

impl Format for HammerDb {
    fn name(&self) -> &'static str {
        "hammerdb"
    }

    fn description(&self) -> &'static str {
        "what HammerDB prints of TPROC-C and TPROC-H"
    }

    fn recognises(&self, text: &str) -> bool {
        text.contains(RESULT) || queries::recognises(text) || timing::recognises(text)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let mut run = Run::default();
        for (number, line) in source.lines() {
            for line in texts(line) {
                let begins = [PERIOD, USERS, RESULT].iter().any(|first| line.contains(first));
                if begins && run.has_result {
                    finish(&source, std::mem::take(&mut run), &mut parsed);
                }
                if run.take(number, line).is_none() {
                    let message = format!("not understood: «{}»", line.trim());
                    parsed.problems.push(problem(&source, number, message));
                }
            }
        }
        finish(&source, run, &mut parsed);
        if timing::recognises(source.text) {
            timing::attach(&source, &mut parsed);
        }
        if queries::recognises(source.text) {
            queries::parse(&source, &mut parsed);
        }
        parsed
    }
}

/// The texts of a line: several where it is an array of JSON.
fn texts(line: &str) -> impl Iterator<Item = &str> {
    let array = line.trim_start().starts_with('[') || line.contains("\",");
    let parts = if array { line.split('"') } else { line.split('\0') };
    parts.filter(move |part| !array || part.len() > 1)
}

#[derive(Default)]
struct Run {
    users: Option<u32>,
    has_result: bool,
    /// How many virtual users gave up.
    failed: u32,
    /// Of which procedure the lines of the profile are; absent outside of that of all users.
    procedure: Option<String>,
    in_profile: bool,
    figures: Figures,
}

impl Run {
    /// `None` when a line of a result is not understood.
    fn take(&mut self, number: u32, line: &str) -> Option<()> {
        let line = line.trim().trim_matches(['"', ',']);
        if let Some(before) = line.strip_suffix(USERS) {
            self.users = Some(before.rsplit([':', ' ']).next()?.parse().ok()?);
        } else if let Some((_, result)) = line.split_once(RESULT) {
            self.has_result = true;
            self.result(number, result)?;
        } else if let Some((_, minutes)) = line.split_once(PERIOD) {
            let (minutes, _) = minutes.split_once(' ')?;
            self.figures.printed("duration", minutes, "min", number).then_some(())?;
        } else if line.ends_with(":FINISHED FAILED") {
            self.failed += 1;
        } else if line.starts_with(PROFILE) {
            self.in_profile = true;
        } else if let Some(procedure) = line.strip_prefix(PROCEDURE) {
            self.procedure = self.in_profile.then(|| procedure.trim().to_owned());
        } else if line.starts_with(">>>>>") {
            (self.procedure, self.in_profile) = (None, false);
        } else if let Some(procedure) = self.procedure.clone() {
            self.times(number, &procedure, line);
        }
        Some(())
    }

    /// `35839 NOPM from 83369 MySQL TPM`; before version 4 `83369 MySQL TPM at 35839 NOPM`.
    fn result(&mut self, number: u32, text: &str) -> Option<()> {
        let (first, second) = text.split_once(" from ").or_else(|| text.split_once(" at "))?;
        for part in [first, second] {
            let (value, unit) = part.split_once(' ')?;
            let value = printed_number(value)?;
            if unit.trim_end() == "NOPM" {
                self.figures.number("new_orders_per_min", value, "1/min", number);
            } else if unit.trim_end().ends_with("TPM") {
                // Counted by the server, each kind in its own way.
                self.figures.number("server_transactions_per_min", value, "1/min", number);
            } else {
                return None;
            }
        }
        Some(())
    }

    /// `CALLS: 9  MIN: 1.0ms  AVG: 2.0ms …` of a procedure. Latencies without a name before them are
    /// those of new orders, which the result counts.
    fn times(&mut self, number: u32, procedure: &str, line: &str) {
        let prefix = match procedure {
            NEW_ORDER => String::new(),
            other => format!("{}_", other.to_lowercase()),
        };
        for part in line.split('\t') {
            let Some((name, value)) = part.trim().split_once(": ") else { continue };
            let (value, unit) = with_unit(value);
            let metric = match name {
                "CALLS" => {
                    if let Ok(calls) = value.parse::<u64>() {
                        let calls = FigureNumber { value: calls as f64, resolution: 0.0 };
                        self.figures.number(&format!("{prefix}calls"), calls, "", number);
                    }
                    continue;
                }
                "MIN" => "latency_min".to_owned(),
                "AVG" => "latency_avg".to_owned(),
                "MAX" => "latency_max".to_owned(),
                "SD" => continue,
                rank => match rank.strip_prefix('P').and_then(|rank| rank.parse().ok()) {
                    Some(rank) => percentile(rank),
                    None => continue,
                },
            };
            if unit == "ms" {
                let note = format!("of {procedure}");
                if let Some(value) = printed_number(value) {
                    self.figures.noted(&format!("{prefix}{metric}"), value, unit, &note, number);
                }
            }
        }
    }
}

fn finish(source: &Source<'_>, run: Run, parsed: &mut Parsed) {
    if !run.has_result {
        return;
    }
    let end = match run.failed {
        0 => {
            let outcome = Outcome::printed(source.file, "HammerDB", run.figures.0);
            TrialEnd::Completed(Box::new(outcome))
        }
        // What the others achieved is no result of the load that was asked for.
        failed => {
            let users = figures::plural(failed as usize, "virtual user");
            let reason = format!("HammerDB: {users} gave up (FINISHED FAILED)");
            TrialEnd::Failed(Failure::new(FailureKind::Other, reason, ""))
        }
    };
    let level = run.users.map_or(Level::NONE, Level::clients);
    parsed.trials.push(trial(source, "hammerdb", level, end));
}
