//! Each identity holds for what is sound and fails for what is not.

use crate::audit;
use analyse::{Identity, Prefix};

/// A tidy CSV of one trial: metric, value, unit.
fn trial(test: &str, clients: &str, figures: &[[&str; 3]]) -> String {
    let mut text = "target,test,concurrency,metric,value,unit\n".to_owned();
    for [metric, value, unit] in figures {
        text.push_str(&format!("t,{test},{clients},{metric},{value},{unit}\n"));
    }
    text
}

/// What is found wrong, with which identity, and how many identities were checked.
fn wrong(text: &str) -> (Vec<(String, Identity)>, usize) {
    let found = audit(text);
    let wrong = found.wrong.into_iter().map(|w| (w.3.printed.name, w.3.identity)).collect();
    (wrong, found.checked)
}

fn check(figures: &[[&str; 3]]) -> (Vec<(String, Identity)>, usize) {
    wrong(&trial("oltp", "", figures))
}

fn one(name: &str, identity: Identity) -> Vec<(String, Identity)> {
    vec![(name.to_owned(), identity)]
}

#[test]
fn a_rate_is_its_count_over_the_time() {
    let figures = |rate| {
        [
            ["transactions", "6000", "count"],
            ["elapsed", "2", "min"],
            ["transactions_per_s", rate, "1/s"],
        ]
    };
    // Anything from just above 1 to just below 3 minutes is printed as 2.
    assert_eq!(check(&figures("50")), (vec![], 1));
    assert_eq!(check(&figures("99")), (vec![], 1));
    assert_eq!(check(&figures("110")).0, one("transactions_per_s", Identity::Rate));
}

#[test]
fn a_rate_follows_from_dates_where_no_time_is_printed() {
    let figures = |rate| {
        [
            ["started_at", "2016-02-28 23:59:00", ""],
            ["ended_at", "2016-03-01T00:00:40", ""],
            ["initial_lag", "881000", "s"],
            ["lag_applied_per_s", rate, "s/s"],
        ]
    };
    assert_eq!(check(&figures("10.18")), (vec![], 1));
    assert_eq!(check(&figures("10.25")).0, one("lag_applied_per_s", Identity::Rate));
}

#[test]
fn percentiles_are_in_order_whatever_their_units() {
    let figures = |p99| {
        [
            ["latency_max", "0.3", "s"],
            ["latency_p99", p99, "ms"],
            ["latency_min", "900", "us"],
            ["latency_p50", "12.5", "ms"],
        ]
    };
    assert_eq!(check(&figures("250")), (vec![], 3));
    assert_eq!(check(&figures("11")).0, one("latency_p99", Identity::PercentileOrder));
    assert_eq!(check(&figures("450")).0, one("latency_max", Identity::PercentileOrder));
}

#[test]
fn a_mean_lies_in_its_range() {
    let figures = |mean| {
        [["latency_min", "2", "ms"], ["latency_max", "40", "ms"], ["latency_avg", mean, "ms"]]
    };
    assert_eq!(check(&figures("39.5")), (vec![], 3));
    assert_eq!(check(&figures("0.5")).0, one("latency_avg", Identity::MeanInRange));
    assert_eq!(check(&figures("42.5")).0, one("latency_avg", Identity::MeanInRange));
}

#[test]
fn totals_are_sums_and_shares_make_a_whole() {
    let queries = |total| {
        [["reads", "140", ""], ["writes", "40", ""], ["other", "20", ""], ["queries", total, ""]]
    };
    assert_eq!(check(&queries("200")), (vec![], 1));
    assert_eq!(check(&queries("220")).0, one("queries", Identity::Sum));
    let iops =
        |total| [["read_iops", "700", "1/s"], ["write_iops", "300", "1/s"], ["iops", total, "1/s"]];
    assert_eq!(check(&iops("1000")), (vec![], 1));
    assert_eq!(check(&iops("1100")).0, one("iops", Identity::Sum));
    let shares = |write| [["read_percent", "70", "percent"], ["write_percent", write, "percent"]];
    assert_eq!(check(&shares("30")), (vec![], 1));
    assert_eq!(check(&shares("35")).0, one("write_percent", Identity::Sum));
}

#[test]
fn no_more_requests_are_under_way_than_there_can_be() {
    let figures = |latency| [["transactions_per_s", "1000", "1/s"], ["latency_avg", latency, "ms"]];
    let closed = |latency| wrong(&trial("oltp", "8", &figures(latency)));
    assert_eq!(closed("8.0"), (vec![], 1));
    assert_eq!(closed("9.0").0, one("latency_avg", Identity::Outstanding));
    // Without a number of clients nothing follows.
    assert_eq!(check(&figures("9.0")), (vec![], 0));
    let disk = |latency| {
        wrong(&trial(
            "t2 o16 b4k",
            "",
            &[["iops", "16000", "1/s"], ["read_latency", latency, "us"]],
        ))
    };
    assert_eq!(disk("1999"), (vec![], 1));
    assert_eq!(disk("2200").0, one("read_latency", Identity::Outstanding));
}

#[test]
fn no_more_is_served_than_is_offered() {
    let served = |rate: &str, elapsed: &str| {
        wrong(&format!(
            "target,test,concurrency,rate,metric,value,unit\n\
             t,oltp,8,1000,transactions_per_s,{rate},1/s\n\
             t,oltp,8,1000,elapsed,{elapsed},s\n"
        ))
    };
    assert_eq!(served("1009.3", "600"), (vec![], 1));
    assert_eq!(served("2000.1", "600").0, one("transactions_per_s", Identity::Offered));
    // In a short trial more may be due by chance.
    assert_eq!(served("1030.2", "10"), (vec![], 1));
    assert_eq!(served("1030.2", "600").0, one("transactions_per_s", Identity::Offered));
}

#[test]
fn bytes_are_operations_times_block_size() {
    let figures = |bandwidth, unit| {
        wrong(&trial("b16k", "", &[["iops", "12345", "1/s"], ["bandwidth", bandwidth, unit]]))
    };
    assert_eq!(figures("202.3", "MB/s"), (vec![], 1));
    assert_eq!(figures("192.9", "MB/s"), (vec![], 1), "powers of 1024");
    assert_eq!(figures("192.9", "MiB/s"), (vec![], 1));
    let decimal = Identity::Bandwidth { prefix: Prefix::Decimal, holds: 0, other_holds: false };
    assert_eq!(figures("202.3", "MiB/s").0, one("bandwidth", decimal));
    assert_eq!(figures("197.5", "MB/s").0, one("bandwidth", decimal));
}

#[test]
fn ranks_go_by_some_figure_that_all_rows_have() {
    let table = |ranks: [u32; 3]| {
        let mut text = "target,test,metric,value,unit\n".to_owned();
        for (i, rank) in ranks.iter().enumerate() {
            let (rate, time) = (["90.5", "80.1", "80.1"][i], 10 * (i + 1));
            text.push_str(&format!(
                "{i},x,transactions_per_s,{rate},1/s\n{i},x,elapsed,{time},s\n"
            ));
            text.push_str(&format!("{i},x,rank,{rank},\n"));
        }
        wrong(&text)
    };
    assert_eq!(table([1, 2, 3]), (vec![], 3));
    assert_eq!(table([1, 3, 2]), (vec![], 3), "a tie may go either way");
    assert_eq!(table([1, 2, 2]), (vec![], 3));
    let ranks = vec![("rank".to_owned(), Identity::Rank), ("rank".to_owned(), Identity::Rank)];
    assert_eq!(table([2, 1, 3]).0, ranks);
}

#[test]
fn no_rate_is_below_zero() {
    let figures = |rate| [["queries_rate", rate, "1/s"], ["lag_change", "-3", "s"]];
    assert_eq!(check(&figures("5")), (vec![], 0));
    assert_eq!(check(&figures("-5")), (one("queries_rate", Identity::NotNegative), 1));
}
