use super::{Table, TableCell, words};
use crate::numbers::{self, NOTHING, bytes, count, date, duration};
use crate::view;
use crate::words::{offer, place, target_name};
use analyse::Analysis;
use model::{ClockReading, Dataset, Extension, HostFacts, HostSampling, Place, TrialRecord};
use std::collections::BTreeSet;
use std::time::Duration;

/// The run: what, when, and with what.
pub(crate) fn run(analysis: &Analysis) -> Table {
    let dataset = analysis.dataset;
    let (planned, date) = (dataset.plan.trials().count(), date(dataset.run.started_at));
    let study = ("study", Some(dataset.study.name.clone()));
    let weighin = ("weighin", Some(dataset.run.weighin_version.clone()));
    if view::imported(analysis) {
        let trials = ("trials", Some(dataset.trials.len().to_string()));
        return pairs([study, ("imported", Some(date)), weighin, trials]);
    }
    let is_merged = dataset.run.extensions.iter().any(|one| one.merged_from.is_some());
    let extended = (1..).zip(&dataset.run.extensions).map(|(number, extension)| {
        let said =
            format!("{}: {}", numbers::date(extension.at), added(dataset, number, extension));
        match &extension.merged_from {
            Some(file) => {
                ("merged", Some(format!("{file}, started {said}{}", on(&extension.host))))
            }
            None => ("extended", Some(said)),
        }
    });
    let began = is_merged.then(|| {
        let blocks = dataset.plan.blocks.iter().filter(|block| block.extension == 0);
        let trials = numbers::counted(blocks.map(|block| block.trials.len()).sum(), "trial");
        ("merged", Some(format!("the first run: {trials}{}", on(&dataset.run.host))))
    });
    let facts = [
        study,
        ("run", Some(format!("{}, started {date}", dataset.run.id))),
        weighin,
        ("trials", Some(format!("{} of {planned} have a record", dataset.trials.len()))),
        ("seed", Some(dataset.plan.seed.to_string())),
        ("time scale", Some(numbers::figure(dataset.run.scale))),
    ];
    let study = &dataset.study;
    let how = match (study.slices.is_some(), study.duet) {
        (true, _) => "in turns",
        (false, true) => "at once",
        (false, false) => "side by side",
    };
    let beside = side_by_side(dataset).map(|trials| (how, Some(trials)));
    pairs(facts.into_iter().chain(beside).chain(began).chain(extended))
}

/// How many trials ran beside those of other targets.
fn side_by_side(dataset: &Dataset) -> Option<String> {
    let beside = dataset.trials.iter().filter(|record| record.side_by_side.is_some()).count();
    let how = match (dataset.study.slices.is_some(), dataset.study.duet) {
        (true, _) => "took turns with",
        (false, true) => "were loaded at once with",
        (false, false) => "ran beside",
    };
    (beside > 0).then(|| format!("{beside} of {} trials {how} others", dataset.trials.len()))
}

/// The host that made a run.
fn on(host: &HostFacts) -> String {
    format!("; on {} ({} × {})", host.hostname, host.cpus, host.cpu_model)
}

/// What was noted while the run was going on; `None` where nothing was.
pub(crate) fn notes(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([words("time"), words("note"), words("trial under way")]);
    for note in &analysis.dataset.notes {
        let mut trials = analysis.dataset.trials.iter();
        let trial = trials.find(|trial| (trial.started_at..=trial.finished_at).contains(&note.at));
        table.push([
            TableCell::text(date(note.at)),
            TableCell::text(&*note.text),
            TableCell::text(trial.map(|trial| trial.key.to_string()).unwrap_or_default()),
        ]);
    }
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}

/// What an extension brought, and with which weighin.
fn added(dataset: &Dataset, number: u32, extension: &Extension) -> String {
    let blocks = dataset.plan.blocks.iter().filter(|block| block.extension == number);
    let trials = blocks.map(|block| block.trials.len()).sum();
    let changed = match extension.changes.as_slice() {
        [] => String::new(),
        changes => format!("; changes of the study: {}", numbers::list(changes)),
    };
    let weighin = &extension.weighin_version;
    format!("{}{changed}; weighin {weighin}", numbers::counted(trials, "trial"))
}

/// The host that weighin ran on.
pub(crate) fn host(analysis: &Analysis) -> Table {
    let host = &analysis.dataset.run.host;
    let on_off = |on| if on { "on" } else { "off" }.to_owned();
    pairs([
        ("host", Some(host.hostname.clone())),
        ("operating system", Some(host.os.clone())),
        ("kernel", Some(host.kernel.clone())),
        ("processor", Some(format!("{} × {}", host.cpus, host.cpu_model))),
        ("memory", Some(bytes(host.memory_bytes))),
        ("frequency governor", host.governor.clone()),
        ("simultaneous multithreading", host.smt.map(on_off)),
        ("NUMA nodes", host.numa_nodes.map(|n| n.to_string())),
        ("virtualisation", host.virtualisation.clone()),
        ("disks", (!host.disks.is_empty()).then(|| host.disks.join("; "))),
        ("default file system of private servers", host.sandbox_filesystem.clone()),
        ("clock source", host.clock_source.clone()),
    ])
}

/// The machines of targets that are not the one that makes the load; `None` where there is none.
pub(crate) fn target_hosts(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([
        words("target"),
        words("host"),
        words("operating system"),
        words("processor"),
        words("memory"),
        words("virtualisation"),
        words("disks"),
        words("its clock"),
    ]);
    let dataset = analysis.dataset;
    for facts in &dataset.targets {
        let Some(host) = &facts.server.host else { continue };
        table.push([
            TableCell::target(&facts.target, view::series(analysis, &facts.target)),
            or_unknown(&host.hostname),
            or_unknown(&host.os).with_note(&host.kernel),
            TableCell::text(format!("{} × {}", host.cpus, host.cpu_model)),
            TableCell::text(bytes(host.memory_bytes)),
            TableCell::text(host.virtualisation.as_deref().unwrap_or(NOTHING)),
            or_unknown(&host.disks.join("; ")),
            TableCell::text(clock(of_target(dataset, &facts.target))),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// What was sampled on the machine of a target.
fn of_target<'a>(dataset: &'a Dataset, target: &'a str) -> impl Iterator<Item = &'a HostSampling> {
    let records = dataset.trials.iter().filter(move |record| record.key.target == target);
    records.filter_map(|record| record.sampling.target_host.as_deref())
}

/// The machines that made loads in place of the one that weighin ran on; `None` where there is none.
pub(crate) fn load_hosts(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([
        words("load host"),
        words("host"),
        words("operating system"),
        words("processor"),
        words("memory"),
        words("virtualisation"),
        words("loads on"),
        super::numbers("trials"),
        super::numbers("most processors in use"),
        words("its clock"),
    ]);
    let trials = &analysis.dataset.trials;
    let sampled = || trials.iter().flat_map(|record| &record.sampling.load_hosts);
    let names: BTreeSet<&str> = sampled().map(|load_host| load_host.host.as_str()).collect();
    for name in names {
        let of_host = || sampled().filter(|load_host| load_host.host == name);
        // As it was last: it may have been made anew meanwhile.
        let facts = of_host().filter_map(|load_host| load_host.facts.as_ref()).next_back();
        let Some(facts) = facts else { continue };
        let made = |record: &&TrialRecord| {
            record.sampling.load_hosts.iter().any(|load_host| load_host.host == name)
        };
        let targets: BTreeSet<String> =
            trials.iter().filter(made).map(|record| target_name(&record.key.target)).collect();
        let busy =
            of_host().flat_map(|load_host| &load_host.samples).map(|sample| sample.cpu.busy());
        table.push([
            TableCell::text(name),
            or_unknown(&facts.hostname),
            or_unknown(&facts.os).with_note(&facts.kernel),
            TableCell::text(format!("{} × {}", facts.cpus, facts.cpu_model)),
            TableCell::text(bytes(facts.memory_bytes)),
            TableCell::text(facts.virtualisation.as_deref().unwrap_or(NOTHING)),
            TableCell::text(targets.into_iter().collect::<Vec<_>>().join(", ")),
            TableCell::text(count(of_host().count() as u64)),
            TableCell::text(busy.reduce(f64::max).map_or(NOTHING.to_owned(), numbers::percent)),
            TableCell::text(clock(of_host())),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn or_unknown(text: &str) -> TableCell {
    TableCell::text(if text.is_empty() { "not known" } else { text })
}

/// By how much the clock of a machine was ahead or behind over all trials, and how well that is known.
fn clock<'a>(sampled: impl Iterator<Item = &'a HostSampling>) -> String {
    let readings: Vec<ClockReading> =
        sampled.flat_map(|other| [other.clock_before, other.clock_after]).collect();
    let ahead = || readings.iter().map(|reading| reading.ahead_seconds);
    let (least, most) = (ahead().fold(f64::MAX, f64::min), ahead().fold(f64::MIN, f64::max));
    let uncertainty = readings.iter().map(|r| r.uncertainty_seconds).fold(0.0, f64::max);
    if readings.is_empty() {
        return "not read".to_owned();
    }
    let side = |ahead: f64| {
        let side = if ahead < 0.0 { "behind" } else { "ahead" };
        format!("{} {side}", short(ahead.abs()))
    };
    let (first, last) = (side(least), side(most));
    let range = if first == last { first } else { format!("{first} to {last}") };
    format!("{range}, ± {}", short(uncertainty))
}

/// A length of time from microseconds to days.
fn short(seconds: f64) -> String {
    match seconds {
        ..1e-3 => format!("{} µs", numbers::figure(seconds * 1e6)),
        ..1.0 => format!("{} ms", numbers::figure(seconds * 1e3)),
        ..600.0 => format!("{} s", numbers::figure(seconds)),
        _ => Duration::try_from_secs_f64(seconds).map_or_else(|_| "years".to_owned(), duration),
    }
}

fn pairs(facts: impl IntoIterator<Item = (&'static str, Option<String>)>) -> Table {
    let mut table = Table::new([words("fact"), words("value")]);
    for (name, value) in facts {
        let value = value.filter(|value| !value.is_empty());
        table.push([
            TableCell::text(name),
            TableCell::text(value.as_deref().unwrap_or("not known")),
        ]);
    }
    table
}

/// The targets as configured and as observed.
pub(crate) fn servers(analysis: &Analysis) -> Table {
    let mut table = Table::new([
        words("target"),
        words("system"),
        words("where"),
        words("version"),
        words("labels"),
        words("price"),
        super::numbers("data"),
        super::numbers("prepared in"),
        super::numbers("variables"),
    ]);
    let unseen = if view::imported(analysis) { NOTHING } else { "never reached" };
    for target in &analysis.dataset.study.targets {
        let observed = analysis.dataset.targets.iter().find(|facts| facts.target == target.name);
        let server = observed.map(|facts| &facts.server);
        // Nobody says how the data of imported results came about.
        let prepared = server.filter(|_| target.place != Place::Imported);
        let labels: Vec<String> = target.labels.iter().map(|(k, v)| format!("{k}: {v}")).collect();
        let or_nothing = |text: Option<String>| TableCell::text(text.as_deref().unwrap_or(NOTHING));
        table.push([
            TableCell::target(&target.name, view::series(analysis, &target.name)),
            TableCell::text(target.system.product(server.map_or("", |server| &server.version))),
            match server.and_then(|server| server.program.as_deref()) {
                Some(program) => TableCell::text(place(&target.place)).with_note(program),
                None => TableCell::text(place(&target.place)),
            },
            TableCell::text(server.map_or(unseen, |server| &server.version)),
            or_nothing((!labels.is_empty()).then(|| labels.join(", "))),
            or_nothing(target.price.as_ref().map(offer)),
            or_nothing(server.and_then(|server| server.dataset_bytes).map(bytes)),
            or_nothing(prepared.map(|server| prepared_in(server.prepare_seconds))),
            or_nothing(server.map(|server| count(server.variables.len() as u64))),
        ]);
    }
    if view::imported(analysis) { table.without_empty_columns() } else { table }
}

fn prepared_in(seconds: Option<f64>) -> String {
    let length = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    length.map_or("existing".to_owned(), duration)
}
