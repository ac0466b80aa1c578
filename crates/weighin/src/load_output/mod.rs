//! What `weighin load` prints.

mod generators;
mod latency;
mod storage;

use self::latency::{LatencyOutput, StatementLatencyOutput, TransactionOutput};
use self::storage::StorageOutput;
use crate::checks::Checks;
use crate::exit::CliError;
use campaign::Measured;
use model::{
    ErrorCount, Ledger, LoadResult, Outage, PhaseTotals, ReceiveDelay, RequestCount, UnitName,
    WorkersTried, Workload, text,
};
use report::GeneratorFigures;
use report::numbers::{bytes, count, duration, figure, number_of, percent};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Version of the JSON below; raised when a field changes its meaning or goes away.
const FORMAT: u32 = 1;
/// Most characters of a server's message that are shown.
const LONGEST_ERROR: usize = 200;

/// One load, for programs. Described in docs/load-json.md.
#[derive(Debug, Serialize)]
pub(crate) struct LoadOutput<'a> {
    format: u32,
    /// What `transactions` are.
    counted: UnitName,
    /// What `queries` are.
    #[serde(skip)]
    statements_counted: UnitName,
    clients: u32,
    /// Transactions that succeeded in the measured phase.
    transactions: u64,
    /// How many the load was to measure, where it was to end by that.
    pub(crate) asked: Option<u64>,
    /// Statements acknowledged in the measured phase.
    queries: u64,
    /// Transactions that failed in the measured phase.
    errors: u64,
    elapsed_seconds: f64,
    transactions_per_second: f64,
    queries_per_second: f64,
    latency_ms: LatencyOutput,
    /// User and system time of this whole process in the measured phase.
    client_cpu_seconds: f64,
    client_cpu_microseconds_per_query: Option<f64>,
    client_workers: u32,
    /// By what their number was chosen, where both ways were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_workers_tried: Option<WorkersTried>,
    client_max_loop_lag_ms: f64,
    peak_rss_bytes: u64,
    /// `io_uring`, `epoll` or `threads`.
    client_io: &'static str,
    /// How late replies were noticed, where the kernel says when they came.
    client_receive_delay: Option<ReceiveDelay>,
    connect_seconds: f64,
    /// With a rate: how the offered load was kept up with.
    open_loop: Option<OpenOutput>,
    outages: Vec<OutageOutput>,
    /// Lost while they had nothing to do, over all phases, and made anew.
    idle_connections_lost: u64,
    /// How many of the latencies are those of operations that did not succeed in the measured phase.
    waits: u64,
    waits_max_ms: Option<f64>,
    warmup: PhaseOutput,
    /// All phases together; scheduled = ok + failed + timed_out + dropped.
    operations: Ledger,
    errors_by_code: &'a [ErrorCount],
    /// Of all phases, by kind.
    requests: BTreeMap<String, RequestOutput>,
    /// The server's counters, by how much they must have grown, and by how much they have.
    #[serde(skip)]
    compared: Vec<(String, u64, i64)>,
    /// Of key_value: what the reads found, over all phases.
    key_value: Option<KeyValueOutput>,
    /// Of storage: what was moved, by whom and where.
    storage: Option<StorageOutput>,
    /// Empty where one process made the load.
    generators: Vec<GeneratorFigures>,
    /// Empty unless asked for.
    transactions_by_name: Vec<TransactionOutput<'a>>,
    statement_latencies: Vec<StatementLatencyOutput<'a>>,
    intervals: Vec<IntervalOutput>,
    /// What it is worth.
    #[serde(serialize_with = "checks_output")]
    checks: Option<&'a Checks>,
}

#[derive(Debug, Serialize)]
struct OpenOutput {
    rate: f64,
    arrivals: &'static str,
    scheduled: u64,
    answered: u64,
    dropped: u64,
    overloaded: bool,
    service_ms: LatencyOutput,
    schedule_lag_ms: LatencyOutput,
    max_waiting: u64,
    most_waiting: u64,
}

#[derive(Debug, Serialize)]
struct KeyValueOutput {
    gets: u64,
    sets: u64,
    found: u64,
    /// Absent where nothing was read.
    hit_rate: Option<f64>,
}

#[derive(Debug, Serialize)]
struct OutageOutput {
    first_error_seconds: f64,
    first_success_seconds: Option<f64>,
    downtime_seconds: Option<f64>,
    recovered_seconds: Option<f64>,
    failed: u64,
}

#[derive(Debug, Serialize)]
struct PhaseOutput {
    transactions: u64,
    queries: u64,
    elapsed_seconds: f64,
}

#[derive(Debug, Serialize)]
struct RequestOutput {
    /// Acknowledged to weighin.
    weighin: u64,
    /// The server's name of the counter of such requests, where it has one.
    counter: Option<String>,
    /// How far that counter grew; absent where the server did not answer.
    server: Option<i64>,
}

#[derive(Debug, Serialize)]
struct IntervalOutput {
    start_seconds: f64,
    length_seconds: f64,
    warmup: bool,
    transactions: u64,
    queries: u64,
    errors: u64,
    latency_p95_ms: Option<f64>,
}

impl<'a> LoadOutput<'a> {
    /// The output of a load, with these percentiles beside the usual ones.
    pub(crate) fn new(measured: &'a Measured, workload: &Workload, percentiles: &[f64]) -> Self {
        let load = &measured.load;
        let PhaseTotals { elapsed, transactions, queries, errors, .. } = load.measure;
        let cpu = load.client.cpu_seconds;
        Self {
            format: FORMAT,
            counted: workload.operation(),
            statements_counted: workload.statement(),
            clients: load.clients,
            transactions,
            asked: None,
            queries,
            errors,
            elapsed_seconds: elapsed.as_secs_f64(),
            transactions_per_second: load.measure.transactions_per_second(),
            queries_per_second: load.measure.queries_per_second(),
            latency_ms: LatencyOutput::new(&load.latencies, percentiles),
            client_cpu_seconds: cpu,
            client_cpu_microseconds_per_query: (queries > 0).then(|| cpu * 1e6 / queries as f64),
            client_workers: load.client.workers,
            client_workers_tried: load.client.workers_tried,
            client_max_loop_lag_ms: load.client.max_loop_lag.as_secs_f64() * 1e3,
            peak_rss_bytes: load.client.peak_rss_bytes,
            client_io: load.client.io.name(),
            client_receive_delay: load.client.receive_delay,
            connect_seconds: load.connect_time.as_secs_f64(),
            open_loop: OpenOutput::new(load, percentiles),
            outages: load.outages.iter().map(OutageOutput::new).collect(),
            idle_connections_lost: load.idle_losses,
            waits: load.waits.count(),
            waits_max_ms: load.waits.max_ms(),
            warmup: PhaseOutput {
                transactions: load.warmup.transactions,
                queries: load.warmup.queries,
                elapsed_seconds: load.warmup.elapsed.as_secs_f64(),
            },
            operations: load.ledger,
            errors_by_code: &load.errors,
            requests: requests(measured),
            compared: compared(measured),
            key_value: KeyValueOutput::new(load, workload),
            storage: StorageOutput::new(measured),
            generators: load.generators.iter().map(GeneratorFigures::from_share).collect(),
            transactions_by_name: load
                .by_transaction
                .iter()
                .filter(|_| workload.transactions().is_some())
                .map(|transaction| TransactionOutput::new(transaction, percentiles))
                .collect(),
            statement_latencies: load
                .by_statement
                .iter()
                .map(|statement| StatementLatencyOutput::new(statement, percentiles))
                .collect(),
            intervals: intervals(load),
            checks: None,
        }
    }

    /// With what the checks of the load say.
    pub(crate) fn with_checks(self, checks: &'a Checks) -> Self {
        Self { checks: Some(checks), ..self }
    }

    /// As JSON, with a line feed at the end.
    pub(crate) fn json(&self) -> Result<String, CliError> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| {
            CliError::unavailable(format!("cannot write the result as JSON: {error}"), "")
        })
    }

    /// For people; `headline` says what was run.
    pub(crate) fn text(&self, headline: &str) -> String {
        let mut text = String::new();
        let seconds = std::time::Duration::from_secs_f64(self.elapsed_seconds);
        let _ = writeln!(
            text,
            "{headline}, {}, {}",
            match (&self.storage, self.clients) {
                (Some(_), depth) => format!("total queue depth {depth}"),
                (None, 1) => "1 client".to_owned(),
                (None, clients) => format!("{clients} clients"),
            },
            duration(seconds),
        );
        let mut row = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<14} {value}");
        };
        row(
            self.counted.many,
            format!(
                "{} ({} per second)",
                count(self.transactions),
                figure(self.transactions_per_second)
            ),
        );
        if let Some(asked) = self.asked.filter(|&asked| self.transactions + self.errors < asked) {
            let work = number_of(asked, self.counted);
            row("not finished", format!("{work} were asked for; the time limit came first"));
        }
        match &self.storage {
            Some(storage) => row("bytes", storage.rates()),
            None => row(
                self.statements_counted.many,
                format!("{} ({} per second)", count(self.queries), figure(self.queries_per_second)),
            ),
        }
        if let Some(hits) = &self.key_value {
            row("hit rate", hits.line());
        }
        row("errors", self.error_line());
        match &self.open_loop {
            None => row("latency, ms", self.latency_ms.line()),
            Some(open) => {
                row("offered", open.line());
                row("response, ms", self.latency_ms.line());
                row("service, ms", open.service_ms.line());
            }
        }
        for outage in &self.outages {
            row("outage", outage.line(self.counted));
        }
        if self.idle_connections_lost > 0 {
            let lost = count(self.idle_connections_lost);
            row("connections", format!("{lost} lost while idle and made again: no outage"));
        }
        if let Some(longest) = self.waits_max_ms {
            let waited = number_of(self.waits, self.counted);
            row(
                "long waits",
                format!(
                    "{waited} failed, or were answered late or never, after up to {} ms",
                    figure(longest)
                ),
            );
        }
        let per_query = self.client_cpu_microseconds_per_query.map_or(String::new(), |micros| {
            format!(" ({} µs per {})", figure(micros), self.statements_counted.one)
        });
        row(
            "weighin itself",
            format!(
                "{} s of processor time{per_query}, {} of memory",
                figure(self.client_cpu_seconds),
                bytes(self.peak_rss_bytes)
            ),
        );
        match &self.storage {
            Some(storage) => {
                storage.spread().into_iter().for_each(|spread| row("machines", spread));
                storage.processors().into_iter().for_each(|shared| row("processors", shared));
                storage.verified().into_iter().for_each(|verified| row("verified", verified));
                row("devices", storage.agreement());
            }
            None => row("server agrees", self.agreement()),
        }
        self.checks.into_iter().for_each(|checks| text.push_str(&rows(checks)));
        text.push_str(&generators::table(&self.generators, self.counted, self.elapsed_seconds));
        text.push_str(&latency::transactions(&self.transactions_by_name));
        text.push_str(&latency::table(&self.statement_latencies));
        text
    }

    fn error_line(&self) -> String {
        let mut line = count(self.errors);
        for error in self.errors_by_code.iter().take(3) {
            // A message may begin with its code.
            let code = match error.code.as_str() {
                code if error.message.starts_with(code) => String::new(),
                code => format!("{code}: "),
            };
            let _ = write!(
                line,
                "; {} × {code}{}",
                count(error.count),
                text::excerpt(&error.message, LONGEST_ERROR)
            );
        }
        line
    }

    /// Whether the server's own counters agree with weighin's over the whole load.
    fn agreement(&self) -> String {
        let compared = &self.compared;
        let off: Vec<String> = compared
            .iter()
            .filter(|(_, weighin, server)| i64::try_from(*weighin) != Ok(*server))
            .map(|(name, weighin, server)| {
                format!("{name} grew by {server}, and by weighin's account by {weighin}")
            })
            .collect();
        let total: u64 = compared.iter().map(|(_, weighin, _)| weighin).sum();
        match (compared.is_empty(), off.is_empty()) {
            (true, _) => "not known: its counters could not be read".to_owned(),
            (false, true) => {
                let noun = if self.key_value.is_some() { "commands" } else { "statements" };
                format!("yes: its counters grew by exactly {} {noun}", count(total))
            }
            (false, false) => format!("NO: {}", off.join("; ")),
        }
    }
}

impl OpenOutput {
    fn new(load: &LoadResult, percentiles: &[f64]) -> Option<Self> {
        let open = load.open.as_ref()?;
        Some(Self {
            rate: open.rate,
            arrivals: open.process.name(),
            scheduled: open.scheduled,
            answered: open.answered,
            dropped: load.ledger.dropped,
            overloaded: load.is_overloaded(),
            service_ms: LatencyOutput::new(&open.service_times, percentiles),
            schedule_lag_ms: LatencyOutput::new(&open.schedule_lags, percentiles),
            max_waiting: open.max_waiting,
            most_waiting: open.most_waiting,
        })
    }

    fn line(&self) -> String {
        let verdict = if self.overloaded { "OVERLOADED: " } else { "" };
        format!(
            "{verdict}{} per second offered; {} of {} answered, {} waited at most, {} dropped",
            figure(self.rate),
            count(self.answered),
            count(self.scheduled),
            count(self.most_waiting),
            count(self.dropped)
        )
    }
}

impl KeyValueOutput {
    fn new(load: &LoadResult, workload: &Workload) -> Option<Self> {
        matches!(workload, Workload::KeyValue(_)).then(|| {
            let (get, set) = (load.requests.count_of("get"), load.requests.count_of("set"));
            let found = load.requests.found;
            let hit_rate = (get > 0).then(|| found as f64 / get as f64);
            Self { gets: get, sets: set, found, hit_rate }
        })
    }

    fn line(&self) -> String {
        self.hit_rate.map_or("nothing was read".to_owned(), |rate| {
            let (found, gets) = (count(self.found), count(self.gets));
            format!("{}: {found} of {gets} reads found their key", percent(rate))
        })
    }
}

impl OutageOutput {
    fn new(outage: &Outage) -> Self {
        Self {
            first_error_seconds: outage.first_error.as_secs_f64(),
            first_success_seconds: outage.first_success.map(|at| at.as_secs_f64()),
            downtime_seconds: outage.downtime().map(|down| down.as_secs_f64()),
            recovered_seconds: outage.recovered.map(|at| at.as_secs_f64()),
            failed: outage.failed,
        }
    }

    fn line(&self, counted: UnitName) -> String {
        let seconds = |at: Option<f64>| at.map_or("never".to_owned(), |at| format!("{at:.2} s"));
        format!(
            "at {:.2} s; down for {}, back at 95 % of the throughput at {}; {} failed",
            self.first_error_seconds,
            seconds(self.downtime_seconds),
            seconds(self.recovered_seconds),
            number_of(self.failed, counted)
        )
    }
}

/// The server's counters that the load must have moved: by how much, and by how much they have.
fn compared(measured: &Measured) -> Vec<(String, u64, i64)> {
    let Measured { load, sampling, .. } = measured;
    let (Some(before), Some(after)) = (&sampling.before, &sampling.after) else {
        return Vec::new();
    };
    let expected = load.requests.expected().into_iter();
    let grown = |(name, weighin): (&str, u64)| {
        let server = after.counters.get(name)? - before.counters.get(name)?;
        Some((name.to_owned(), weighin, server))
    };
    expected.filter_map(grown).collect()
}

fn requests(measured: &Measured) -> BTreeMap<String, RequestOutput> {
    let value = |reading: &Option<model::CounterReading>, name: &str| {
        reading.as_ref().and_then(|reading| reading.counters.get(name).copied())
    };
    let Measured { load, sampling, .. } = measured;
    let output = |RequestCount { kind, count }: &RequestCount| {
        let counter = kind.counter.as_ref().map(|name| name.to_string());
        let grown = |name: &String| {
            let (before, after) = (value(&sampling.before, name), value(&sampling.after, name));
            before.zip(after).map(|(before, after)| after - before)
        };
        let server = counter.as_ref().and_then(grown);
        (kind.name.to_string(), RequestOutput { weighin: *count, counter, server })
    };
    load.requests.kinds.iter().map(output).collect()
}

fn intervals(load: &LoadResult) -> Vec<IntervalOutput> {
    load.intervals
        .iter()
        .map(|interval| IntervalOutput {
            start_seconds: interval.start.as_secs_f64(),
            length_seconds: interval.length.as_secs_f64(),
            warmup: interval.phase == model::Phase::Warmup,
            transactions: interval.transactions,
            queries: interval.queries,
            errors: interval.errors,
            latency_p95_ms: interval.latencies.unpack().percentile_ms(95.0),
        })
        .collect()
}

/// What the checks of a load say, as rows of a summary.
pub(crate) fn rows(checks: &Checks) -> String {
    let mut text = format!("  {:<14} {}\n", "checks", checks.verdict());
    for doubt in checks.doubts() {
        let _ = writeln!(text, "  {:<14} - {doubt}", "");
    }
    text
}

fn checks_output<S: Serializer>(checks: &Option<&Checks>, to: S) -> Result<S::Ok, S::Error> {
    checks.map(Checks::output).serialize(to)
}

#[cfg(test)]
mod tests;
