use super::{Figures, Stretch, v04};
use crate::commands::sysbench::request::Request;

/// An interim line of 0.5, which counts commits as transactions.
pub(super) fn line(request: &Request, line: &Stretch) -> String {
    let [reads, writes, _] = line.rates();
    let rank = request.percentile;
    let commits = if request.workload.transaction.explicit { line.events } else { 0 };
    format!(
        "[{:4.0}s] threads: {}, tps: {:4.2}, reads: {:4.2}, writes: {:4.2}, \
         response time: {:4.2}ms ({rank}%), errors: {:4.2}, reconnects: {:5.2}\n",
        line.end.as_secs_f64(),
        request.threads,
        line.rate(commits),
        reads,
        writes,
        line.latencies.percentile_ms(rank.into()).unwrap_or(0.0),
        line.rate(line.counts.errors),
        line.rate(line.counts.reconnects),
    )
}

/// The statistics of 0.5.
pub(super) fn statistics(request: &Request, figures: &Figures) -> String {
    let f = figures;
    [
        v04::begin(f),
        f.counted("transactions:", f.transactions),
        f.counted("read/write requests:", f.reads + f.writes),
        f.counted("other operations:", f.others),
        f.counted("ignored errors:", f.errors),
        f.counted("reconnects:", f.reconnects),
        v04::general(request, f),
    ]
    .concat()
}
