use crate::keys::choices::AnswerByKey;
use crate::keys::key::{Choice, Key};
use crate::keys::study::{AnswerAtTable, CONFIDENCES, MARGINS, MOST_REPEATS, REPEATS};
use crate::keys::value::{TakenNames, name, whole};
use crate::keys::{Maybe, RepeatsKey, StudyTable};
use crate::problem::{Place, Problems};
use crate::read::budget::budget;
use crate::read::hosts::load_hosts::LoadHostTables;
use crate::read::hosts::{Hosts, duet, fleet, instance, parallel, slices};
use crate::read::shape::Shape;
use crate::read::{fit, targets, tests};
use model::bounds::{MAX_LOOKS, MAX_REPEATS};
use model::{AnswerAt, AnswerBy, AskedLoad, LevelPlacement, Study, Target, Test, Until};
use std::ops::RangeInclusive;
use std::time::Duration;
use toml::Spanned;

/// Most trials of a study: a guard against a slip, years of work as it is.
const MAX_TRIALS: u64 = 1_000_000;

/// Shortest and longest time between two samples. Below that the kernel's ticks show, and above it
/// a timeline shows nothing.
const SAMPLE_EVERY: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(60);

/// Validates a whole file. What it returns is a study only if no problem was noted.
pub(crate) fn study(shape: Shape, text: &str, problems: &mut Problems) -> Option<Study> {
    let Shape { file, target_places, tests: test_tables } = shape;
    let target_tables = file.target.unwrap_or_default();
    if target_tables.is_empty() {
        let help = "add a [[target]] with a name and sandbox = {}";
        problems.missing(0..0, "the study has no target", help);
    }
    if test_tables.is_empty() {
        let help = "add a [[test]] with a workload and clients";
        problems.missing(0..0, "the study has no test", help);
    }
    let hosts = Hosts::from_tables(file.host.unwrap_or_default(), problems);
    let load_hosts = LoadHostTables::from_tables(file.load_host.unwrap_or_default(), problems);
    let fleet = fleet::fleet(&file.fleet, &load_hosts, problems);
    let mut names = TakenNames::new("target");
    let mut targets: Vec<(Target, Place)> = Vec::new();
    for (table, places) in target_tables.into_iter().zip(&target_places) {
        let name = table.get_ref().name.as_ref();
        names.take(name.map(|name| (name.get_ref().as_str(), name.span())), problems);
        let at = table.get_ref().name.as_ref().map_or(0..0, Spanned::span);
        let load_hosts = load_hosts.hosts_of_target(&table.get_ref().load_hosts, problems);
        let target = targets::target(table, places, &hosts, problems);
        targets.extend(target.map(|target| (Target { load_hosts, ..target }, at)));
    }
    targets::path::label(&mut targets, problems);
    problems.learn_syntaxes(targets.iter().map(|(target, _)| target));
    hosts.refuse_unused(problems);
    load_hosts.refuse_some(&targets, problems);
    let mut names = TakenNames::new("test");
    let mut tests: Vec<Test> = Vec::new();
    for table in &test_tables {
        names.take(table.name(), problems);
        let mut of_table = tests::tests(table, problems);
        load_hosts.make(table, &mut of_table, &targets, problems);
        if let Some(first) = of_table.first() {
            fit::check(first, table, &targets, problems);
        }
        if let [_, _, ..] = of_table.as_slice() {
            let at = table.name().map_or(0..0, |(_, at)| at);
            for test in &of_table {
                names.take(Some((&test.name, at.clone())), problems);
            }
        }
        tests.extend(of_table);
    }
    load_hosts.refuse_unused(problems);
    let Some(table) = file.study else {
        let help = "begin the file with [study] and a line like name = \"my-study\"";
        problems.missing(0..0, "the table [study] is missing", help);
        return None;
    };
    let targets = targets.into_iter().map(|(target, _)| target).collect();
    let study = head(&table, targets, tests, text, problems)?;
    let mut host_instances = hosts.into_instances();
    host_instances.extend(load_hosts.into_instances());
    instance::refuse_names(&host_instances, &study, problems);
    Some(Study { fleet, host_instances, ..study })
}

/// Validates `[study]`.
fn head(
    table: &Spanned<StudyTable>,
    targets: Vec<Target>,
    tests: Vec<Test>,
    text: &str,
    problems: &mut Problems,
) -> Option<Study> {
    let at = table.span();
    let table = table.get_ref();
    if table.name.is_none() {
        let help = "add a line like name = \"my-study\"";
        problems.missing(at.clone(), "the study has no name", help);
    }
    let name = table.name.as_ref().and_then(|written| {
        let name = name(written.get_ref(), written.span(), "study", problems)?;
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c)) {
            problems
                .add(written.span(), format!("`{name}` cannot be part of a file name"))
                .help("use letters, digits, - and _ only");
        }
        Some(name)
    });
    let (repeats, until) = repeats(&table.repeats, targets.len(), problems);
    let budget = budget(&table.budget, &targets, problems);
    if let (Some(written), None) = (&table.budget, until) {
        problems
            .add(written.span(), "`budget` needs repeats that can end before all were made")
            .help("write repeats = { min = 3, max = 20, until = \"resolved\" }");
    }
    let aa_control =
        table.noise_floor.value().then(|| targets.first().map(Target::aa_control)).flatten();
    if let Some(taken) =
        aa_control.as_ref().filter(|aa_control| targets.iter().any(|t| t.name == aa_control.name))
    {
        let message = format!("`noise_floor` needs the name `{}` for itself", taken.name);
        problems.add(at.clone(), message).help("give that target another name");
    }
    if let (1, Some(test)) = (repeats, tests.iter().find(|test| test.placement().is_some())) {
        problems
            .add(
                table.repeats.as_ref().map_or(at.clone(), Spanned::span),
                format!(
                    "the levels of {} cannot be placed by one repeat, which does not show the scatter",
                    test.name
                ),
            )
            .help("write repeats = 3, or give `clients` as numbers");
    }
    let places = tests.iter().any(|test| test.placement().is_some());
    if let (Some(written), true) = (&table.budget, places) {
        problems
            .add(written.span(), "`budget` does not work with levels that place themselves")
            .help("give `clients` as numbers, or leave the budget out and bound `most` levels");
    }
    let parallel = parallel::parallel(&table.parallel, &targets, &tests, problems);
    let slices = slices::slices(table, &targets, &tests, problems);
    let duet = duet::duet(table, &targets, &tests, problems);
    let most = |placement: LevelPlacement| placement.most_levels();
    let levels = tests.iter().map(|test| test.placement().map_or(test.levels().len(), most));
    let levels: usize = levels.sum();
    let each = (targets.len() + aa_control.iter().count()) as u64;
    let trials = levels as u64 * each * u64::from(repeats);
    if trials > MAX_TRIALS {
        problems.add(at, format!("the study has {trials} trials, more than {MAX_TRIALS}"));
    }
    let seed = table.seed.value("seed", problems);
    let answer_by = answer_by(&table.answer_by, &targets, &tests, problems);
    let answer_at = table.answer_at.as_ref().and_then(|written| answer_at(written, problems));
    Some(Study {
        name: name?,
        question: table.question.clone(),
        answer_by,
        answer_at,
        repeats,
        until,
        budget,
        seed,
        confidence: share(
            "confidence",
            &table.confidence,
            Study::CONFIDENCE,
            CONFIDENCES,
            problems,
        ),
        margin: share("margin", &table.margin, Study::MARGIN, MARGINS, problems),
        sample_every: sample_every(table, problems),
        parallel,
        slices,
        duet,
        targets,
        aa_control,
        tests,
        fleet: None,
        host_instances: Vec::new(),
        source: text.to_string(),
        files: problems.take_files(),
    })
}

/// By what the report answers: by something that at least one of the tests measures.
fn answer_by(
    key: &Key<Choice<AnswerByKey>>,
    targets: &[Target],
    tests: &[Test],
    problems: &mut Problems,
) -> Option<AnswerBy> {
    let by = key.given("answer_by", problems)?;
    let at = key.place().unwrap_or_default();
    match by.metric() {
        None if targets.iter().all(|target| target.price.is_none()) => {
            problems.add(at, "`answer_by` is `cost`, and no target has a price").help(
                "give targets a `price`, such as price = { monthly = 40, currency = \"EUR\" }",
            );
        }
        Some(metric) if !tests.iter().any(|test| test.answers_by(metric)) => {
            let measured = |by: &AnswerBy| {
                by.metric().is_some_and(|metric| tests.iter().any(|test| test.answers_by(metric)))
            };
            let all = AnswerBy::all().filter(measured);
            let all: Vec<String> = all.map(|by| format!("`{}`", by.name())).collect();
            problems
                .add(
                    at,
                    format!("`answer_by` is `{}`, which no test of the study measures", by.name()),
                )
                .help(format!("its tests measure {}", all.join(", ")));
        }
        _ => {}
    }
    Some(by)
}

/// The load that the report is to answer for.
fn answer_at(written: &Spanned<AnswerAtTable>, problems: &mut Problems) -> Option<AnswerAt> {
    let table = written.get_ref();
    let rate = table.rate.value::<u32>("rate", problems);
    let clients = table.clients.value::<u32>("clients", problems);
    let help = "write answer_at = { rate = 2000, slo = \"p95 < 20ms\" }";
    match (table.rate.is_some(), table.clients.is_some()) {
        (true, true) => {
            problems.add(written.span(), "`answer_at` has a `rate` and `clients`").help(help);
        }
        (false, false) => {
            problems.missing(written.span(), "`answer_at` has no `rate` and no `clients`", help);
        }
        _ => {}
    }
    let load = rate.map(|rate| AskedLoad::Rate(rate.into()));
    let load = load.or_else(|| clients.map(AskedLoad::Clients))?;
    let slo = table.slo.as_ref().and_then(|slo| match slo.get_ref().parse() {
        Ok(slo) => Some(slo),
        Err(error) => {
            problems.add(slo.span(), format!("`slo`: {error}"));
            None
        }
    });
    Some(AnswerAt { load, slo })
}

/// Most repeats of every cell, and what else ends them.
fn repeats(
    written: &Maybe<RepeatsKey>,
    targets: usize,
    problems: &mut Problems,
) -> (u32, Option<Until>) {
    let Some(written) = written else { return (REPEATS, None) };
    let at = written.span();
    let mut number = |key: &str, number: i64, range: RangeInclusive<u32>| {
        whole(key, &Some(Spanned::new(at.clone(), number)), REPEATS, range, problems)
    };
    let table = match written.get_ref() {
        RepeatsKey::Number(repeats) => return (number("repeats", *repeats, 1..=MAX_REPEATS), None),
        RepeatsKey::Until(table) => table,
    };
    let min = number("min", table.min.unwrap_or(REPEATS.into()), 2..=MAX_LOOKS);
    let max = number("max", table.max.unwrap_or(MOST_REPEATS.max(min).into()), 2..=MAX_LOOKS);
    if min > max {
        let message = format!("`min` is {min} and `max` is {max}");
        problems.add(at.clone(), message).help("`max` must be at least `min`");
    }
    if table.until != "resolved" {
        let message = format!("`until` cannot be `{}`", table.until);
        problems.add(at.clone(), message).help("write until = \"resolved\"");
    }
    if targets < 2 {
        problems
            .add(at, "`until` needs two targets: with one there is nothing to resolve")
            .help("give `repeats` as a number, or add a target");
    }
    (max, Some(Until { min }))
}

/// Time between two samples.
fn sample_every(table: &StudyTable, problems: &mut Problems) -> Duration {
    let every = table.sample_every.value("sample_every", problems);
    let (key, is_within) = (&table.sample_every, SAMPLE_EVERY.contains(&every));
    if let (Some(at), Some(written), false) = (key.place(), key.written(), is_within) {
        let message = format!("`sample_every` must be from 100ms to 60s, not {written}");
        problems.add(at, message);
    }
    every
}

/// A share such as 0.95; a percentage written instead is recognised.
fn share(
    key: &str,
    written: &Maybe<f64>,
    default: f64,
    range: RangeInclusive<f64>,
    problems: &mut Problems,
) -> f64 {
    let Some(written) = written else { return default };
    let value = *written.get_ref();
    if range.contains(&value) {
        return value;
    }
    let (low, high) = range.clone().into_inner();
    let message = format!("`{key}` must be from {low} to {high}, not {value}");
    let problem = problems.add(written.span(), message);
    if range.contains(&(value / 100.0)) {
        problem.help(format!("write {value} % as {}", value / 100.0));
    }
    default
}
