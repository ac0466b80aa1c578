//! Results that nothing but what is in the files tells apart.

use super::{archive, cells, fio, grid, infer, read, sysbench, with_patterns};
use import::{Naming, name_trials};

/// A run of sysbench with so many statements.
fn with_statements(threads: u32, number: u32, reads: u32, writes: u32) -> String {
    let transactions = 1000 + number;
    sysbench(threads, "a").replace(
        "    transactions: ",
        &format!(
            "        read: {}\n        write: {}\n    transactions: {transactions} (100.17 per sec.)\n    was: ",
            reads * transactions,
            writes * transactions
        ),
    )
}

#[test]
fn different_loads_in_one_file_are_no_repeats() {
    let text: String = [(14, 4), (14, 0), (0, 4), (1, 0), (0, 1), (14, 4)]
        .into_iter()
        .zip(0..)
        .map(|((reads, writes), number)| with_statements(16, number, reads, writes))
        .collect();
    let (cells, understood, _) =
        infer(vec![read("in/a/x.txt", &text), read("in/b/x.txt", &text)]).unwrap();
    for target in ["a", "b"] {
        for (load, count) in [
            ("reads and writes", 2),
            ("reads", 1),
            ("writes", 1),
            ("one read", 1),
            ("one write", 1),
        ] {
            let cell = format!("{target} | x, {load} | 16");
            assert_eq!(cells.get(&cell), Some(&count), "{cell}: {cells:?}");
        }
    }
    assert!(understood.doubts.iter().any(|doubt| doubt.contains("loads differ")), "{understood:?}");
    // Command lines that a shell left in a log say more.
    let log = |tests: &[&str]| -> String {
        let run =
            |test: &&str| format!("+ sysbench {test} --threads=16 run\n{}", sysbench(16, test));
        tests.iter().map(run).collect()
    };
    let tests = ["oltp_update_index", "oltp_insert", "oltp_delete", "oltp_insert"];
    let files = vec![read("in/a.txt", &log(&tests))];
    let (cells, ..) = infer(files).unwrap();
    assert_eq!(cells.len(), 3, "{cells:?}");
    assert_eq!(cells.get("in | a, oltp_insert | 16"), Some(&2), "{cells:?}");
}

#[test]
fn what_a_path_calls_a_repeat_is_none_where_the_files_differ() {
    let files = || {
        let text = |run: u32, reads: u32| with_statements(16, run, reads, 0);
        vec![read("in/run1/x-16.txt", &text(1, 14)), read("in/run2/x-16.txt", &text(2, 1))]
    };
    let (inferred, ..) = infer(files()).unwrap();
    assert_eq!(inferred.len(), 2, "{inferred:?}");
    let (told, ..) = with_patterns(files(), &["run{repeat}/{test}-{clients}.txt"]).unwrap();
    assert!(told.keys().any(|cell| cell.contains("x, one read")), "{told:?}");
    let mut both = files();
    let naming = Naming { target: Some("db1"), test: Some("rw"), layouts: &[] };
    name_trials(&mut both, &naming).unwrap();
    assert_eq!(cells(&both).len(), 2);
}

#[test]
fn jobs_and_depths_of_one_product_are_different_loads() {
    let mut files = Vec::new();
    for target in ["a", "b"] {
        for (jobs, depth) in [(1, 4), (4, 1), (4, 4)] {
            let file = format!("in/{target}/randread-{jobs}-{depth}.json");
            files.push(read(&file, &fio(jobs, depth, "4k", &file)));
        }
    }
    let (cells, ..) = infer(files).unwrap();
    assert_eq!(cells.len(), 6, "{cells:?}");
    assert!(cells.values().all(|count| *count == 1), "{cells:?}");
    assert!(cells.keys().any(|cell| cell.contains("numjobs=4 iodepth=1")), "{cells:?}");
}

#[test]
fn blocks_of_a_job_of_one_name_are_different_loads() {
    let text: String = ["4k", "64k"].map(|block| fio(1, 1, block, block)).concat();
    let (cells, ..) = infer(vec![read("in/disk.json", &text)]).unwrap();
    assert_eq!(cells.len(), 2, "{cells:?}");
}

#[test]
fn a_run_that_stalled_stays_with_its_repeats() {
    let stalled =
        sysbench(16, "c").replace("transactions: ", "transactions: 0 (0.00 per sec.)\n was: ");
    let text = [with_statements(16, 1, 14, 4), stalled, with_statements(16, 2, 14, 4)].concat();
    let (cells, ..) = infer(vec![read("in/a.txt", &text)]).unwrap();
    assert_eq!(cells.values().collect::<Vec<_>>(), [&3], "{cells:?}");
}

#[test]
fn a_rate_that_only_paths_say_is_a_level() {
    let text = |rate: u32| {
        format!(
            "transaction type: <builtin: select only>\nnumber of clients: 8\ntps = {rate}.123456 \
             (without initial connection time)\n"
        )
    };
    let mut files = Vec::new();
    for target in ["mariadb", "mysql"] {
        for rate in [500, 1000, 2000] {
            let file = format!("in/{target}/rate{rate}/out.txt");
            files.push(read(&file, &text(rate)));
        }
    }
    let (cells, understood, _) = infer(files).unwrap();
    assert_eq!(cells, grid(&["mariadb", "mysql"], &["pgbench"], &[8], 3));
    let rates: Vec<Option<u32>> = understood.levels.iter().map(|level| level.rate).collect();
    assert_eq!(rates, [Some(500), Some(1000), Some(2000)]);
}

#[test]
fn words_of_tests_in_names_of_hosts_are_parts_of_the_names() {
    let mut files = Vec::new();
    for host in ["read-replica", "primary"] {
        for test in ["oltp_read_only", "oltp_read_write"] {
            files.extend([1, 8, 64].map(|n| (format!("in/{host}/{test}-{n}.txt"), n)));
        }
    }
    let (cells, ..) = infer(archive(&files)).unwrap();
    let tests = ["oltp_read_only", "oltp_read_write"];
    assert_eq!(cells, grid(&["read-replica", "primary"], &tests, &[1, 8, 64], 1));
}

#[test]
fn closed_loops_and_rates_of_one_name_are_two_tests() {
    let rate = |text: String, rate: u32| {
        text.replace("threads: 16", &format!("threads: 16\nTarget transaction rate: {rate}/sec"))
    };
    let mut files = Vec::new();
    for target in ["a", "b"] {
        for threads in [8, 16] {
            let path = format!("in/{target}-thr{threads}.txt");
            files.push(read(&path, &sysbench(threads, &path)));
        }
        let path = format!("in/{target}-rate200.txt");
        files.push(read(&path, &rate(sysbench(16, &path), 200)));
    }
    let patterns = ["{target}-thr{clients}.txt", "{target}-rate{rate}.txt"];
    let (cells, understood, ..) = with_patterns(files, &patterns).unwrap();
    let mut expected = grid(&["a", "b"], &["sysbench"], &[8, 16], 1);
    expected.extend(grid(&["a", "b"], &["sysbench, at rates"], &[16], 1));
    assert_eq!(cells, expected);
    assert!(understood.doubts[0].contains("closed loops"), "{:?}", understood.doubts);
    // One rate through several numbers of clients: no axis has both.
    let mut files = Vec::new();
    for threads in [16, 160] {
        let path = format!("in/a/thr{threads}.txt");
        let text = sysbench(threads, &path);
        let text =
            text.replace("    transactions", "Target transaction rate: 200/sec\n    transactions");
        files.push(read(&path, &text));
    }
    let (cells, ..) = with_patterns(files, &["{target}/thr{clients}.txt"]).unwrap();
    let tests: Vec<&String> = cells.keys().collect();
    assert_eq!(tests, ["a | sysbench, 16 clients | 16", "a | sysbench, 160 clients | 160"]);
}
