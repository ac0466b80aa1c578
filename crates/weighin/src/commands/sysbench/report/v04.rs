use super::{Figures, Stretch};
use crate::commands::sysbench::request::Request;
use model::KeyDistribution;
use std::fmt::Write;

/// How 0.4 describes the test before it runs.
pub(super) fn mode(request: &Request) -> String {
    let (workload, options) = (&request.workload, &request.options);
    let mut text = "Doing OLTP test.\n".to_owned();
    text.push_str(match options.text("oltp-test-mode") {
        "simple" => "Running simple OLTP test\n",
        "nontrx" => "Running non-transactional test\n",
        _ => "Running mixed OLTP test\n",
    });
    if options.flag("oltp-read-only") {
        text.push_str("Doing read-only test\n");
    }
    if options.flag("oltp-write-only") {
        text.push_str("Doing write-only test\n");
    }
    let keys = &workload.keys;
    let _ = match workload.distribution {
        KeyDistribution::Gaussian => {
            writeln!(text, "Using Normal distribution ({} iterations)", keys.iterations)
        }
        KeyDistribution::Special => writeln!(
            text,
            "Using Special distribution ({} iterations,  {} pct of values are returned in {} pct cases)",
            keys.iterations, keys.popular_range, keys.popular_draws
        ),
        // The others came later, and are announced in the same way.
        KeyDistribution::Uniform => writeln!(text, "Using Uniform distribution"),
        KeyDistribution::Pareto => writeln!(text, "Using Pareto distribution"),
        KeyDistribution::Zipfian => writeln!(text, "Using Zipfian distribution"),
    };
    text.push_str(if options.flag("oltp-skip-trx") {
        "Skipping BEGIN/COMMIT\n"
    } else {
        "Using \"BEGIN\" for starting transactions\n"
    });
    text.push_str(if workload.schema.auto_increment {
        "Using auto_inc on the id column\n"
    } else {
        "Not using auto_inc on the id column\n"
    });
    if let Some(events) = request.events {
        let _ = writeln!(text, "Maximum number of requests for OLTP test is limited to {events}");
    }
    text
}

/// An interim line of 0.4.
pub(super) fn line(request: &Request, line: &Stretch) -> String {
    let [reads, writes, _] = line.rates();
    let rank = request.percentile;
    format!(
        "[{:4.0}s] threads: {}, tps: {:4.2}, reads/s: {:4.2}, writes/s: {:4.2} \
         response time: {:4.2}ms ({rank}%)\n",
        line.end.as_secs_f64(),
        request.threads,
        line.rate(line.events),
        reads,
        writes,
        line.latencies.percentile_ms(rank.into()).unwrap_or(0.0),
    )
}

/// The statistics of 0.4.
pub(super) fn statistics(request: &Request, figures: &Figures) -> String {
    let f = figures;
    [
        begin(f),
        f.counted("transactions:", f.transactions),
        f.counted("deadlocks:", f.errors),
        f.counted("read/write requests:", f.reads + f.writes),
        f.counted("other operations:", f.others),
        general(request, f),
    ]
    .concat()
}

/// Each thread that stops for lack of time says so; equal lines in a row are counted.
pub(super) fn ending(request: &Request, figures: &Figures) -> String {
    let mut text = String::new();
    if request.time.is_some_and(|limit| figures.total_seconds >= limit.as_secs_f64()) {
        text.push_str("Time limit exceeded, exiting...\n");
        if request.threads > 1 {
            let _ = writeln!(text, "(last message repeated {} times)", request.threads - 1);
        }
    }
    text.push_str("Done.\n\n");
    text
}

/// The first lines of the statistics of 0.4 and 0.5.
pub(super) fn begin(figures: &Figures) -> String {
    format!("OLTP test statistics:\n{}", figures.performed())
}

/// The last lines of the statistics of 0.4 and 0.5.
pub(super) fn general(request: &Request, figures: &Figures) -> String {
    let Figures { events, minimum, mean, maximum, .. } = figures;
    let percentile = match events {
        0 => String::new(),
        _ => format!(
            "         approx. {:3} percentile:         {:10.2}ms\n",
            request.percentile, figures.percentile
        ),
    };
    format!(
        "
General statistics:
    total time:                          {seconds:.4}s
    total number of events:              {events}
    total time taken by event execution: {sum:.4}
    response time:
         min:                            {minimum:10.2}ms
         avg:                            {mean:10.2}ms
         max:                            {maximum:10.2}ms
{percentile}{fairness}",
        seconds = figures.seconds,
        sum = figures.sum / 1000.0,
        fairness = figures.fairness(),
    )
}
