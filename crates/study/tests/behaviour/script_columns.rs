//! Values that scripts pick from columns of CSV files.

use model::Transactions;
use std::fs;
use std::process::Command;
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
    load_beside(script, "customers.csv", csv)
}

fn load_beside(script: &str, name: &str, csv: &[u8]) -> Result<Transactions, String> {
    let place: TempDir = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("sql")).unwrap();
    fs::write(place.path().join("sql/browse.sql"), script).unwrap();
    fs::write(place.path().join("sql").join(name), csv).unwrap();
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
    assert!(message.contains("it has no column `id`; its columns are `number`"), "{message}");
    let message = refused(SCRIPT, b"name,id\nx,1\ny\n");
    assert!(message.contains("line 3: the row has 1 fields, and the header 2"), "{message}");
    let message = refused(SCRIPT, b"id;name\n1;x\n");
    assert!(message.contains("its columns are `id;name`"), "{message}");
    // UTF-16.
    let message = refused(SCRIPT, b"\xff\xfei\0d\0\n\x001\0\n\0");
    assert!(message.contains("line 1: the names of the columns are no UTF-8"), "{message}");
    let message = refused(&SCRIPT.replace("customers", "others"), b"id\n1\n");
    assert!(message.contains("No such file"), "{message}");
    assert!(refused(SCRIPT, b"id\n").contains("there are no values"));
    assert!(refused(SCRIPT, b"id\n\"1\n2\"\n").contains("line 2: the value has a line break"));
    assert!(refused(SCRIPT, b"id\n\"1\n").contains("a quoted field does not end"));
    assert!(refused(SCRIPT, b"id\n\xff\n").contains("no UTF-8"));
    let message = refused("\\values id ../secret.csv id\nSELECT :id;", b"id\n1\n");
    assert!(message.contains("does not lie beside the script"), "{message}");
}

#[test]
fn a_compressed_file_is_read_as_its_contents_and_a_damaged_one_refused_with_the_place() {
    let place: TempDir = tempfile::tempdir().unwrap();
    let plain = place.path().join("plain.csv");
    // Of little that repeats, so that a part of it is still a few blocks.
    let scrambled = |row: u64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let rows: String = (0..50_000).map(|row| format!("{row},{:x}\n", scrambled(row))).collect();
    fs::write(&plain, format!("id,name\n{rows}")).unwrap();
    for (program, end) in [("gzip", "gz"), ("zstd", "zst"), ("bzip2", "bz2"), ("xz", "xz")] {
        let packed = Command::new(program).arg("-c").arg(&plain).output().unwrap();
        assert!(packed.status.success(), "{program}: {packed:?}");
        let packed = packed.stdout;
        let name = format!("customers.csv.{end}");
        let script = SCRIPT.replace("customers.csv", &name);
        let own = load_beside(&script, &name, &packed).unwrap();
        let picked = values(&own);
        assert_eq!((picked.len(), picked.integer(49_999)), (50_000, 49_999), "{program}");
        // What it is called decides nothing.
        assert!(load(SCRIPT, &packed).is_ok(), "{program}");
        let mut flipped = packed.clone();
        flipped[packed.len() * 3 / 4] ^= 0x55;
        for damaged in [&packed[..packed.len() / 2], &flipped] {
            let message = load_beside(&script, &name, damaged).expect_err("it is refused");
            for words in
                ["sql/browse.sql:1:1", &name, "is damaged or cut off", "beyond line ", "with -t"]
            {
                assert!(message.contains(words), "{program}: no «{words}» in {message}");
            }
        }
        let message = load_beside(&script, &name, b"id\n1\n").expect_err("it is refused");
        assert!(message.contains("which its name says"), "{message}");
    }
}
