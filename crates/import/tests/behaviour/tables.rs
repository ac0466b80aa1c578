//! Tables as people save their results.

use import::{
    DecimalMark, Format, ImportedTrial, Naming, Parsed, Source, Table, TableOptions, name_trials,
    recognise,
};
use model::{Outcome, TrialEnd};

fn read_as(file: &str, text: &str, options: &TableOptions) -> Parsed {
    let mut files =
        [Table.parse_with(Source { file, text, budget: &model::ReadBudget::default() }, options)];
    name_trials(&mut files, &Naming::default()).unwrap();
    let [parsed] = files;
    parsed
}

/// Reads a table that has to be recognised as one.
fn read(text: &str) -> Parsed {
    assert_eq!(recognise(text).map(Format::name), Some("csv"), "{text}");
    read_as("results/oltp.csv", text, &TableOptions::default())
}

fn mapped(text: &str, map: &[&str]) -> Parsed {
    let mut options = TableOptions::default();
    map.iter().for_each(|one| options.say(one).unwrap());
    read_as("results/oltp.csv", text, &options)
}

fn outcome(trial: &ImportedTrial) -> &Outcome {
    match &trial.end {
        TrialEnd::Completed(outcome) => outcome,
        TrialEnd::Failed(failure) => panic!("{failure:?}"),
    }
}

/// Target, test, clients, and figures of all trials.
fn told(parsed: &Parsed, metric: &str) -> Vec<(String, String, u32, f64, String)> {
    let of = |trial: &ImportedTrial| {
        let figure = outcome(trial).figure(metric).unwrap_or_else(|| panic!("{metric}: {trial:?}"));
        let value = outcome(trial).number(metric).unwrap().value;
        let names = (trial.target.clone(), trial.test.clone());
        (names.0, names.1, trial.level.clients, value, figure.unit.clone())
    };
    parsed.trials.iter().map(of).collect()
}

fn row(
    target: &str,
    test: &str,
    clients: u32,
    value: f64,
    unit: &str,
) -> (String, String, u32, f64, String) {
    (target.into(), test.into(), clients, value, unit.into())
}

#[test]
fn a_german_spreadsheet_with_a_row_for_each_trial() {
    let text = "Server;Workload;Threads;TPS;QPS;p95 (ms);Fehler\n\
                MariaDB;rw;16;1.234,56;24.691,20;21,11;0\n\
                MariaDB;rw;32;2.001,00;40.020,00;30,50;0\n\
                PostgreSQL;rw;16;1.500,25;30.005,00;18,90;1\n";
    let parsed = read(text);
    assert_eq!(
        told(&parsed, "transactions_per_s"),
        [
            row("MariaDB", "rw", 16, 1234.56, "1/s"),
            row("MariaDB", "rw", 32, 2001.0, "1/s"),
            row("PostgreSQL", "rw", 16, 1500.25, "1/s"),
        ]
    );
    assert_eq!(told(&parsed, "latency_p95")[0].3, 21.11);
    assert_eq!(told(&parsed, "queries_per_s")[0].3, 24_691.2);
    let [problem] = &parsed.problems[..] else { panic!("{:?}", parsed.problems) };
    assert!(problem.message.contains("`Fehler`") && problem.message.contains("--map"), "{problem}");
}

#[test]
fn tabs_quotes_and_a_byte_order_mark() {
    let text = "\u{feff}\"engine\"\t\"threads\"\t\"Throughput (tps)\"\t\"latency_95th\"\n\
                \"InnoDB\"\t8\t\"1,234.5\"\t9.91\n\"RocksDB\"\t8\t\"987.0\"\t12.30\n";
    let parsed = read(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(told(&parsed, "transactions_per_s")[0], row("InnoDB", "oltp", 8, 1234.5, "1/s"));
    let latency = outcome(&parsed.trials[0]).figure("latency_p95").unwrap();
    assert_eq!(latency.unit, "ms");
    let note = &latency.printed.as_ref().unwrap().note;
    assert!(note.contains("no unit"), "what is taken for granted is said: {note}");
}

#[test]
fn a_column_for_each_target_names_its_figure_or_asks() {
    let named = "threads,MariaDB TPS,PostgreSQL TPS\n1,100.5,90.1\n16,800.5,950.2\n";
    let parsed = read(named);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(told(&parsed, "transactions_per_s")[3], row("PostgreSQL", "oltp", 16, 950.2, "1/s"));
    let bare = "threads;mariadb;postgres\n1;100,5;90,1\n16;800,5;950,2\n";
    let parsed = read(bare);
    assert!(parsed.trials.is_empty());
    let message = &parsed.problems[0].message;
    assert!(message.contains("`mariadb`, `postgres`") && message.contains("'*="), "{message}");
    let parsed = mapped(bare, &["*=TPS"]);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(told(&parsed, "transactions_per_s")[1], row("postgres", "oltp", 1, 90.1, "1/s"));
    let titled = format!("Throughput (TPS)\n\n{bare}");
    assert_eq!(told(&read(&titled), "transactions_per_s").len(), 4);
}

#[test]
fn a_column_for_each_number_of_clients() {
    let text = "target,1 thread,8 threads,64 threads\na,100,700,1500\nb,110,650,1900\n";
    let parsed = mapped(text, &["*=queries_per_s"]);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let told = told(&parsed, "queries_per_s");
    assert_eq!(told.len(), 6);
    assert!(told.contains(&row("b", "oltp", 64, 1900.0, "1/s")), "{told:?}");
    let numbers = mapped("target;1;8\na;100,5;700,5\n", &["*=TPS"]);
    assert_eq!(numbers.trials[1].level.clients, 8);
}

#[test]
fn a_row_for_each_figure() {
    let text = "metric;MariaDB;PostgreSQL\nTPS;120,5;130,5\np95 (ms);3,4;2,9\nHappiness;1;2\n";
    let parsed = mapped(text, &[]);
    assert_eq!(parsed.trials.len(), 2, "{parsed:?}");
    assert_eq!(told(&parsed, "transactions_per_s")[1], row("PostgreSQL", "oltp", 0, 130.5, "1/s"));
    assert_eq!(told(&parsed, "latency_p95")[0], row("MariaDB", "oltp", 0, 3.4, "ms"));
    assert!(parsed.problems[0].message.contains("Happiness"), "{:?}", parsed.problems);
}

#[test]
fn numbers_that_may_mean_two_things_are_asked_about() {
    let text = "db;threads;tps\na;1;1.234\nb;1;2.345\n";
    let parsed = read(text);
    assert!(parsed.trials.is_empty());
    assert!(parsed.problems[0].message.contains("--decimal"), "{:?}", parsed.problems);
    for (mark, value) in [(DecimalMark::Point, 1.234), (DecimalMark::Comma, 1234.0)] {
        let options = TableOptions::new(Some(mark), None);
        let parsed = read_as("a.csv", text, &options);
        assert_eq!(told(&parsed, "transactions_per_s")[0].3, value);
    }
    // One clear number anywhere in the column, or else in the table, decides.
    let clear = read("db;threads;tps;p95 (ms)\na;1;1.234;3,5\nb;1;2.345;4,5\n");
    assert_eq!(told(&clear, "transactions_per_s")[0].3, 1234.0);
    let mixed = read("db;threads;tps\na;1;1.5\nb;1;1,5\n");
    assert!(mixed.trials.is_empty() && mixed.problems[0].message.contains("(1,5)"), "{mixed:?}");
}

#[test]
fn several_columns_make_the_target_and_its_labels() {
    let text = "vendor,version,workload,block size,iodepth,IOPS\nx,1,randread,4k,32,1000.5\n\
                x,2,randread,4k,32,1200.5\nx,2,randread,64k,32,400.5\n";
    let parsed = read(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(told(&parsed, "iops")[2], row("x 2", "randread, block size 64k", 32, 400.5, "1/s"));
    assert!(parsed.labels.iter().any(|label| label.name == "version" && label.value == "2"));
}

#[test]
fn a_series_over_time_is_no_series_of_repeats() {
    let text = "time,server,threads,tps\n1,a,16,100.5\n2,a,16,101.5\n3,a,16,99.5\n";
    let parsed = read(text);
    assert!(parsed.trials.is_empty(), "{parsed:?}");
    assert!(parsed.problems[0].message.contains("repeats or not"), "{:?}", parsed.problems);
    let parsed = mapped(text, &["time=repeat"]);
    assert_eq!(parsed.trials.len(), 3);
    // Without a target or a level it is not even taken for results.
    assert!(recognise("time,tps\n1,100\n2,101\n").is_none());
}

#[test]
fn rows_that_differ_in_what_is_not_known_are_no_repeats() {
    let text = "server,threads,mystery,tps\na,16,1,100.5\na,16,2,200.5\n";
    let parsed = read(text);
    assert!(parsed.trials.is_empty() && parsed.problems.len() == 2, "{parsed:?}");
    assert_eq!(mapped(text, &["mystery=-"]).trials.len(), 2, "repeats, as the user says");
    let factors = mapped(text, &["mystery=factor"]);
    assert_ne!(factors.trials[0].test, factors.trials[1].test);
}

#[test]
fn rows_that_are_no_trials_are_named() {
    let text = "server,threads,tps,p95 (ms)\na,16,100.5,3.1\nb,16,OOM killed,\nc,16,fast,4.1\n\
                Average,,100.5,\na,32,n/a,\n";
    let parsed = read(text);
    assert_eq!(parsed.trials.len(), 3, "{parsed:?}");
    let failed = parsed.trials.iter().find(|trial| trial.target == "b").unwrap();
    assert!(matches!(&failed.end, TrialEnd::Failed(_)), "{failed:?}");
    let messages: Vec<&str> =
        parsed.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("sums others up")));
    assert!(messages.iter().any(|message| message.contains("«fast»")));
}

#[test]
fn rows_without_a_target_are_named_by_their_path() {
    let text = "threads,tps\n1,100.5\n16,800.5\n";
    let parsed = read_as("runs/mariadb/rw.csv", text, &TableOptions::default());
    assert_eq!(told(&parsed, "transactions_per_s")[1], row("mariadb", "rw", 16, 800.5, "1/s"));
}

#[test]
fn tidy_tables_may_have_semicolons_and_decimal_commas() {
    let text =
        "sep=;\ntarget;test;metric;value;unit\na;rw;latency_p95;1.234,5;ms\na;rw;tps;12,5;1/s\n";
    let parsed = read(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(outcome(&parsed.trials[0]).number("latency_p95").unwrap().value, 1234.5);
    let open = read("target;test;metric;value\na;rw;x;1.234\n");
    assert!(open.trials.is_empty() && open.problems[0].message.contains("--decimal"));
}

#[test]
fn names_in_tidy_tables_are_kept_to_the_letter() {
    let text = "target,test,metric,value\n\"a\u{1b}[0m\rb\",rw,tps,5\n";
    let parsed = read(&import::decode::text(text.as_bytes()));
    assert_eq!(parsed.trials[0].target, "a\u{1b}[0m\rb");
}

#[test]
fn other_files_are_no_tables() {
    for text in [
        "name,age\nx,5\n",
        "\"test\",\"rps\",\"p50_latency_ms\"\n\"SET\",\"5.00\",\"0.1\"\n",
        "The server ran, with 16 threads, at 100 tps.\nIt was fast, and good.\n",
        "user,system,idle\n1,2,97\n",
        "[OVERALL], RunTime(ms), 10000\n[READ], Operations, 5\n",
        "{\"tps\": 5, \"threads\": 1}\n",
        "",
    ] {
        assert!(recognise(text).is_none_or(|format| format.name() != "csv"), "{text}");
    }
}

#[test]
fn a_table_of_markdown_is_read_as_the_same_table_of_csv() {
    let text = "# Results of May\n\nTwo machines, | one load.\n\n\
                | target | clients | TPS |\n|:-------|--------:|----:|\n\
                | **a** | 16 | 1,234.5 |\n| b | 16 | 1,500.25 |\n\nThat is all.\n";
    let rows = [row("a", "oltp", 16, 1234.5, "1/s"), row("b", "oltp", 16, 1500.25, "1/s")];
    let parsed = read(text);
    assert_eq!(told(&parsed, "transactions_per_s"), rows);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(outcome(&parsed.trials[1]).figures[0].printed.as_ref().unwrap().line, 8);
    for none in ["# A heading, a,b\n\nwords\n", "| name | use |\n|---|---|\n| `x` | says y |\n"] {
        assert_eq!(recognise(none).map(Format::name), None, "{none}");
    }
}

#[test]
fn a_rate_below_zero_is_refused_with_its_line() {
    let text = "server,threads,tps,p95 (ms)\na,8,100,5\na,8,-102,5\nb,8,90,-1\n";
    let parsed = read(text);
    let problems: Vec<(u32, &str)> =
        parsed.problems.iter().map(|one| (one.line, one.message.as_str())).collect();
    let wanted = [
        (3, "`tps` is «-102», and no rate or latency is negative"),
        (4, "`p95 (ms)` is «-1», and no rate or latency is negative"),
    ];
    assert!(wanted.iter().all(|problem| problems.contains(problem)), "{problems:?}");
    let rates: Vec<f64> = parsed
        .trials
        .iter()
        .filter_map(|trial| Some(outcome(trial).number("transactions_per_s")?.value))
        .collect();
    assert_eq!(rates, [100.0, 90.0]);
}
