use super::{Table, TableCell, Tone, numbers, trial_id, words};
use crate::numbers::{NOTHING, bytes, count, date, duration, percent};
use crate::view;
use crate::words::{failure_kind, validity};
use analyse::{Analysis, TrialAssessment, Validity, percentile_ms};
use model::{Effect, Level, LevelUnit, LoadResult, ResultSource, TrialRecord, UnixMillis, text};

/// Most trials that are all listed. Nobody reads more, and a page would be as large as the results.
pub(crate) const MOST_LISTED: usize = 1000;

/// How many trials have a record, those among them that were measured anew since.
pub(crate) fn number_of_trials(analysis: &Analysis) -> usize {
    analysis.dataset.trials.len() + analysis.dataset.superseded.len()
}

/// Whether a page has a row for every trial.
pub(crate) fn lists_all(analysis: &Analysis) -> bool {
    number_of_trials(analysis) <= MOST_LISTED
}

/// Trials that have a record and are wanted by what they are worth (absent where that was not
/// checked), in the order in which they ran; so many of them at most. Those that were measured anew
/// since are among them.
pub(crate) fn trials(
    analysis: &Analysis,
    wanted: impl Fn(Option<Validity>) -> bool,
    most: usize,
) -> Table {
    let imported = view::imported(analysis);
    let work = view::work(analysis);
    let mut columns = vec![
        numbers("position"),
        numbers("block"),
        words("test"),
        words("target"),
        numbers(match (work.storage, unit(analysis)) {
            (true, _) => "total queue depth",
            (false, unit) => unit.heading(),
        }),
        numbers(format!("offered, {}/s", work.counted)),
        words("began, UTC"),
        words("trusted"),
        numbers("measured for"),
        numbers(work.counted.many),
        numbers(format!("{}/s", work.counted)),
        // Empty where a transaction is a statement.
        numbers(format!("{}/s", work.statements)),
        numbers("mean, ms"),
        numbers("p50, ms"),
        numbers("p95, ms"),
        numbers("p99, ms"),
        numbers("max, ms"),
        numbers("failed"),
        numbers("load generator, processors"),
        numbers("load generator, memory"),
    ];
    if work.keys {
        columns.push(numbers("hit rate"));
    }
    if imported {
        columns.push(words("read from"));
    }
    let mut table = Table::new(columns);
    let assessments = view::assessments(analysis);
    let counting = analysis.dataset.trials.iter().enumerate();
    let counting = counting.map(|(i, record)| Listed {
        record,
        assessment: assessments.get(&i).copied(),
        superseded_at: None,
    });
    let superseded = analysis.dataset.superseded.iter().map(|superseded| Listed {
        record: &superseded.record,
        assessment: None,
        superseded_at: Some(superseded.at),
    });
    let mut listed: Vec<Listed> = counting.chain(superseded).collect();
    listed.sort_by_key(|listed| listed.record.position);
    listed.retain(|Listed { record, assessment, .. }| {
        wanted(assessment.filter(|_| record.failure().is_none()).map(|a| a.validity))
    });
    listed.truncate(most);
    for one in listed {
        let record = one.record;
        let mut row = identity(analysis, &one);
        row.extend(figures(analysis, record));
        if work.keys {
            row.push(TableCell::text(hit_rate(record).unwrap_or_else(|| NOTHING.to_owned())));
        }
        if imported {
            row.push(source(record));
        }
        table.push(row);
        table.name_last(trial_id(record.position));
    }
    table.without_empty_columns()
}

/// A record that has a row.
struct Listed<'a> {
    record: &'a TrialRecord,
    assessment: Option<&'a TrialAssessment>,
    /// When another trial was planned in its place.
    superseded_at: Option<UnixMillis>,
}

/// What levels count in a study, whose tests are of one kind.
fn unit(analysis: &Analysis) -> LevelUnit {
    let levels = analysis.dataset.study.tests.iter().flat_map(model::Test::levels);
    levels.map(|level| level.unit).next().unwrap_or_default()
}

/// The share of a trial's reads that found their key, all phases together; none without reads.
fn hit_rate(record: &TrialRecord) -> Option<String> {
    let counts = &record.load()?.requests;
    let read = counts.with_effect(Effect::Read);
    (read > 0).then(|| percent(counts.found as f64 / read as f64))
}

/// The file and line that an imported trial was read from.
fn source(record: &TrialRecord) -> TableCell {
    let Some(outcome) = record.imported() else { return TableCell::text(NOTHING) };
    let Some(ResultSource { file, tool }) = &outcome.source else {
        return TableCell::text(NOTHING);
    };
    let printed = outcome.figures.first().and_then(|figure| figure.printed.as_ref());
    let first = printed.map_or(0, |printed| printed.line);
    let line = if first > 0 { format!(", line {first}") } else { String::new() };
    let by = if tool.is_empty() { "" } else { " by " };
    TableCell::text(format!("{file}{line}{by}{tool}"))
}

fn identity(analysis: &Analysis, listed: &Listed<'_>) -> Vec<TableCell> {
    let record = listed.record;
    let trusted = trusted(listed);
    let key = &record.key;
    // A search decides on its load; otherwise it is the level's.
    let load = record.load();
    let offered = load.and_then(|load| load.open.as_ref()).map(|open| open.rate);
    vec![
        TableCell::text(record.position.to_string()),
        TableCell::text(key.repeat.to_string()),
        TableCell::text(&key.test),
        TableCell::target(&key.target, view::series(analysis, &key.target)),
        match key.level {
            Level::NONE => TableCell::text(NOTHING),
            // Of a fleet the level is of each virtual machine, and the load of all.
            _ if load.is_none() && view::work(analysis).storage => TableCell::text(NOTHING),
            level => TableCell::text(count(load.map_or(level.clients, |load| load.clients).into())),
        },
        TableCell::figure(offered.or(key.level.rate.map(f64::from))),
        match record.started_at {
            UnixMillis(0) => TableCell::text(NOTHING),
            at => TableCell::text(date(at).trim_end_matches(" UTC")),
        },
        trusted,
    ]
}

/// Whether a trial counts, or what became of it.
fn trusted(listed: &Listed<'_>) -> TableCell {
    let record = listed.record;
    match (record.failure(), listed.assessment.map(|a| a.validity)) {
        (Some(failure), _) if failure.is_not_offered() => {
            TableCell::text(failure_kind(failure.kind))
        }
        (Some(failure), _) => {
            let failed = format!("failed: {}", failure_kind(failure.kind));
            let cell = TableCell::text(failed).with_tone(Tone::Bad);
            match listed.superseded_at {
                Some(at) => cell.with_note(format!("superseded {}", date(at))),
                None => cell,
            }
        }
        (None, Some(Validity::Valid)) if record.imported().is_some() => {
            TableCell::text("as printed")
        }
        (None, Some(how)) => TableCell::text(validity(how)).with_tone(match how {
            Validity::Valid => Tone::Good,
            Validity::Suspect => Tone::Doubtful,
            Validity::Void => Tone::Bad,
        }),
        (None, None) => TableCell::text("not checked").with_tone(Tone::Doubtful),
    }
}

fn figures(analysis: &Analysis, record: &TrialRecord) -> Vec<TableCell> {
    let work = view::work(analysis);
    let Some(load) = record.load() else {
        return (0..12).map(|_| TableCell::text(NOTHING)).collect();
    };
    let LoadResult { measure, latencies, client, .. } = load;
    let seconds = measure.elapsed.as_secs_f64();
    let processors = (seconds > 0.0).then(|| client.cpu_seconds / seconds);
    let confidence = analysis.dataset.study.confidence;
    let percentile = |percent| TableCell::figure(percentile_ms(latencies, percent, confidence));
    vec![
        TableCell::text(duration(measure.elapsed)),
        TableCell::text(count(measure.transactions)),
        TableCell::figure(Some(measure.transactions_per_second())),
        TableCell::figure((work.statements != work.counted).then(|| measure.queries_per_second())),
        TableCell::figure(latencies.mean_ms()),
        percentile(50.0),
        percentile(95.0),
        percentile(99.0),
        TableCell::figure(latencies.max_ms()),
        TableCell::text(count(measure.errors)),
        TableCell::figure(processors),
        TableCell::text(bytes(client.peak_rss_bytes)),
    ]
}

/// The trials that ended last, the latest first; so many of them at most.
pub(crate) fn latest(analysis: &Analysis, most: usize) -> Table {
    let work = view::work(analysis);
    let assessments = view::assessments(analysis);
    let mut listed: Vec<Listed> = analysis
        .dataset
        .trials
        .iter()
        .enumerate()
        .map(|(i, record)| Listed {
            record,
            assessment: assessments.get(&i).copied(),
            superseded_at: None,
        })
        .collect();
    listed.sort_by_key(|listed| {
        std::cmp::Reverse((listed.record.finished_at, listed.record.position))
    });
    listed.truncate(most);
    let mut table = Table::new([
        words("trial"),
        numbers(format!("{}/s", work.counted)),
        numbers("p95, ms"),
        words("trusted"),
        words("ended, UTC"),
    ]);
    for one in listed {
        let record = one.record;
        let load = record.load();
        let confidence = analysis.dataset.study.confidence;
        let p95 = load.and_then(|load| percentile_ms(&load.latencies, 95.0, confidence));
        table.push([
            TableCell::text(record.key.to_string()),
            TableCell::figure(load.map(|load| load.measure.transactions_per_second())),
            TableCell::figure(p95),
            trusted(&one),
            match record.finished_at {
                UnixMillis(0) => TableCell::text(NOTHING),
                at => TableCell::text(date(at).trim_end_matches(" UTC")),
            },
        ]);
    }
    table.without_empty_columns()
}

/// The failed trials that were planned anew, each with its reason; `None` where there are none.
pub(crate) fn superseded(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([words("trial"), words("what happened"), words("planned again")]);
    for superseded in &analysis.dataset.superseded {
        let Some(failure) = superseded.record.failure() else { continue };
        table.push([
            TableCell::text(superseded.record.key.to_string()),
            TableCell::text(text::message(&failure.message)).with_tone(Tone::Bad),
            TableCell::text(date(superseded.at)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}
