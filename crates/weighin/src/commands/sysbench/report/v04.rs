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
    let requests = f.reads + f.writes;
    format!(
        "{performed}    transactions:                        {transactions:<6} ({tps:.2} per sec.)
    deadlocks:                           {errors:<6} ({errors_rate:.2} per sec.)
    read/write requests:                 {requests:<6} ({requests_rate:.2} per sec.)
    other operations:                    {others:<6} ({others_rate:.2} per sec.)
{general}",
        performed = queries_performed(f),
        transactions = f.transactions,
        tps = f.rate(f.transactions),
        errors = f.errors,
        errors_rate = f.rate(f.errors),
        requests_rate = f.rate(requests),
        others = f.others,
        others_rate = f.rate(f.others),
        general = general(request, f),
    )
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
pub(super) fn queries_performed(figures: &Figures) -> String {
    let (reads, writes, others) = (figures.reads, figures.writes, figures.others);
    format!(
        "OLTP test statistics:
    queries performed:
        read:                            {reads}
        write:                           {writes}
        other:                           {others}
        total:                           {total}
",
        total = reads + writes + others,
    )
}

/// The last lines of the statistics of 0.4 and 0.5.
pub(super) fn general(request: &Request, figures: &Figures) -> String {
    let f = figures;
    let percentile = match f.events {
        0 => String::new(),
        _ => format!(
            "         approx. {:3} percentile:         {:10.2}ms\n",
            request.percentile, f.percentile
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
{percentile}
Threads fairness:
    events (avg/stddev):           {events_mean:.4}/{events_deviation:3.2}
    execution time (avg/stddev):   {busy_mean:.4}/{busy_deviation:3.2}

",
        seconds = f.seconds,
        events = f.events,
        sum = f.sum / 1000.0,
        minimum = f.minimum,
        mean = f.mean,
        maximum = f.maximum,
        events_mean = f.events_per_thread.mean,
        events_deviation = f.events_per_thread.deviation,
        busy_mean = f.busy_per_thread.mean,
        busy_deviation = f.busy_per_thread.deviation,
    )
}
