//! The audit of what tools really print: silent on what their own arithmetic explains, and not on
//! what cannot be.
use analyse::{Contradiction, Evidence};
use import::{Naming, Source, assemble, name_trials, recognise};
use model::ReadBudget;

/// Contradictions in a text, each as its identity and the figure that is off.
fn contradictions(file: &str, text: &str) -> Vec<String> {
    let format = recognise(text).unwrap();
    let mut files = vec![format.parse(Source { file, text, budget: &ReadBudget::default() })];
    name_trials(&mut files, &Naming::default()).unwrap();
    let (dataset, problems) = assemble("audit", test_support::run(), files);
    assert!(problems.is_empty(), "{file}: {problems:?}");
    assert!(!dataset.trials.is_empty(), "{file}");
    let analysis = analyse::analyse(&dataset);
    let said = |contradiction: &Contradiction| {
        format!("{:?} {}", contradiction.identity, contradiction.printed.name)
    };
    let found = analysis.findings.iter().filter_map(|finding| match &finding.evidence {
        Evidence::Contradiction(found) => Some(said(found)),
        _ => None,
    });
    found.collect()
}

macro_rules! fixtures {
    ($($file:literal),+ $(,)?) => {
        [$(($file, include_str!(concat!("../fixtures/", $file)))),+]
    };
}

const REAL: [(&str, &str); 20] = fixtures![
    "sysbench/0.4.12.txt",
    "sysbench/0.5.txt",
    "sysbench/0.5-checkpoints.txt",
    "sysbench/1.0.20.txt",
    "sysbench/1.0.20-histogram.txt",
    "sysbench/1.0.20-checkpoints.txt",
    "sysbench/1.1.txt",
    "sysbench/two-runs.txt",
    "fio/randread.json",
    "fio/mixed-two-jobs.json",
    "memtier/two-commands.json",
    "pgbench/15.txt",
    "pgbench/at-a-rate.txt",
    "pgbench/15-behind.txt",
    "hammerdb/tprocc.log",
    "hammerdb/tproch.log",
    "mysqlslap/two-levels.txt",
    "mysqlslap/engines.csv",
    "benchbase/mariadb-tpcc.summary.json",
    "benchbase/mariadb-ycsb.summary.json",
];

#[test]
fn what_tools_print_is_not_called_impossible() {
    for (file, text) in REAL {
        assert_eq!(contradictions(file, text), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn what_cannot_be_is_still_found() {
    let [(_, sysbench), ..] = fixtures!["sysbench/1.0.20.txt"];
    let [(_, pgbench), ..] = fixtures!["pgbench/15.txt"];
    let [(_, benchbase), ..] = fixtures!["benchbase/tpcc.summary.json"];
    assert!(contradictions("a/b.json", benchbase).is_empty());
    for (text, from, to) in [
        (pgbench, "latency average = 1.150 ms", "latency average = 11.50 ms"),
        (benchbase, "1199.9975308850808", "1299.9975308850808"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(!contradictions("a/b.txt", &text.replace(from, to)).is_empty(), "{to}");
    }
    let (before, rest) = sysbench.split_once("    transactions: ").unwrap();
    let (_, rest) = rest.split_once('(').unwrap();
    let more = format!("{before}    transactions: 1 ({rest}");
    assert!(!contradictions("a/b.txt", &more).is_empty());
}
