//! The data of workloads of a user's own: made, restored between trials, checked after each, and made
//! anew by a run that goes on after a kill.

use crate::support::{Disk, MYSQL, Server, Workplace, fetched, shared_directory, wait_for};
use model::{DataState, TableChange, TrialRecord};
use mysql::client::Connection;
use std::fmt::Write;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

const SCHEMA: &str = "
CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(100) NOT NULL);
CREATE TABLE orders (
    id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT NOT NULL, note VARCHAR(200),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);
";

/// Each transaction inserts one order; a trial has exactly 20 of them.
fn study(target: &str, customers: u32, keys: &str) -> String {
    format!(
        r#"
[study]
name = "shop"
repeats = 2
seed = 5

[[target]]
name = "one"
{target}

[[test]]
workload = "transactions"
clients = 2
transactions = 20
warmup = "0s"
setup = "schema.sql"
load = [
    {{ table = "customers", rows = {customers}, columns = {{ id = "sequence", name = {{ text = [5, 100] }} }} }},
    {{ table = "orders", file = "orders.csv" }},
]
{keys}

[[test.transaction]]
name = "order"
sql = ['\set c random(1, 100)', "INSERT INTO orders (customer_id) VALUES (:c)"]
"#
    )
}

fn place(study: &str) -> Workplace {
    let place = Workplace::new();
    place.write("shop.toml", study);
    place.write("schema.sql", SCHEMA);
    let mut orders = String::from("customer_id,note\n");
    (1..=50).for_each(|number| writeln!(orders, "{number},\"an order, {number}\"").unwrap());
    place.write("orders.csv", orders);
    place
}

const PRIVATE: &str = "sandbox = { trusted = true }";

fn invariant(gives: u32) -> String {
    format!(
        "invariant = [{{ name = \"all orders\", sql = \"SELECT COUNT(*) FROM orders\", gives = {gives} }}]"
    )
}

/// A server of another account writes there.
fn open_to_all(directory: &Path) {
    std::fs::set_permissions(directory, Permissions::from_mode(0o777)).unwrap();
}

fn records(place: &Workplace) -> Vec<TrialRecord> {
    place.store().dataset().unwrap().trials
}

fn states(place: &Workplace) -> Vec<DataState> {
    let data = |record: TrialRecord| record.outcome().unwrap().data.clone().unwrap();
    records(place).into_iter().map(data).collect()
}

#[test]
fn what_trials_change_is_undone_before_the_next() {
    // 50 orders of the file, and those of one trial.
    let place = place(&study(PRIVATE, 100, &invariant(70)));
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("2 tables made"), "{}", ran.err);
    let states = states(&place);
    assert!(states.len() == 2 && states.iter().all(|state| state.broken.is_empty()), "{states:?}");
    place.assert_no_server_left();
}

/// A server that runs already with data that weighin neither made nor has a copy of, and the study of
/// [`study`] on it, in which each trial adds 20 orders to 50.
fn on_what_is_there(target: &str, keys: &str) -> (Server, Connection, Workplace) {
    let server = Server::start();
    let mut control = server.connect();
    for sql in [
        "CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT)",
        "INSERT INTO orders (customer_id) SELECT seq FROM seq_1_to_50",
    ] {
        control.execute(sql).unwrap();
    }
    let password = server.password_file().display().to_string();
    let url = format!("url = \"{}\"\npassword_file = \"{password}\"\n{target}", server.url());
    let study = study(&url, 1, &format!("writes = true\n{keys}\n{}", invariant(70)));
    let (begin, end) = (study.find("setup = ").unwrap(), study.find("writes = ").unwrap());
    let place = Workplace::new();
    place.write("shop.toml", format!("{}{}", &study[..begin], &study[end..]));
    (server, control, place)
}

/// Runs that study into a file of results, and whether its invariants held.
fn runs_on_what_it_was(place: &Workplace, store: &str) {
    let ran = place.weighin(&["run", "shop.toml", "--allow-writes", "--store", store]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let dataset = store::Store::open(&place.path(store)).unwrap().dataset().unwrap();
    let data: Vec<DataState> =
        dataset.trials.iter().map(|trial| trial.outcome().unwrap().data.clone().unwrap()).collect();
    assert!(data.len() == 2 && data.iter().all(|state| state.broken.is_empty()), "{data:?}");
}

#[test]
fn what_trials_change_of_data_that_is_there_is_undone_by_a_script() {
    let (_server, mut control, place) = on_what_is_there("", "undo = \"undo.sql\"");
    place.write("undo.sql", "-- What trials add.\nDELETE FROM orders WHERE id > 50;\n");
    place.weighin(&["run", "shop.toml"]).refused(3, &["--allow-writes"]);
    for store in ["first.weighin", "second.weighin"] {
        // The second run finds what the last trial of the first has left.
        runs_on_what_it_was(&place, store);
        assert_eq!(count(&mut control, "SELECT COUNT(*) FROM orders"), 70);
    }
    // Nothing of weighin's is in the database.
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'sbtest'";
    assert_eq!(count(&mut control, tables), 1);
    place.write("undo.sql", "DELETE FROM nothing;\n");
    let ran = place.weighin(&["run", "shop.toml", "--allow-writes", "--store", "third.weighin"]);
    assert!(ran.code != Some(0) && ran.err.contains("undo.sql, line 1"), "{}", ran.err);
}

#[test]
fn what_trials_change_of_data_that_is_there_is_undone_by_a_command() {
    let command =
        "undo = { command = [\"sh\", \"undo.sh\", \"50\"], time_limit = \"1m\", trusted = true }";
    let (server, mut control, place) = on_what_is_there(command, "");
    let script = format!(
        "#!/bin/sh\necho \"$WEIGHIN_TARGET $1\" >> asked\necho restoring; echo of shop >&2\n\
         MYSQL_PWD=$(cat {}) exec mariadb --no-defaults -h \"$WEIGHIN_HOST\" -P \"$WEIGHIN_PORT\" \
         -u weighin sbtest -e \"DELETE FROM orders WHERE id > $1\"\n",
        server.password_file().display()
    );
    place.write("undo.sh", &script);
    let asked = || std::fs::read_to_string(place.path("asked")).unwrap_or_default();
    place.weighin(&["run", "shop.toml"]).refused(3, &["--allow-writes"]);
    let told = "one: what trials change of its data is undone by a command on this host, which the study \
                says is trusted: sh undo.sh 50";
    for command in [&["plan", "shop.toml"][..], &["check", "shop.toml", "--allow-writes"]] {
        let said = spaced(&place.weighin(command).done());
        assert!(said.contains(told), "{said}");
    }
    assert_eq!(asked(), "");
    for store in ["first.weighin", "second.weighin"] {
        runs_on_what_it_was(&place, store);
        assert_eq!(count(&mut control, "SELECT COUNT(*) FROM orders"), 70);
    }
    // Before each trial, the first included.
    assert_eq!(asked(), "one 50\n".repeat(4));

    // What does not restore leaves no figures.
    let failed = |script: &str, store: &str| {
        place.write("undo.sh", script);
        let ran = place.weighin(&["run", "shop.toml", "--allow-writes", "--store", store]);
        assert!(ran.code != Some(0), "{}", ran.err);
        spaced(&ran.err)
    };
    let said = failed("echo no snapshot of that name >&2; exit 4", "third.weighin");
    let words =
        "the data of one was not restored: `undo` ended with exit code 4: no snapshot of that name";
    assert!(said.contains(words), "{said}");
    let study = std::fs::read_to_string(place.path("shop.toml")).unwrap();
    place.write("shop.toml", study.replace("\"1m\"", "\"2s\""));
    let said = failed("echo $$ > hangs; echo begun; exec sleep 600", "fourth.weighin");
    let words = "the data of one was not restored: `undo` did not end within 2 s: begun";
    assert!(said.contains(words) && said.contains("raise `time_limit`"), "{said}");
    let hangs = std::fs::read_to_string(place.path("hangs")).unwrap();
    assert!(!Path::new("/proc").join(hangs.trim()).exists());
    assert_eq!(count(&mut control, "SELECT COUNT(*) FROM orders"), 70);

    let checked = |study: &str| {
        place.write("shop.toml", study);
        place.weighin(&["check", "shop.toml", "--allow-writes"])
    };
    let missing = checked(&study.replace("\"sh\"", "\"./no-such-program\""));
    assert!(
        missing.code == Some(3) && missing.out.contains("there is no such program"),
        "{missing:?}"
    );
    let untrusted = checked(&study.replace(", trusted = true }\n", " }\n"));
    untrusted.refused(2, &["this `command` would run on this host", "trusted = true"]);
    let idle = checked(&study.replace("writes = true", "writes = true\nrestore = \"none\""));
    assert!(idle.out.contains("the `undo` of one is not run"), "{idle:?}");
}

/// Two trials to a repeat: the second finds what the first has left, and the next repeat does not.
#[test]
fn what_a_block_changes_is_undone_before_the_next_block() {
    let first = invariant(70);
    let both = "{ name = \"one or two trials\", gives = 1, \
                sql = \"SELECT COUNT(*) IN (70, 90) FROM orders\" }]";
    let keys = format!("restore = \"block\"\n{}", first.replace(']', &format!(", {both}")));
    let place = place(&study(PRIVATE, 100, &keys).replace("clients = 2", "clients = [1, 2]"));
    let ran = place.weighin(&["run", "shop.toml"]);
    let broken = |state: DataState| state.broken.into_iter().map(|broken| broken.name);
    let broken: Vec<String> = states(&place).into_iter().flat_map(broken).collect();
    assert_eq!(broken, ["all orders", "all orders"], "{}", ran.err);
}

/// Of the table `orders`, its rows before and after each trial; all are counted.
fn orders(place: &Workplace) -> Vec<(u64, u64)> {
    let states = states(place);
    let all = states.iter().flat_map(|state| &state.tables);
    let orders = all.filter(|table| table.table == "orders");
    orders
        .map(|TableChange { before, after, .. }| {
            assert!(before.is_counted && after.is_counted && before.bytes > 0, "{states:?}");
            (before.rows, after.rows)
        })
        .collect()
}

/// A text with each word after one space.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The report in Markdown, with each word after one space.
fn report(place: &Workplace) -> String {
    let store = place.files("weighin")[0].to_str().unwrap().to_owned();
    let report = place.weighin(&["report", &store, "--format", "markdown"]).done();
    spaced(&report)
}

#[test]
fn data_that_nothing_restores_drifts_and_the_report_says_how_far() {
    let place = place(&study(PRIVATE, 100, "restore = \"none\""));
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(orders(&place), [(50, 70), (70, 90)]);
    let report = report(&place);
    let said = "what trials change stays: over 2 trials, between which nothing undid it, orders grew from \
                50 to 90 rows (+80 %); later trials worked on more data than the first";
    assert!(report.to_lowercase().contains(said), "{report}");
}

/// The second trial of a repeat finds what the first has left, also where caches are cold.
#[test]
fn data_drifts_within_a_block_that_is_restored_as_a_whole() {
    let keys = "restore = \"block\"\ncache = \"cold\"";
    let study = study(PRIVATE, 100, keys).replace("clients = 2", "clients = [1, 2]");
    let place = place(&study);
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(orders(&place), [(50, 70), (70, 90), (50, 70), (70, 90)]);
    let report = report(&place);
    let said = "over 2 trials of a repeat, orders grew from 50 to 90 rows (+80 %); its later trials worked";
    assert!(report.contains(said), "{report}");
}

/// Of data that is there, the tables that the scripts write are looked at; a server that gets more work in a
/// trial has other data after it.
#[test]
fn targets_whose_data_drifts_differently_are_told_apart() {
    let servers = [Server::start(), Server::start()];
    let mut targets = String::new();
    for (number, server) in servers.iter().enumerate() {
        let mut control = server.connect();
        for sql in [
            "CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT, note VARCHAR(200))",
            "CREATE TABLE others (id INT)",
            "INSERT INTO orders (customer_id) SELECT seq FROM seq_1_to_50",
        ] {
            control.execute(sql).unwrap();
        }
        if number == 1 {
            let twice = "CREATE TRIGGER more AFTER INSERT ON orders FOR EACH ROW INSERT INTO others VALUES (1)";
            control.execute(twice).unwrap();
            control
                .execute("INSERT INTO orders (customer_id) SELECT seq FROM seq_1_to_150")
                .unwrap();
        }
        let password = server.password_file();
        let name = if number == 0 { "" } else { "\n[[target]]\nname = \"two\"\n" };
        writeln!(targets, "{name}url = \"{}\"\npassword_file = {password:?}", server.url())
            .unwrap();
    }
    let study = study(&targets, 1, "writes = true");
    let (begin, end) = (study.find("setup = ").unwrap(), study.find("writes = ").unwrap());
    let place = Workplace::new();
    place.write("shop.toml", format!("{}{}", &study[..begin], &study[end..]));
    let ran = place.weighin(&["run", "shop.toml", "--allow-writes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let named = states(&place).into_iter().flat_map(|state| state.tables).map(|table| table.table);
    assert!(named.clone().all(|table| table == "orders"), "{:?}", named.collect::<Vec<_>>());
    let report = report(&place);
    let said = "the rows of orders went from 200 to 240 on two and from 50 to 90 on one";
    assert!(report.contains(said), "{report}");
}

#[test]
fn a_trial_that_breaks_an_invariant_is_void() {
    let place = place(&study(PRIVATE, 100, &invariant(51)));
    let ran = place.weighin(&["run", "shop.toml"]);
    let said = ran.out.replace("\n  ", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let broken =
        "The invariant `all orders` does not hold: its query should give `51`, and gave `70`";
    assert!(said.contains(broken), "{said}");
    assert!(said.contains("2 void"), "{said}");
}

fn count(control: &mut Connection, sql: &str) -> u64 {
    let rows = control.query(sql).unwrap().rows;
    String::from_utf8(rows[0][0].clone().unwrap()).unwrap().parse().unwrap()
}

#[test]
fn a_run_that_is_killed_while_it_loads_goes_on_and_is_right() {
    let (server, customers) = (Server::start(), 300_000);
    let password = server.password_file();
    let target = format!("url = \"{}\"\npassword_file = \"{}\"", server.url(), password.display());
    let keys = format!("writes = true\n{}", invariant(70));
    let place = place(&study(&target, customers, &keys));
    // All but the first rows come slowly while a setting says so: the run is killed before they are there.
    let brake = "CREATE TRIGGER brake BEFORE INSERT ON customers FOR EACH ROW \
                 DO SLEEP((NEW.id > 100000) * (@@GLOBAL.max_error_count = 7) * 0.01);\n";
    place.write("schema.sql", format!("{SCHEMA}{brake}"));
    let mut control = server.connect();
    control.execute("SET GLOBAL max_error_count = 7").unwrap();

    // The study alone may not change a server that runs already.
    place.weighin(&["run", "shop.toml"]).refused(3, &["--allow-writes"]);
    let tables = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'sbtest'";
    assert_eq!(count(&mut control, tables), 0);

    let run = place.start(&["run", "shop.toml", "--allow-writes"]);
    wait_for("some rows", || {
        count(&mut control, tables) > 1
            && count(&mut control, "SELECT COUNT(*) FROM (SELECT 1 FROM customers LIMIT 1) c") > 0
    });
    run.kill();
    control.execute("SET GLOBAL max_error_count = DEFAULT").unwrap();
    // The server goes on with what it got for a moment.
    wait_for("the end of its connections", || {
        count(
            &mut control,
            "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'weighin' AND command <> 'Sleep' AND id <> CONNECTION_ID()",
        ) == 0
    });
    assert!(records(&place).is_empty());
    assert!(count(&mut control, "SELECT COUNT(*) FROM customers") < u64::from(customers));

    let mut run = place.start(&["run", "shop.toml", "--allow-writes", "--resume"]);
    run.wait_for_line("[1/2]");
    run.kill();
    let ran = place.weighin(&["run", "shop.toml", "--allow-writes", "--resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(count(&mut control, "SELECT COUNT(*) FROM customers"), u64::from(customers));
    let states = states(&place);
    assert!(states.len() == 2 && states.iter().all(|state| state.broken.is_empty()), "{states:?}");

    let ran = server.weighin(&place, "cleanup", &[]);
    assert!(ran.done().contains("orders"));
    assert_eq!(count(&mut control, tables), 0);
}

/// A server that divides with more digits gives other averages of the same rows.
#[test]
fn targets_that_answer_differently_are_found_before_any_trial() {
    let digits = "settings = { div_precision_increment = 8 }";
    let targets = format!(
        "{PRIVATE}\n\n[[target]]\nname = \"two\"\nsandbox = {{ trusted = true, {digits} }}"
    );
    let study = study(&targets, 100, "set = { n = 3 }").replace("repeats = 2", "repeats = 1");
    let study = study.replace(
        r#""INSERT INTO orders (customer_id) VALUES (:c)"]"#,
        r#""SELECT AVG(id) / :n AS average FROM customers", "SELECT name FROM customers WHERE id = :c", "SELECT drawn() AS lot"]"#,
    );
    // Only the second of two tests on the same data has the statement.
    let (head, test) = study.split_at(study.find("[[test]]").unwrap());
    let first = test.replace(r#""SELECT AVG(id) / :n AS average FROM customers", "#, "");
    let first = first.replace("set = { n = 3 }", "");
    let second = test.replace("[[test]]", "[[test]]\nname = \"later\"");
    let place = place(&format!("{head}{first}{second}"));
    // What each target answers differently from one time to the next is no difference of theirs.
    let drawn = "CREATE FUNCTION drawn() RETURNS DOUBLE RETURN RAND();\n";
    place.write("schema.sql", format!("{SCHEMA}{drawn}"));
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let targets = place.store().dataset().unwrap().targets;
    let answers: Vec<usize> = targets.iter().map(|facts| facts.server.answers.len()).collect();
    assert_eq!(answers, [9, 9], "three of each statement of each test that has one answer");
    // Trials of a few transactions may have other faults as well.
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("answer the statement `SELECT customers` differently"), "{said}");
    let report = place.files("weighin")[0].to_str().unwrap().to_owned();
    let report = place.weighin(&["report", &report, "--format", "markdown"]).done();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("answer the statement"), "{report}");
    assert!(report.contains("SELECT AVG(id) / 3 AS average FROM customers"), "{report}");
}

/// The blocks of a page that begin so, each with its name and text.
fn blocks<'p>(page: &'p str, begin: &str) -> Vec<(&'p str, &'p str)> {
    let found = page.split(begin).skip(1).map(|block| block.split_once('\n').unwrap());
    found.map(|(name, text)| (name, text.split("```").next().unwrap())).collect()
}

/// The study that the page about own workloads builds, with the files that it shows.
#[test]
fn the_documented_example_runs_and_answers_its_question() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/own-workload.md");
    let page = std::fs::read_to_string(page).unwrap();
    let place = Workplace::new();
    std::fs::create_dir(place.path("shop")).unwrap();
    let files = [blocks(&page, "```sql "), blocks(&page, "```csv ")].concat();
    assert_eq!(files.len(), 4);
    for (name, text) in files {
        place.write(name, text);
    }
    let (_, study) = blocks(&page, "```toml\n[study]")[0];
    let short = "clients = 2\nwarmup = \"0s\"\ntransactions = 200";
    let study = format!("[study]\nrepeats = 2\n{study}").replace("clients = [2, 8]", short);
    place.write("shop.toml", study);
    place.weighin(&["check", "shop.toml"]).done();
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let states = states(&place);
    assert!(states.len() == 4 && states.iter().all(|state| state.broken.is_empty()), "{states:?}");
    let answers = |facts: &model::TargetFacts| facts.server.answers.clone();
    let targets = place.store().dataset().unwrap().targets;
    assert!(!answers(&targets[0]).is_empty());
    assert_eq!(answers(&targets[0]), answers(&targets[1]));
}

#[test]
fn the_template_comes_with_its_scripts_and_can_run() {
    let place = Workplace::new();
    let said = place.weighin(&["init", "--template", "own-workload", "web-shop.toml"]).done();
    assert!(said.contains("shop/checkout.sql"), "{said}");
    // Nothing is overwritten.
    place
        .weighin(&["init", "--template", "own-workload", "other.toml"])
        .refused(2, &["schema.sql"]);
    place.weighin(&["check", "web-shop.toml"]).done();
}

/// A data directory of a server that is stopped: the private server runs on a copy, and every trial too. What
/// the original does by itself, its copy does not; and the logs of the original, which are listed in its data
/// directory and lie elsewhere, are not the copy's to remove.
#[test]
fn a_private_server_runs_on_a_copy_of_a_data_directory() {
    let logs = shared_directory();
    open_to_all(logs.path());
    let log = logs.path().join("binlog").display().to_string();
    let mut server = Server::start_with(&[("log_bin", &log), ("log_bin_index", "binlog")]);
    let mut control = server.connect();
    for sql in [
        "CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT)",
        "INSERT INTO orders (customer_id) SELECT seq FROM seq_1_to_50",
        "CREATE EVENT more ON SCHEDULE EVERY 1 SECOND DO INSERT INTO orders (customer_id) VALUES (0)",
        "FLUSH BINARY LOGS",
    ] {
        control.execute(sql).unwrap();
    }
    drop(control);
    server.sandbox.stop().unwrap();
    let log = logs.path().join("binlog.000001");
    let long_ago = SystemTime::now() - Duration::from_secs(10 * 86_400);
    File::options().write(true).open(&log).unwrap().set_modified(long_ago).unwrap();
    let directory = server.sandbox.data_directory().to_owned();
    assert!(directory.join("binlog.index").is_file());
    let target = |trust: &str| {
        let directory = directory.display();
        format!("sandbox = {{ {trust}data = \"{directory}\", config = \"prod.cnf\" }}")
    };
    let study = |trust: &str| {
        let study = study(&target(trust), 1, &invariant(70));
        let begin = study.find("setup = ").unwrap();
        let end = study.find("invariant = ").unwrap();
        format!("{}{}", &study[..begin], &study[end..])
    };
    let place = Workplace::new();
    place.write(
        "prod.cnf",
        "[mysqld]\nlog_bin = /srv/log/binlog\nexpire_logs_days = 1\nevent_scheduler = ON\n",
    );
    place.write("shop.toml", study(""));
    place.weighin(&["run", "shop.toml"]).refused(2, &["trusted = true"]);
    place.write("shop.toml", study("trusted = true, "));
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let states = states(&place);
    assert!(states.len() == 2 && states.iter().all(|state| state.broken.is_empty()), "{states:?}");
    let variables = &place.store().dataset().unwrap().targets[0].server.variables;
    assert_eq!(
        (variables["event_scheduler"].as_str(), variables["log_bin"].as_str()),
        ("OFF", "ON")
    );
    // The original is as it was.
    assert!(log.is_file(), "the copy has removed {}", log.display());
    server.sandbox.start_again().unwrap();
    assert_eq!(count(&mut server.connect(), "SELECT COUNT(*) FROM orders"), 50);
}

/// What changes while it is copied is no copy, and a server on a copy would write to a table that the original has
/// in another place.
#[test]
fn data_in_use_or_with_a_table_that_lies_elsewhere_is_not_copied() {
    let elsewhere = shared_directory();
    open_to_all(elsewhere.path());
    let sql = format!(
        "CREATE TABLE orders (id INT PRIMARY KEY) DATA DIRECTORY = '{}'",
        elsewhere.path().display()
    );
    // MySQL 8 has the place in its dictionary alone.
    let servers =
        [(Server::start(), "sbtest/orders.isl"), (Server::start_from(fetched(MYSQL)), "mysql.ibd")];
    for (mut server, by) in servers {
        server.connect().execute(&sql).unwrap();
        let data = server.sandbox.data_directory().display().to_string();
        let place =
            place(&study(&format!("sandbox = {{ trusted = true, data = \"{data}\" }}"), 1, ""));
        let refused = |said: &str| {
            let checked = place.weighin(&["check", "shop.toml"]);
            assert_ne!(checked.code, Some(0), "{}", checked.out);
            let all = checked.out + &checked.err;
            assert!(all.contains(said), "{all}");
        };
        refused("is in use");
        server.sandbox.stop().unwrap();
        refused(by);
        drop(server);
        std::fs::remove_file(elsewhere.path().join("sbtest/orders.ibd")).ok();
    }
}

/// A copy may not fill a disk that others use too, and takes nothing where files are cloned.
#[test]
fn data_is_copied_where_there_is_room_or_none_is_taken() {
    let mut server = Server::start();
    server.sandbox.stop().unwrap();
    for kind in ["ext4", "xfs"] {
        let Some(disk) = Disk::with_size(kind, 640) else { return };
        let original = disk.path().join("original");
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(server.sandbox.data_directory()).arg(&original);
        assert!(copy.status().unwrap().success());
        let takes = files::Directory::open(&original).unwrap().bytes().unwrap();
        let free = || host::local::os::free_space(disk.path()).unwrap();
        let fills = Command::new("fallocate")
            .args(["-l", &(free() - takes + (8 << 20)).to_string()])
            .arg(disk.path().join("filler"))
            .status();
        assert!(fills.unwrap().success() && free() < takes, "{} {takes}", free());
        let sandbox = format!(
            "sandbox = {{ trusted = true, directory = {:?}, data = {original:?} }}",
            disk.path()
        );
        let place = place(&study(&sandbox, 1, ""));
        let before = free();
        let checked = place.weighin(&["check", "shop.toml"]);
        let all = checked.out + &checked.err;
        if kind == "xfs" {
            assert_eq!(checked.code, Some(0), "{all}");
        } else {
            assert_ne!(checked.code, Some(0), "{all}");
            assert!(all.contains("a copy of") && all.contains("a larger disk"), "{all}");
            assert!(before.abs_diff(free()) < 4 << 20, "{before} {}", free());
        }
    }
}

/// An option file of another machine: what suits a private server is given to it, and the rest is told.
#[test]
fn a_private_server_gets_the_settings_of_a_real_option_file() {
    let place = place(&study("sandbox = { trusted = true, config = \"prod/my.cnf\" }", 100, ""));
    std::fs::create_dir_all(place.path("prod/conf.d")).unwrap();
    place.write(
        "prod/my.cnf",
        "[client]\nport = 3307\n[mysqld]\ndatadir = /srv/mysql\nport = 3307\n\
         innodb-buffer-pool-size = 4096G # of the large machine\nlog-bin = /srv/log/binlog\n\
         skip-name-resolve\nno_such_setting_here = 1\n!includedir conf.d\n\
         [mysqld-8.0]\nsort_buffer_size = 2M\n\
         [mariadb-10.11]\njoin-buffer-size = 3M\ntmpdir = /srv/tmp\n[mysqld-10.1]\njoin_buffer_size = 5M\n",
    );
    place.write("prod/conf.d/more.cnf", "[mariadb]\nsort_buffer_size = 1M\n");
    let checked = place.weighin(&["check", "shop.toml"]).done();
    assert!(checked.contains("prod/my.cnf") && checked.contains("datadir"), "{checked}");
    let ran = place.weighin(&["run", "shop.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let dataset = place.store().dataset().unwrap();
    let variable = |name: &str| dataset.targets[0].server.variables[name].clone();
    assert_eq!(variable("sort_buffer_size"), (1 << 20).to_string());
    // The server is of 10.11, and neither of 8.0 nor of 10.1.
    assert_eq!(variable("join_buffer_size"), (3 << 20).to_string());
    assert_eq!(variable("log_bin"), "ON");
    assert!(variable("innodb_buffer_pool_size").parse::<u64>().unwrap() < 4096 << 30);
    let report = place.files("weighin")[0].to_str().unwrap().to_owned();
    let report = place.weighin(&["report", &report, "--format", "markdown"]).done();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "");
    for said in [
        "datadir = /srv/mysql was left out",
        "log_bin = /srv/log/binlog became binlog",
        "no_such_setting_here",
        "innodb_buffer_pool_size = 4398046511104 became",
        "[mysqld-8.0] sort_buffer_size = 2M was left out",
        "[mysqld-10.1] join_buffer_size = 5M was left out",
        "[mariadb-10.11] tmpdir = /srv/tmp was left out",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
    assert!(!report.contains("[mariadb-10.11] join_buffer_size"), "{report}");
    // What is elsewhere on the machine that the file comes from is not what this one has there.
    place.write("prod/my.cnf", "!includedir /etc/mysql/conf.d\n");
    place.weighin(&["check", "shop.toml"]).refused(2, &["/etc/mysql/conf.d", "beside it"]);
}
