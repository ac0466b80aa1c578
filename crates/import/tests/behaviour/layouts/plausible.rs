//! Layouts that need no pattern.

use super::{Cells, archive, cells, fio, grid, infer, labels, read, sysbench};
use import::{Naming, name_trials};

const LEVELS: [u32; 4] = [1, 8, 64, 128];

/// Every combination of words put into a path.
fn tree(path: &dyn Fn(&str, &str, u32) -> String, a: &[&str], b: &[&str]) -> Vec<(String, u32)> {
    let mut files = Vec::new();
    for a in a {
        for b in b {
            files.extend(LEVELS.map(|threads| (path(a, b, threads), threads)));
        }
    }
    files
}

#[test]
fn threads_in_a_directory_and_the_configuration_above() {
    let mut files = Vec::new();
    for kernel in ["A", "B"] {
        for test in ["oltp_read_only", "oltp_point_select", "oltp_update_non_index"] {
            for config in ["mysql57-BP25", "mysql57-BP50", "mysql80-BP25"] {
                files.extend(LEVELS.map(|threads| {
                    let path =
                        format!("in/RESULT-kernel-{kernel}-{test}/{config}/thr{threads}/res.txt");
                    (path, threads)
                }));
            }
        }
    }
    let (cells, understood, files) = infer(archive(&files)).unwrap();
    let targets = [
        "kernel-A mysql57-BP25",
        "kernel-A mysql57-BP50",
        "kernel-A mysql80-BP25",
        "kernel-B mysql57-BP25",
        "kernel-B mysql57-BP50",
        "kernel-B mysql80-BP25",
    ];
    let tests = ["oltp_read_only", "oltp_point_select", "oltp_update_non_index"];
    assert_eq!(cells, grid(&targets, &tests, &LEVELS, 1));
    assert_eq!((understood.repeats, understood.levels.len()), (1, 4));
    let labels = labels(&files);
    for label in ["kernel=A", "mysql=57", "bp=25"] {
        assert!(labels.contains(&format!("kernel-A mysql57-BP25: {label}")), "{labels:?}");
    }
    let (pattern, fits, all) = understood.pattern.unwrap();
    assert_eq!((fits, all), (72, 72), "{pattern}");
    assert_eq!(pattern, "RESULT-kernel-{kernel}-{test}/mysql{mysql}-BP{bp}/thr{clients}/res.txt");
}

#[test]
fn numbered_series_are_targets_and_no_repeats() {
    let mut files = Vec::new();
    for (series, res) in [(25, "01"), (25, "03"), (26, "01"), (26, "03")] {
        for test in ["ro", "rw"] {
            files.extend(LEVELS.map(|threads| {
                (format!("series{series}/res{res}/sysbench.{test}.{threads}.res"), threads)
            }));
        }
    }
    let (cells, understood, files) = infer(archive(&files)).unwrap();
    let targets = ["series25 res01", "series25 res03", "series26 res01", "series26 res03"];
    assert_eq!(cells, grid(&targets, &["ro", "rw"], &LEVELS, 1));
    assert_eq!(understood.repeats, 1);
    assert!(labels(&files).contains("series25 res01: res=01"));
}

#[test]
fn everything_in_one_name_whatever_parts_its_words() {
    for sign in ["-", "_", ".", " ", "--"] {
        let path = |target: &str, test: &str, threads: u32| {
            format!("{}{sign}{test}{sign}{threads}.txt", target.replace(' ', sign))
        };
        let targets = ["mysql 8.0.36", "mysql 5.7", "mariadb 10.11.6"];
        let files = tree(&path, &targets, &["oltp_read_write", "oltp_read_only"]);
        if sign == "." {
            // Points part numbers and versions alike: the words say what they can.
            assert!(
                infer(archive(&files)).is_ok_and(|(_, understood, _)| understood.repeats == 1)
                    || infer(archive(&files)).is_err()
            );
            continue;
        }
        let (cells, ..) = infer(archive(&files)).unwrap();
        let parted = if sign == "--" { " " } else { sign };
        let named = targets.map(|target| target.replace(' ', parted));
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        assert_eq!(
            cells,
            grid(&named, &["oltp_read_write", "oltp_read_only"], &LEVELS, 1),
            "{sign}"
        );
    }
    // Without points in versions, points part as well as anything.
    let path = |engine: &str, test: &str, threads: u32| format!("{engine}.{test}.{threads}.1.out");
    let (cells, ..) =
        infer(archive(&tree(&path, &["mysql80", "mariadb1011"], &["ro", "rw"]))).unwrap();
    assert_eq!(cells, grid(&["mysql80", "mariadb1011"], &["ro", "rw"], &LEVELS, 1));
}

#[test]
fn hosts_sizes_ports_and_instance_families_are_targets() {
    for targets in [
        ["db-host-01", "db-host-02"],
        ["web1.example.com", "web2.example.com"],
        ["10.0.0.12", "10.0.0.13"],
        ["ip-10-0-0-12", "ip-10-0-0-13"],
        ["16G", "25G"],
        ["3306", "3307"],
        ["r5.xlarge", "c5.xlarge"],
        ["t3.medium", "m5.large"],
        ["8.0.36", "8.4.0"],
        ["before", "after"],
    ] {
        let path =
            |target: &str, test: &str, threads: u32| format!("in/{target}/{test}_{threads}.log");
        let (cells, ..) = infer(archive(&tree(&path, &targets, &["ro", "rw"]))).unwrap();
        let found: std::collections::BTreeSet<&str> =
            cells.keys().map(|cell| cell.split(" | ").next().unwrap()).collect();
        assert_eq!(found.len(), 2, "{targets:?}: {found:?}");
        assert_eq!(cells.len(), 2 * 2 * LEVELS.len(), "{targets:?}: {cells:?}");
        assert!(cells.values().all(|repeats| *repeats == 1));
    }
}

#[test]
fn repeats_are_where_a_word_says_so() {
    for word in ["run1", "rep-2", "iter_3", "attempt4", "Run 5", "trial01", "pass.6"] {
        let numbered =
            |number: u32| word.replace(|c: char| c.is_ascii_digit(), "") + &number.to_string();
        let path = |number: &str, target: &str, threads: u32| {
            format!("{}/{target}/rw-{threads}.txt", numbered(number.parse().unwrap()))
        };
        let files = tree(&path, &["1", "2", "3"], &["mysql57", "mysql80"]);
        let (cells, understood, files) = infer(archive(&files)).unwrap();
        assert_eq!(cells, grid(&["mysql57", "mysql80"], &["rw"], &LEVELS, 3), "{word}");
        assert_eq!(understood.repeats, 3);
        assert!(files.iter().flat_map(|parsed| &parsed.trials).all(|trial| trial.block.is_none()));
    }
    // Within one another, and as the end of names.
    let path =
        |run: &str, iter: &str, threads: u32| format!("m1/run{run}/iter{iter}/rw-{threads}.txt");
    let (cells, ..) = infer(archive(&tree(&path, &["1", "2"], &["1", "2", "3"]))).unwrap();
    assert_eq!(cells, grid(&["m1"], &["rw"], &LEVELS, 6));
    let path = |target: &str, run: &str, threads: u32| format!("{target}/rw-{threads}-r{run}.txt");
    let (cells, ..) = infer(archive(&tree(&path, &["a", "b"], &["1", "2"]))).unwrap();
    assert_eq!(cells, grid(&["a", "b"], &["rw"], &LEVELS, 2));
}

#[test]
fn several_runs_of_a_file_are_its_levels_and_repeats() {
    let text = |target: &str| -> String {
        LEVELS
            .iter()
            .flat_map(|&threads| {
                [1, 2].map(|run| sysbench(threads, &format!("{target}{threads}{run}")))
            })
            .collect()
    };
    let files =
        ["mysql57", "mysql80"].map(|target| read(&format!("in/{target}.txt"), &text(target)));
    let (cells, ..) = infer(files.to_vec()).unwrap();
    assert_eq!(cells, grid(&["mysql57", "mysql80"], &["sysbench"], &LEVELS, 2));
}

#[test]
fn dates_of_targets_say_nothing_more() {
    let date = |target: &str| if target == "mysql57" { "2024-01-15_10-30-00" } else { "20240116" };
    let path = |target: &str, test: &str, threads: u32| {
        format!("{}/{target}/{test}/{threads}.txt", date(target))
    };
    let (cells, understood, _) =
        infer(archive(&tree(&path, &["mysql57", "mysql80"], &["ro", "rw"]))).unwrap();
    assert_eq!(cells, grid(&["mysql57", "mysql80"], &["ro", "rw"], &LEVELS, 1));
    assert!(understood.parts.iter().any(|part| part.role.starts_with("date")), "{understood:?}");
}

#[test]
fn tools_of_one_tree_are_told_apart() {
    let mut files = archive(&tree(
        &|target, test, threads| format!("in/{target}/sysbench/{test}-{threads}.txt"),
        &["metal", "cloud"],
        &["rw"],
    ));
    for target in ["metal", "cloud"] {
        for (pattern, block) in [("randread", "4k"), ("randread", "16k"), ("randwrite", "4k")] {
            for depth in [1, 64] {
                let file = format!("in/{target}/fio/{pattern}-{block}-qd{depth}.json");
                files.push(read(&file, &fio(1, depth, block, &file)));
            }
        }
    }
    let (cells, ..) = infer(files).unwrap();
    let mut expected = grid(&["metal", "cloud"], &["rw"], &LEVELS, 1);
    let storage = ["randread-4k", "randread-16k", "randwrite-4k"];
    expected.extend(grid(&["metal", "cloud"], &storage, &[1, 64], 1));
    assert_eq!(cells, expected);
}

#[test]
fn tests_of_one_name_by_two_tools_are_two() {
    let path = |target: &str| format!("in/{target}/rw-1.json");
    let mut files = archive(&[("in/a/rw-1.txt".to_owned(), 1), ("in/b/rw-1.txt".to_owned(), 1)]);
    files.extend(["a", "b"].map(|target| read(&path(target), &fio(1, 1, "4k", target))));
    let (cells, ..) = infer(files).unwrap();
    assert_eq!(cells, grid(&["a", "b"], &["rw, sysbench", "rw, fio"], &[1], 1));
}

#[test]
fn what_the_user_names_is_that() {
    let files = || {
        archive(&tree(&|a, b, threads| format!("{a}-{b}-{threads}.txt"), &["x", "y"], &["u", "v"]))
    };
    let naming = |target, test| {
        let mut files = files();
        name_trials(&mut files, &Naming { target, test, layouts: &[] }).unwrap();
        cells(&files)
    };
    let four = ["x-u", "x-v", "y-u", "y-v"];
    assert_eq!(naming(Some("db1"), None), grid(&["db1"], &four, &LEVELS, 1));
    assert_eq!(naming(None, Some("rw")), grid(&four, &["rw"], &LEVELS, 1));
    let all: Cells = grid(&["db1"], &["rw"], &LEVELS, 4);
    assert_eq!(naming(Some("db1"), Some("rw")), all, "the user says that they are repeats");
}

#[test]
fn a_single_file_needs_no_structure() {
    for (path, expected) in [
        ("rw.txt", "imported | rw | 16"),
        ("./rw-16.txt", "imported | rw | 16"),
        ("runs/durable/rw-16-r2.txt", "durable | rw | 16"),
        ("runs/durable/checkout-t16.log", "durable | checkout | 16"),
        ("16.txt", "imported | sysbench | 16"),
        ("a/mysql_8.0.36_oltp_read_write_16.txt", "a | oltp_read_write | 16"),
    ] {
        let (cells, ..) = infer(archive(&[(path.to_owned(), 16)])).unwrap();
        assert_eq!(cells.keys().collect::<Vec<_>>(), [expected], "{path}");
    }
}

#[test]
fn moments_in_names_are_dates_and_names_of_labels_are_unique() {
    // Two moments of one set-up could be repeats, or two states of what was measured.
    let files: Vec<(String, u32)> = ["14-27", "17-47"]
        .iter()
        .flat_map(|time| {
            ["mariadb-10.5.4.BP140", "mysql-8.0.21.BP25"].map(|config| {
                (format!("res-tpcc-8.0.21-2020-07-16-{time}/{config}/res.thr56txt"), 56)
            })
        })
        .collect();
    let question = infer(archive(&files)).unwrap_err();
    assert!(question.message.contains("nothing says that they are repeats"), "{question:?}");
    for suggestion in question.suggestions {
        assert!(suggestion.pattern.parse::<import::Layout>().is_ok(), "{suggestion:?}");
    }
}

#[test]
fn what_quotes_a_result_is_a_copy_before_any_question() {
    let hammerdb = |nopm: u32| {
        format!("Vuser 1:TEST RESULT : System achieved {nopm} NOPM from {} MariaDB TPM\n", nopm * 2)
    };
    let named = |files: Vec<(String, String)>| {
        let mut parsed: Vec<import::Parsed> =
            files.iter().map(|(file, text)| read(file, text)).collect();
        let (_, problems) = name_trials(&mut parsed, &Naming::default()).unwrap();
        let left_out: Vec<String> = problems.into_iter().map(|problem| problem.file).collect();
        (cells(&parsed), left_out)
    };
    let mut files = Vec::new();
    for (target, nopm) in [("bp10", 101_234), ("bp20", 152_345)] {
        let summary = format!("=== Summary ===\nLabel: {target}\nResult: {}", hammerdb(nopm));
        files.push((format!("in/run_{target}/result.txt"), hammerdb(nopm)));
        files.push((format!("in/run_{target}/summary.txt"), summary));
    }
    let (one_each, left_out) = named(files.clone());
    assert_eq!(one_each, grid(&["bp10", "bp20"], &["hammerdb"], &[0], 1));
    assert_eq!(left_out, ["in/run_bp10/summary.txt", "in/run_bp20/summary.txt"]);
    // One summary of all.
    files.retain(|(file, _)| !file.ends_with("summary.txt"));
    let all = files.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().concat();
    files.push(("in/summary.md".to_owned(), format!("# all\n{all}")));
    let (one_each, left_out) = named(files);
    assert_eq!(one_each, grid(&["bp10", "bp20"], &["hammerdb"], &[0], 1));
    assert_eq!(left_out, ["in/summary.md"]);
    // The same results as they came and as they were published.
    let mut files = Vec::new();
    for target in ["aws", "other"] {
        let text = sysbench(8, target);
        files.push((format!("in/raw-logs/{target}.log"), text.clone()));
        files.push((format!("in/results/{target}/bench.md"), format!("# x\n```\n{text}```\n")));
    }
    let (one_each, left_out) = named(files);
    assert_eq!(one_each, grid(&["aws", "other"], &["sysbench"], &[8], 1));
    assert_eq!(left_out.len(), 2);
}

#[test]
fn results_of_other_names_are_no_copies_and_what_counts_twice_is_said() {
    let text =
        sysbench(8, "x") + "    total number of events: 1\nLatency (ms):\n    avg: 123.4567\n";
    let files = [read("in/a/rw-8.txt", &text), read("in/a-tuned/rw-8.txt", &text)];
    let (cells, understood, _) = infer(files.to_vec()).unwrap();
    assert_eq!(cells.values().sum::<usize>(), 2, "{cells:?}");
    let said = understood.doubts.iter().find(|doubt| doubt.contains("digit by digit"));
    assert!(said.unwrap().contains("in/a-tuned/rw-8.txt has the figures of in/a/rw-8.txt"));
}

#[test]
fn fields_of_names_name_tests_where_directories_name_targets() {
    let tests = [
        "hot-points", "point-query", "points-covered-pk", "points-covered-si", "range-covered-pk",
        "read-only-distinct", "scan",
    ];
    let mut files = Vec::new();
    for target in ["my57", "my80"] {
        files.extend(
            tests.map(|test| (format!("in/x.{target}_rel.pk1/sb.o.{test}.range100.pk1.dop40"), 40)),
        );
    }
    let (cells, understood, _) = infer(archive(&files)).unwrap();
    assert_eq!(cells, grid(&["my57", "my80"], &tests, &[40], 1));
    let (pattern, fits, all) = understood.pattern.unwrap();
    assert_eq!((fits, all), (14, 14), "{pattern}");
}

#[test]
fn a_numeric_sweep_of_a_setting_is_told_as_one() {
    let names = |path: &dyn Fn(&str, u32) -> String, values: &[&str]| -> Vec<(String, u32)> {
        let files = values
            .iter()
            .flat_map(|value| [1, 8, 64].map(|threads| (path(value, threads), threads)));
        files.collect()
    };
    let in_directories = names(
        &|value, threads| format!("r/bp-{value}/threads_{threads}.txt"),
        &["1G", "512M", "16G"],
    );
    let in_names =
        names(&|value, threads| format!("r/threads_{threads}_pool_{value}.txt"), &["4", "8", "16"]);
    for (files, targets, label, said) in [
        (
            in_directories,
            ["bp-1G", "bp-512M", "bp-16G"],
            "bp-16G: bp=16G",
            "bp, which is 512M, 1G, 16G",
        ),
        (in_names, ["pool_4", "pool_8", "pool_16"], "pool_16: pool=16", "pool, which is 4, 8, 16"),
    ] {
        let (cells, understood, files) = infer(archive(&files)).unwrap();
        assert_eq!(cells, grid(&targets, &["sysbench"], &[1, 8, 64], 1));
        assert!(labels(&files).contains(label), "{:?}", labels(&files));
        let doubts = understood.doubts.join("; ");
        assert!(doubts.contains(&format!("targets differ in the setting {said}")), "{doubts}");
    }
    // What a number of a name counts that names no setting is still asked.
    let asked =
        names(&|value, threads| format!("r/threads_{threads}_disk_{value}.txt"), &["4", "8"]);
    assert!(infer(archive(&asked)).is_err());
}
