//! memtier_benchmark's JSON, and what it prints.

mod text;
mod totals;

use crate::figures::{self, Bounded, Figures, is_cut_short, problem, reckoned};
use crate::json::{Json, documents, without_stray_lines};
use crate::{Aspect, Format, ImportedTrial, Knob, Parsed, Source};
use model::{EncodedLatencies, Failure, FailureKind, FigureNumber, FigureValue, Latencies};
use model::{Level, Outcome, TrialEnd, UnixMillis};
use std::collections::BTreeMap;

/// What memtier_benchmark writes with `--json-out-file`, or what it prints. Of its configuration only the numbers of
/// threads and clients are read, and what makes its load: it holds passwords.
#[derive(Clone, Copy, Debug)]
pub struct Memtier;

/// The results of a single run.
const ALL: &str = "ALL STATS";
const BEST: &str = "BEST RUN RESULTS";
/// What the results of several runs together begin with. Best and worst are left out: they were
/// chosen by what they are.
const AVERAGE: &str = "AGGREGATED AVERAGE RESULTS";
/// Where a mean is from that is finer than the one that is printed.
const ACCUMULATED: &str = "accumulated latency ÷ count";
/// Share of requests that may be missing where each client makes a number of them.
const LOST: f64 = 0.01;
/// memtier's histograms count microseconds.
const MICROSECOND: u64 = 1000;

impl Format for Memtier {
    fn name(&self) -> &'static str {
        "memtier"
    }

    fn description(&self) -> &'static str {
        "memtier_benchmark's JSON, or what it prints"
    }

    fn recognises(&self, text: &str) -> bool {
        is_json(text) || text::recognises(text)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        if !is_json(source.text) && text::recognises(source.text) {
            return text::parse(&source);
        }
        let mut parsed = Parsed::default();
        let (text, stray) = without_stray_lines(source.text);
        for (line, _) in stray {
            // Not shown: what tools print may hold what they were given.
            parsed.problems.push(problem(&source, line, "a message within the JSON, left out"));
        }
        for document in documents(&text, source.budget) {
            if source.budget.charge(0).is_err() {
                break;
            }
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

fn is_json(text: &str) -> bool {
    [ALL, AVERAGE].iter().any(|name| text.contains(&format!("\"{name}")))
}

fn trial(source: &Source<'_>, members: &BTreeMap<String, Json<'_>>) -> Option<ImportedTrial> {
    let averaged = || members.iter().find(|(name, _)| name.starts_with(AVERAGE));
    let (stats, note) = match members.get(ALL) {
        Some(all) => (all, String::new()),
        None => averaged().map(|(name, stats)| (stats, name.to_lowercase()))?,
    };
    let commands: Vec<CommandResult<'_>> = stats
        .members()
        .into_iter()
        .filter(|(name, _)| !matches!(name.as_str(), "Totals" | "Runtime"))
        .map(|(name, json)| CommandResult { name, members: json.members() })
        .filter(CommandResult::was_sent)
        .collect();
    let totals = CommandResult { name: String::new(), members: stats.at(&["Totals"])?.members() };
    let mut figures = Figures::default();
    let best = members.get(BEST).filter(|_| !note.is_empty()).and_then(|best| best.at(&["Totals"]));
    let best = best.map(|best| CommandResult { name: String::new(), members: best.members() });
    let latencies = totals::figures(&totals, &commands, best.as_ref(), &note, &mut figures);
    // Sets, Gets, Waits, and the names of arbitrary commands.
    for command in &commands {
        command.figures(&note, &mut figures);
    }
    // The average of several runs has neither dates nor a length.
    let runtime = |name: &str| stats.at(&["Runtime", name]).filter(|_| note.is_empty());
    if let Some(duration) = runtime("Total duration").and_then(Json::number) {
        figures.number("elapsed", duration, "ms", 0);
    }
    let clients = clients(members);
    let level = clients.map_or(Level::NONE, Level::clients);
    let end = match note.is_empty().then(|| cut_short(members, stats, &totals, level)).flatten() {
        Some(reason) => {
            let reason = format!("memtier_benchmark was interrupted: {reason}");
            TrialEnd::Failed(Failure::new(FailureKind::Other, reason, ""))
        }
        None => TrialEnd::Completed(Box::new(Outcome {
            latencies,
            ..Outcome::printed(source.file, "memtier_benchmark", figures.0)
        })),
    };
    let mut trial = figures::trial(source, "memtier", level, end);
    trial.said = said(members);
    trial.load = load(members, &commands);
    let date = |name: &str| runtime(name)?.whole().filter(|at| *at > 0).map(UnixMillis);
    (trial.started_at, trial.finished_at) = (date("Start time"), date("Finish time"));
    Some(trial)
}

/// Why a run is not the whole one that was asked for.
fn cut_short(
    members: &BTreeMap<String, Json<'_>>,
    stats: &Json<'_>,
    totals: &CommandResult<'_>,
    level: Level,
) -> Option<String> {
    let asked = |name: &str| members.get("configuration")?.at(&[name])?.whole();
    let says = stats.at(&["Runtime", "Interrupted"]).map(Json::as_printed);
    if says.is_some_and(|says| !matches!(says.trim_matches('"'), "false" | "0" | "no" | "")) {
        return Some("it says so".to_owned());
    }
    let ran = stats.at(&["Runtime", "Total duration"]).and_then(Json::number);
    let seconds = asked("test_time").filter(|seconds| *seconds > 0);
    if let (Some(ran), Some(seconds)) = (ran, seconds) {
        let ran = ran.value / 1e3;
        return is_cut_short(ran, seconds as f64).then(|| format!("it ran {ran} s of {seconds} s"));
    }
    // Every client makes so many requests; those with several keys count in another way.
    let (requests, done) = (asked("requests")?, totals.number("Count")?.value);
    let all = requests.checked_mul(u64::from(level.clients)).filter(|all| *all > 0)?;
    let plain = asked("multi_key_get").unwrap_or(0) == 0 && seconds.is_none();
    let lacks = plain && done < all as f64 * (1.0 - LOST);
    lacks.then(|| format!("{done} of {all} requests were done"))
}

/// What is sent, and how.
fn load(
    members: &BTreeMap<String, Json<'_>>,
    commands: &[CommandResult<'_>],
) -> Vec<(Aspect, String)> {
    const OPTIONS: [(Aspect, &[&str]); 4] = [
        (Aspect::Work, &["ratio", "key_pattern", "wait-ratio", "multi_key_get"]),
        (Aspect::Data, &["key_minimum", "key_maximum"]),
        (Aspect::Size, &["data_size", "data_size_range", "data_size_list"]),
        (Aspect::Clients, &["threads", "clients", "pipeline", "rate_limit"]),
    ];
    let option = |name: &str| {
        let value = members.get("configuration")?.at(&[name])?;
        let value = value.text().or_else(|| Some(value.whole()?.to_string()))?;
        Some(format!("{name}={value}"))
    };
    let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
    let said = OPTIONS.map(|(aspect, names)| {
        let options: Vec<String> = names.iter().filter_map(|name| option(name)).collect();
        (aspect, options.join(" "))
    });
    let all = said.into_iter().chain([(Aspect::Statements, names.join(" "))]);
    all.filter(|(_, said)| !said.is_empty()).collect()
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

/// Says of the last of the figures that only a bound is known of it, where it is at the end of memtier's
/// histograms: all that took longer counts as this.
fn bound(figures: &mut Figures) {
    // A minute, and the values that its histogram does not tell from that.
    const CEILING_MS: std::ops::RangeInclusive<f64> = 59_998.208..=60_030.975;
    let Some(figure) = figures.0.last_mut() else { return };
    if let FigureValue::Number(number) = figure.value
        && CEILING_MS.contains(&number.value)
    {
        figure.at_least(*CEILING_MS.start(), "where memtier's histogram ends");
    }
}

/// What is told of one command, or of all together.
struct CommandResult<'a> {
    /// Empty for all together.
    name: String,
    members: BTreeMap<String, Json<'a>>,
}

impl CommandResult<'_> {
    fn number(&self, name: &str) -> Option<FigureNumber> {
        self.members.get(name).and_then(|json| json.number())
    }

    /// Of a command that was never sent it prints an empty histogram's bounds.
    fn was_sent(&self) -> bool {
        let sent = self.number("Count").or_else(|| self.number("Ops/sec"));
        self.members.contains_key("Ops/sec") && sent.is_none_or(|sent| sent.value > 0.0)
    }

    /// Writes all its figures.
    fn figures(&self, note: &str, figures: &mut Figures) {
        self.rates([self.number("Ops/sec"), self.number("KB/sec")], note, figures);
        self.latencies(note, figures);
    }

    fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}_", self.name.to_lowercase()) }
    }

    /// Writes its operations and kilobytes per second, and what it counts besides.
    fn rates(
        &self,
        [operations, kilobytes]: [Option<FigureNumber>; 2],
        note: &str,
        figures: &mut Figures,
    ) {
        for (value, metric, unit) in [
            (operations, "operations_per_s", "1/s"),
            (self.number("Hits/sec"), "hits_per_s", "1/s"),
            (self.number("Misses/sec"), "misses_per_s", "1/s"),
            (self.number("Connection Errors"), "errors", ""),
            (kilobytes, "bandwidth", "KB/s"),
        ] {
            if let Some(value) = value {
                figures.noted(&format!("{}{metric}", self.prefix()), value, unit, note, 0);
            }
        }
        // Counts of several runs together belong to no rate.
        if let Some(count) = self.number("Count").filter(|_| note.is_empty()) {
            let count = FigureNumber { resolution: 0.0, ..count };
            figures.number(&format!("{}operations", self.prefix()), count, "", 0);
        }
    }

    fn latencies(&self, note: &str, figures: &mut Figures) {
        let prefix = self.prefix();
        for (name, metric) in [("Min Latency", "latency_min"), ("Max Latency", "latency_max")] {
            if let Some(value) = self.number(name) {
                figures.noted(&format!("{prefix}{metric}"), value, "ms", note, 0);
                bound(figures);
            }
        }
        if let Some((mean, exact)) = self.mean() {
            let note = if exact { ACCUMULATED } else { note };
            figures.noted(&format!("{prefix}latency_avg"), mean, "ms", note, 0);
        }
        let percentiles = self.members.get("Percentile Latencies").map(|json| json.members());
        for (name, value) in percentiles.unwrap_or_default() {
            let rank = name.strip_prefix('p').and_then(|rank| rank.parse::<f64>().ok());
            if let (Some(rank), Some(value)) = (rank, value.number()) {
                let metric = format!("{prefix}{}", figures::percentile(rank));
                figures.noted(&metric, value, "ms", note, 0);
                bound(figures);
            }
        }
    }

    /// The mean, and whether it follows from other figures: that of all commands is cut off to whole
    /// milliseconds from version 2.1 on, and only their sum says more.
    fn mean(&self) -> Option<(FigureNumber, bool)> {
        // Older versions have it under the second name.
        let printed = self.number("Average Latency").or_else(|| self.number("Latency"))?;
        let exact = || {
            let sum = self.number("Accumulated Latency")?;
            let count = self.number("Count")?.value;
            let mean = reckoned(sum.value / count, 1.0 / count);
            let fits =
                printed.value <= mean.value + mean.resolution && mean.value < printed.value + 1.0;
            (printed.value.fract() == 0.0 && sum.value > 0.0 && count > 0.0 && fits).then_some(mean)
        };
        match exact() {
            Some(mean) => Some((mean, true)),
            None => Some((printed, false)),
        }
    }

    fn histogram(&self) -> Option<Latencies> {
        let path = ["Histogram log format", "Compressed Histogram"];
        let encoded = self.members.get("Percentile Latencies")?.at(&path)?.text()?;
        Some(EncodedLatencies::from_base64(&encoded).ok()?.in_units_of(MICROSECOND))
    }
}
