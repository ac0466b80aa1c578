//! memtier_benchmark's JSON.

use crate::figures::{self, Figures, problem};
use crate::json::{Json, documents, without_stray_lines};
use crate::{Format, ImportedTrial, Knob, Parsed, Source};
use model::{EncodedLatencies, Latencies, Level, Outcome, TrialEnd, UnixMillis};
use std::collections::BTreeMap;

/// What memtier_benchmark writes with `--json-out-file`. Of its configuration only the numbers of
/// threads and clients are read: it holds passwords.
#[derive(Clone, Copy, Debug)]
pub struct MemtierJson;

/// The results of a single run.
const ALL: &str = "ALL STATS";
/// What the results of several runs together begin with. Best and worst are left out: they were
/// chosen by what they are.
const AVERAGE: &str = "AGGREGATED AVERAGE RESULTS";
/// memtier's histograms count microseconds.
const MICROSECOND: u64 = 1000;

impl Format for MemtierJson {
    fn name(&self) -> &'static str {
        "memtier"
    }

    fn description(&self) -> &'static str {
        "memtier_benchmark's JSON"
    }

    fn recognises(&self, text: &str) -> bool {
        [ALL, AVERAGE].iter().any(|name| text.contains(&format!("\"{name}")))
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let (text, stray) = without_stray_lines(source.text);
        for (line, _) in stray {
            // Not shown: what tools print may hold what they were given.
            parsed.problems.push(problem(&source, line, "a message within the JSON, left out"));
        }
        for document in documents(&text) {
            let (line, message) = match document {
                Ok((line, json)) => match trial(&source, &json.members()) {
                    Some(trial) => {
                        parsed.trials.push(trial);
                        continue;
                    }
                    None => (line, format!("the document has no {ALL} with Totals")),
                },
                Err(problem) => problem,
            };
            parsed.problems.push(problem(&source, line, message));
        }
        parsed
    }
}

fn trial(source: &Source<'_>, members: &BTreeMap<String, Json<'_>>) -> Option<ImportedTrial> {
    let averaged = || members.iter().find(|(name, _)| name.starts_with(AVERAGE));
    let (stats, note) = match members.get(ALL) {
        Some(all) => (all, String::new()),
        None => averaged().map(|(name, stats)| (stats, name.to_lowercase()))?,
    };
    let mut figures = Figures::default();
    let totals = stats.at(&["Totals"])?;
    command("", totals, &note, &mut figures);
    for (name, json) in stats.members() {
        // Sets, Gets, Waits, and the names of arbitrary commands.
        if !matches!(name.as_str(), "Totals" | "Runtime") && json.at(&["Ops/sec"]).is_some() {
            command(&format!("{}_", name.to_lowercase()), json, &note, &mut figures);
        }
    }
    let runtime = |name: &str| stats.at(&["Runtime", name]);
    if let Some(duration) = runtime("Total duration").and_then(Json::number) {
        figures.number("elapsed", duration, "ms", 0);
    }
    let clients = clients(members);
    let level = clients.map_or(Level::NONE, Level::clients);
    let end = TrialEnd::Completed(Box::new(Outcome {
        latencies: histogram(totals),
        ..Outcome::printed(source.file, "memtier_benchmark", figures.0)
    }));
    let mut trial = figures::trial(source, "memtier", level, end);
    trial.said = said(members);
    trial.started_at = runtime("Start time").and_then(Json::whole).map(UnixMillis);
    trial.finished_at = runtime("Finish time").and_then(Json::whole).map(UnixMillis);
    Some(trial)
}

/// Connections: threads times the clients of each.
fn clients(members: &BTreeMap<String, Json<'_>>) -> Option<u32> {
    let of = |place: &str, threads: &str, each: &str| {
        let place = members.get(place)?;
        let number = |name: &str| u32::try_from(place.at(&[name])?.whole()?).ok();
        number(threads)?.checked_mul(number(each)?)
    };
    of("run information", "Threads", "Connections per thread")
        .or_else(|| of("configuration", "threads", "clients"))
}

/// What the level is made of.
fn said(members: &BTreeMap<String, Json<'_>>) -> Vec<(Knob, u64)> {
    let places = [
        ("run information", "Threads", Knob::Threads),
        ("run information", "Connections per thread", Knob::ClientsPerThread),
        ("configuration", "threads", Knob::Threads),
        ("configuration", "clients", Knob::ClientsPerThread),
    ];
    let said = places
        .into_iter()
        .filter_map(|(place, name, knob)| Some((knob, members.get(place)?.at(&[name])?.whole()?)));
    said.collect()
}

/// The figures of one command, or of all.
fn command(prefix: &str, json: Json<'_>, note: &str, figures: &mut Figures) {
    let members = json.members();
    let number = |name: &str| members.get(name).and_then(|json| json.number());
    // Of a command that was never sent it prints an empty histogram's bounds.
    let sent = number("Count").or_else(|| number("Ops/sec")).is_none_or(|sent| sent.value > 0.0);
    if !prefix.is_empty() && !sent {
        return;
    }
    for (name, metric, unit) in [
        ("Ops/sec", "operations_per_s", "1/s"),
        ("Hits/sec", "hits_per_s", "1/s"),
        ("Misses/sec", "misses_per_s", "1/s"),
        ("Connection Errors", "errors", ""),
        ("KB/sec", "bandwidth", "KB/s"),
        ("Min Latency", "latency_min", "ms"),
        ("Max Latency", "latency_max", "ms"),
    ] {
        if let Some(value) = number(name) {
            figures.noted(&format!("{prefix}{metric}"), value, unit, note, 0);
        }
    }
    // Older versions have the mean under the second name.
    if let Some(mean) = number("Average Latency").or_else(|| number("Latency")) {
        figures.noted(&format!("{prefix}latency_avg"), mean, "ms", note, 0);
    }
    let percentiles = members.get("Percentile Latencies").map(|json| json.members());
    for (name, value) in percentiles.unwrap_or_default() {
        let rank = name.strip_prefix('p').and_then(|rank| rank.parse::<f64>().ok());
        if let (Some(rank), Some(value)) = (rank, value.number()) {
            let metric = format!("{prefix}{}", figures::percentile(rank));
            figures.noted(&metric, value, "ms", note, 0);
        }
    }
}

fn histogram(totals: Json<'_>) -> Option<Latencies> {
    let path = ["Percentile Latencies", "Histogram log format", "Compressed Histogram"];
    let encoded = totals.at(&path)?.text()?;
    Some(EncodedLatencies::from_base64(&encoded).ok()?.in_units_of(MICROSECOND))
}
