use crate::duration::parse_duration;
use crate::problem::{Place, Problems};
use crate::validate::{name, one_of};
use crate::wire::{Maybe, TestTable};
use crate::{generators, key_value, level, mix, policy, slo, storage, trigger};
use model::{CacheState, Load, LoadSearch, OltpMix, Storage, Task, Test, Workload};
use std::time::Duration;
use toml::Spanned;

/// Values that `cache` takes.
pub(crate) const CACHE_STATES: [&str; 2] = ["warm", "cold"];

const DEFAULT_WARMUP: Duration = Duration::from_secs(5);
const DEFAULT_DURATION: Duration = Duration::from_secs(30);

/// Validates one `[[test]]`. What it returns is a test only if no problem was noted.
pub(crate) fn test(table: &Spanned<TestTable>, problems: &mut Problems) -> Option<Test> {
    let at = table.span();
    let table = table.get_ref();
    let kind = one_of("workload", &table.workload, workload_names(), kind, problems);
    if table.workload.is_none() {
        let help = "add a line like workload = \"oltp_read_write\"";
        problems.missing(at.clone(), "this test names no workload", help);
    }
    let cache = one_of("cache", &table.cache, CACHE_STATES, cache_state, problems);
    let levels = match kind {
        Some(Kind::Storage) => storage::levels(table, at.clone(), problems),
        Some(Kind::Oltp(_) | Kind::KeyValue) | None => level::levels(table, at.clone(), problems),
    };
    let name = match &table.name {
        Some(written) => name(written, "test", problems),
        None => table.workload.as_ref().map(|workload| workload.get_ref().clone()),
    };
    let slo = slo::slo(table, problems);
    let (default_warmup, default_duration) = match table.slo.is_some() || table.cpu_limit.is_some()
    {
        false => (DEFAULT_WARMUP, DEFAULT_DURATION),
        true => (slo::STEP_WARMUP, slo::STEP_DURATION),
    };
    let warmup = length("warmup", &table.warmup, default_warmup, problems);
    let duration = length("duration", &table.duration, default_duration, problems);
    if let (Some(written), true) = (&table.duration, duration.is_zero()) {
        problems.add(written.span(), "`duration` must be more than zero: nothing is measured");
    }
    let trigger = match kind {
        Some(Kind::KeyValue) => trigger::trigger(table, duration, problems),
        // Noted with the other keys that mean nothing to such a workload.
        Some(Kind::Oltp(_) | Kind::Storage) | None => None,
    };
    let workload = match kind {
        None => None,
        Some(Kind::Oltp(mix)) => Some(Workload::Oltp(mix::workload(mix, table, problems))),
        Some(Kind::KeyValue) => Some(Workload::KeyValue(key_value::workload(table, problems))),
        Some(Kind::Storage) => storage::workload(table, at, problems).map(Workload::Storage),
    };
    let load_generators = generators::load_generators(table, &levels, problems);
    let (arrivals, policy) = (level::arrivals(table, problems), policy::policy(table, problems));
    let cpu_limit = storage::cpu_limit(table, problems);
    let workload = workload?;
    let load =
        Load { workload, levels, warmup, duration, arrivals, policy, load_generators, trigger };
    Some(Test {
        name: name?,
        task: match slo.is_some() || cpu_limit.is_some() {
            true => Task::Search(LoadSearch { load, slo, cpu_limit }),
            false => Task::Load(load),
        },
        cache: cache.unwrap_or(CacheState::Warm),
        cross_check: level::asks_second_opinion(table),
    })
}

/// Workloads by what is different about their keys in the file.
enum Kind {
    Oltp(OltpMix),
    KeyValue,
    Storage,
}

/// The workloads that are none of the OLTP family.
const OTHERS: [&str; 2] = [Workload::KEY_VALUE, Storage::NAME];

/// All workloads that `workload` takes.
pub(crate) fn workload_names() -> [&'static str; OltpMix::REPEATABLE.len() + OTHERS.len()] {
    let family = OltpMix::REPEATABLE.len();
    std::array::from_fn(|index| match OltpMix::REPEATABLE.get(index) {
        Some(mix) => mix.name(),
        None => OTHERS[index - family],
    })
}

fn kind(name: &str) -> Option<Kind> {
    match name {
        Workload::KEY_VALUE => Some(Kind::KeyValue),
        Storage::NAME => Some(Kind::Storage),
        oltp => mix::repeatable(oltp).map(Kind::Oltp),
    }
}

/// Notes the keys, given with their places where they are written, that mean nothing to a test's
/// workload.
pub(crate) fn refuse_keys<const N: usize>(
    workload: &str,
    keys: [(&str, Option<Place>); N],
    problems: &mut Problems,
) {
    for (key, at) in keys {
        let Some(at) = at else { continue };
        problems
            .add(at, format!("`{key}` means nothing to {workload}"))
            .help(format!("leave `{key}` out, or choose another workload"));
    }
}

fn cache_state(name: &str) -> Option<CacheState> {
    match name {
        "warm" => Some(CacheState::Warm),
        "cold" => Some(CacheState::Cold),
        _ => None,
    }
}

/// A length of time, the default where none is written or none can be read.
pub(crate) fn length(
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
