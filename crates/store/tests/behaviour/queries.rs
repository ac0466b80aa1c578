//! A store is queried by hand: the queries of its documentation run, and its views say what the records
//! say.

use flate2::read::ZlibDecoder;
use model::{LoadResult, Sample, TrialRecord};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::Value;
use rusqlite::{Connection, Params};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use store::Store;
use tempfile::TempDir;
use test_support::varied::{facts, host, plan, record, study};

const DOCUMENTATION: &str = include_str!("../../../../docs/store.md");

/// A store that has all that the views show, and its records.
fn store(directory: &TempDir) -> (Store, Vec<TrialRecord>) {
    let path = directory.path().join("run.weighin");
    let mut store = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap();
    for name in ["durable", "remote"] {
        let mut facts = facts(name);
        facts.server.variables.insert("hostname".to_owned(), name.to_owned());
        store.record_target(&facts).unwrap();
    }
    let full = |record: &TrialRecord| {
        let sampling = &record.sampling;
        let counted = sampling.before.as_ref().zip(sampling.after.as_ref());
        let counted = counted.is_some_and(|(before, after)| {
            before
                .counters
                .iter()
                .any(|(name, value)| after.counters.get(name).is_some_and(|after| *after != value))
        });
        record.load().is_some_and(|load| {
            !load.intervals.is_empty() && !load.errors.is_empty() && !load.requests.kinds.is_empty()
        }) && !sampling.samples.is_empty()
            && !sampling.load_hosts.is_empty()
            && counted
    };
    let plan = plan();
    let first = plan.trials().next().unwrap();
    let first = (0..).map(|salt| record(first, salt)).find(full).unwrap();
    let others = plan.trials().skip(1).take(12).map(|trial| record(trial, 3));
    let records: Vec<TrialRecord> = [first].into_iter().chain(others).collect();
    store.append_all(&records).unwrap();
    (store, records)
}

/// What the program sqlite3 opens: SQLite with its function for what zlib compressed.
fn opened(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    connection
        .create_scalar_function("sqlar_uncompress", 2, flags, |context| {
            let (bytes, length): (Vec<u8>, u64) = (context.get(0)?, context.get(1)?);
            let mut text = String::new();
            let read = ZlibDecoder::new(&bytes[..]).read_to_string(&mut text);
            assert_eq!(read.unwrap() as u64, length);
            Ok(text)
        })
        .unwrap();
    connection
}

fn rows(connection: &Connection, query: &str, parameters: impl Params) -> Vec<Vec<Value>> {
    let mut statement =
        connection.prepare(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let columns = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| (0..columns).map(|place| row.get(place)).collect();
    let rows = statement.query_map(parameters, row).unwrap();
    rows.map(|row| row.unwrap_or_else(|error| panic!("{query}: {error}"))).collect()
}

#[test]
fn the_documented_queries_have_answers() {
    let directory = TempDir::new().unwrap();
    let (store, _) = store(&directory);
    let connection = opened(store.path());
    let queries: Vec<&str> = DOCUMENTATION
        .split("```sql\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect();
    assert!(queries.len() >= 5, "{queries:?}");
    for query in queries {
        assert!(!rows(&connection, query, []).is_empty(), "{query}");
    }
    let differing = "SELECT a.name FROM variable AS a JOIN variable AS b USING (name)
                     WHERE a.target_id = 1 AND b.target_id = 2 AND a.value IS NOT b.value";
    assert_eq!(rows(&connection, differing, []), [[Value::Text("hostname".to_owned())]]);
}

#[test]
fn every_table_and_view_is_documented() {
    let directory = TempDir::new().unwrap();
    let (store, _) = store(&directory);
    let words: BTreeSet<&str> =
        DOCUMENTATION.split(|c: char| c != '_' && !c.is_alphanumeric()).collect();
    let connection = opened(store.path());
    let names = rows(&connection, "SELECT type, name FROM sqlite_schema WHERE type <> 'index'", []);
    assert!(names.len() > 20, "{names:?}");
    for name in &names {
        let [Value::Text(kind), Value::Text(name)] = &name[..] else { panic!("{name:?}") };
        assert!(DOCUMENTATION.contains(&format!("**{name}**")), "{kind} {name}");
        for column in rows(&connection, "SELECT name FROM pragma_table_info(?)", [name]) {
            let Value::Text(column) = &column[0] else { panic!("{column:?}") };
            let known = words.contains(column.as_str());
            assert!(known || kind == "view", "column {column} of {name}");
        }
    }
}

#[test]
fn every_key_of_a_trial_is_documented() {
    let directory = TempDir::new().unwrap();
    let (store, _) = store(&directory);
    let words: BTreeSet<&str> =
        DOCUMENTATION.split(|c: char| c != '_' && !c.is_alphanumeric()).collect();
    let keys = "SELECT DISTINCT key FROM (
                    SELECT fullkey, key FROM trial, json_tree(document)
                    UNION ALL SELECT fullkey, key FROM recording, json_tree(recording.json)
                ) WHERE typeof(key) = 'text' AND fullkey NOT LIKE '%.counters.%'
                AND fullkey NOT LIKE '%.facts.%' AND fullkey NOT LIKE '%.processor_use.%'";
    let keys = rows(&opened(store.path()), keys, []);
    assert!(keys.len() > 120, "only {} keys", keys.len());
    let text = |key: &Vec<Value>| match &key[0] {
        Value::Text(key) => key.clone(),
        other => panic!("{other:?}"),
    };
    let keys = keys.iter().map(text).filter(|key| !words.contains(key.as_str()));
    assert_eq!(keys.collect::<Vec<_>>(), [""; 0], "these are not documented");
}

#[test]
fn the_summary_has_each_planned_trial_with_its_outcome() {
    let directory = TempDir::new().unwrap();
    let (store, records) = store(&directory);
    let query = "SELECT position, outcome, transactions_per_second, errors, failure_message
                 FROM trial_summary ORDER BY position";
    let summary = rows(&Connection::open(store.path()).unwrap(), query, []);
    assert_eq!(summary.len(), plan().trials().count());
    for (row, position) in summary.iter().zip(1..) {
        assert_eq!(row[0], Value::Integer(position));
        let Some(record) = records.get(position as usize - 1) else {
            assert_eq!(row[1], Value::Text("not run".to_owned()));
            continue;
        };
        let outcome = if record.failure().is_some() { "failed" } else { "completed" };
        assert_eq!(row[1], Value::Text(outcome.to_owned()));
        let message = record.failure().map(|failure| Value::Text(failure.message.clone()));
        assert_eq!(row[4], message.unwrap_or(Value::Null));
        let Some(load) = record.load() else {
            assert_eq!((&row[2], &row[3]), (&Value::Null, &Value::Null));
            continue;
        };
        assert_eq!(row[3], Value::Integer(load.measure.errors as i64));
        let expected = load.measure.transactions_per_second();
        let Value::Real(rate) = row[2] else { panic!("{row:?}") };
        assert!((rate / expected - 1.0).abs() < 1e-9, "{rate} {expected}");
    }
}

#[test]
fn views_say_what_the_records_say() {
    let directory = TempDir::new().unwrap();
    let (store, records) = store(&directory);
    let connection = opened(store.path());
    let first = &records[0];
    let load = first.load().unwrap();
    let sum = |of: fn(&LoadResult) -> u64| {
        let loads = records.iter().filter_map(TrialRecord::load);
        loads.map(of).sum::<u64>() as i64
    };
    let sampling = &first.sampling;
    let machines: Vec<&[Sample]> = [&sampling.samples[..]]
        .into_iter()
        .chain([sampling.target_host.as_ref().map_or(&[][..], |host| &host.samples)])
        .chain(sampling.load_hosts.iter().map(|host| &host.samples[..]))
        .collect();
    let disks = machines.iter().copied().flatten().map(|sample| sample.disks.len()).sum::<usize>();
    let elapsed = load.measure.elapsed.as_nanos() as i64;
    let start = load.intervals[0].start.as_nanos() as i64;
    let latest = sampling.after.as_ref().unwrap().counters.iter().last().unwrap();
    for (query, expected) in [
        ("SELECT sum(ok) FROM load", sum(|load| load.ledger.ok)),
        ("SELECT count(*) FROM load", sum(|_| 1)),
        ("SELECT count(*) FROM phase", sum(|_| 3)),
        ("SELECT elapsed_ns FROM phase WHERE position = 1 AND phase = 'measure'", elapsed),
        ("SELECT sum(count) FROM request", sum(|load| load.requests.total())),
        ("SELECT count(*) FROM error", sum(|load| load.errors.len() as u64)),
        ("SELECT count(*) FROM interval", sum(|load| load.intervals.len() as u64)),
        ("SELECT start_ns FROM interval WHERE position = 1 AND number = 0", start),
        ("SELECT count(*) FROM disk_sample WHERE position = 1", disks as i64),
    ] {
        assert_eq!(rows(&connection, query, []), [[Value::Integer(expected)]], "{query}");
    }
    let after =
        "SELECT name, value FROM counter WHERE position = 1 AND moment = 'after' ORDER BY name";
    let counters = rows(&connection, after, []);
    let (name, value) = (Value::Text(latest.0.to_owned()), Value::Integer(latest.1));
    assert_eq!(counters.last(), Some(&vec![name, value]));
    for (samples, machine) in machines.into_iter().zip(0_i64..) {
        let query =
            "SELECT cpu_user FROM sample WHERE position = 1 AND machine = ? ORDER BY number";
        let users: Vec<Vec<Value>> =
            samples.iter().map(|sample| vec![Value::Real(sample.cpu.user)]).collect();
        assert_eq!(rows(&connection, query, [machine]), users, "machine {machine}");
    }
    let figures = records.iter().filter_map(TrialRecord::outcome).flat_map(|one| &one.figures);
    let figures = figures.count() as i64;
    let query = "SELECT count(*) FROM figure WHERE value IS NOT NULL OR text IS NOT NULL";
    assert_eq!(rows(&connection, query, []), [[Value::Integer(figures)]]);
}
