//! What was in caches, answers and tables, in words.

use super::doubts::{span, total};
use super::labels::target_name;
use crate::numbers::{self, bytes, count, figure, percent};
use analyse::{
    CacheNotCold, CacheNotWarm, Evidence, Finding, Overheated, RowsMissing, Throttled,
    ThrottledProcess,
};

pub(super) fn not_cold(findings: &[&Finding]) -> String {
    let asked: u64 = total(findings, |evidence| match evidence {
        Evidence::CacheNotCold(CacheNotCold { asked_bytes, .. }) => Some(*asked_bytes),
        _ => None,
    });
    let storage: u64 = total(findings, |evidence| match evidence {
        Evidence::CacheNotCold(CacheNotCold { storage_bytes, .. }) => Some(*storage_bytes),
        _ => None,
    });
    if asked == 0 {
        return "the caches were to be cold, but the server read nothing from its files: all of it \
                was in memory"
            .to_owned();
    }
    format!(
        "the caches were to be cold, but of {} that the server read from its files only {} came \
         from storage: the rest was in memory",
        bytes(asked),
        bytes(storage),
    )
}

pub(super) fn not_warm(findings: &[&Finding]) -> String {
    let pages: u64 = total(findings, |evidence| match evidence {
        Evidence::CacheNotWarm(CacheNotWarm { pages_read, .. }) => Some(*pages_read),
        _ => None,
    });
    let statements: u64 = total(findings, |evidence| match evidence {
        Evidence::CacheNotWarm(CacheNotWarm { statements, .. }) => Some(*statements),
        _ => None,
    });
    format!(
        "the caches were to be warm and the data fits in the buffer pool, but while measuring {} \
         pages had to be read into it ({} of {} statements): a longer warm-up is needed",
        count(pages),
        percent(pages as f64 / statements.max(1) as f64),
        count(statements),
    )
}

pub(super) fn rows_missing(findings: &[&Finding]) -> String {
    let answers: u64 = total(findings, |evidence| match evidence {
        Evidence::RowsMissing(RowsMissing { answers, .. }) => Some(*answers),
        _ => None,
    });
    let short: u64 = total(findings, |evidence| match evidence {
        Evidence::RowsMissing(RowsMissing { short, .. }) => Some(*short),
        _ => None,
    });
    format!(
        "{} of {} answers lacked rows that the tables must have ({}): prepare the tables anew",
        count(short),
        count(answers),
        percent(short as f64 / answers.max(1) as f64),
    )
}

/// Keys that were removed for want of memory, of several findings all together; the limit and the
/// size of the data are those of the first.
pub(super) fn evicted(findings: &[&Finding]) -> String {
    let all = || {
        findings.iter().filter_map(|finding| match &finding.evidence {
            Evidence::KeysEvicted(evictions) => Some(evictions),
            _ => None,
        })
    };
    let Some(first) = all().next() else { return String::new() };
    let limit = first.limit_bytes.map_or(String::new(), |limit| {
        let ratio = figure(first.data_bytes as f64 / limit as f64);
        format!(
            " (maxmemory of {}; the values alone of all keys are {}, {ratio} × that)",
            bytes(limit),
            bytes(first.data_bytes)
        )
    });
    let rates = || all().filter_map(|evictions| evictions.hit_rate);
    let hits = match rates().min_by(f64::total_cmp).zip(rates().max_by(f64::total_cmp)) {
        Some(span) => format!(
            ", and {} of the reads found their key: a read of a key that is gone is less work, so \
             targets with other hit rates did other work",
            numbers::percents(span)
        ),
        None => String::new(),
    };
    format!(
        "the server came to its limit of memory{limit} and evicted {} keys while {} were written\
         {hits}",
        count(all().map(|evictions| evictions.evicted).sum()),
        count(all().map(|evictions| evictions.written).sum()),
    )
}

pub(super) fn throttled(held: ThrottledProcess, findings: &[&Finding]) -> String {
    let share = span(findings, |evidence| match evidence {
        Evidence::Throttled(Throttled { share, .. }) => Some(*share),
        _ => None,
    });
    let who = match held {
        ThrottledProcess::Server => "the server",
        ThrottledProcess::Client => "the load generator",
    };
    format!(
        "{who} used up the processor time that its control group allows, and was held back in {} \
         of the periods",
        numbers::percents(share),
    )
}

pub(super) fn overheated(findings: &[&Finding]) -> String {
    let events: u64 = total(findings, |evidence| match evidence {
        Evidence::Overheated(Overheated { events }) => Some(*events),
        _ => None,
    });
    let times = if events == 1 { "once".to_owned() } else { format!("{} times", count(events)) };
    format!("processors lowered their frequency {times} because they were too hot")
}

pub(super) fn intact(rows: u64, with_values: bool) -> String {
    let what = if with_values { "rows, and their values are unchanged" } else { "rows" };
    format!("check 8: after the last trial the tables still had all their {} {what}", count(rows))
}

pub(super) fn changed((before, after): (u64, u64)) -> String {
    if before == after {
        format!(
            "something else wrote to the tables: no test of this study does, and after the last \
             trial their {} rows had other values",
            count(before)
        )
    } else {
        format!(
            "something else wrote to the tables: every test of this study keeps their rows, and \
             after the last trial there were {} where there had been {}",
            count(after),
            count(before)
        )
    }
}

pub(super) fn different(rows: &[(String, u64)]) -> String {
    let each: Vec<String> = rows
        .iter()
        .map(|(target, rows)| format!("{} ({} rows)", target_name(target), count(*rows)))
        .collect();
    format!(
        "the targets’ tables were made from one seed and hold different data, so they did not do \
         the same work: {}",
        numbers::list(&each)
    )
}
