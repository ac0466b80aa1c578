//! Another tool beside every trial.

use crate::support::{Ran, Workplace, sandbox_study};
use model::{CrossCheckEnd, CrossCheckOrder};

#[test]
fn sysbench_repeats_every_trial_in_turns_and_the_report_says_what_it_found() {
    let place = Workplace::new();
    let keys = "warmup = \"200ms\"\nduration = \"1s\"\ncross_check = true";
    place.write("duel.toml", sandbox_study(keys));
    place.weighin(&["run", "duel.toml"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 8);
    for trial in &dataset.trials {
        let cross_check = trial.cross_check.as_ref().expect("sysbench was asked");
        let order =
            if trial.key.repeat == 1 { CrossCheckOrder::After } else { CrossCheckOrder::Before };
        assert_eq!(cross_check.order, order);
        assert!(cross_check.tool.starts_with("sysbench 1."), "{}", cross_check.tool);
        let CrossCheckEnd::Measured(figures) = &cross_check.end else { panic!("{cross_check:?}") };
        assert!(figures.transactions > 0 && figures.cpu_seconds > 0.0, "{figures:?}");
        assert!(figures.elapsed.as_secs_f64() >= 1.0);
    }

    let text = place.weighin(&["report", "duel.toml", "--format", "markdown"]).done();
    assert!(text.contains("weighin measured") && text.contains("sysbench 1."), "{text}");
}

/// A study of one private Redis server with another tool beside it; `keys` are lines of its test.
fn redis_study(keys: &str) -> String {
    format!(
        r#"
[study]
name = "cache"
repeats = 2
seed = 3

[[target]]
name = "everysec"
kind = "redis"
sandbox = {{ settings = {{ appendonly = true, save = "" }} }}

[[test]]
workload = "key_value"
keys = 1_000
value_size = 100
cross_check = true
{keys}
"#
    )
}

#[test]
fn a_tool_of_redis_repeats_every_trial_on_the_same_keys() {
    let place = Workplace::new();
    let keys = "ratio = \"1:0\"\npipeline = 4\nclients = 8\nwarmup = \"200ms\"\nduration = \"1s\"";
    place.write("cache.toml", redis_study(keys));
    place.weighin(&["run", "cache.toml"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        // Keys of another name would make the database one that is not weighin's alone.
        assert!(trial.load().is_some(), "{:?}", trial.end);
        let cross_check = trial.cross_check.as_ref().expect("a tool was asked");
        let CrossCheckEnd::Measured(figures) = &cross_check.end else { panic!("{cross_check:?}") };
        assert!(figures.queries >= 4 * figures.transactions && figures.transactions > 0);
        assert!(figures.latency_mean_ms > 0.0 && figures.cpu_seconds > 0.0, "{figures:?}");
    }
    let text = place.weighin(&["report", "cache.toml", "--format", "markdown"]).done();
    assert!(text.contains("weighin measured") && text.contains("benchmark"), "{text}");
}

/// pgbench's tables, of one branch.
const BANK: &str = "\
CREATE TABLE pgbench_branches (bid INT PRIMARY KEY, bbalance INT NOT NULL);
CREATE TABLE pgbench_accounts (aid INT PRIMARY KEY, bid INT NOT NULL, abalance INT NOT NULL);
";

#[test]
fn sysbench_and_pgbench_repeat_every_trial_on_the_tables_of_postgresql() {
    let place = Workplace::new();
    place.write("bank.sql", BANK);
    let study = r#"
[study]
name = "duel"
repeats = 2
seed = 3

[[target]]
name = "pg"
kind = "postgresql"
sandbox = { trusted = true }

[[test]]
workload = "oltp_read_write"
tables = 2
table_size = 1_000
clients = 4
warmup = "200ms"
duration = "1s"
cross_check = true

[[test]]
name = "bank"
workload = "transactions"
set = { scale = 1 }
setup = "bank.sql"
load = [
    { table = "pgbench_branches", rows = 1, columns = { bid = "sequence", bbalance = { integer = [0, 0] } } },
    { table = "pgbench_accounts", rows = 100_000, columns = { aid = "sequence", bid = { integer = [1, 1] }, abalance = { integer = [0, 0] } } },
]
clients = 4
warmup = "200ms"
duration = "1s"
cross_check = true
transaction = [{ script = "builtin:select-only" }]
"#;
    place.write("duel.toml", study);
    place.weighin(&["run", "duel.toml"]).done();
    place.assert_no_server_left();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4);
    for trial in &dataset.trials {
        assert!(trial.load().is_some(), "{:?}", trial.end);
        let cross_check = trial.cross_check.as_ref().expect("a tool was asked");
        let tool = if trial.key.test == "bank" { "pgbench 15." } else { "sysbench 1." };
        assert!(cross_check.tool.starts_with(tool), "{}", cross_check.tool);
        let CrossCheckEnd::Measured(figures) = &cross_check.end else { panic!("{cross_check:?}") };
        assert!(figures.transactions > 0 && figures.cpu_seconds > 0.0, "{figures:?}");
        assert!(figures.latency_mean_ms > 0.0, "{figures:?}");
    }
    // A script that pgbench does not have is refused before the run.
    place.write("own.toml", study.replace("\"builtin:select-only\"", "\"own.sql\""));
    place.write("own.sql", "SELECT count(*) FROM pgbench_branches WHERE bid <= :scale;\n");
    let checked = place.weighin(&["check", "own.toml"]);
    assert_eq!(checked.code, Some(3), "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("only the scripts that it has itself"), "{}", checked.out);
}

/// The median rate of weighin over that of the tool that ran right before or after.
fn rate_to_tool(place: &Workplace, study: &str) -> f64 {
    place.write("rates.toml", study);
    place.weighin(&["run", "rates.toml"]);
    let mut ratios = Vec::new();
    for trial in place.store().dataset().unwrap().trials {
        let CrossCheckEnd::Measured(figures) = trial.cross_check.as_ref().unwrap().end.clone()
        else {
            panic!("{trial:?}")
        };
        let own = trial.load().unwrap().measure.transactions_per_second();
        ratios.push(own / figures.transactions_per_second);
    }
    ratios.sort_by(f64::total_cmp);
    // Of an even number, so that neither of the two orders has more.
    let upper = ratios.len() / 2;
    f64::midpoint(ratios[upper - 1], ratios[upper])
}

/// One script, one server, one number of clients: the rate is that of pgbench. With the tables of sysbench it
/// is that of sysbench or higher, since sysbench takes more time between two statements of a client.
#[test]
#[ignore = "it takes a quarter of an hour of a machine that does nothing else"]
fn the_rates_of_transactions_are_those_of_the_tools() {
    let head = "[study]\nname = \"rates\"\nrepeats = 16\n[[target]]\nname = \"it\"\n";
    // The first change of a page after a checkpoint costs more than those that follow: it is over when the
    // warm-up is.
    let load = "clients = 4\nwarmup = \"6s\"\nduration = \"4s\"\ncross_check = true\n";
    let bank = format!(
        "{head}kind = \"postgresql\"\nsandbox = {{ trusted = true }}\n[[test]]\nworkload = \"transactions\"\n\
         built_in = \"tpcb-like\"\nset = {{ scale = 10 }}\n{load}"
    );
    let tables = |kind: &str| {
        format!(
            "{head}kind = \"{kind}\"\nsandbox = {{}}\n[[test]]\nworkload = \"oltp_read_write\"\ntables = 4\n\
             table_size = 50_000\n{load}"
        )
    };
    let of_sysbench = ["mariadb", "postgresql"].map(|kind| (kind, tables(kind)));
    for (name, study) in [("tpcb-like", bank)].into_iter().chain(of_sysbench) {
        let place = Workplace::new();
        let rate = rate_to_tool(&place, &study);
        println!("{name}: {rate:.3}");
        let most = if name == "tpcb-like" { 1.05 } else { 1.25 };
        assert!((0.95..=most).contains(&rate), "{name}: {rate}");
    }
}

#[test]
fn what_no_installed_tool_can_run_is_refused_before_the_run() {
    let place = Workplace::new();
    let only = place.path("bin");
    std::fs::create_dir(&only).unwrap();
    for program in ["redis-server", "redis-benchmark"] {
        std::os::unix::fs::symlink(format!("/usr/bin/{program}"), only.join(program)).unwrap();
    }
    place.write("cache.toml", redis_study("ratio = \"1:1\"\nclients = 8"));
    for command in ["check", "run"] {
        let mut run = place.command(&[command, "cache.toml"]);
        run.env("PATH", &only);
        let ran = Ran::of(run);
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        for part in ["the test key_value", "either reads or writes", "install memtier_benchmark"] {
            assert!(said.contains(part), "no {part:?} in:\n{said}");
        }
    }
}

#[test]
fn fio_repeats_every_trial_on_the_same_files() {
    let place = Workplace::new();
    let volume = tempfile::tempdir_in("/var/tmp").unwrap();
    let study = format!(
        r#"
[study]
name = "disk"
repeats = 2
seed = 3

[[target]]
name = "disk"
kind = "storage"
volumes = ["{}"]

[[test]]
workload = "storage"
pattern = "t1 o4 b4k"
reads = 70
vms = 2
data = "8MiB"
warmup = "200ms"
duration = "1s"
cross_check = true
"#,
        volume.path().display()
    );
    place.write("disk.toml", study);
    let plan = place.weighin(&["plan", "disk.toml", "--commands"]).done();
    for part in ["fio --ioengine=io_uring", "--rwmixread=70", "diskspd.exe", "-o4 -w30"] {
        assert!(plan.contains(part), "no {part:?} in:\n{plan}");
    }
    place.weighin(&["run", "disk.toml"]).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        assert!(trial.load().is_some(), "{:?}", trial.end);
        let cross_check = trial.cross_check.as_ref().expect("fio was asked");
        assert!(cross_check.tool.starts_with("fio 3."), "{}", cross_check.tool);
        let CrossCheckEnd::Measured(figures) = &cross_check.end else { panic!("{cross_check:?}") };
        assert_eq!(figures.parts.len(), 2, "{figures:?}");
    }
    let text = place.weighin(&["report", "disk.toml", "--format", "markdown"]).done();
    for part in ["p99 latency of reads", "mean latency of writes", "fio 3."] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}
