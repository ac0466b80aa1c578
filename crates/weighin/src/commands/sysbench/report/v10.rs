use super::{Figures, Stretch};
use crate::commands::sysbench::generation::Release;
use crate::commands::sysbench::request::Request;

/// An interim line of 1.0.
pub(super) fn line(request: &Request, line: &Stretch) -> String {
    let [reads, writes, others] = line.rates_by_effect();
    let queries = reads + writes + others;
    let rank = request.percentile;
    format!(
        "[ {:.0}s ] thds: {} tps: {:4.2} qps: {queries:4.2} (r/w/o: {:4.2}/{:4.2}/{:4.2}) \
         lat (ms,{rank}%): {:4.2} err/s: {:4.2} reconn/s: {:4.2}\n",
        line.end.as_secs_f64(),
        request.threads,
        line.rate(line.events),
        reads,
        writes,
        others,
        line.latencies.percentile_ms(rank.into()).unwrap_or(0.0),
        line.rate(line.counts.errors),
        line.rate(line.counts.reconnects),
    )
}

/// The statistics of 1.0.
pub(super) fn statistics(request: &Request, figures: &Figures) -> String {
    let f = figures;
    let queries = f.reads + f.writes + f.others;
    let percentile = match request.percentile {
        0 => "         percentile stats:               disabled\n".to_owned(),
        rank => format!("        {rank:3}th percentile: {:27.2}\n", f.percentile),
    };
    format!(
        "SQL statistics:
    queries performed:
        read:                            {reads}
        write:                           {writes}
        other:                           {others}
        total:                           {queries}
    transactions:                        {transactions:<6} ({tps:.2} per sec.)
    queries:                             {queries:<6} ({qps:.2} per sec.)
    ignored errors:                      {errors:<6} ({eps:.2} per sec.)
    reconnects:                          {reconnects:<6} ({rps:.2} per sec.)

{throughput}    total number of events:              {events}

Latency (ms):
         min: {minimum:39.2}
         avg: {mean:39.2}
         max: {maximum:39.2}
{percentile}         sum: {sum:39.2}

Threads fairness:
    events (avg/stddev):           {events_mean:.4}/{events_deviation:3.2}
    execution time (avg/stddev):   {busy_mean:.4}/{busy_deviation:3.2}

",
        reads = f.reads,
        writes = f.writes,
        others = f.others,
        transactions = f.transactions,
        tps = f.rate(f.transactions),
        qps = f.rate(queries),
        errors = f.errors,
        eps = f.rate(f.errors),
        reconnects = f.reconnects,
        rps = f.rate(f.reconnects),
        throughput = match request.generation.program {
            Release::V11 => format!(
                "Throughput:
    events/s (eps):                      {:.4}
    time elapsed:                        {:.4}s
",
                f.rate(f.events),
                f.total_seconds
            ),
            _ => format!(
                "General statistics:
    total time:                          {:.4}s
",
                f.total_seconds
            ),
        },
        events = f.events,
        minimum = f.minimum,
        mean = f.mean,
        maximum = f.maximum,
        sum = f.sum,
        events_mean = f.events_per_thread.mean,
        events_deviation = f.events_per_thread.deviation,
        busy_mean = f.busy_per_thread.mean,
        busy_deviation = f.busy_per_thread.deviation,
    )
}
