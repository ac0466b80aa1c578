use super::{Cell, Table, Tone, numbers, words};
use crate::numbers::{NOTHING, bytes, count, date, duration, percent};
use crate::view;
use crate::words::{failure_kind, validity};
use analyse::{Analysis, TrialAssessment, Validity, percentile_ms};
use model::{
    Effect, FailureKind, Level, LevelUnit, LoadResult, ResultSource, TrialRecord, UnixMillis, text,
};

/// Every trial that has a record, in the order in which they ran.
pub(crate) fn trials(analysis: &Analysis) -> Table {
    let imported = view::imported(analysis);
    let work = view::work(analysis);
    let mut columns = vec![
        numbers("position"),
        numbers("block"),
        words("test"),
        words("target"),
        numbers(match (work.storage, unit(analysis)) {
            (true, _) => "in flight in total",
            (false, unit) => unit.noun().many,
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
    let mut order: Vec<usize> = (0..analysis.dataset.trials.len()).collect();
    order.sort_by_key(|&i| analysis.dataset.trials[i].position);
    for i in order {
        let record = &analysis.dataset.trials[i];
        let mut row = identity(analysis, record, assessments.get(&i).copied());
        row.extend(figures(analysis, record));
        if work.keys {
            row.push(Cell::text(hit_rate(record).unwrap_or_else(|| NOTHING.to_owned())));
        }
        if imported {
            row.push(source(record));
        }
        table.push(row);
    }
    table.without_empty_columns()
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
fn source(record: &TrialRecord) -> Cell {
    let Some(outcome) = record.imported() else { return Cell::text(NOTHING) };
    let Some(ResultSource { file, tool }) = &outcome.source else { return Cell::text(NOTHING) };
    let printed = outcome.figures.first().and_then(|figure| figure.printed.as_ref());
    let first = printed.map_or(0, |printed| printed.line);
    let line = if first > 0 { format!(", line {first}") } else { String::new() };
    let by = if tool.is_empty() { "" } else { " by " };
    Cell::text(format!("{file}{line}{by}{tool}"))
}

fn identity(
    analysis: &Analysis,
    record: &TrialRecord,
    assessment: Option<&TrialAssessment>,
) -> Vec<Cell> {
    let trusted = match (record.failure(), assessment.map(|a| a.validity)) {
        (Some(failure), _) => {
            Cell::text(format!("failed: {}", failure_kind(failure.kind))).with_tone(Tone::Bad)
        }
        (None, Some(Validity::Valid)) if record.imported().is_some() => Cell::text("as printed"),
        (None, Some(how)) => Cell::text(validity(how)).with_tone(match how {
            Validity::Valid => Tone::Good,
            Validity::Suspect => Tone::Doubtful,
            Validity::Void => Tone::Bad,
        }),
        (None, None) => Cell::text("not checked").with_tone(Tone::Doubtful),
    };
    let key = &record.key;
    // A search decides on its load; otherwise it is the level's.
    let load = record.load();
    let offered = load.and_then(|load| load.open.as_ref()).map(|open| open.rate);
    vec![
        Cell::text(record.position.to_string()),
        Cell::text(key.repeat.to_string()),
        Cell::text(&key.test),
        Cell::target(&key.target, view::series(analysis, &key.target)),
        match key.level {
            Level::NONE => Cell::text(NOTHING),
            // Of a fleet the level is of each virtual machine, and the load of all.
            _ if load.is_none() && view::work(analysis).storage => Cell::text(NOTHING),
            level => Cell::text(count(load.map_or(level.clients, |load| load.clients).into())),
        },
        Cell::figure(offered.or(key.level.rate.map(f64::from))),
        match record.started_at {
            UnixMillis(0) => Cell::text(NOTHING),
            at => Cell::text(date(at).trim_end_matches(" UTC")),
        },
        trusted,
    ]
}

fn figures(analysis: &Analysis, record: &TrialRecord) -> Vec<Cell> {
    let work = view::work(analysis);
    let Some(load) = record.load() else {
        return (0..12).map(|_| Cell::text(NOTHING)).collect();
    };
    let LoadResult { measure, latencies, client, .. } = load;
    let seconds = measure.elapsed.as_secs_f64();
    let processors = (seconds > 0.0).then(|| client.cpu_seconds / seconds);
    let confidence = analysis.dataset.study.confidence;
    let percentile = |percent| Cell::figure(percentile_ms(latencies, percent, confidence));
    vec![
        Cell::text(duration(measure.elapsed)),
        Cell::text(count(measure.transactions)),
        Cell::figure(Some(measure.transactions_per_second())),
        Cell::figure((work.statements != work.counted).then(|| measure.queries_per_second())),
        Cell::figure(latencies.mean_ms()),
        percentile(50.0),
        percentile(95.0),
        percentile(99.0),
        Cell::figure(latencies.max_ms()),
        Cell::text(count(measure.errors)),
        Cell::figure(processors),
        Cell::text(bytes(client.peak_rss_bytes)),
    ]
}

/// The trials that failed, each with its reason and what would fix it; `None` when none did.
pub(crate) fn failures(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([words("trials"), words("what happened"), words("how to fix it")]);
    for failed in view::failures(analysis) {
        let failure = failed.failure;
        let mend = if failure.remedy.is_empty() { NOTHING } else { &failure.remedy };
        let happened = Cell::text(text::message(&failure.message)).with_tone(Tone::Bad);
        table.push([
            Cell::text(failed.describe()),
            match failure.kind {
                FailureKind::Other => happened,
                kind => happened.with_note(failure_kind(kind)),
            },
            Cell::text(mend),
        ]);
    }
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}
