//! What the user says by patterns.

use super::{archive, grid, labels, with_patterns};

fn tree() -> Vec<(String, u32)> {
    let mut files = Vec::new();
    for kernel in ["A", "B"] {
        for test in ["oltp_read_only", "point"] {
            for config in ["mysql57-BP25", "mysql57-BP50"] {
                files.extend([1, 128].map(|threads| {
                    (format!("RESULT-{kernel}-{test}/{config}/thr{threads}/res.txt"), threads)
                }));
            }
        }
    }
    files
}

#[test]
fn unknown_names_are_labels_and_labels_make_targets() {
    let pattern = "{kernel}-{test}/{config}/thr{clients}/res.txt";
    let (cells, understood, files, problems) = with_patterns(archive(&tree()), &[pattern]).unwrap();
    let targets = [
        "RESULT-A mysql57-BP25",
        "RESULT-A mysql57-BP50",
        "RESULT-B mysql57-BP25",
        "RESULT-B mysql57-BP50",
    ];
    assert_eq!(cells, grid(&targets, &["oltp_read_only", "point"], &[1, 128], 1));
    let labels = labels(&files);
    assert!(labels.contains("RESULT-A mysql57-BP25: kernel=RESULT-A"), "{labels:?}");
    assert!(labels.contains("RESULT-A mysql57-BP25: config=mysql57-BP25"), "{labels:?}");
    assert!(problems.is_empty() && understood.doubts.is_empty());
}

#[test]
fn files_that_fit_no_pattern_are_named_and_left_out() {
    let pattern = "RESULT-{kernel}-{test}/mysql57-BP{size}/thr{clients}/res.txt";
    let mut files = tree();
    files.push(("other/notes.txt".to_owned(), 4));
    let (cells, _, _, problems) = with_patterns(archive(&files), &[pattern]).unwrap();
    assert_eq!(cells.len(), 16);
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert!(problem.to_string().starts_with("other/notes.txt: fits no --layout"), "{problem}");
    let second = "{target}/{_}.txt";
    let (cells, _, _, problems) = with_patterns(archive(&files), &[pattern, second]).unwrap();
    assert_eq!((cells.len(), problems.len()), (17, 0));
}

#[test]
fn what_no_name_parts_is_no_repeat_until_the_user_says_so() {
    let pattern = "{_}-{_}-{test}/{_}/thr{clients}/res.txt";
    let question = with_patterns(archive(&tree()), &[pattern]).unwrap_err();
    assert!(question.message.contains("nothing says that they are repeats"), "{question:?}");
    let pattern = "RESULT-{repeat}-{test}/{target}/thr{clients}/res.txt";
    let (cells, understood, ..) = with_patterns(archive(&tree()), &[pattern]).unwrap();
    let targets = ["mysql57-BP25", "mysql57-BP50"];
    assert_eq!(cells, grid(&targets, &["oltp_read_only", "point"], &[1, 128], 2));
    assert_eq!(understood.repeats, 2);
}

#[test]
fn blocks_are_said_by_a_pattern_and_by_nothing_else() {
    let files: Vec<(String, u32)> = ["a", "b"]
        .iter()
        .flat_map(|target| [1, 2, 3].map(|block| (format!("{block}/{target}/rw.txt"), 16)))
        .collect();
    let (cells, _, files, _) =
        with_patterns(archive(&files), &["{block}/{target}/{test}.txt"]).unwrap();
    assert_eq!(cells, grid(&["a", "b"], &["rw"], &[16], 3));
    let blocks: Vec<Option<u32>> = files.iter().map(|parsed| parsed.trials[0].block).collect();
    assert_eq!(blocks, [Some(1), Some(2), Some(3), Some(1), Some(2), Some(3)]);
}

#[test]
fn two_ways_to_read_a_name_are_told_apart_by_all_files_or_asked_about() {
    let files = |names: &[&str]| -> Vec<(String, u32)> {
        names.iter().map(|name| (format!("{name}.txt"), 16)).collect()
    };
    let several = ["a-x-rw", "b-y-rw", "a-x-ro", "b-y-ro"];
    let (cells, ..) = with_patterns(archive(&files(&several)), &["{target}-{test}.txt"]).unwrap();
    assert_eq!(cells, grid(&["a-x", "b-y"], &["rw", "ro"], &[16], 1));
    let question =
        with_patterns(archive(&files(&["a-x-rw"])), &["{target}-{test}.txt"]).unwrap_err();
    assert!(question.message.contains("in two ways"), "{question:?}");
}

#[test]
fn clients_that_do_not_agree_are_doubtful() {
    let files = [("x-64.txt".to_owned(), 16), ("y-64.txt".to_owned(), 64)];
    let (cells, understood, ..) =
        with_patterns(archive(&files), &["{target}-{clients}.txt"]).unwrap();
    assert_eq!(cells["x | sysbench | 16"], 1);
    assert!(understood.doubts.join("").contains("64 clients by the layout and 16 inside"));
}

#[test]
fn a_date_takes_dates_and_a_repeat_numbers() {
    let configs = ["GR", "GR-slv16", "GR-slv16-mm-AFTER", "GR-slv16-mm-BEFORE", "PXC8-single"];
    let mut files = Vec::new();
    for (at, config) in configs.iter().enumerate() {
        for threads in [1, 8] {
            let path = format!("in/res-{config}-2020-01-1{at}-12-1{at}/thr{threads}/res.txt");
            files.push((path, threads));
        }
    }
    let targets: Vec<String> = configs.iter().map(|config| format!("res-{config}")).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    for pattern in [
        "{config}-{date}/thr{clients}/res.txt",
        "{config}-{y}-{m}-{d}-{h}-{min}/thr{clients}/res.txt",
    ] {
        let (cells, understood, ..) = with_patterns(archive(&files), &[pattern]).unwrap();
        assert_eq!(cells, grid(&targets, &["sysbench"], &[1, 8], 1), "{pattern}");
        assert_eq!(understood.repeats, 1);
    }
    // What is no date, or no number, fits no pattern that says that it is.
    for pattern in
        ["res-{date}/thr{clients}/res.txt", "res-GR-{repeat}-2020{_}/thr{clients}/res.txt"]
    {
        let (cells, .., problems) = with_patterns(archive(&files), &[pattern]).unwrap();
        let fitting: usize = cells.values().sum();
        assert_eq!(fitting + problems.len(), files.len(), "{pattern}");
        assert!(fitting == 0 && problems[0].message.contains("fits no --layout"), "{cells:?}");
    }
}
