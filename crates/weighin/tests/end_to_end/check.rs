//! `weighin check`: what it finds before a run, and that a run refuses the same.

mod group;
mod instead;
mod limits;
mod privileges;
mod replication;
mod space;
mod states;

use crate::support::{Disk, Ran, Server, Workplace, with_mounts};

/// A study of these targets, each with its name and its keys, and of that test.
fn study(targets: &[(&str, &str)], test: &str) -> String {
    let targets: String = targets
        .iter()
        .map(|(name, keys)| format!("[[target]]\nname = \"{name}\"\n{keys}\n"))
        .collect();
    format!("[study]\nname = \"asked\"\nrepeats = 1\n{targets}\n[[test]]\n{test}\n")
}

const WRITES: &str = "workload = \"oltp_read_write\"\ntables = 2\ntable_size = 1_000\n\
                      clients = [1, 4]\nwarmup = \"100ms\"\nduration = \"200ms\"";
const READS: &str = "workload = \"oltp_point_select\"\ntables = 2\ntable_size = 1_000\n\
                     clients = 1\nwarmup = \"100ms\"\nduration = \"200ms\"";

/// Asserts that a check finds an error with these words and a run refuses with the same message and
/// leaves no results.
#[track_caller]
fn refused(place: &Workplace, study: &str, words: &[&str]) {
    place.write("asked.toml", study);
    let checked = place.weighin(&["check", "asked.toml"]);
    assert_eq!(checked.code, Some(3), "{checked:?}");
    assert!(checked.out.starts_with("error "), "{}", checked.out);
    assert!(checked.out.contains("The study cannot run: "), "{}", checked.out);
    said(&checked.out, words);
    place.weighin(&["run", "asked.toml"]).refused(3, words);
    assert!(place.files(".weighin").is_empty());
}

/// Asserts that a check finds a warning with these words; what it says.
#[track_caller]
fn warned(place: &Workplace, study: &str, words: &[&str]) -> String {
    place.write("asked.toml", study);
    let checked = place.weighin(&["check", "asked.toml"]).done();
    assert!(checked.contains("warning "), "{checked}");
    assert!(checked.contains("The study can run, with "), "{checked}");
    said(&checked, words);
    checked
}

#[track_caller]
fn said(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no «{word}» in: {text}");
    }
}

fn url_of(server: &Server, user: &str) -> String {
    format!("url = \"{}\"", server.url_of(user, "sbtest"))
}

/// As the administrator.
fn all_rights(server: &Server) -> String {
    format!("{}\npassword_file = {:?}", url_of(server, "weighin"), server.password_file())
}

#[test]
fn rights_are_found_out_by_asking_the_server_and_without_writing() {
    let place = Workplace::new();
    let server = Server::start_with(&[("log_bin", "binlog"), ("server_id", "7")]);
    for sql in [
        "CREATE USER reader@'127.0.0.1', writer@'127.0.0.1', wild@'127.0.0.1', \
         player@'127.0.0.1', idler@'127.0.0.1', narrow@'127.0.0.1'",
        "CREATE ROLE owner",
        "GRANT SELECT ON sbtest.* TO reader@'127.0.0.1'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON sbtest.* TO writer@'127.0.0.1'",
        "GRANT ALL ON `sb%`.* TO wild@'127.0.0.1'",
        "GRANT ALL ON sbtest.* TO owner",
        "GRANT owner TO player@'127.0.0.1'",
        "SET DEFAULT ROLE owner FOR player@'127.0.0.1'",
        "GRANT owner TO idler@'127.0.0.1'",
        "GRANT SELECT ON sbtest.* TO idler@'127.0.0.1'",
        // Everything, on tables of other names.
        "GRANT ALL ON `sbtest_`.* TO narrow@'127.0.0.1'",
        "GRANT SELECT ON sbtest.* TO narrow@'127.0.0.1'",
    ] {
        server.execute(sql);
    }
    let position = || server.query("SHOW MASTER STATUS");
    let before = position();
    let of = |user: &str, test: &str| study(&[("one", &url_of(&server, user))], test);
    for user in ["reader", "idler", "narrow"] {
        let all = "INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX";
        let account =
            format!("the account '{user}'@'127.0.0.1' lacks {all} on the database sbtest");
        let grant = format!("GRANT {all} ON `sbtest`.* TO '{user}'@'127.0.0.1'");
        refused(&place, &of(user, WRITES), &[&account, &grant]);
    }
    refused(&place, &of("writer", WRITES), &["lacks CREATE, ALTER, INDEX on the database"]);
    for user in ["wild", "player"] {
        place.write("asked.toml", of(user, WRITES));
        let checked = place.weighin(&["check", "asked.toml"]).done();
        said(&checked, &["ok       one: MariaDB", "2 tables will be made", "The study can run."]);
    }
    assert_eq!(position(), before, "a check wrote something");

    // Tables that are there take no right to make any.
    server.weighin(&place, "prepare", &["--tables=2", "--table-size=1000"]).done();
    for (user, test) in [("reader", READS), ("writer", WRITES)] {
        place.write("asked.toml", of(user, test));
        said(&place.weighin(&["check", "asked.toml"]).done(), &["all tables are there"]);
    }
    refused(&place, &of("reader", WRITES), &["lacks INSERT, UPDATE, DELETE on the database"]);

    // Other tables take the right to remove those that are there, which are named.
    let larger = |test: &str| test.replace("1_000", "2_000");
    refused(&place, &of("writer", &larger(WRITES)), &["lacks CREATE, ALTER, INDEX, DROP"]);
    place.write("asked.toml", of("wild", &larger(WRITES)));
    let checked = place.weighin(&["check", "asked.toml"]).done();
    said(&checked, &["2 tables that weighin made will be dropped and made anew"]);
    said(&checked, &["sbtest1 (1000 rows, special; ", "sbtest2 (1000 rows"]);
    server.execute("CREATE TABLE orders (id INT)");
    refused(
        &place,
        &of("wild", &larger(WRITES)),
        &["holds a table that weighin did not make (orders)"],
    );
    server.execute("DROP TABLE orders");

    // Only who may write nevertheless can write to a server that is read-only.
    server.execute("SET GLOBAL read_only = 1");
    let read_only = ["does not let this account write", "SET GLOBAL read_only = 0"];
    refused(&place, &of("wild", WRITES), &read_only);
    for readable in [of("reader", READS), study(&[("one", &all_rights(&server))], WRITES)] {
        place.write("asked.toml", readable);
        place.weighin(&["check", "asked.toml"]).done();
    }
    server.execute("SET GLOBAL read_only = 0");
    server.execute("SET GLOBAL tx_read_only = 1");
    refused(&place, &of("wild", WRITES), &["READ ONLY transaction", "SET GLOBAL tx_read_only = 0"]);
}

#[test]
fn limits_and_ways_of_a_server_that_would_mislead_are_told() {
    let place = Workplace::new();
    let server = Server::start();
    server.execute("CREATE USER app@'127.0.0.1'");
    server.execute("GRANT ALL ON sbtest.* TO app@'127.0.0.1'");
    let app = url_of(&server, "app");
    let one = |test: &str| study(&[("one", &app)], test);

    // Two names for one server.
    let twice = study(&[("one", &app), ("two", &app)], WRITES);
    refused(&place, &twice, &["one and two are the same server", "noise_floor = true"]);
    let socket =
        format!("url = \"{}\"\npassword_file = {:?}", server.socket_url(), server.password_file());
    let ways = study(&[("one", &app), ("two", &socket)], WRITES);
    warned(&place, &ways, &["one and two are the same server: they differ in the way to it"]);

    // Statements that are cut off are results, so that the study may run.
    server.execute("SET GLOBAL max_statement_time = 30");
    let sort = "task = \"statement\"\nname = \"s\"\nstatements = [\"sort\"]\ntable_size = 100\n\
                timeout = \"60s\"";
    let words = ["ends statements after 30 s (max_statement_time)", "lets them take 60 s"];
    warned(&place, &one(sort), &words);
    server.execute("SET GLOBAL max_statement_time = 0");

    // Statements of the user's are prepared and not run.
    let own = |sql: &str| one(&format!("task = \"statement\"\nname = \"s\"\nsql = \"{sql}\""));
    refused(
        &place,
        &own("SELECT COUNT(*) FROM mysql.user"),
        &["the statement sql would fail", "denied"],
    );
    warned(&place, &own("SELEC 1"), &["the statement sql would fail", "error 1064"]);
    place.write("asked.toml", own("SELECT 1"));
    place.weighin(&["check", "asked.toml"]).done();

    // Not so short that weighin's own connection is cut off on a busy machine.
    server.execute("SET GLOBAL wait_timeout = 300");
    let long = WRITES.replace("200ms", "10m");
    let words = ["idle for 300 s (wait_timeout)", "SET GLOBAL wait_timeout = 660"];
    warned(&place, &one(&long), &words);
    server.execute("SET GLOBAL wait_timeout = 28800");
    server.execute("SET GLOBAL table_open_cache = 20");
    let many = WRITES.replace("[1, 4]", "[50]");
    warned(&place, &one(&many), &["keeps 20 tables open (table_open_cache)"]);
    server.execute("SET GLOBAL table_open_cache = 2000");

    // What the load host allows, whatever the server does.
    place.write("asked.toml", one(&WRITES.replace("[1, 4]", "[60]")));
    for command in ["check", "run"] {
        let mut shell = place.surround(std::process::Command::new("sh"));
        shell.args(["-c", "ulimit -n 80; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_weighin")]);
        shell.args([command, "asked.toml"]).args(place.consent(&[command, "asked.toml"]));
        let ran = Ran::of(shell);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let both = format!("{}{}", ran.out, ran.err);
        said(&both, &["may open 80 files and sockets", "60 clients needs 100", "ulimit -n 100"]);
    }

    // A clock that is far behind: who logs in finds it so.
    server.execute("SET GLOBAL init_connect = 'SET timestamp = 1000000000'");
    warned(
        &place,
        &one(WRITES),
        &["the server's clock is ", " s (± ", "behind that of the machine"],
    );
    server.execute("SET GLOBAL init_connect = ''");

    let name = format!("{}.example", "endpoint-of-a-service.".repeat(3));
    place.write("hosts", format!("127.0.0.1 localhost {name}\n"));
    place.write("asked.toml", one(WRITES).replace("127.0.0.1", &name));
    let mount = format!("mount --bind {} /etc/hosts", place.path("hosts").display());
    if let Some(ran) = with_mounts(&place, &mount, &["check", "asked.toml"], "") {
        let checked = ran.done();
        said(&checked, &["the name of its host has 74 characters", "MySQL before 8.0.17 take 60"]);
    }
}

#[test]
fn room_for_data_and_for_sorting_is_looked_at_before_anything_is_made() {
    let place = Workplace::new();
    let Some(disk) = Disk::with_size("ext4", 800) else { return };
    let small = format!(
        "sandbox = {{ volume = {:?} }}\nprice = {{ currency = \"EUR\", monthly = 73 }}",
        disk.path()
    );
    let large = "sandbox = {}\nprice = { currency = \"USD\", monthly = 146 }";
    let targets = [("small", small.as_str()), ("large", large)];
    let sort =
        "task = \"statement\"\nname = \"s\"\nstatements = [\"sort\"]\ntable_size = 1_100_000";
    let words =
        ["small: /", "free beside the data, and sorting the largest table takes up to 262."];
    let checked = warned(&place, &study(&targets, sort), &words);
    said(&checked, &["prices are in several currencies", "small in EUR; large in USD"]);
    said(&checked, &["Data: about ", "At their prices the targets cost about "]);
    let json = place.weighin(&["check", "asked.toml", "--json"]).json();
    assert_eq!(json["can_run"], true);
    assert_eq!(json["targets"][0]["data"]["make"], 2);
    assert_eq!(json["targets"][0]["data"]["bytes"], 550_000_000);
    let hours = json["seconds"].as_f64().unwrap() / 3600.0;
    for (currency, per_hour) in [("EUR", 0.1), ("USD", 0.2)] {
        let cost = json["cost"][currency].as_f64().unwrap();
        assert!((cost - per_hour * hours).abs() < 1e-9, "{json:#}");
    }

    let more = sort.replace("1_100_000", "2_000_000");
    refused(
        &place,
        &study(&targets[..1], &more),
        &["the disk of private servers on this machine has ", "953."],
    );
    // More than any disk has.
    let huge = sort.replace("1_100_000", "2_000_000_000\ntables = 100");
    let two = [("large", large), ("larger", "sandbox = {}")];
    refused(&place, &study(&two, &huge), &["the data that 2 private servers need"]);
    place.assert_no_server_left();
}

#[test]
fn a_study_that_compares_a_server_with_itself_is_told_so_and_may_run() {
    let place = Workplace::new();
    let template = place.weighin(&["init", "--template", "version-upgrade", "asked.toml"]);
    assert_eq!(template.code, Some(0), "{template:?}");
    let checked = place.weighin(&["check", "asked.toml"]).done();
    let words = ["nothing differs between old, new", "the control of noise_floor is there already"];
    said(&checked, &words);
    assert!(!checked.contains("old (again): they"), "the control is asked for: {checked}");
    let twins = study(&[("one", "sandbox = {}"), ("two", "sandbox = {}")], READS);
    warned(&place, &twins, &["nothing differs between one, two", "set noise_floor = true"]);
    let ran = place.weighin(&["run", "asked.toml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    said(&ran.err, &["nothing differs between one, two"]);
    let fast = "sandbox = { settings = { innodb_flush_log_at_trx_commit = 2 } }";
    place.write("asked.toml", study(&[("one", "sandbox = {}"), ("two", fast)], READS));
    let checked = place.weighin(&["check", "asked.toml"]).done();
    assert!(!checked.contains("nothing differs"), "{checked}");
}
