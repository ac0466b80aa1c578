//! A store that was edited or damaged is refused, with the place named; it never gives other
//! results than those that were written.

use model::{
    Block, CrossCheckRecord, Dataset, Fleet, Instance, Note, Study, Trial, TrialRecord, UnixMillis,
};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{facts, host, plan, record, study};

/// Records that give every table rows between them.
const KINDS: [fn(&TrialRecord) -> bool; 6] = [
    |record| record.has_failed(),
    |record| record.imported().is_some_and(|all| all.figures.len() > 1 && all.latencies.is_some()),
    |record| {
        let fleet = |fleet: &Fleet| {
            fleet.processors.is_some() && fleet.vms.len() > 1 && !fleet.volumes.is_empty()
        };
        record.load().is_some_and(|load| load.fleet.as_deref().is_some_and(fleet))
    },
    |record| {
        let outcome = record.outcome();
        let marks = outcome.map_or(&[][..], |outcome| &outcome.marks);
        let series = outcome.map_or(&[][..], |outcome| &outcome.series);
        let marked = marks.len() > 1
            && record.interventions().next().is_some()
            && series.iter().any(|series| series.values.iter().any(Option::is_some));
        let full = record.load().is_some_and(|load| {
            load.open.is_some()
                && load.client.receive_delay.is_some()
                && load.intervals.len() > 1
                && !load.outages.is_empty()
                && !load.generators.is_empty()
                && !load.by_statement.is_empty()
                && !load.errors.is_empty()
        });
        marked && full
    },
    |record| {
        let parts = |cross_check: &CrossCheckRecord| {
            cross_check.figures().is_some_and(|f| !f.parts.is_empty())
        };
        record.search.is_some() && record.cross_check.as_deref().is_some_and(parts)
    },
    |record| {
        let sampling = &record.sampling;
        let samples = || sampling.samples.iter();
        !sampling.volume.is_empty()
            && samples().any(|sample| !sample.disks.is_empty())
            && samples().any(|sample| {
                sample.counters.as_ref().is_some_and(|all| all.iter().next().is_some())
            })
    },
];

/// A store in which every table has rows, and what it holds.
fn store(directory: &TempDir) -> (PathBuf, Dataset) {
    let path = directory.path().join("run.weighin");
    let mut store = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).expect("a new file");
    store.record_target(&facts("durable")).expect("a target of the study");
    let note = Note { at: UnixMillis(1), text: "a disk was changed".to_owned() };
    store.add_note(&note).expect("a store that can be written");
    let began = Instance {
        number: 1,
        target: "durable".to_owned(),
        first_position: 1,
        began_at: UnixMillis(1),
        up_at: None,
        down_at: None,
        endpoint: None,
        ssh: None,
        labels: [("zone".to_owned(), "a".to_owned())].into(),
        trouble: None,
    };
    store.record_instance(&began).expect("a target of the study");
    let ended = Instance {
        up_at: Some(UnixMillis(2)),
        down_at: Some(UnixMillis(3)),
        endpoint: Some("10.0.0.7:3306".to_owned()),
        ssh: Some("admin@10.0.0.7".to_owned()),
        trouble: Some("it may still be there".to_owned()),
        ..began
    };
    store.record_instance(&ended).expect("a target of the study");
    assert_eq!(store.dataset().expect("a sound store").instances, [ended]);
    for (trial, wanted) in plan().trials().zip(KINDS) {
        let record = (0..).map(|salt| record(trial, salt)).find(wanted).expect("drawn at last");
        store.append(&record).expect("a planned trial");
    }
    let failed = plan().blocks[0].trials[0].clone();
    let position = plan().trials().count() as u32 + 1;
    let anew = Block { number: 1, extension: 1, trials: vec![Trial { position, ..failed }] };
    let changed = Study { question: Some("Why?".to_owned()), ..study() };
    let changed = (&changed, vec!["question".to_owned()]);
    store.extend("2", &host(), Some(changed), &[anew]).expect("a failed trial");
    drop(store);
    let dataset = read(&path).expect("what was written");
    (path, dataset)
}

fn read(path: &Path) -> Result<Dataset, StoreError> {
    Store::open(path)?.dataset()
}

fn edit(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("an SQLite file");
    connection
        .execute_batch("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        .expect("known pragmas");
    connection
}

/// The tables with their columns and those of their keys.
fn tables(connection: &Connection) -> BTreeMap<String, (Vec<String>, Vec<String>)> {
    let mut statement = connection
        .prepare(
            "SELECT tables.name, columns.name, columns.pk FROM pragma_table_list AS tables
             JOIN pragma_table_info(tables.name) AS columns
             WHERE tables.schema = 'main' AND tables.type = 'table'
             AND tables.name NOT LIKE 'sqlite_%' ORDER BY tables.name, columns.cid",
        )
        .expect("a valid query");
    let mut rows = statement.query([]).expect("no parameters");
    let mut tables: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    while let Some(row) = rows.next().expect("a row") {
        let (columns, keys) = tables.entry(row.get_unwrap(0)).or_default();
        columns.push(row.get_unwrap(1));
        if row.get_unwrap::<_, i64>(2) > 0 {
            keys.push(row.get_unwrap(1));
        }
    }
    tables
}

/// Checks what is read after a change: what was written, or an error. The error names the table
/// that was changed, unless a row is gone for it: it then names what misses that row.
fn is_noticed(path: &Path, written: &Dataset, change: &str, table: &str) -> bool {
    match read(path) {
        Ok(dataset) => {
            assert!(dataset == *written, "{change}: other results without a word");
            false
        }
        Err(error) => {
            assert!(matches!(error, StoreError::Damaged { .. }), "{change}: {error}");
            let names = error.to_string();
            let named = [table, "row", "trial", "target"].iter().any(|name| names.contains(name));
            assert!(named, "{change}: {names}");
            true
        }
    }
}

/// A value much like another.
fn next_to(value: &Value) -> Value {
    match value {
        Value::Null => Value::Integer(7),
        Value::Integer(value) => Value::Integer(value ^ 1),
        Value::Real(value) => Value::Real(value * 1.000_000_1 + 1e-300),
        Value::Text(text) => Value::Text(format!("{text} ")),
        Value::Blob(bytes) => {
            let mut bytes = bytes.clone();
            *bytes.last_mut().expect("a histogram") ^= 4;
            Value::Blob(bytes)
        }
    }
}

#[test]
fn every_value_that_is_edited_is_noticed() {
    let directory = TempDir::new().unwrap();
    let (path, written) = store(&directory);
    let whole = std::fs::read(&path).unwrap();
    let (mut edits, mut noticed) = (0, 0);
    for (table, (columns, keys)) in tables(&edit(&path)) {
        let keys = if keys.is_empty() { vec!["rowid".to_owned()] } else { keys };
        let of_row = keys.iter().map(|key| format!("{key} IS ?")).collect::<Vec<_>>().join(" AND ");
        for column in &columns {
            // The first value that is there, or NULL.
            let selected = format!("{column}, {}", keys.join(", "));
            let (old, row) = edit(&path)
                .query_row(
                    &format!("SELECT {selected} FROM {table} ORDER BY {column} IS NULL LIMIT 1"),
                    [],
                    |row| {
                        let key = (1..=keys.len()).map(|place| row.get(place));
                        Ok((row.get::<_, Value>(0)?, key.collect::<Result<Vec<Value>, _>>()?))
                    },
                )
                .unwrap_or_else(|error| panic!("{table} has no row to test: {error}"));
            for new in [
                next_to(&old),
                Value::Null,
                Value::Integer(-1),
                Value::Integer(i64::MAX),
                Value::Real(f64::INFINITY),
                Value::Blob(vec![0x1c, 0x84, 0x93, 0x13, 0xff, 0xff, 0xff, 0xff, 0, 0]),
            ] {
                let change = format!("{table}.{column} = {new:?}, which was {old:?}");
                let update = format!("UPDATE {table} SET {column} = ? WHERE {of_row}");
                let values = [&new].into_iter().chain(&row);
                // What SQLite takes for the column: its tables know their types.
                if new != old && edit(&path).execute(&update, params_from_iter(values)).is_ok() {
                    edits += 1;
                    noticed += usize::from(is_noticed(&path, &written, &change, &table));
                    std::fs::write(&path, &whole).unwrap();
                }
            }
        }
    }
    println!("{noticed} of {edits} edits noticed; the others change nothing that is read");
    assert!(edits > 120 && noticed * 100 > edits * 95, "{noticed} of {edits}");
}

#[test]
fn rows_that_are_removed_or_added_are_noticed() {
    let directory = TempDir::new().unwrap();
    let (path, written) = store(&directory);
    let whole = std::fs::read(&path).unwrap();
    for (table, (columns, keys)) in tables(&edit(&path)) {
        let key = keys.first().map_or("rowid", String::as_str);
        let first = format!("(SELECT {key} FROM {table} ORDER BY {key} LIMIT 1)");
        let copied: Vec<String> = columns
            .iter()
            .map(|column| match column.as_str() {
                "name" | "phase" | "direction" => format!("{column} || 'x'"),
                "id" | "number" => format!("{column} + 100"),
                "repeat" if table == "planned_trial" => "100".to_owned(),
                _ if Some(column) == keys.last() => format!("{column} + 100"),
                _ => column.clone(),
            })
            .collect();
        let copied = copied.join(", ");
        for change in [
            format!("DELETE FROM {table} WHERE {key} = {first}"),
            format!("DELETE FROM {table}"),
            format!(
                "INSERT OR IGNORE INTO {table} SELECT {copied} FROM {table} WHERE {key} = {first} LIMIT 1"
            ),
        ] {
            edit(&path).execute(&change, []).unwrap_or_else(|error| panic!("{change}: {error}"));
            is_noticed(&path, &written, &change, "");
            std::fs::write(&path, &whole).unwrap();
        }
    }
}

#[test]
fn bytes_that_flip_anywhere_in_the_file_are_noticed() {
    let directory = TempDir::new().unwrap();
    let (path, written) = store(&directory);
    let whole = std::fs::read(&path).unwrap();
    let mut random = test_support::varied::Draw::salted(5);
    let mut noticed = 0;
    // Every byte of the header, and any of the rest where a page is not empty.
    let filled: Vec<usize> = (100..whole.len()).filter(|&place| whole[place] != 0).collect();
    let flips = 400;
    for flip in 0..flips {
        let mut bytes = whole.clone();
        let mut of_rest = || filled[random.below(filled.len() as u64) as usize];
        let place = if flip < 100 { flip } else { of_rest() };
        bytes[place] ^= 1 << random.below(8);
        std::fs::write(&path, &bytes).unwrap();
        match read(&path) {
            Ok(dataset) => assert!(dataset == written, "byte {place}: other results"),
            Err(error) => {
                assert!(!matches!(error, StoreError::Sqlite { .. }), "byte {place}: {error}");
                noticed += 1;
            }
        }
        for side in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(format!("{}{side}", path.display()));
        }
    }
    println!("{noticed} of {flips} flips noticed; the others change nothing that is read");
    assert!(noticed > flips / 4, "{noticed}");
}

#[test]
fn what_contradicts_is_named() {
    let directory = TempDir::new().unwrap();
    let (path, _) = store(&directory);
    let whole = std::fs::read(&path).unwrap();
    let set = |place: &str, value: &str| {
        format!(
            "UPDATE trial SET document = json_set(document, '$.{place}', {value}) WHERE position = 4;
             UPDATE trial SET document = json_set(document, '$.{place}', {value}) WHERE position = 3"
        )
    };
    let load = |place: &str, value: &str| set(&format!("end.completed.load.{place}"), value);
    for (change, words) in [
        (
            load("ledger.ok", "-5"),
            &["trial 3 (oltp on durable", "trial.document: end.completed.load.ledger.ok", "-5"][..],
        ),
        (load("ledger.ok", &i64::MAX.to_string()), &["load.ledger.ok", "out of range"]),
        (load("ledger.ok", "5"), &["trial 3", "trial: its rows", "edited or damaged"]),
        (load("client.io", "'rdma'"), &["load.client.io", "rdma"]),
        (load("waits", "'AAAA'"), &["load.waits", "shorter than it says"]),
        (
            "UPDATE trial SET recording = substr(recording, 1, length(recording) - 1)".to_owned(),
            &["trial ", "trial.recording: "],
        ),
        (
            "UPDATE trial SET recording_bytes = recording_bytes + 1".to_owned(),
            &["trial.recording: it has another length than it says"],
        ),
        (
            "UPDATE trial SET recording_bytes = 1 << 60".to_owned(),
            &["trial.recording: it cannot have the length that it says"],
        ),
        (set("finished_at", "-1"), &["trial 3", "trial.document: finished_at"]),
        (set("end.completed.marks[0].result", "'maybe'"), &["marks[0].result", "maybe"]),
        ("UPDATE trial SET failure = 'skipped'".to_owned(), &["trial.failure"]),
        ("DELETE FROM planned_trial WHERE position = 4".to_owned(), &["a row of planned_trial"]),
        ("DELETE FROM trial WHERE position = 4".to_owned(), &["the rows of trial 4 were removed"]),
        ("DELETE FROM digest WHERE id = 4".to_owned(), &["trial 4 has none"]),
        (
            "UPDATE planned_trial SET target = 'third' WHERE position = 2".to_owned(),
            &["run: its rows"],
        ),
        ("UPDATE run SET scale = 0.5".to_owned(), &["run: its rows"]),
        ("UPDATE extension SET weighin_version = '3'".to_owned(), &["extension: its rows"]),
        ("UPDATE planned_trial SET seed = '1' WHERE extension = 1".to_owned(), &["extension"]),
        (
            "UPDATE target SET document = json_set(document, '$.server.version', '12')".to_owned(),
            &["target: its rows", "durable"],
        ),
        ("UPDATE target SET name = 'remote'".to_owned(), &["target.name"]),
        (
            "UPDATE instance SET number = 2; UPDATE digest SET id = 2 WHERE subject = 'instance'"
                .to_owned(),
            &["instance.number"],
        ),
        ("DROP VIEW interval".to_owned(), &["the view interval is missing"]),
        (
            "ALTER TABLE note ADD COLUMN more INTEGER".to_owned(),
            &["the table note is not as weighin makes it"],
        ),
        (
            "CREATE TRIGGER more AFTER INSERT ON trial BEGIN DELETE FROM trial; END".to_owned(),
            &["trigger", "more"],
        ),
    ] {
        edit(&path).execute_batch(&change).unwrap();
        let error = read(&path).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{change}: {error}");
        }
        let refused = Store::resume(&path).map(|store| store.dataset());
        assert!(!matches!(refused, Ok(Ok(_))), "{change}: a run goes on with it");
        std::fs::write(&path, &whole).unwrap();
    }
}

/// Of a store whose digests were made to fit, the plan is still held against the study.
#[test]
fn a_plan_that_contradicts_its_study_is_named() {
    let directory = TempDir::new().unwrap();
    let (path, _) = store(&directory);
    let whole = std::fs::read(&path).unwrap();
    for (change, words) in [
        ("UPDATE planned_trial SET target = 'third' WHERE position = 2", "planned_trial.target"),
        ("UPDATE planned_trial SET test = 'tpcc' WHERE position = 2", "planned_trial.test"),
        ("UPDATE planned_trial SET clients = 4 WHERE position = 2", "planned_trial.clients"),
        ("UPDATE planned_trial SET repeat = 9 WHERE position = 2", "planned_trial.repeat"),
        ("DELETE FROM planned_trial WHERE position = 9", "planned_trial.position"),
        ("UPDATE planned_trial SET extension = 2 WHERE extension = 1", "planned_trial.extension"),
        ("UPDATE planned_trial SET extension = 1 WHERE position = 3", "planned_trial.extension"),
        ("UPDATE extension SET number = 2", "extension.number"),
        ("UPDATE extension SET changes = 'none'", "extension.changes"),
        (
            "UPDATE trial SET failure = 'not_offered',
             document = json_set(document, '$.end.failed.kind', 'not_offered')
             WHERE failure IS NOT NULL",
            "planned_trial.position",
        ),
        ("UPDATE run SET scale = -1", "run.scale"),
        ("UPDATE run SET study_json = replace(study_json, '0.95', '1.5')", "confidence"),
        (
            "UPDATE trial SET document =
             json_set(document, '$.end.completed.load.connect_time.secs', 316224001)
             WHERE document -> '$.end.completed.load' IS NOT NULL",
            "load.connect_time: 316224001 seconds",
        ),
        (
            "UPDATE trial SET document =
             json_set(document, '$.end.completed.load.measure.transactions', 9007199254740993)
             WHERE document -> '$.end.completed.load' IS NOT NULL",
            "load.measure.transactions: 9007199254740993 is out of range",
        ),
    ] {
        let connection = edit(&path);
        connection.execute_batch(change).unwrap();
        store::fuzzing::renew_digests(&connection).unwrap();
        drop(connection);
        for result in [read(&path), Store::resume(&path).and_then(|store| store.dataset())] {
            let error = result.expect_err(change).to_string();
            assert!(error.contains(words), "{change}: {error}");
        }
        std::fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn values_of_any_size_take_no_more_memory_than_they_may() {
    let directory = TempDir::new().unwrap();
    let (path, _) = store(&directory);
    let whole = std::fs::read(&path).unwrap();
    for change in [
        "UPDATE trial SET recording = zeroblob(100000000)",
        "UPDATE trial SET document = printf('%.*c', 100000000, 'x')",
        "UPDATE run SET study_file = printf('%.*c', 100000000, 'x')",
    ] {
        edit(&path).execute_batch(change).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{change}: {error}");
        std::fs::write(&path, &whole).unwrap();
    }
}
