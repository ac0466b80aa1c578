//! Picks the form of the generation.

use super::{Figures, Stretch, histogram, more, v04, v05, v10};
use crate::commands::sysbench::generation::{Generation, Release};
use crate::commands::sysbench::request::{Request, Seed};
use model::{Latencies, LoadResult};
use std::fmt::Write;

/// What is printed before anything is connected: the options that the run goes by.
pub(in super::super) fn options(request: &Request) -> String {
    let mut text = format!(
        "Running the test with following options:\nNumber of threads: {}\n",
        request.threads
    );
    if request.generation.program == Release::V11 && !request.warmup.is_zero() {
        let _ = writeln!(text, "Warmup time: {}s", request.warmup.as_secs());
    }
    if let Some(rate) = request.rate {
        let _ = writeln!(text, "Target transaction rate: {rate}/sec");
    }
    if request.report_interval > 0 {
        let every = request.report_interval;
        let _ = writeln!(text, "Report intermediate results every {every} second(s)");
    }
    if !request.checkpoints.is_empty() {
        let seconds: Vec<String> = request.checkpoints.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "Report checkpoint(s) at {} seconds", seconds.join(", "));
    }
    if request.options.flag("validate") {
        text.push_str("Validation checks: on.\n\n");
    }
    text.push_str(&seed(request));
    if request.generation.is_recent()
        && let (true, Some(time)) = (request.shutdown.forced, request.time)
    {
        let seconds = (time + request.shutdown.after).as_secs();
        let _ = writeln!(text, "Forcing shutdown in {seconds} seconds");
    }
    text.push('\n');
    if request.generation.program == Release::V04 {
        text.push_str(&v04::mode(request));
    }
    text
}

fn seed(request: &Request) -> String {
    const FROM: &str = "Initializing random number generator from";
    const IGNORED: &str = "Random number generator seed is 0 and will be ignored\n\n";
    match (request.seed, request.generation.program) {
        (Seed::Given(seed), _) => format!("{FROM} seed ({seed}).\n\n"),
        (_, Release::V10 | Release::V11) => format!("{FROM} current time\n\n"),
        (Seed::Clock, _) => format!("{FROM} timer.\n\n{IGNORED}"),
        (Seed::Fixed, _) => IGNORED.to_owned(),
    }
}

/// What is printed while connections are opened.
pub(in super::super) fn initializing(generation: Generation) -> &'static str {
    match generation.program {
        Release::V04 => "",
        _ => "Initializing worker threads...\n\n",
    }
}

/// What is printed when the load begins.
pub(in super::super) fn started(generation: Generation) -> &'static str {
    match generation.program {
        Release::V04 => "Threads started!\n",
        _ => "Threads started!\n\n",
    }
}

/// An interim line.
pub(in super::super) fn line(request: &Request, line: &Stretch) -> String {
    match request.generation.program {
        Release::V04 => v04::line(request, line),
        Release::V05 => v05::line(request, line),
        Release::V10 | Release::V11 => v10::line(request, line),
    }
}

/// What is printed at a checkpoint.
pub(in super::super) fn checkpoint(request: &Request, stretch: &Stretch) -> String {
    let seconds = stretch.end.as_secs_f64();
    let figures = Figures::new(request, stretch);
    match request.generation.program {
        Release::V04 | Release::V05 => {
            format!("[{seconds:4.0}s] Checkpoint report:\n") + &statistics(request, &figures)
        }
        Release::V10 | Release::V11 => {
            format!("[ {seconds:.0}s ] Checkpoint report:\n") + &statistics(request, &figures)
        }
    }
}

/// What is printed when the load is over, before its statistics.
pub(in super::super) fn ended(
    request: &Request,
    load: &LoadResult,
    latencies: &Latencies,
    figures: &Figures,
) -> String {
    match request.generation.program {
        Release::V04 => v04::ending(request, figures),
        Release::V05 => String::new(),
        Release::V10 | Release::V11 => {
            let mut text = String::new();
            let unfinished = load.ledger.timed_out;
            if request.shutdown.forced && unfinished > 0 {
                let _ = writeln!(
                    text,
                    "\nNumber of unfinished transactions on forced shutdown: {unfinished}\n"
                );
            }
            if request.options.flag("histogram") {
                text.push_str(&histogram::text(latencies));
            }
            text
        }
    }
}

/// The statistics of a run, or of a stretch of it.
pub(in super::super) fn statistics(request: &Request, figures: &Figures) -> String {
    match request.generation.program {
        Release::V04 => v04::statistics(request, figures),
        Release::V05 => v05::statistics(request, figures),
        Release::V10 | Release::V11 => v10::statistics(request, figures),
    }
}

/// What is printed after everything else, only where it is asked for.
pub(in super::super) fn more(request: &Request, load: &LoadResult) -> String {
    more::percentiles(&request.more_percentiles, &load.latencies)
        + &more::statements(&request.more_percentiles, &load.by_statement)
}
