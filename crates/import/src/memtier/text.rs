//! What memtier_benchmark prints.

use crate::figures::{self, Figures, percentile, problem};
use crate::{ImportedTrial, Knob, Parsed, Source};
use model::{Level, Outcome, TrialEnd};

const HEADING: &str = "ALL STATS";
const AVERAGE: &str = "AGGREGATED AVERAGE RESULTS";
const CHOSEN: [&str; 2] = ["BEST RUN RESULTS", "WORST RUN RESULTS"];
const THREADS: &str = "Threads";
const CONNECTIONS: &str = "Connections per thread";

pub(super) fn recognises(text: &str) -> bool {
    let is_table = |line: &str| line.starts_with("Type") && line.contains("Ops/sec");
    text.lines().any(is_table)
        && text.lines().any(|line| line.trim_end() == HEADING || line.starts_with(AVERAGE))
}

/// Reads the tables that it prints at its end, of one or more runs. Of several runs together
/// (`--run-count`) the average is taken, as from its JSON.
pub(super) fn parse(source: &Source<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    let mut reading = Reading::default();
    for (number, line) in source.lines() {
        if let Err(message) = reading.take(source, number, line.trim_end(), &mut parsed.trials) {
            parsed.problems.push(problem(source, number, message));
        }
    }
    if parsed.trials.is_empty() {
        let message = "memtier_benchmark's table has no line of Totals";
        parsed.problems.push(problem(source, 0, message));
    }
    parsed
}

#[derive(Default)]
struct Reading {
    threads: Option<u32>,
    connections: Option<u32>,
    /// What the table that follows is of; absent where it is one that was chosen by what it is.
    note: Option<String>,
    columns: Vec<String>,
    figures: Figures,
}

impl Reading {
    fn take(
        &mut self,
        source: &Source<'_>,
        number: u32,
        line: &str,
        trials: &mut Vec<ImportedTrial>,
    ) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [count, name @ ..] = &words[..]
            && let Ok(count) = count.parse::<u32>()
        {
            match name.join(" ").as_str() {
                THREADS => self.threads = Some(count),
                CONNECTIONS => self.connections = Some(count),
                _ => {}
            }
            return Ok(());
        }
        if line == HEADING {
            self.note = Some(String::new());
        } else if line.starts_with(AVERAGE) {
            self.note = Some(line.trim().to_lowercase());
        } else if CHOSEN.iter().any(|chosen| line.starts_with(chosen)) {
            self.note = None;
        } else if words.first() == Some(&"Type") && words.contains(&"Ops/sec") {
            self.columns = columns(line);
        } else if let Some(note) = self.note.clone()
            && !self.columns.is_empty()
            && words.len() > 1
        {
            let of = match words[0] {
                "Totals" => String::new(),
                name if words.len() == self.columns.len() => name.to_lowercase(),
                // What follows a table: its distribution of latencies, with a heading of its own.
                _ => {
                    self.columns.clear();
                    return Ok(());
                }
            };
            self.row(number, &of, &words, &note)
                .ok_or_else(|| format!("not understood: «{line}»"))?;
            if of.is_empty() {
                self.columns.clear();
                trials.push(self.trial(source));
            }
        }
        Ok(())
    }

    fn row(&mut self, line: u32, of: &str, words: &[&str], note: &str) -> Option<()> {
        if words.len() != self.columns.len() {
            return None;
        }
        let prefix = if of.is_empty() { String::new() } else { format!("{of}_") };
        let mut row = Figures::default();
        let mut sent = true;
        for (column, word) in self.columns.iter().zip(words).skip(1) {
            // Of what a command does not count it prints dashes; of what never came, no number.
            if matches!(*word, "---" | "nan" | "-nan" | "inf" | "-inf") {
                continue;
            }
            let value = crate::printed_number(word)?;
            let (metric, unit) = match column.as_str() {
                "Ops/sec" => {
                    sent = value.value > 0.0;
                    ("operations_per_s".to_owned(), "1/s")
                }
                "Hits/sec" => ("hits_per_s".to_owned(), "1/s"),
                "Misses/sec" => ("misses_per_s".to_owned(), "1/s"),
                "Latency" | "Avg. Latency" => ("latency_avg".to_owned(), "ms"),
                "Min. Latency" => ("latency_min".to_owned(), "ms"),
                "Max. Latency" => ("latency_max".to_owned(), "ms"),
                "KB/sec" => ("bandwidth".to_owned(), "KB/s"),
                "Connection Errors" => ("errors".to_owned(), ""),
                other => {
                    let rank = other.strip_prefix('p')?.strip_suffix(" Latency")?.parse().ok()?;
                    (percentile(rank), "ms")
                }
            };
            row.noted(&format!("{prefix}{metric}"), value, unit, note, line);
        }
        // A command that was never sent.
        if sent || of.is_empty() {
            self.figures.0.append(&mut row.0);
        }
        Some(())
    }

    fn trial(&mut self, source: &Source<'_>) -> ImportedTrial {
        let figures = std::mem::take(&mut self.figures);
        let outcome = Outcome::printed(source.file, "memtier_benchmark", figures.0);
        let clients = self.threads.zip(self.connections);
        let level = clients
            .and_then(|(threads, each)| threads.checked_mul(each))
            .map_or(Level::NONE, Level::clients);
        let end = TrialEnd::Completed(Box::new(outcome));
        let mut trial = figures::trial(source, "memtier", level, end);
        if let Some((threads, each)) = clients {
            trial.said = vec![
                (Knob::Threads, u64::from(threads)),
                (Knob::ClientsPerThread, u64::from(each)),
            ];
        }
        trial
    }
}

/// The names of columns, of which some have a space: `Avg. Latency`, `p99.9 Latency`.
fn columns(heading: &str) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for word in heading.split_whitespace() {
        match columns.last_mut() {
            Some(last)
                if word == "Errors"
                    || (word == "Latency"
                        && (matches!(last.as_str(), "Avg." | "Min." | "Max.")
                            || last.starts_with('p'))) =>
            {
                *last = format!("{last} {word}");
            }
            _ => columns.push(word.to_owned()),
        }
    }
    columns
}
