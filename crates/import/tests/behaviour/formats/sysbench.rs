use super::{figure, outcome, parse};
use model::{FigureNumber, Level, TrialEnd};

const HISTOGRAM: &str = include_str!("../../fixtures/sysbench/1.0.20-histogram.txt");
const TWO_RUNS: &str = include_str!("../../fixtures/sysbench/two-runs.txt");
const VERSION_0_4: &str = include_str!("../../fixtures/sysbench/0.4.12.txt");
const CHECKPOINTS_1_0: &str = include_str!("../../fixtures/sysbench/1.0.20-checkpoints.txt");
const CHECKPOINTS_0_5: &str = include_str!("../../fixtures/sysbench/0.5-checkpoints.txt");
const VERSION_1_1: &str = include_str!("../../fixtures/sysbench/1.1.txt");

#[test]
fn figures_keep_their_lines_units_and_digits() {
    let parsed = parse("runs/durable/rw-1.sysbench", HISTOGRAM);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("durable", "rw"));
    assert_eq!(trial.level, Level::clients(1));
    let outcome = outcome(trial);
    assert_eq!(outcome.source.as_ref().unwrap().tool, "sysbench 1.0.20");
    let rate = outcome.figure("transactions_per_s").unwrap();
    let line = HISTOGRAM.lines().nth(rate.printed.as_ref().unwrap().line as usize - 1).unwrap();
    assert!(line.contains("transactions:"), "{line}");
    let rate = outcome.number("transactions_per_s").unwrap();
    assert!(line.contains(&format!("({} per sec.)", rate.value)), "{rate:?}");
    assert!((rate.resolution - 0.01).abs() < 1e-9);
    let transactions = outcome.number("transactions").unwrap();
    assert_eq!(transactions.resolution, 0.0, "counts are exact");
    assert_eq!(figure(trial, "latency_p95").1, "ms");
    assert_eq!(figure(trial, "elapsed").1, "s");
    let queries = outcome.figures.iter().filter(|figure| figure.metric == "queries").count();
    assert_eq!(queries, 1, "printed twice, kept once");
}

#[test]
fn a_histogram_becomes_a_distribution_of_all_transactions() {
    let parsed = parse("rw-1.txt", HISTOGRAM);
    let trial = &parsed.trials[0];
    let latencies = outcome(trial).latencies.as_ref().unwrap();
    assert_eq!(latencies.count() as f64, figure(trial, "transactions").0);
    let (p95, _) = figure(trial, "latency_p95");
    let own = latencies.percentile_ms(95.0).unwrap();
    assert!((own / p95 - 1.0).abs() < 0.03, "{own} of the histogram, {p95} as printed");
}

#[test]
fn a_file_may_hold_several_runs() {
    let parsed = parse("a/rw.log", TWO_RUNS);
    let levels: Vec<u32> = parsed.trials.iter().map(|trial| trial.level.clients).collect();
    assert_eq!(levels, [4, 16]);
    assert!(parsed.trials.iter().all(|trial| trial.test == "rw"));
    assert_ne!(
        figure(&parsed.trials[0], "transactions"),
        figure(&parsed.trials[1], "transactions")
    );
}

#[test]
fn older_and_newer_versions_have_the_same_figures() {
    let old = parse("a/16.txt", VERSION_0_4);
    let trial = &old.trials[0];
    assert_eq!((trial.test.as_str(), trial.level.clients), ("sysbench", 16));
    assert_eq!(figure(trial, "latency_avg"), (14.29, "ms"));
    assert_eq!(figure(trial, "latency_sum"), (142.9632, "s"));
    assert_eq!(figure(trial, "errors"), (7.0, ""));
    let new = parse("a/b.txt", VERSION_1_1);
    assert_eq!(figure(&new.trials[0], "elapsed"), (2.0001, "s"));
    assert_eq!(figure(&new.trials[0], "transactions_per_s"), (405.98, "1/s"));
}

#[test]
fn seconds_stay_seconds_as_printed() {
    let parsed = parse("a.txt", &VERSION_0_4.replace("14.29ms", "0.0143s"));
    let mean = outcome(&parsed.trials[0]).number("latency_avg").unwrap();
    let FigureNumber { value, resolution } = *mean;
    assert!(value == 0.0143 && (resolution - 1e-4).abs() < 1e-12, "{mean:?}");
}

#[test]
fn a_fatal_error_is_a_failed_trial_and_a_cut_off_run_a_problem() {
    let (begun, _) = TWO_RUNS.split_once("SQL statistics").unwrap();
    let fatal = "FATAL: mysql_drv_query() returned error 2013 (Lost connection)\n";
    let parsed = parse("a/b.txt", &format!("{begun}{fatal}{TWO_RUNS}"));
    assert_eq!(parsed.trials.len(), 3);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    assert!(failure.message.contains("error 2013"), "{failure}");
    let parsed = parse("a/b.txt", &format!("{TWO_RUNS}{begun}"));
    assert_eq!(parsed.trials.len(), 2);
    let line = TWO_RUNS.lines().count() as u32 + 1;
    let problem = parsed.problems[0].to_string();
    assert!(problem.starts_with(&format!("a/b.txt:{line}: ")), "{problem}");
}

#[test]
fn a_figure_that_is_none_is_named_and_the_rest_read() {
    let parsed = parse("a/b.txt", &VERSION_1_1.replace("31.02", "many"));
    assert_eq!(parsed.problems.len(), 1);
    assert!(parsed.problems[0].message.contains("max"), "{:?}", parsed.problems);
    assert!(outcome(&parsed.trials[0]).figure("latency_max").is_none());
    assert_eq!(figure(&parsed.trials[0], "latency_min"), (1.31, "ms"));
}

#[test]
fn a_rate_is_part_of_the_level() {
    let text = VERSION_1_1
        .replace("Initializing random", "Target transaction rate: 250/sec\nInitializing random");
    assert_eq!(parse("a.txt", &text).trials[0].level, Level::rate(1, 250));
}

#[test]
fn reports_at_checkpoints_make_one_of_the_whole_run() {
    // Version 1.0 prints the time since the beginning, 0.5 that since the last checkpoint.
    for (text, transactions, elapsed, max) in [
        (CHECKPOINTS_1_0, 1869.0 + 1921.0 + 1611.0, 3.0156, 370.36),
        (CHECKPOINTS_0_5, 652.0 + 605.0 + 690.0, 1.0024 + 0.9979 + 1.0023, 36.56),
    ] {
        let parsed = parse("a.txt", text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
        assert_eq!(figure(trial, "transactions").0, transactions);
        assert!((figure(trial, "elapsed").0 - elapsed).abs() < 1e-9);
        let rate = figure(trial, "transactions_per_s").0;
        assert!((rate - transactions / elapsed).abs() < 0.01, "{rate}");
        assert_eq!(figure(trial, "latency_max"), (max, "ms"));
        let mean = figure(trial, "latency_avg").0;
        let clients = f64::from(trial.level.clients);
        assert!((mean * rate / 1e3 / clients - 1.0).abs() < 0.02, "{mean}");
        assert!(outcome(trial).figure("latency_p95").is_none(), "percentiles do not add up");
    }
    // The last report is missing: the run was cut off after a checkpoint.
    let (before, _) = CHECKPOINTS_1_0.rsplit_once("General statistics").unwrap();
    let cut = parse("a.txt", before);
    assert!(cut.trials.is_empty() && cut.problems.len() == 1, "{cut:?}");
}
