//! What lies beside results: what was sampled while they were measured, and what the server says
//! of itself.

use crate::{CompanionContent, CompanionFile, ImportedTrial, Problem, belongs, path};
use model::{CounterReading, ServerCounters, ServerFacts, TargetFacts};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Names of variables that a message lists at most.
const MAX_NAMES: usize = 5;

/// Gives the trials what lies beside them, and the targets their variables.
///
/// Whose they are, [`belongs`] says. Of several readings of counters the one with the shortest uptime is
/// before the load and the one with the longest after it.
pub(crate) fn attach(
    trials: &mut [ImportedTrial],
    beside: Vec<CompanionFile>,
    problems: &mut Vec<Problem>,
) -> Vec<TargetFacts> {
    let mut readings: BTreeMap<usize, Vec<(u64, ServerCounters, String, u32)>> = BTreeMap::new();
    let mut facts: Vec<(TargetFacts, String)> = Vec::new();
    let mut dumps = Vec::new();
    for CompanionFile { file, line, says } in beside {
        let own = match &says {
            CompanionContent::Variables(variables) => {
                match belongs::targets(trials, &file) {
                    Ok(targets) => dumps.push((targets, variables.clone(), file, line)),
                    Err(message) => {
                        let message = format!("left out: {message}");
                        problems.push(Problem { file, line, message });
                    }
                }
                continue;
            }
            CompanionContent::Samples(_) | CompanionContent::Counters(..) => {
                belongs::owner(trials, &file)
            }
        };
        match (own, says) {
            (Err(message), _) => problems.push(Problem { file, line, message }),
            (Ok(own), CompanionContent::Counters(uptime, counters)) => {
                readings.entry(own).or_default().push((uptime, counters, file, line));
            }
            (Ok(own), CompanionContent::Samples(samples))
                if trials[own].sampling.samples.is_empty() =>
            {
                trials[own].sampling.samples = samples;
            }
            (Ok(_), _) => {
                let message = "its trial has samples from another file already".to_owned();
                problems.push(Problem { file, line, message });
            }
        }
    }
    // Of two dumps the one that says more of whose it is counts: of fewer targets, or further down.
    dumps.sort_by_key(|(targets, _, file, _)| (targets.len(), Reverse(path::depth(file))));
    for (targets, variables, file, line) in &dumps {
        for target in targets {
            problems.extend(learn(&mut facts, target, variables, file, *line).err());
        }
    }
    for (own, mut readings) in readings {
        readings.sort_by_key(|reading| reading.0);
        let (Some(first), Some(last)) = (readings.first(), readings.last()) else { continue };
        if first.0 == last.0 {
            let message = "a single reading of counters says nothing about a load".to_owned();
            problems.push(Problem { file: first.2.clone(), line: first.3, message });
            continue;
        }
        let reading = |from: &(u64, ServerCounters, String, u32)| CounterReading {
            at_seconds: (from.0 - first.0) as f64,
            counters: from.1.clone(),
        };
        let (before, after) = (reading(first), reading(last));
        trials[own].sampling.before = Some(before);
        trials[own].sampling.after = Some(after);
    }
    facts.into_iter().map(|(facts, _)| facts).collect()
}

/// Notes a target's variables. Those that are known already stay as they are.
fn learn(
    facts: &mut Vec<(TargetFacts, String)>,
    target: &str,
    variables: &BTreeMap<String, String>,
    file: &str,
    line: u32,
) -> Result<(), Problem> {
    let Some((known, known_file)) = facts.iter().find(|(facts, _)| facts.target == target) else {
        let server = ServerFacts {
            version: variables.get("version").cloned().unwrap_or_default(),
            variables: variables.clone(),
            ..ServerFacts::default()
        };
        facts.push((TargetFacts { target: target.to_owned(), server }, file.to_owned()));
        return Ok(());
    };
    let differs =
        |(name, value): &(&String, &String)| known.server.variables.get(*name) != Some(*value);
    let names: Vec<&str> =
        variables.iter().filter(differs).map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let more = if names.len() > MAX_NAMES { " and others" } else { "" };
    let shown = names[..names.len().min(MAX_NAMES)].join(", ");
    let message =
        format!("{target} has other variables in {known_file}, which count: {shown}{more}");
    Err(Problem { file: file.to_owned(), line, message })
}
