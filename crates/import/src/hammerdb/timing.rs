//! What HammerDB 5 gives of a job as JSON: times of procedures (`job ID timing`).

use super::NEW_ORDER;
use crate::figures::{Figures, percentile, problem};
use crate::json::{Json, documents};
use crate::{Parsed, Source, printed_number};
use model::{FigureNumber, TrialEnd};

/// What HammerDB calls the times of a procedure, in milliseconds.
const TIMES: [(&str, &str); 3] =
    [("min_ms", "latency_min"), ("avg_ms", "latency_avg"), ("max_ms", "latency_max")];

/// How deep objects are searched for times.
const DEEPEST: usize = 4;

pub(super) fn recognises(text: &str) -> bool {
    text.contains("\"NEWORD\"") && text.contains("\"avg_ms\"")
}

/// Gives the trials of a file the times that follow their results: as many as there are trials.
pub(super) fn attach(source: &Source<'_>, parsed: &mut Parsed) {
    let mut found = Vec::new();
    for (line, json) in documents(source.text, source.budget).into_iter().flatten() {
        search(json, line, DEEPEST, &mut found);
    }
    if found.is_empty() || found.len() != parsed.trials.len() {
        let line = found.first().map_or(0, |(line, _)| *line);
        let message = "times of procedures that belong to no result of their file; keep what \
                       `job ID result` and `job ID timing` give in one file";
        return parsed.problems.push(problem(source, line, message));
    }
    for (trial, (line, json)) in parsed.trials.iter_mut().zip(found) {
        let TrialEnd::Completed(outcome) = &mut trial.end else { continue };
        let mut own = Figures::default();
        figures(json, line, &mut own);
        own.0.retain(|figure| outcome.figure(&figure.metric).is_none());
        outcome.figures.append(&mut own.0);
    }
}

/// The objects that have the times of procedures.
fn search<'a>(json: Json<'a>, line: u32, deep: usize, found: &mut Vec<(u32, Json<'a>)>) {
    if json.at(&[NEW_ORDER, "calls"]).is_some() && json.at(&[NEW_ORDER, "avg_ms"]).is_some() {
        found.push((line, json));
    } else if deep > 0 {
        json.members().into_values().for_each(|member| search(member, line, deep - 1, found));
    }
}

/// Writes the figures of all procedures. Latencies without a name before them are those of new orders,
/// which the result counts.
fn figures(json: Json<'_>, line: u32, figures: &mut Figures) {
    for (procedure, times) in json.members() {
        let prefix = match procedure.as_str() {
            NEW_ORDER => String::new(),
            other => format!("{}_", other.to_lowercase()),
        };
        let note = format!("of {procedure}");
        let mut add = |metric: &str, value: FigureNumber, unit: &str| {
            figures.noted(&format!("{prefix}{metric}"), value, unit, &note, line);
        };
        for (name, value) in times.members() {
            let Some(number) = number(value) else { continue };
            if name == "calls" {
                add("calls", FigureNumber { resolution: 0.0, ..number }, "");
            } else if let Some((_, metric)) = TIMES.iter().find(|(known, _)| *known == name) {
                add(metric, number, "ms");
            } else if let Some(rank) =
                name.strip_prefix('p').and_then(|name| name.strip_suffix("_ms"))
                && let Ok(rank) = rank.parse()
            {
                add(&percentile(rank), number, "ms");
            }
        }
    }
}

/// HammerDB writes its numbers as texts.
fn number(json: Json<'_>) -> Option<FigureNumber> {
    json.number().or_else(|| printed_number(&json.text()?))
}
