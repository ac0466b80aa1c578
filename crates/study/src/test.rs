use crate::duration::parse_duration;
use crate::mix;
use crate::problem::Problems;
use crate::validate::{name, one_of, whole};
use crate::wire::{Clients, Maybe, TestTable};
use model::{CacheState, KeyDistribution, Level, Oltp, OltpMix, Test, Workload};
use std::time::Duration;
use toml::Spanned;

/// Most tables that a test may have.
pub(crate) const MAX_TABLES: u32 = 10_000;
/// Most rows that a table may have: `id` is a signed 32-bit column in sysbench's schema.
pub(crate) const MAX_ROWS: u32 = i32::MAX as u32;
/// Most clients of a level: one address has no more ports.
const MAX_CLIENTS: i64 = 65_535;
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
    let levels = match &table.clients {
        Some(clients) => levels(clients, problems),
        None => {
            let help = "add a line like clients = [1, 2, 4, 8, 16]";
            problems.missing(at, "this test has no levels", help);
            Vec::new()
        }
    };
    let name = match &table.name {
        Some(written) => name(written, "test", problems),
        None => mix.map(|mix| mix.name().to_string()),
    };
    let warmup = length("warmup", &table.warmup, DEFAULT_WARMUP, problems);
    let duration = length("duration", &table.duration, DEFAULT_DURATION, problems);
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

/// Levels in ascending order; the order of the file is of no consequence, since the plan shuffles.
fn levels(clients: &Spanned<Clients>, problems: &mut Problems) -> Vec<Level> {
    let at = clients.span();
    let mut numbers = match clients.get_ref() {
        Clients::One(number) => vec![*number],
        Clients::Many(numbers) => numbers.clone(),
    };
    if numbers.is_empty() {
        problems.add(at, "`clients` is empty").help("name at least one level, such as [1]");
        return Vec::new();
    }
    numbers.sort_unstable();
    if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
        problems
            .add(at.clone(), format!("`clients` has the level {} twice", pair[0]))
            .help("to measure a level more often, raise `repeats` in [study]");
    }
    let mut levels = Vec::new();
    for number in numbers {
        match u32::try_from(number) {
            Ok(clients) if (1..=MAX_CLIENTS).contains(&number) => {
                levels.push(Level::clients(clients))
            }
            _ => {
                problems.add(
                    at.clone(),
                    format!("`clients` must be from 1 to {MAX_CLIENTS}, not {number}"),
                );
            }
        }
    }
    levels
}
