use super::{figure, outcome, parse};
use model::TrialEnd;

const DURATION: &str = include_str!("../fixtures/pgbench/15.txt");
const RATE: &str = include_str!("../fixtures/pgbench/15-rate.txt");

#[test]
fn figures_are_read_with_their_units() {
    let parsed = parse("pg15/tpcb-4.txt", DURATION);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("pg15", "tpcb"));
    assert_eq!(trial.level.clients, 4);
    assert_eq!(outcome(trial).source.as_ref().unwrap().tool, "pgbench 15.18");
    assert_eq!(figure(trial, "transactions_per_s"), (3469.935489, "1/s"));
    assert_eq!(figure(trial, "transactions"), (13857.0, ""));
    assert_eq!(figure(trial, "latency_avg"), (1.150, "ms"));
    assert_eq!(figure(trial, "duration"), (4.0, "s"));
}

#[test]
fn a_rate_adds_lag_and_skipped_transactions() {
    let parsed = parse("a.txt", RATE);
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "schedule_lag_max"), (0.230, "ms"));
    assert_eq!(figure(trial, "dropped"), (0.0, ""));
    assert_eq!(figure(trial, "transactions"), (400.0, ""));
}

#[test]
fn several_runs_and_the_two_rates_of_older_versions() {
    let old = RATE.replace("pgbench (15.18 (Debian 15.18-0+deb12u1))\n", "").replace(
        "tps = 314.693512 (without initial connection time)",
        "tps = 312.1 (including connections establishing)\n\
         tps = 314.7 (excluding connections establishing)",
    );
    let parsed = parse("a.txt", &format!("{DURATION}{old}"));
    assert_eq!(parsed.trials.len(), 2);
    assert_eq!(figure(&parsed.trials[1], "transactions_per_s").0, 314.7);
    assert_eq!(figure(&parsed.trials[1], "transactions_per_s_with_connecting").0, 312.1);
}

#[test]
fn a_run_that_gave_up_failed_and_a_cut_off_one_is_a_problem() {
    let text = "pgbench (15.18)\npgbench: error: connection to server failed\n";
    let parsed = parse("a.txt", text);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    assert!(failure.message.contains("connection to server"), "{failure}");
    let (cut, _) = DURATION.split_once("tps = ").unwrap();
    let parsed = parse("a.txt", cut);
    assert!(parsed.trials.is_empty() && parsed.problems.len() == 1, "{parsed:?}");
}

#[test]
fn a_run_with_a_connection_for_each_transaction_has_its_rate() {
    let text = "pgbench (15.5 (Debian 15.5-0+deb12u1))\ntransaction type: <builtin: select only>\n\
                scaling factor: 1\nnumber of clients: 4\nnumber of threads: 2\n\
                number of transactions actually processed: 100/100\nlatency average = 5.000 ms\n\
                average connection time = 1.100 ms\n\
                tps = 800.125000 (including reconnection times)\n";
    let parsed = parse("pg15/select-C-4.txt", text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(figure(&parsed.trials[0], "transactions_per_s"), (800.125, "1/s"));
}
