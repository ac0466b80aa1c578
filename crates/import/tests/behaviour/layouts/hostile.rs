//! Names that nobody would give, and very many of them.

use super::{archive, infer, with_patterns};
use proptest::prelude::*;
use std::time::{Duration, Instant};

#[test]
fn braces_and_control_characters_are_names_like_others() {
    let odd = ["{x}", "\u{1b}[31mred", "a\tb", "}{", "%s", "день", "\u{202e}abc", "--out"];
    for name in odd {
        let files: Vec<(String, u32)> = [1, 8, 64]
            .iter()
            .flat_map(|&threads| {
                [name, "other"].map(|target| (format!("in/{target}/rw-{threads}.txt"), threads))
            })
            .collect();
        match infer(archive(&files)) {
            Ok((cells, understood, _)) => {
                assert_eq!(cells.len(), 6, "{name}: {cells:?}");
                let (pattern, ..) = understood.pattern.unwrap();
                with_patterns(archive(&files), &[&pattern]).unwrap();
            }
            Err(question) => assert!(!question.message.is_empty()),
        }
    }
    let braces = [("{a}-16.txt".to_owned(), 16), ("{b}-16.txt".to_owned(), 16)];
    let question = infer(archive(&braces)).unwrap_err();
    let pattern = &question.suggestions[0].pattern;
    assert_eq!(pattern, "{{{target}}}-{clients}.txt");
    let (cells, ..) = with_patterns(archive(&braces), &[pattern]).unwrap();
    assert_eq!(cells.keys().collect::<Vec<_>>(), ["a | sysbench | 16", "b | sysbench | 16"]);
}

#[test]
fn thousands_of_files_are_named_in_a_moment() {
    let mut files = Vec::new();
    for kernel in 0..10 {
        for config in 0..15 {
            for test in ["oltp_read_only", "oltp_write_only", "oltp_point_select"] {
                for threads in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
                    let path =
                        format!("in/K{kernel}-{test}/mysql{config}-BP25/thr{threads}/res.txt");
                    files.push((path, threads));
                }
            }
        }
    }
    let parsed = archive(&files);
    let begin = Instant::now();
    let (cells, ..) = infer(parsed).unwrap();
    assert_eq!(cells.len(), 4500);
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn patterns_of_many_names_on_names_of_many_signs_end_in_a_moment() {
    let file = format!("in/{}x", "-".repeat(200));
    let pattern: String = (0..30).map(|at| format!("{{a{at}}}-")).collect();
    let begin = Instant::now();
    let (cells, .., problems) =
        with_patterns(archive(&[(file, 1)]), &[&format!("{pattern}.txt")]).unwrap();
    assert!(cells.is_empty() && problems[0].message.contains("fits no --layout"), "{problems:?}");
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever files are called: no panic, and never two of different names in one cell without a
    /// word that says that they are repeats.
    #[test]
    fn no_two_files_become_repeats_by_accident(
        names in proptest::collection::btree_set("[a-c0-3]{1,3}([-_./{}][a-c0-3rw]{1,4}){0,3}", 1..6),
    ) {
        let files: Vec<(String, u32)> = names
            .iter()
            .map(|name| name.replace("//", "/").trim_matches('/').to_owned())
            .filter(|name| !name.is_empty())
            .map(|name| (name, 16))
            .collect();
        if let Ok((cells, ..)) = infer(archive(&files)) {
            let repeated = files.iter().any(|(name, _)| {
                name.contains('r') && name.contains(|c: char| c.is_ascii_digit())
            });
            prop_assert!(repeated || cells.values().all(|count| *count == 1), "{files:?}: {cells:?}");
        }
    }
}
