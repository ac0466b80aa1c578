//! Picks the form of the generation.

use super::{Figures, Line, histogram, more, v04, v05, v10};
use crate::commands::sysbench::generation::Generation;
use crate::commands::sysbench::request::{Request, Seed};
use model::LoadResult;
use std::fmt::Write;

/// What is printed before anything is connected: the options that the run goes by.
pub(in super::super) fn options(request: &Request) -> String {
    let mut text = format!(
        "Running the test with following options:\nNumber of threads: {}\n",
        request.threads
    );
    if let Some(rate) = request.rate {
        let _ = writeln!(text, "Target transaction rate: {rate}/sec");
    }
    if request.report_interval > 0 {
        let every = request.report_interval;
        let _ = writeln!(text, "Report intermediate results every {every} second(s)");
    }
    if request.options.flag("validate") {
        text.push_str("Validation checks: on.\n\n");
    }
    text.push_str(&seed(request));
    text.push('\n');
    if request.generation == Generation::V04 {
        text.push_str(&v04::mode(request));
    }
    text
}

fn seed(request: &Request) -> String {
    const FROM: &str = "Initializing random number generator from";
    const IGNORED: &str = "Random number generator seed is 0 and will be ignored\n\n";
    match (request.seed, request.generation) {
        (Seed::Given(seed), _) => format!("{FROM} seed ({seed}).\n\n"),
        (_, Generation::V10) => format!("{FROM} current time\n\n"),
        (Seed::Clock, _) => format!("{FROM} timer.\n\n{IGNORED}"),
        (Seed::Fixed, _) => IGNORED.to_owned(),
    }
}

/// What is printed while connections are opened.
pub(in super::super) fn initializing(generation: Generation) -> &'static str {
    match generation {
        Generation::V04 => "",
        Generation::V05 | Generation::V10 => "Initializing worker threads...\n\n",
    }
}

/// What is printed when the load begins.
pub(in super::super) fn started(generation: Generation) -> &'static str {
    match generation {
        Generation::V04 => "Threads started!\n",
        Generation::V05 | Generation::V10 => "Threads started!\n\n",
    }
}

/// An interim line.
pub(in super::super) fn line(request: &Request, line: &Line) -> String {
    match request.generation {
        Generation::V04 => v04::line(request, line),
        Generation::V05 => v05::line(request, line),
        Generation::V10 => v10::line(request, line),
    }
}

/// What is printed at the end.
pub(in super::super) fn statistics(
    request: &Request,
    load: &LoadResult,
    figures: &Figures,
) -> String {
    let mut text = match request.generation {
        Generation::V04 => v04::statistics(request, figures),
        Generation::V05 => v05::statistics(request, figures),
        Generation::V10 => {
            let mut text = String::new();
            if request.options.flag("histogram") {
                text.push_str(&histogram::text(&load.latencies));
            }
            text.push_str(&v10::statistics(request, figures));
            text
        }
    };
    text.push_str(&more::percentiles(&request.more_percentiles, &load.latencies));
    text.push_str(&more::statements(&request.more_percentiles, &load.by_statement));
    text
}
