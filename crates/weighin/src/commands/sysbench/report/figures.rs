use super::Stretch;
use crate::commands::sysbench::generation::Release;
use crate::commands::sysbench::request::Request;
use model::RequestTally;
use workload::oltp::StatementKind;

/// The figures of a stretch of a run, or of all of it, as sysbench counts them. Latencies are in
/// milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Figures {
    pub(super) seconds: f64,
    /// From the start of measuring to the end of the stretch.
    pub(super) total_seconds: f64,
    pub(super) events: u64,
    /// What the generation calls transactions: events, or in 0.5 commits.
    pub(super) transactions: u64,
    pub(super) reads: u64,
    pub(super) writes: u64,
    pub(super) others: u64,
    pub(super) errors: u64,
    pub(super) reconnects: u64,
    pub(super) minimum: f64,
    pub(super) mean: f64,
    pub(super) maximum: f64,
    pub(super) percentile: f64,
    pub(super) sum: f64,
    pub(super) events_per_thread: Spread,
    /// In seconds.
    pub(super) busy_per_thread: Spread,
}

/// Mean and standard deviation over the threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Spread {
    /// Of one value for each thread.
    fn over_threads(values: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        if values.len() == 0 {
            return Self::default();
        }
        let n = values.len() as f64;
        let mean = values.clone().sum::<f64>() / n;
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        Self { mean, deviation: variance.sqrt() }
    }
}

/// Statements that read, that write, and others.
pub(super) fn split(all: &RequestTally) -> [u64; 3] {
    use StatementKind::{Begin, Commit, Delete, Insert, Select, Update};
    let of = |kind: StatementKind| all.kinds[kind as usize];
    [of(Select), of(Insert) + of(Update) + of(Delete), of(Begin) + of(Commit)]
}

impl Figures {
    /// Takes the figures from what the engine and the clients counted.
    pub(in super::super) fn new(request: &Request, stretch: &Stretch) -> Self {
        let [reads, mut writes, mut others] = split(&stretch.statements);
        if request.generation.is_recent() && request.warmup.is_zero() {
            // It counts a write only if it changed something.
            let idle = stretch.counts.writes_without_effect.min(writes);
            (writes, others) = (writes - idle, others + idle);
        }
        let transactions = match request.generation.program {
            Release::V05 => stretch.statements.kinds[StatementKind::Commit as usize],
            Release::V04 | Release::V10 | Release::V11 => stretch.events,
        };
        let rank = f64::from(request.percentile);
        let latencies = &stretch.latencies;
        let mean = latencies.mean_ms().unwrap_or(0.0);
        let sum = mean * latencies.count() as f64;
        let (clients, threads) = (&stretch.clients, f64::from(request.threads));
        Self {
            seconds: stretch.length.as_secs_f64(),
            total_seconds: stretch.end.as_secs_f64(),
            events: stretch.events,
            transactions,
            reads,
            writes,
            others,
            errors: stretch.counts.errors,
            reconnects: stretch.counts.reconnects,
            minimum: latencies.min_ms().unwrap_or(0.0),
            mean,
            maximum: latencies.max_ms().unwrap_or(0.0),
            percentile: latencies.percentile_ms(rank).unwrap_or(0.0),
            sum,
            events_per_thread: Spread {
                mean: stretch.events as f64 / threads,
                ..Spread::over_threads(clients.iter().map(|client| client.events as f64))
            },
            busy_per_thread: Spread {
                // Where events arrive at a rate, the time in which they waited counts too.
                mean: sum / 1000.0 / threads,
                ..Spread::over_threads(clients.iter().map(|client| client.busy.as_secs_f64()))
            },
        }
    }

    /// A count per second.
    pub(super) fn rate(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }

    /// A line with a count and its rate, as all generations print it.
    pub(super) fn counted(&self, name: &str, count: u64) -> String {
        format!("    {name:<37}{count:<6} ({:.2} per sec.)\n", self.rate(count))
    }

    /// How many statements were performed, as all generations print it.
    pub(super) fn performed(&self) -> String {
        let Self { reads, writes, others, .. } = self;
        let total = reads + writes + others;
        format!(
            "    queries performed:
        read:                            {reads}
        write:                           {writes}
        other:                           {others}
        total:                           {total}
"
        )
    }

    /// How evenly threads shared the work, as all generations print it.
    pub(super) fn fairness(&self) -> String {
        let (events, busy) = (self.events_per_thread, self.busy_per_thread);
        format!(
            "
Threads fairness:
    events (avg/stddev):           {:.4}/{:3.2}
    execution time (avg/stddev):   {:.4}/{:3.2}

",
            events.mean, events.deviation, busy.mean, busy.deviation
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_over_threads_is_that_of_a_population() {
        let spread = Spread::over_threads([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter());
        assert_eq!(spread, Spread { mean: 5.0, deviation: 2.0 });
        assert_eq!(Spread::over_threads([].into_iter()), Spread::default());
    }
}
