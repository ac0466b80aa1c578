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
    let Figures { events, total_seconds, minimum, mean, maximum, sum, .. } = figures;
    let throughput = match request.generation.program {
        Release::V11 => format!(
            "Throughput:
    events/s (eps):                      {:.4}
    time elapsed:                        {total_seconds:.4}s
",
            f.rate(f.events)
        ),
        _ => format!(
            "General statistics:
    total time:                          {total_seconds:.4}s
"
        ),
    };
    let percentile = match request.percentile {
        0 => "         percentile stats:               disabled\n".to_owned(),
        rank => format!("        {rank:3}th percentile: {:27.2}\n", f.percentile),
    };
    [
        "SQL statistics:\n".to_owned(),
        f.performed(),
        f.counted("transactions:", f.transactions),
        f.counted("queries:", f.reads + f.writes + f.others),
        f.counted("ignored errors:", f.errors),
        f.counted("reconnects:", f.reconnects),
        format!(
            "
{throughput}    total number of events:              {events}

Latency (ms):
         min: {minimum:39.2}
         avg: {mean:39.2}
         max: {maximum:39.2}
{percentile}         sum: {sum:39.2}
"
        ),
        f.fairness(),
    ]
    .concat()
}
