//! Result files of two collections of ClickHouse's: PostgresBench and ClickBench.

use crate::figures::{self, Figures, percentile, problem, reckoned};
use crate::json::{Json, documents, with_finite_numbers};
use crate::{Aspect, Format, ImportedTrial, Knob, Parsed, Source};
use model::{FigureNumber, Level, Outcome, TrialEnd};

/// A file of PostgresBench: runs of pgbench on one service, with what they were run on.
#[derive(Clone, Copy, Debug)]
pub struct PostgresBench;

/// A file of ClickBench, as 70 databases have one: the times of its queries, each done three times.
#[derive(Clone, Copy, Debug)]
pub struct ClickBench;

/// How many times ClickBench does each query: once with nothing in caches, and again.
const TIMES: usize = 3;
/// How many queries of one file are read; ClickBench has 43.
const MAX_QUERIES: usize = 1_000;

fn has_all(text: &str, names: &[&str]) -> bool {
    names.iter().all(|name| text.contains(&format!("\"{name}\"")))
}

/// The trials of every document of a text.
fn parse(
    source: &Source<'_>,
    trials: fn(&Source<'_>, Json<'_>) -> Result<Vec<ImportedTrial>, String>,
) -> Parsed {
    let mut parsed = Parsed::default();
    let text = with_finite_numbers(source.text);
    for document in documents(&text, source.budget) {
        match document.and_then(|(line, json)| trials(source, json).map_err(|why| (line, why))) {
            Ok(trials) => parsed.trials.extend(trials),
            Err((line, message)) => parsed.problems.push(problem(source, line, message)),
        }
    }
    parsed
}

fn trial(source: &Source<'_>, tool: &'static str, level: Level, figures: Figures) -> ImportedTrial {
    let outcome = Outcome::printed(source.file, tool, figures.0);
    figures::trial(source, tool, level, TrialEnd::Completed(Box::new(outcome)))
}

impl Format for PostgresBench {
    fn name(&self) -> &'static str {
        "postgresbench"
    }

    fn description(&self) -> &'static str {
        "a result file of PostgresBench"
    }

    fn recognises(&self, text: &str) -> bool {
        has_all(text, &["system", "machine", "benchmark", "results", "tps", "scale_factor"])
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        parse(&source, runs_of_pgbench)
    }
}

fn runs_of_pgbench(source: &Source<'_>, json: Json<'_>) -> Result<Vec<ImportedTrial>, String> {
    let results = json.at(&["results"]).map(Json::elements).unwrap_or_default();
    let of_load = |name: &str| json.at(&["benchmark", name]);
    let clients = of_load("clients").and_then(Json::whole).and_then(|n| u32::try_from(n).ok());
    let level = clients.map_or(Level::NONE, Level::clients);
    let mut trials = Vec::new();
    for run in results {
        let mut figures = Figures::default();
        let tps = run.at(&["tps"]).and_then(Json::number).ok_or("a run has no «tps»")?;
        figures.number("transactions_per_s", tps, "1/s", 0);
        for (name, metric) in [("transactions", "transactions"), ("failed_transactions", "errors")]
        {
            if let Some(count) = run.at(&[name]).and_then(Json::whole) {
                figures.counted(metric, &count.to_string(), 0);
            }
        }
        for (name, metric) in [
            ("latency_avg_ms", "latency_avg".to_owned()),
            ("latency_stddev_ms", "latency_stddev".to_owned()),
            ("latency_p95_ms", percentile(95.0)),
            ("latency_p99_ms", percentile(99.0)),
            ("initial_connection_time_ms", "connecting".to_owned()),
        ] {
            if let Some(time) = run.at(&[name]).and_then(Json::number) {
                figures.number(&metric, time, "ms", 0);
            }
        }
        let mut trial = trial(source, "pgbench", level, figures);
        for (aspect, name) in [(Aspect::Work, "workload"), (Aspect::Statements, "query_mode")] {
            trial.load.extend(of_load(name).and_then(Json::text).map(|said| (aspect, said)));
        }
        if let Some(scale) = of_load("scale_factor").and_then(Json::whole) {
            trial.load.push((Aspect::Data, format!("scale {scale}")));
            trial.said.push((Knob::Scale, scale));
        }
        let threads = of_load("threads").and_then(Json::whole);
        trial.said.extend(threads.map(|threads| (Knob::Threads, threads)));
        trials.push(trial);
    }
    match trials.is_empty() {
        true => Err("the document has no «results»".to_owned()),
        false => Ok(trials),
    }
}

impl Format for ClickBench {
    fn name(&self) -> &'static str {
        "clickbench"
    }

    fn description(&self) -> &'static str {
        "a result file of ClickBench"
    }

    fn recognises(&self, text: &str) -> bool {
        has_all(text, &["system", "machine", "load_time", "data_size", "result"])
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        parse(&source, times_of_queries)
    }
}

fn times_of_queries(source: &Source<'_>, json: Json<'_>) -> Result<Vec<ImportedTrial>, String> {
    let queries = json.at(&["result"]).map(Json::elements).unwrap_or_default();
    if queries.is_empty() || queries.len() > MAX_QUERIES {
        return Err("«result» is not a list of the times of queries".to_owned());
    }
    let times: Vec<Vec<Json<'_>>> = queries.into_iter().map(Json::elements).collect();
    if times.iter().any(|times| times.len() != TIMES) {
        return Err(format!("a query of «result» has not {TIMES} times"));
    }
    let trial = |which: usize| {
        let seconds = times.iter().map(|times| times[which].number());
        let mut trial = trial(source, "clickbench", Level::NONE, figures_of(seconds.collect()));
        // The first time nothing is in caches; the second and the third time are repeats.
        let part = if which == 0 { "cold" } else { "hot" };
        part.clone_into(&mut trial.part);
        trial
    };
    Ok((0..TIMES).map(trial).collect())
}

/// Of the queries of one go, by their numbers from 1; those that failed have no time.
fn figures_of(seconds: Vec<Option<FigureNumber>>) -> Figures {
    let mut figures = Figures::default();
    let failed = seconds.iter().filter(|time| time.is_none()).count();
    figures.counted("errors", &failed.to_string(), 0);
    for (number, time) in (1..).zip(&seconds) {
        if let Some(time) = time {
            figures.number(&format!("query{number}_elapsed"), *time, "s", 0);
        }
    }
    // Without the slowest, which are those that fail, the others would look fast.
    let all: Option<Vec<FigureNumber>> = seconds.into_iter().collect();
    if let Some(all) = all {
        let sum: f64 = all.iter().map(|time| time.value).sum();
        let resolution: f64 = all.iter().map(|time| time.resolution).sum();
        figures.noted("elapsed", reckoned(sum, resolution), "s", "sum of all queries", 0);
        if all.iter().all(|time| time.value > 0.0) {
            let count = all.len() as f64;
            let mean = (all.iter().map(|time| time.value.ln()).sum::<f64>() / count).exp();
            let relative = all.iter().map(|time| time.resolution / time.value).sum::<f64>() / count;
            let note = "geometric mean of all queries";
            figures.noted("query_time_geomean", reckoned(mean, mean * relative), "s", note, 0);
        }
    }
    figures
}
