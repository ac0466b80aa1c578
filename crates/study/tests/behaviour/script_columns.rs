//! Values that scripts pick from columns of CSV files.

use model::Transactions;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;
use workload::own;
use workload::program::{Source, Values};
use workload::script::Syntax;

const HEAD: &str = "[study]\nname = \"shop\"\n\
     [[target]]\nname = \"own\"\nsandbox = { trusted = true }\n\
     [[test]]\nworkload = \"transactions\"\nclients = [1]\n\
     [[test.transaction]]\nscript = \"sql/browse.sql\"\n";

/// A study whose script is in a directory of its own, beside this file.
fn load(script: &str, csv: &[u8]) -> Result<Transactions, String> {
    let place: TempDir = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("sql")).unwrap();
    fs::write(place.path().join("sql/browse.sql"), script).unwrap();
    fs::write(place.path().join("sql/customers.csv"), csv).unwrap();
    let file = place.path().join("shop.toml");
    fs::write(&file, HEAD).unwrap();
    let study = study::load(&file).map_err(|error| error.to_string())?;
    Ok(study.tests[0].workload().unwrap().transactions().unwrap().clone())
}

/// What the script picks from.
fn values(own: &Transactions) -> Arc<Values> {
    let parsed = own::parse(own, Syntax::STANDARD).unwrap();
    assert!(parsed.needs().is_empty(), "nothing is asked for any more");
    let parts = parsed.without_values().unwrap();
    let Source::Values(values) = &parts.sources[0] else { panic!("{:?}", parts.sources) };
    Arc::clone(values)
}

const SCRIPT: &str = "\\values id customers.csv id\nSELECT name FROM customer WHERE id = :id;";

#[test]
fn a_column_is_read_with_the_study_and_picked_from_without_the_file() {
    let csv = b"name,\"id\"\r\n\"Ada, L.\",7\n,\nBob,9\n\"\",11";
    let own = load(SCRIPT, csv).unwrap();
    let stored = serde_json::to_string(&own).unwrap();
    let own: Transactions = serde_json::from_str(&stored).unwrap();
    let picked = values(&own);
    assert_eq!([0, 1, 2].map(|row| picked.integer(row)), [7, 9, 11]);
    assert_eq!(picked.len(), 3);

    let names = SCRIPT.replace("csv id", "csv name");
    let own = load(&names, csv).unwrap();
    let picked = values(&own);
    let texts =
        [0, 1, 2].map(|row| String::from_utf8_lossy(picked.text(row).unwrap()).into_owned());
    assert_eq!(texts, ["Ada, L.", "Bob", ""]);
}

#[test]
fn many_ids_take_little_memory() {
    let rows: String = (0..200_000).map(|row| format!("{},x\n", 5_000_000_000_u64 + row)).collect();
    let own = load(SCRIPT, format!("id,name\n{rows}").as_bytes()).unwrap();
    let picked = values(&own);
    assert_eq!((picked.len(), picked.bytes()), (200_000, 800_000));
}

#[test]
fn what_a_file_lacks_is_shown_in_the_script() {
    let refused = |script: &str, csv: &[u8]| load(script, csv).expect_err("it is refused");
    let message = refused(SCRIPT, b"number\n1\n");
    assert!(message.contains("sql/browse.sql:1:1: the values of customers.csv"), "{message}");
    assert!(message.contains("it has no column id"), "{message}");
    let message = refused(&SCRIPT.replace("customers", "others"), b"id\n1\n");
    assert!(message.contains("No such file"), "{message}");
    assert!(refused(SCRIPT, b"id\n").contains("there are no values"));
    assert!(refused(SCRIPT, b"id\n\"1\n2\"\n").contains("line 2: the value has a line break"));
    assert!(refused(SCRIPT, b"id\n\"1\n").contains("a quoted field does not end"));
    assert!(refused(SCRIPT, b"id\n\xff\n").contains("no UTF-8"));
    let message = refused("\\values id ../secret.csv id\nSELECT :id;", b"id\n1\n");
    assert!(message.contains("does not lie beside the script"), "{message}");
}
