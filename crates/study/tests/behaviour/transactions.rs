//! Transactions of the user's own in a study file.

use model::{Restore, SetValue, Study};
use std::fs;
use std::time::Duration;

const HEAD: &str = "[study]\nname = \"shop\"\n\
     [[target]]\nname = \"own\"\nsandbox = { trusted = true }\n\
     [[test]]\nworkload = \"transactions\"\nclients = [1]\n";

fn load(keys: &str, script: &str) -> Result<Study, String> {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("checkout.sql"), script).unwrap();
    let file = place.path().join("shop.toml");
    fs::write(&file, format!("{HEAD}{keys}")).unwrap();
    study::load(&file).map_err(|error| error.to_string())
}

fn refused(keys: &str, script: &str) -> String {
    load(keys, script).expect_err("it is refused")
}

#[test]
fn scripts_become_part_of_the_study() {
    let keys = "set = { customers = 10, name = \"x\" }\nprepared = false\n\
         [[test.transaction]]\nscript = \"checkout.sql\"\nweight = 3\nthink_time = \"50ms\"\n\
         slo = \"p95 < 20ms\"\nretry = \"deadlock\"\n\
         [[test.transaction]]\nname = \"look\"\nsql = [\"SELECT 1\", \"SELECT :customers, :name\"]\n";
    let script = "UPDATE customer SET balance = 1 WHERE id = :customers;\n";
    let study = load(keys, script).unwrap();
    let own = study.tests[0].workload().unwrap().transactions().unwrap();
    assert!(own.change_data && !own.prepared && !own.writes);
    assert_eq!(own.set["customers"], SetValue::Integer(10));
    let [checkout, look] = &own.transactions[..] else { panic!("{own:?}") };
    assert_eq!((checkout.name.as_str(), checkout.weight), ("checkout", 3));
    assert_eq!((checkout.script.text.as_str(), checkout.retry), (script, true));
    assert_eq!(look.script.text, "SELECT 1;\nSELECT :customers, :name;\n");
    assert!((own.share(checkout) - 0.75).abs() < 1e-9);
    let files: Vec<&str> = study.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(files, ["checkout.sql"]);
    // As it is stored, so that it can be resumed without the files.
    let stored = serde_json::to_string(&study).unwrap();
    let study = Study { files: Vec::new(), ..study };
    assert_eq!(serde_json::from_str::<Study>(&stored).unwrap(), study);
}

#[test]
fn what_a_script_lacks_is_shown_in_it() {
    let keys = "[[test.transaction]]\nscript = \"checkout.sql\"\n";
    let message = refused(keys, "SELECT 1;\n\\set x randon(1, 2)\n");
    assert!(message.contains("the script of `checkout` cannot be run"), "{message}");
    assert!(message.contains("checkout.sql:2:"), "{message}");
    let message = refused("[[test.transaction]]\nscript = \"none.sql\"\n", "");
    assert!(message.contains("the script none.sql cannot be read"), "{message}");
    let message = refused("[[test.transaction]]\nscript = \"builtin:tpcb-lik\"\n", "");
    assert!(message.contains("builtin:tpcb-like"), "{message}");
    let message = refused("", "");
    assert!(message.contains("this test has no transaction"), "{message}");
    let two = keys.to_owned() + keys;
    let message = refused(&two, "SELECT 1;\n");
    assert!(message.contains("a second transaction is named `checkout`"), "{message}");
}

#[test]
fn a_script_is_text_whatever_the_editor_begins_it_with() {
    let keys = "[[test.transaction]]\nscript = \"checkout.sql\"\n";
    let study = load(keys, "\u{feff}\\set id random(1, 9)\r\nSELECT :id;\r\n").unwrap();
    let own = study.tests[0].workload().unwrap().transactions().unwrap();
    assert!(own.transactions[0].script.text.starts_with("\\set"), "{own:?}");

    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("shop.toml");
    fs::write(&file, format!("{HEAD}{keys}")).unwrap();
    fs::write(place.path().join("checkout.sql"), b"SELECT 1;\nSELECT '\xe4';\n").unwrap();
    let message = study::load(&file).expect_err("it is refused").to_string();
    assert!(
        message.contains("checkout.sql cannot be read: it is no text in UTF-8 (line 2)"),
        "{message}"
    );
}

#[test]
fn a_private_server_that_is_not_trusted_gets_no_script() {
    let keys = "[[test.transaction]]\nname = \"t\"\nsql = \"SELECT 1\"\n";
    let text = format!("{HEAD}{keys}").replace("{ trusted = true }", "{}");
    let error = study::parse(&text, "shop.toml").expect_err("it is refused").to_string();
    assert!(error.contains("trusted = true"), "{error}");
}

#[test]
fn data_that_is_there_is_undone_by_scripts_where_weighin_has_no_copy() {
    let server = HEAD
        .replace("sandbox = { trusted = true }", "url = \"mysql://bench@db/shop\"")
        .replace("clients = [1]", "clients = [1]\nwrites = true\nundo = \"undo.sql\"");
    let read = |head: &str, keys: &str, sql: &str| {
        let place = tempfile::tempdir().unwrap();
        for file in ["undo.sql", "schema.sql"] {
            fs::write(place.path().join(file), "DELETE FROM t WHERE id > 10;\n").unwrap();
        }
        let file = place.path().join("shop.toml");
        let test = format!("[[test.transaction]]\nname = \"t\"\nsql = \"{sql}\"\n");
        fs::write(&file, format!("{head}{keys}{test}")).unwrap();
        study::load(&file).map_err(|error| error.to_string())
    };
    let write = "INSERT INTO t VALUES (1)";
    let study = read(&server, "", write).unwrap();
    let own = study.tests[0].workload().unwrap().transactions().unwrap();
    assert_eq!(
        own.data.undo.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(),
        ["undo.sql"]
    );
    assert_eq!(own.data.restore, Restore::Trial);
    assert!(own.data.is_as_found() && own.data.restored_where(false) == Restore::Trial);
    assert_eq!(study.files[0].name, "undo.sql");
    read(&server, "restore = \"block\"\n", write).unwrap();
    let private = HEAD.replace("clients = [1]", "clients = [1]\nundo = \"undo.sql\"");
    for (head, keys, sql, why) in [
        (&server, "restore = \"none\"\n", write, "which undoes nothing"),
        (&server, "setup = \"schema.sql\"\n", write, "weighin makes this anew"),
        (&server, "built_in = \"order-entry\"\n", write, "`undo` stands beside `built_in`"),
        (&server, "", "SELECT 1", "these only read"),
        (&private, "", write, "no target needs this `undo`"),
    ] {
        let message = read(head, keys, sql).unwrap_err();
        assert!(message.contains(why), "{message}");
    }
    let without = server.replace("undo = \"undo.sql\"", "restore = \"trial\"");
    let message = read(&without, "", write).unwrap_err();
    assert!(message.contains("add undo = \"undo.sql\""), "{message}");
}

#[test]
fn a_command_of_the_target_undoes_in_place_of_scripts() {
    let read = |target: &str, keys: &str| {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("undo.sql"), "DELETE FROM t;\n").unwrap();
        let file = place.path().join("shop.toml");
        let test = "[[test]]\nworkload = \"transactions\"\nclients = [1]\nwrites = true\n";
        let one = "[[test.transaction]]\nname = \"t\"\nsql = \"INSERT INTO t VALUES (1)\"\n";
        let head = "[study]\nname = \"shop\"\n[[target]]\nname = \"one\"\n";
        fs::write(&file, format!("{head}{target}\n{test}{keys}\n{one}")).unwrap();
        study::load(&file).map_err(|error| error.to_string())
    };
    let url = "url = \"mysql://bench@db/shop\"\n";
    let command =
        "undo = { command = [\"./restore.sh\", \"shop\"], time_limit = \"5m\", trusted = true }";
    let study = read(&format!("{url}{command}"), "restore = \"block\"").unwrap();
    let target = &study.targets[0];
    let undo = target.undo().unwrap();
    assert_eq!((undo.command.len(), undo.time_limit), (2, Duration::from_secs(300)));
    let own = study.tests[0].workload().unwrap().transactions().unwrap();
    assert!(own.undo_what_is_there());
    assert_eq!(own.data.restored_where(target.can_undo()), Restore::Block);
    assert_eq!(own.data.restored_where(false), Restore::None);

    let untrusted = command.replace(", trusted = true", "");
    let private = "sandbox = { trusted = true }\n";
    for (target, keys, why) in [
        (format!("{url}{untrusted}"), "", "this `command` would run on this host"),
        (format!("{url}ssh = \"db\"\n{untrusted}"), "", "would run on the server's machine"),
        (format!("{url}{command}").replace("\"./restore.sh\"", "\" \""), "", "names no program"),
        (format!("{url}{command}").replace("5m", "25h"), "", "`time_limit` must be"),
        (format!("{url}undo = {{ trusted = true }}"), "", "this `undo` has no `command`"),
        (format!("{private}{command}"), "", "`undo` belongs to a url"),
        (format!("{url}{command}"), "undo = \"undo.sql\"", "no target needs this `undo`"),
        (url.to_owned(), "restore = \"trial\"", "or a command to the target"),
    ] {
        let message = read(&target, keys).unwrap_err();
        assert!(message.contains(why), "no «{why}» in {message}");
    }
}

#[test]
fn a_built_in_workload_takes_the_variables_that_it_has() {
    let with = |built_in: &str, set: &str, more: &str| {
        load(&format!("built_in = \"{built_in}\"\nset = {{ {set} }}\n{more}"), "")
    };
    let message = with("order-entry", "warehouse = 10", "").unwrap_err();
    assert!(message.contains("`order-entry` has no variable `warehouse`"), "{message}");
    assert!(message.contains("did you mean `warehouses`?"), "{message}");
    assert!(message.contains("`think_times` or `warehouses`"), "{message}");
    let message = with("tpcb-like", "scale = 2, warehouses = 2", "").unwrap_err();
    assert!(message.contains("`tpcb-like` has no variable `warehouses`"), "{message}");
    assert!(message.contains("`set` takes `partitions` or `scale`"), "{message}");
    // What all scripts have is none of a workload that does not read it.
    assert!(with("order-entry", "scale = 10", "").is_err());
    with("order-entry", "warehouses = 10, think_times = 1", "").unwrap();
    // A script in place of its own has variables of its own.
    let own = "[[test.transaction]]\nname = \"look\"\nsql = \"SELECT :most\"\n";
    with("order-entry", "most = 10", own).unwrap();
    assert!(with("order-entry", "least = 10, most = 10", own).is_err());
}

#[test]
fn variables_that_nothing_reads_are_refused() {
    let script = "\\set id random(1, :customers)\nSELECT :id;\n";
    let with = |set: &str, more: &str| {
        let keys =
            format!("set = {{ {set} }}\n{more}[[test.transaction]]\nscript = \"checkout.sql\"\n");
        load(&keys, script)
    };
    with("customers = 10", "").unwrap();
    let message = with("customers = 10, custmers = 20", "").unwrap_err();
    assert!(
        message.contains("no script reads the variable `custmers`: did you mean `customers`?"),
        "{message}"
    );
    assert!(message.contains("`customers` or `id`"), "{message}");
    // What makes the data reads some as well.
    let data = "load = [{ table = \"t\", rows = \":n * 2\", columns = { id = \"sequence\", \
                b = { expression = \":row / :per\", nulls = \":row % :every = 0\" } } }]\n";
    with("customers = 10, n = 5, per = 2, every = 3", data).unwrap();
    let message = with("customers = 10, n = 5, per = 2, every = 3, row = 1", data).unwrap_err();
    assert!(message.contains("no script reads the variable `row`"), "{message}");
    let files = "setup = \"builtin:pgbench/schema.sql\"\n";
    with("customers = 10, scale = 2", files).unwrap();
    assert!(with("customers = 10, scale = 2", "").is_err());
}

#[test]
fn accounts_of_pgbench_are_divided_into_partitions_of_the_same_size() {
    let postgres = HEAD.replace("sandbox", "kind = \"postgresql\"\nsandbox");
    let read = |head: &str, set: &str| {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("bank.toml");
        let keys = format!("built_in = \"tpcb-like\"\nset = {{ {set} }}\n");
        fs::write(&file, format!("{head}{keys}")).unwrap();
        study::load(&file).map_err(|error| error.to_string())
    };
    let schema = |set: &str| {
        let study = read(&postgres, set).unwrap();
        let own = study.tests[0].workload().unwrap().transactions().unwrap();
        let [file] = &own.data.setup[..] else { panic!("{own:?}") };
        assert_eq!(file.bytes, file.built_in.as_ref().unwrap().len() as u64);
        (file.built_in.clone().unwrap(), file.fingerprint)
    };
    let (whole, print) = schema("scale = 3");
    assert!(!whole.contains("PARTITION"), "{whole}");
    assert_eq!(schema("partitions = 0"), (whole, print));
    let (three, other) = schema("scale = 1, partitions = 3");
    assert_ne!(print, other);
    assert!(three.contains(") PARTITION BY RANGE (aid);\n"), "{three}");
    let ranges: Vec<&str> = three
        .lines()
        .filter_map(|line| line.split_once("PARTITION OF pgbench_accounts FOR VALUES "))
        .map(|(_, range)| range)
        .collect();
    let expected =
        ["FROM (MINVALUE) TO (33335);", "FROM (33335) TO (66669);", "FROM (66669) TO (MAXVALUE);"];
    assert_eq!(ranges, expected);
    let (one, _) = schema("partitions = 1");
    assert!(one.contains("VALUES FROM (MINVALUE) TO (MAXVALUE);"), "{one}");
    for wrong in ["-1", "1001", "2.5", "\"two\""] {
        let message = read(&postgres, &format!("partitions = {wrong}")).unwrap_err();
        assert!(message.contains("a number from 0 to 1000"), "{message}");
    }
    let message = read(HEAD, "partitions = 2").unwrap_err();
    assert!(message.contains("`partitions` are for PostgreSQL"), "{message}");
    assert!(message.contains("the target `own` is MariaDB or MySQL"), "{message}");
    read(HEAD, "partitions = 0").unwrap();
}
