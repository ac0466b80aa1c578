use crate::keys::levels::DEFAULT_QUEUE_DEPTH;
use crate::keys::{LoadKeys, StorageKeys};
use crate::problem::{Place, Problems};
use crate::read::tests::level::{ascending, missing, single_level};
use crate::read::tests::slo::refuse_rate;
use crate::text::pattern::parse_pattern;
use model::bounds::{MAX_IOPS, MAX_QUEUE_DEPTH};
use model::{Level, LevelUnit, SearchOver};
use toml::Spanned;

/// How hard a test loads its volumes: reads and writes that each virtual machine keeps in flight
/// or, with `rate`, reads and writes a second of all of them.
pub(crate) fn levels(
    table: &StorageKeys,
    load: &LoadKeys,
    at: Place,
    problems: &mut Problems,
) -> Vec<Level> {
    let mut levels = written(table, load, at, problems);
    for level in &mut levels {
        *level = level.counting(LevelUnit::QueueDepth);
    }
    let threads = table.threads.written().and_then(|threads| u32::try_from(*threads).ok());
    let uneven =
        |level: &&Level| threads.is_some_and(|t| t > 0 && !level.clients.is_multiple_of(t));
    if let (Some(level), Some(threads), Some(at)) =
        (levels.iter().find(uneven), threads, table.threads.place())
    {
        let message =
            format!("a queue depth of {} cannot be divided among {threads} threads", level.clients);
        let notation = problems.notation;
        problems.add(table.queue_depth.as_ref().map_or(at, Spanned::span), message).help(format!(
            "make every level of {} a multiple of {}",
            notation.key("queue_depth"),
            notation.key("threads")
        ));
    }
    levels
}

fn written(table: &StorageKeys, load: &LoadKeys, at: Place, problems: &mut Problems) -> Vec<Level> {
    // A pattern that cannot be read is a problem that the workload notes.
    let pattern = table.pattern.as_ref().and_then(|written| parse_pattern(written.get_ref()).ok());
    let by_pattern = pattern.map(|pattern| pattern.queue_depth);
    let most = |beside: &str, problems: &mut Problems| {
        by_pattern.unwrap_or_else(|| {
            let meaning = "the most that each virtual machine may have";
            let Some(written) = &table.queue_depth else { return DEFAULT_QUEUE_DEPTH };
            let written = ("queue_depth", (written.get_ref(), written.span()), meaning);
            single_level(beside, written, MAX_QUEUE_DEPTH, DEFAULT_QUEUE_DEPTH, problems)
        })
    };
    let searched = [("slo", load.slo.is_some()), ("cpu_limit", table.cpu_limit.is_some())];
    if let Some((key, _)) = searched.into_iter().find(|(_, given)| *given) {
        if key == "cpu_limit" {
            refuse_rate(load, key, problems);
        }
        return vec![Level::searched(SearchOver::Rate, most(key, problems))];
    }
    if let Some(rates) = &load.rate {
        let most = most("rate", problems);
        let rates = ascending("rate", rates.get_ref(), rates.span(), MAX_IOPS, problems);
        return rates.into_iter().map(|rate| Level::rate(most, rate)).collect();
    }
    match (&table.pattern, by_pattern, &table.queue_depth) {
        (Some(_), known, _) => known.into_iter().map(Level::clients).collect(),
        (None, _, Some(written)) => {
            let (depths, at) = (written.get_ref(), written.span());
            let depths = ascending("queue_depth", depths, at, MAX_QUEUE_DEPTH, problems);
            depths.into_iter().map(Level::clients).collect()
        }
        (None, _, None) => {
            missing("queue_depth", "[1, 8, 32]", at, problems);
            Vec::new()
        }
    }
}
