use crate::duration::parse_duration;
use crate::problem::Problems;
use crate::validate::{name, one_of, whole};
use crate::wire::{Maybe, TestTable};
use crate::{level, mix, policy, slo};
use model::{CacheState, KeyDistribution, Oltp, OltpMix, Test, Workload};
use std::time::Duration;
use toml::Spanned;

/// Most tables that a test may have.
pub(crate) const MAX_TABLES: u32 = 10_000;
/// Most rows that a table may have: `id` is a signed 32-bit column in sysbench's schema.
pub(crate) const MAX_ROWS: u32 = i32::MAX as u32;
/// Values that `cache` takes.
pub(crate) const CACHE_STATES: [&str; 2] = ["warm", "cold"];

const DEFAULT_WARMUP: Duration = Duration::from_secs(5);
const DEFAULT_DURATION: Duration = Duration::from_secs(30);

/// Validates one `[[test]]`. What it returns is a test only if no problem was noted.
pub(crate) fn test(table: &Spanned<TestTable>, problems: &mut Problems) -> Option<Test> {
    let at = table.span();
    let table = table.get_ref();
    let mixes = OltpMix::REPEATABLE.map(OltpMix::name);
    let mix = one_of("workload", &table.workload, mixes, mix::repeatable, problems);
    if table.workload.is_none() {
        let help = "add a line like workload = \"oltp_read_write\"";
        problems.missing(at.clone(), "this test names no workload", help);
    }
    let distributions = KeyDistribution::ALL.map(KeyDistribution::name);
    let distribution = one_of(
        "distribution",
        &table.distribution,
        distributions,
        KeyDistribution::from_name,
        problems,
    );
    let cache = one_of("cache", &table.cache, CACHE_STATES, cache_state, problems);
    let levels = level::levels(table, at, problems);
    let name = match &table.name {
        Some(written) => name(written, "test", problems),
        None => mix.map(|mix| mix.name().to_string()),
    };
    let slo = slo::slo(table, problems);
    let (default_warmup, default_duration) = match table.slo {
        None => (DEFAULT_WARMUP, DEFAULT_DURATION),
        Some(_) => (slo::STEP_WARMUP, slo::STEP_DURATION),
    };
    let warmup = length("warmup", &table.warmup, default_warmup, problems);
    let duration = length("duration", &table.duration, default_duration, problems);
    if let (Some(written), true) = (&table.duration, duration.is_zero()) {
        problems.add(written.span(), "`duration` must be more than zero: nothing is measured");
    }
    let tables = whole("tables", &table.tables, 1, 1..=MAX_TABLES, problems);
    let table_size = whole("table_size", &table.table_size, 10_000, 1..=MAX_ROWS, problems);
    let range_size = whole("range_size", &table.range_size, 100, 1..=MAX_ROWS, problems);
    let distribution = distribution.unwrap_or_default();
    Some(Test {
        name: name?,
        workload: Workload::Oltp(Oltp {
            tables,
            table_size,
            range_size,
            distribution,
            ..mix::workload(mix?, table, problems)
        }),
        levels,
        warmup,
        duration,
        cache: cache.unwrap_or(CacheState::Warm),
        second_opinion: table.second_opinion.unwrap_or(false),
        arrivals: level::arrivals(table, problems),
        policy: policy::policy(table, problems),
        slo,
    })
}

fn cache_state(name: &str) -> Option<CacheState> {
    match name {
        "warm" => Some(CacheState::Warm),
        "cold" => Some(CacheState::Cold),
        _ => None,
    }
}

fn length(
    key: &str,
    written: &Maybe<String>,
    default: Duration,
    problems: &mut Problems,
) -> Duration {
    let Some(written) = written else { return default };
    parse_duration(written.get_ref()).unwrap_or_else(|error| {
        problems.add(written.span(), format!("`{key}`: {error}"));
        default
    })
}
