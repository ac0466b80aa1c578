//! Tests that load volumes: the keys of the workload `storage`.

use crate::keys::key::Key;
use crate::keys::levels::DEFAULT_QUEUE_DEPTH;
use crate::keys::value::applies_only_with;
use crate::keys::{Blocks, LoadKeys, Percent, StorageKeys};
use crate::problem::{Place, Places, Problems};
use crate::read::tests::level::{OneLevel, ascending, missing};
use crate::read::tests::slo::refuse_rate;
use crate::read::tests::table::TestTable;
use crate::text::pattern::{StoragePattern, parse_block, parse_pattern};
use crate::text::size::parse_data;
use model::bounds::{MAX_IOPS, MAX_QUEUE_DEPTH};
use model::{
    BlockOrder, BlockShare, HotRegion, Level, LevelUnit, Oversubscription, SearchOver, Storage,
};
use toml::Spanned;

/// How often a size may be drawn relative to others.
const MAX_WEIGHT: i64 = 1_000_000;

/// What a test with the workload `storage` says of it.
pub(crate) fn workload(
    table: &StorageKeys,
    test: &TestTable,
    problems: &mut Problems,
) -> Option<Storage> {
    let (at, places) = (test.at.clone(), &test.places);
    let named = named_pattern(table, places, problems);
    let mut storage = match &table.pattern {
        Some(_) => named?.storage(),
        None => from_keys(table, at.clone(), problems)?,
    };
    let redo_log = named.is_some_and(|pattern| pattern.redo_log);
    if redo_log {
        refuse_with_redo_log(places, problems);
    } else {
        storage.read_percent = table.reads.value("reads", problems);
        storage.order = table.order.value("order", problems).unwrap_or(BlockOrder::Random);
        storage.sync_every = table.sync_every.value("sync_every", problems);
    }
    storage.hot = hot(table, problems);
    storage.vms = table.vms.value("vms", problems);
    storage.oversubscription = shared_processors(table, storage.vms, problems);
    storage.iops_limit = table.iops_limit.value("iops_limit", problems);
    storage.verify = table.verify.value();
    if let Some(data) = &table.data {
        match parse_data(data.get_ref()) {
            Ok(bytes) => storage.bytes_per_vm = bytes,
            Err(error) => {
                problems.add(data.span(), format!("{}: {error}", problems.key("data")));
                return None;
            }
        }
    }
    check_together(&storage, table, at, problems);
    Some(storage)
}

/// The pattern that the test names, if it names one that can be read.
fn named_pattern(
    table: &StorageKeys,
    places: &Places,
    problems: &mut Problems,
) -> Option<StoragePattern> {
    let written = table.pattern.as_ref()?;
    for (key, at) in places.written_among(&["block", "threads", "queue_depth"]) {
        let notation = problems.notation;
        let [key, pattern] = [key, "pattern"].map(|key| notation.key(key));
        let parts = ["threads", "queue_depth", "block"].map(|key| notation.key(key)).join(", ");
        problems
            .add(at, format!("{key} repeats what {pattern} says"))
            .other(written.span(), "the pattern")
            .help(format!("write either {pattern} or {parts}"));
    }
    match parse_pattern(written.get_ref()) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            problems.add(written.span(), format!("{}: {error}", problems.key("pattern")));
            None
        }
    }
}

/// A load whose pattern is written with a key for each part.
fn from_keys(table: &StorageKeys, at: Place, problems: &mut Problems) -> Option<Storage> {
    let Some(written) = &table.block else {
        let notation = problems.notation;
        let help = format!(
            "add {}, or {} and {}",
            notation.line("pattern", "\"t1 o32 b16k\""),
            notation.setting("block", "\"16KiB\""),
            notation.setting("queue_depth", "32")
        );
        problems.missing(at, "this test has neither a pattern nor a size of blocks", help);
        return None;
    };
    let blocks = blocks(written, problems)?;
    let threads = table.threads.value("threads", problems);
    let one = StoragePattern { threads, queue_depth: 1, block: 512, redo_log: false };
    Some(Storage { blocks, ..one.storage() })
}

fn blocks(written: &Spanned<Blocks>, problems: &mut Problems) -> Option<Vec<BlockShare>> {
    let key = problems.key("block");
    let mut size = |text: &str| {
        parse_block(text)
            .map_err(|error| problems.add(written.span(), format!("{key}: {error}")))
            .ok()
    };
    let mix = match written.get_ref() {
        Blocks::One(text) => return Some(vec![BlockShare { bytes: size(text)?, weight: 1 }]),
        Blocks::Mix(mix) => mix,
    };
    let mut shares: Vec<BlockShare> = Vec::new();
    for (text, weight) in mix {
        let bytes = size(text)?;
        let weight =
            u32::try_from(*weight).ok().filter(|w| (1..=MAX_WEIGHT).contains(&(*w).into()));
        let Some(weight) = weight else {
            problems.add(
                written.span(),
                format!("`{text}` must be drawn from 1 to {MAX_WEIGHT} times"),
            );
            return None;
        };
        shares.push(BlockShare { bytes, weight });
    }
    shares.sort_by_key(|share| share.bytes);
    if shares.is_empty() || shares.windows(2).any(|pair| pair[0].bytes == pair[1].bytes) {
        problems
            .add(written.span(), format!("{key} needs one size at least, and none twice"))
            .help("write it like { 4KiB = 3, 16KiB = 1 }");
        return None;
    }
    Some(shares)
}

fn hot(table: &StorageKeys, problems: &mut Problems) -> Option<HotRegion> {
    let written = table.hot.as_ref()?;
    let mut percent = |key: &str, number: &Key<Percent>| {
        let given = number.written().copied();
        let percent =
            given.and_then(|given| u8::try_from(given).ok()).filter(|p| (1..=99).contains(p));
        if percent.is_none() {
            let at = number.place().unwrap_or(written.span());
            problems
                .add(at, format!("{} needs `{key}`, from 1 to 99 percent", problems.key("hot")))
                .help("write it like { ios = 90, space = 10 }");
        }
        percent
    };
    let table = written.get_ref();
    let (io_percent, space_percent) = (percent("ios", &table.ios), percent("space", &table.space));
    io_percent
        .zip(space_percent)
        .map(|(io_percent, space_percent)| HotRegion { io_percent, space_percent })
}

/// What goes with a part of the load and not with another.
fn check_together(storage: &Storage, table: &StorageKeys, at: Place, problems: &mut Problems) {
    let notation = problems.notation;
    let data = notation.key("data");
    let block = u64::from(storage.largest_block());
    let at_data = table.data.as_ref().map_or(at, Spanned::span);
    let least = block * u64::from(storage.threads);
    if storage.bytes_per_vm < least {
        problems
            .add(
                at_data,
                format!("{data} is too small for a block of {block} bytes in each thread"),
            )
            .help(format!("give each virtual machine at least {least} bytes"));
    } else if !storage.bytes_per_vm.is_multiple_of(block) {
        let whole = storage.bytes_per_vm / block * block;
        problems
            .add(at_data, format!("{data} is not a multiple of the block of {block} bytes"))
            .help(format!("write it with KiB, MiB or GiB, or as \"{whole}B\""));
    }
    if let (Some(hot), BlockOrder::Sequential) = (&table.hot, storage.order) {
        problems
            .add(
                hot.span(),
                format!("{} does not apply to sequential reads and writes", notation.key("hot")),
            )
            .help(format!("set {}, or leave it out", notation.setting("order", "\"random\"")));
    }
    if let (Some(sync), false) = (table.sync_every.place(), storage.writes()) {
        problems
            .add(
                sync,
                format!("{} applies only where something is written", notation.key("sync_every")),
            )
            .help(format!("add {}, or leave it out", notation.line("reads", "70")));
    }
}

/// A redo log says all of these itself.
fn refuse_with_redo_log(places: &Places, problems: &mut Problems) {
    for (key, at) in places.written_among(&["reads", "order", "sync_every"]) {
        let key = problems.key(key);
        problems
            .add(at, format!("{key} repeats what the pattern of a redo log says"))
            .help(format!("leave {key} out, or write the pattern with a number for each part"));
    }
}

/// How busy the processors may be under the highest load.
pub(crate) fn cpu_limit(
    table: &StorageKeys,
    load: &LoadKeys,
    problems: &mut Problems,
) -> Option<u8> {
    let at = table.cpu_limit.place()?;
    if load.cross_check.value() {
        problems
            .add(at, "`cross_check` does not work with a `cpu_limit`: fio has none")
            .help("ask for it in a test with levels of `queue_depth`");
    }
    table.cpu_limit.value("cpu_limit", problems)
}

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
            let Some(written) = &table.queue_depth else { return DEFAULT_QUEUE_DEPTH };
            let written = OneLevel {
                key: "queue_depth",
                numbers: written.get_ref(),
                at: written.span(),
                meaning: "the most that each virtual machine may have",
                most: MAX_QUEUE_DEPTH,
                default: DEFAULT_QUEUE_DEPTH,
            };
            written.value(beside, problems)
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

/// Fewest processors that all virtual machines may share: a tenth of every period. Below
/// that they would mostly wait for the next one.
const FEWEST: f64 = 0.1;

/// Why virtual machines can't share processors as asked.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
enum OversubscriptionError {
    /// The ratio is no number above 0.
    #[error("must be a number above 0")]
    Ratio,
    /// A virtual machine would have more than one processor.
    #[error(
        "leaves each virtual machine {} processors, and weighin drives it from one thread",
        rounded(*.each)
    )]
    MoreThanOne {
        /// Processors of each virtual machine.
        each: f64,
        /// Its virtual processors: the smallest ratio that does.
        vcpus: u32,
    },
    /// All together would have next to nothing.
    #[error(
        "leaves all virtual machines together {} of a processor, and the least is {FEWEST}",
        rounded(*.count)
    )]
    TooFew {
        /// Processors of all of them.
        count: f64,
    },
}

impl OversubscriptionError {
    /// What to ask for instead.
    fn remedy(&self) -> String {
        match self {
            Self::Ratio => "4 stands for four virtual processors to each processor".to_owned(),
            Self::MoreThanOne { vcpus, .. } => format!(
                "take {vcpus} or more, or more virtual machines with fewer virtual processors each"
            ),
            Self::TooFew { .. } => "take a lower number, or more virtual machines".to_owned(),
        }
    }
}

/// With two decimals, or four of what is smaller than these show.
fn rounded(value: f64) -> f64 {
    let digits = if value < 0.1 { 1e4 } else { 1e2 };
    (value * digits).round() / digits
}

/// Virtual machines that share processors: `vcpus` virtual ones of each, and `ratio` of them for each
/// processor.
///
/// # Errors
/// When that makes no sense, or is more than weighin can stand for.
fn oversubscription(
    vms: u32,
    vcpus: u32,
    ratio: f64,
) -> Result<Oversubscription, OversubscriptionError> {
    if !ratio.is_finite() || ratio <= 0.0 {
        return Err(OversubscriptionError::Ratio);
    }
    let shared = Oversubscription { vcpus, ratio };
    let each = shared.processors(1);
    if each > 1.0 {
        return Err(OversubscriptionError::MoreThanOne { each, vcpus });
    }
    match shared.processors(vms) {
        count if count < FEWEST => Err(OversubscriptionError::TooFew { count }),
        _ => Ok(shared),
    }
}

/// What a test says of it.
fn shared_processors(
    table: &StorageKeys,
    vms: u32,
    problems: &mut Problems,
) -> Option<Oversubscription> {
    let vcpus = table.vcpus.value("vcpus", problems);
    let Some(ratio) = &table.cpu_oversubscription else {
        if let Some(at) = table.vcpus.place() {
            applies_only_with("vcpus", at, "cpu_oversubscription", "4", problems);
        }
        return None;
    };
    match oversubscription(vms, vcpus, *ratio.get_ref()) {
        Ok(shared) => Some(shared),
        Err(error) => {
            problems
                .add(ratio.span(), format!("{} {error}", problems.key("cpu_oversubscription")))
                .help(error.remedy());
            None
        }
    }
}
