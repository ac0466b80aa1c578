//! What could be read in two ways is asked about, with patterns that say it.

use super::{archive, grid, infer, with_patterns};

fn files(paths: &[&str]) -> Vec<(String, u32)> {
    paths.iter().map(|path| ((*path).to_owned(), 16)).collect()
}

#[test]
fn nothing_is_guessed_and_every_pattern_that_is_offered_works() {
    for (paths, message) in [
        // Words of which nothing says what they are.
        (&["in/alpha-16.txt", "in/beta-16.txt"][..], "words in the names of the files"),
        // Directories of one target each, or of one test each.
        (
            &["x/p/16.txt", "x/q/16.txt", "y/p/16.txt", "y/q/16.txt"],
            "directories of several levels",
        ),
        // Numbers of repeats, or of hosts.
        (&["in/1/rw-16.txt", "in/2/rw-16.txt"], "count is not said"),
        (&["in/rw-16-1.txt", "in/rw-16-2.txt"], "count is not said"),
        (&["mysql-1/rw-16.txt", "mysql-2/rw-16.txt"], "count is not said"),
        // Days of repeats, or of two versions of what was built at night.
        (&["2024-01-15/rw-16.txt", "2024-01-16/rw-16.txt"], "nothing says that they are repeats"),
        (&["a/rw-16-20240115T103000.txt", "a/rw-16-20240115T113000.txt"], "are repeats"),
        // The same name with two endings.
        (&["a/rw-16.log", "a/rw-16.out"], "nothing says that they are repeats"),
        (&["3f2a9c.txt", "77aa01b.txt", "c0ffee1.txt"], "words in the names"),
    ] {
        let question = infer(archive(&files(paths))).unwrap_err();
        assert!(question.message.contains(message), "{paths:?}: {}", question.message);
        assert!(question.suggestions.len() > 1, "{question:?}");
        for suggestion in &question.suggestions {
            let pattern = &suggestion.pattern;
            let (cells, _, _, problems) = with_patterns(archive(&files(paths)), &[pattern])
                .unwrap_or_else(|question| {
                    panic!("{paths:?}: {pattern}: {question:?}");
                });
            // A name that ends differently needs a pattern of its own.
            let fitting: usize = cells.values().sum();
            assert!(fitting + problems.len() == paths.len() && fitting > 0, "{pattern}: {cells:?}");
            let repeats = suggestion.meaning.contains("repeat");
            assert_eq!(repeats && fitting > 1, cells.values().any(|count| *count > 1), "{pattern}");
        }
    }
}

#[test]
fn levels_that_do_not_agree_with_the_path_are_doubtful_and_not_targets() {
    let mut all: Vec<(String, u32)> = Vec::new();
    for target in ["a", "b"] {
        all.extend([1, 8, 64].map(|threads| (format!("{target}/thr{threads}/rw.txt"), threads)));
    }
    all.push(("a/thr128/rw.txt".to_owned(), 32));
    let (cells, understood, _) = infer(archive(&all)).unwrap();
    assert_eq!(cells["a | rw | 32"], 1);
    assert!(
        cells.keys().all(|cell| cell.starts_with("a |") || cell.starts_with("b |")),
        "{cells:?}"
    );
    let doubts = understood.doubts.join("\n");
    assert!(
        doubts.contains("a/thr128/rw.txt has 128 clients by its path and 32 inside"),
        "{doubts}"
    );
    // Where that gives a cell two results, it is asked about.
    all.push(("a/thr256/rw.txt".to_owned(), 64));
    assert!(infer(archive(&all)).unwrap_err().message.contains("a/thr64/rw.txt"));
}

#[test]
fn few_clients_are_not_numbers_of_hosts() {
    let paths = [("node1/rw.txt", 1), ("node2/rw.txt", 2)];
    let all: Vec<(String, u32)> = paths.map(|(path, threads)| (path.to_owned(), threads)).to_vec();
    let (cells, ..) = infer(archive(&all)).unwrap();
    let keys: Vec<&str> = cells.keys().map(String::as_str).collect();
    assert_eq!(keys, ["node1 | rw | 1", "node2 | rw | 2"]);
}

#[test]
fn what_the_user_has_named_keeps_its_name_in_the_next_question() {
    let mut files = Vec::new();
    for clients in [2, 8] {
        for number in 1..=3 {
            for host in ["alpha", "beta"] {
                files.push((format!("in/{clients}/{number}/{host}.txt"), clients));
            }
        }
    }
    let first = infer(archive(&files)).unwrap_err();
    let pattern = &first.suggestions[0].pattern;
    assert_eq!(pattern, "{clients}/{_}/{target}.txt");
    let second = with_patterns(archive(&files), &[pattern]).unwrap_err();
    let patterns: Vec<&str> = second.suggestions.iter().map(|way| way.pattern.as_str()).collect();
    let expected =
        ["{repeat}", "{target}", "{test}"].map(|name| format!("{{clients}}/{name}/{{target}}.txt"));
    assert_eq!(patterns, expected);
    let (cells, ..) = with_patterns(archive(&files), &patterns[..1]).unwrap();
    assert_eq!(cells, grid(&["alpha", "beta"], &["sysbench"], &[2, 8], 3));
    // What differs above the pattern makes it longer.
    let short = with_patterns(archive(&files), &["{target}.txt"]).unwrap_err();
    assert_eq!(short.suggestions[0].pattern, "{repeat}/{target}.txt");
}

#[test]
fn a_suggestion_has_patterns_for_all_files() {
    let files = ["in/a/rw-16.txt", "in/a/rw-16 (1).txt", "in/b/rw-16.txt"];
    let question = infer(archive(&files.map(|file| (file.to_owned(), 16)))).unwrap_err();
    let repeats = &question.suggestions[0];
    assert_eq!(repeats.meaning, "they are repeats", "it fits all files");
    assert_eq!(repeats.pattern, "{target}/rw-{clients} ({repeat}).txt");
    assert_eq!(repeats.more, ["{target}/rw-{clients}.txt"]);
    let both = [repeats.pattern.as_str(), &repeats.more[0]];
    let (cells, _, _, problems) =
        with_patterns(archive(&files.map(|file| (file.to_owned(), 16))), &both).unwrap();
    assert_eq!(cells.values().sum::<usize>(), 3, "{cells:?}");
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn one_odd_name_among_many_is_named_and_the_rest_is_read() {
    let mut files: Vec<(String, u32)> =
        (1..=4).map(|rate| (format!("in/res_rate{rate}0.txt"), 50)).collect();
    files.push(("in/res_high_rate_60.txt".to_owned(), 50));
    let mut parsed = archive(&files);
    let (_, problems) = import::name_trials(&mut parsed, &import::Naming::default()).unwrap();
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(problem.file, "in/res_high_rate_60.txt");
    assert!(problem.message.contains("left out"), "{problem}");
    assert_eq!(parsed.iter().map(|parsed| parsed.trials.len()).sum::<usize>(), 4);
}
