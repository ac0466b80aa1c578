//! The task `statement`: statements whose time is taken, from the study file to every report.

use crate::support::{Server, Workplace, wait_for};
use model::{FailureKind, Metric, TrialRecord};

/// A study of one private server, and of one test with these keys.
fn private(repeats: u32, keys: &str) -> String {
    format!(
        "[study]\nname = \"analytic\"\nrepeats = {repeats}\n\
         [[target]]\nname = \"small\"\n\
         sandbox = {{ settings = {{ sort_buffer_size = \"64K\" }} }}\n\
         [[test]]\nname = \"queries\"\ntask = \"statement\"\n{keys}\n"
    )
}

/// A study of a server that runs already.
fn on(server: &Server, keys: &str) -> String {
    format!(
        "[study]\nname = \"analytic\"\nrepeats = 1\n\
         [[target]]\nname = \"small\"\nurl = \"{}\"\npassword_file = \"{}\"\n\
         [[test]]\nname = \"queries\"\ntask = \"statement\"\n{keys}\n",
        server.url(),
        server.password_file().display()
    )
}

fn number(record: &TrialRecord, figure: &str) -> f64 {
    let outcome = record.outcome().expect("it completed");
    outcome.number(figure).unwrap_or_else(|| panic!("no {figure} in {outcome:?}")).value
}

#[test]
fn built_in_queries_are_timed_counted_and_reported_in_every_format() {
    let place = Workplace::new();
    let keys = "statements = [\"scan\", \"join\", \"sort\"]\ntable_size = 120_000";
    let two = private(2, keys).replace(
        "[[test]]",
        "[[target]]\nname = \"large\"\nsandbox = { settings = { sort_buffer_size = \"64M\" } }\n\
         [[test]]",
    );
    place.write("analytic.toml", two);
    place.weighin(&["run", "analytic.toml"]).done();
    place.assert_no_server_left();
    let store = place.files(".weighin").remove(0);
    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 4);
    let mut spills_seen = 0;
    for record in &trials {
        // Ten groups, one row, and a whole table.
        assert_eq!(number(record, "rows_returned"), 120_011.0);
        assert_eq!(number(record, "rows of scan"), 10.0);
        let parts =
            ["scan", "join", "sort"].map(|name| number(record, &format!("elapsed of {name}")));
        let elapsed = number(record, "elapsed");
        assert!(parts.iter().all(|part| *part > 0.0), "{parts:?}");
        assert!((parts.iter().sum::<f64>() - elapsed).abs() < 1e-6, "{parts:?} {elapsed}");
        let spills = record.key.target == "small";
        assert_eq!(number(record, "sort_merge_passes") > 0.0, spills, "{record:?}");
        // It is looked at again and again: on a busy machine a spill, or most of it, comes and goes between two
        // looks.
        match record.outcome().unwrap().number("temporary") {
            Some(bytes) if spills => spills_seen += usize::from(bytes.value > 100_000.0),
            Some(bytes) => assert!(bytes.value < 100_000.0, "{record:?}"),
            None => assert!(spills, "{record:?}"),
        }
        let marks = &record.outcome().unwrap().marks;
        let names: Vec<&str> = marks.iter().map(|mark| mark.name.as_str()).collect();
        assert_eq!(names, ["scan", "join", "sort"]);
        assert!(marks.iter().all(|mark| mark.until_seconds > Some(mark.at_seconds)), "{marks:?}");
    }
    assert!(spills_seen > 0, "{trials:?}");
    let dataset = place.store().dataset().unwrap();
    let analysis = analyse::analyse(&dataset);
    let test = &analysis.tests[0];
    assert_eq!(test.basis.map(|basis| basis.metric), Some(Metric::Elapsed));
    let ranked: usize = test.ranking.tiers.iter().map(Vec::len).sum();
    assert_eq!(ranked, 2, "{:?}", test.ranking);
    let store = store.to_str().unwrap();
    for format in ["html", "markdown", "json", "csv"] {
        let file = format!("report.{format}");
        let format_option = format!("--format={format}");
        place.weighin(&["report", store, &format_option, "--out", &file]).done();
        let text = std::fs::read_to_string(place.path(&file)).unwrap();
        for part in ["queries", "small", "large", "elapsed of scan"] {
            assert!(text.contains(part), "no {part} in {format}: {text}");
        }
        assert!(!text.contains("transactions per second"), "{format}: {text}");
    }
}

#[test]
fn a_statement_that_takes_too_long_fails_and_ends_on_the_server() {
    let place = Workplace::new();
    let server = Server::start();
    place.write(
        "slow.toml",
        on(&server, "sql = \"SELECT SLEEP(600)\"\ntimeout = \"1s\"\nwarmup_runs = 0"),
    );
    let ran = place.weighin(&["run", "slow.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let trials = place.store().dataset().unwrap().trials;
    let failure = trials[0].failure().expect("it failed");
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure:?}");
    assert!(failure.message.contains("sql did not end within 1 s"), "{failure:?}");
    assert!(failure.message.contains("ended on the server"), "{failure:?}");
    assert!(failure.remedy.contains("`timeout`"), "{failure:?}");
    wait_for("the end of the statement", || !sleeps(&server));
}

/// Whether a statement of the tests is running.
fn sleeps(server: &Server) -> bool {
    let rows = server.query("SELECT info FROM information_schema.processlist");
    rows.iter().any(|row| format!("{row:?}").contains("SLEEP(600)"))
}

/// Asserts that a trial fails for its lost server when that happens under a statement.
fn loses_its_server(happens: impl FnOnce(&Server)) {
    let place = Workplace::new();
    let server = Server::start();
    place.write("lost.toml", on(&server, "sql = \"SELECT SLEEP(600)\"\nwarmup_runs = 0"));
    let run = place.start(&["run", "lost.toml"]);
    wait_for("the statement", || sleeps(&server));
    happens(&server);
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let trials = place.store().dataset().unwrap().trials;
    let failure = trials[0].failure().expect("it failed");
    assert_eq!(failure.kind, FailureKind::ServerLost, "{failure:?}");
}

#[test]
fn a_connection_that_somebody_kills_is_a_result() {
    loses_its_server(|server| {
        let kill = "SELECT CONCAT('KILL ', id) FROM information_schema.processlist \
                    WHERE info = 'SELECT SLEEP(600)'";
        let mut statements = Vec::new();
        wait_for("the statement itself", || {
            statements = server.query(kill);
            !statements.is_empty()
        });
        server.execute(&statements[0]);
    });
}

#[test]
fn a_server_that_dies_in_the_middle_is_a_result() {
    loses_its_server(|server| host::local::os::kill(server.sandbox.pid()).unwrap());
}

#[test]
fn statements_write_only_where_the_study_says_so() {
    let place = Workplace::new();
    let server = Server::start();
    server.execute("CREATE TABLE kept (id INT PRIMARY KEY)");
    let keys = "sql = [\"INSERT INTO kept VALUES (1)\", \"SELECT * FROM kept\"]\nwarmup_runs = 0";
    place.write("reads.toml", on(&server, keys));
    let ran = place.weighin(&["run", "reads.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(server.query("SELECT COUNT(*) FROM kept"), ["0"]);
    place.write("writes.toml", on(&server, &format!("{keys}\nwrites = true")));
    place.weighin(&["run", "writes.toml", "--store", "writes.weighin"]).done();
    assert_eq!(server.query("SELECT COUNT(*) FROM kept"), ["1"]);
}
