//! What counts as a repeat, and which repeats of different targets make pairs.

use import::{Format, Parsed, Problem, Source, Table};
use model::{Dataset, FigureValue, ReadBudget, Task, UnixMillis};

fn parse(file: &str, text: &str) -> Parsed {
    Table.parse(Source { file, text, budget: &ReadBudget::default() })
}

fn assemble(files: Vec<Parsed>) -> (Dataset, Vec<Problem>) {
    import::assemble("x", test_support::run(), files)
}

fn in_turns(dataset: &Dataset) -> bool {
    match &dataset.study.tests[0].task {
        Task::Imported(task) => task.in_turns,
        other => panic!("{other:?}"),
    }
}

/// Target, repeat and first figure of each trial.
fn trials(dataset: &Dataset) -> Vec<(&str, u32, f64)> {
    let number = |figure: &model::Figure| match &figure.value {
        FigureValue::Number(number) => number.value,
        FigureValue::Text(text) => panic!("{text}"),
    };
    let of = |record: &'_ model::TrialRecord| number(&record.outcome().unwrap().figures[0]);
    let each = dataset.trials.iter();
    each.map(|record| (record.key.target.as_str(), record.key.repeat, of(record))).collect()
}

#[test]
fn blocks_make_pairs_and_a_block_that_a_target_lacks_is_a_gap() {
    let table = "target,test,clients,block,metric,value\n\
                 a,t,4,1,transactions_per_s,100\n\
                 b,t,4,1,transactions_per_s,110\n\
                 b,t,4,2,transactions_per_s,111\n\
                 a,t,4,3,transactions_per_s,102\n\
                 b,t,4,3,transactions_per_s,112\n";
    let (dataset, problems) = assemble(vec![parse("a.csv", table)]);
    assert_eq!(problems, []);
    assert!(in_turns(&dataset));
    let all = trials(&dataset);
    assert_eq!(
        all,
        [("a", 1, 100.0), ("b", 1, 110.0), ("b", 2, 111.0), ("a", 3, 102.0), ("b", 3, 112.0)]
    );
    // Whatever the blocks are called, and however many are missing, numbers have no gaps.
    let far = table.replace(",1,transactions", ",101,transactions");
    let far = far.replace(",3,transactions", ",4294967295,transactions");
    let (dataset, _) = assemble(vec![parse("a.csv", &far)]);
    let numbers: Vec<u32> = trials(&dataset).iter().map(|trial| trial.1).collect();
    assert_eq!((dataset.study.repeats, numbers), (3, vec![1, 2, 2, 3, 3]));
    let (dataset, _) = assemble(vec![parse("a.csv", &table.replace("block", "repeat"))]);
    assert!(!in_turns(&dataset), "a number says nothing of when it was");
}

#[test]
fn files_that_number_blocks_each_for_itself_are_not_mixed_up() {
    let heading = "target,test,clients,block,metric,value\n";
    let row = |target: &str, block: u32, value: u32| {
        format!("{target},t,4,{block},transactions_per_s,{value}\n")
    };
    // The first file lacks block 2 of a.
    let first = format!("{heading}{}{}{}", row("a", 1, 11), row("b", 1, 21), row("b", 2, 22));
    let second = format!("{heading}{}{}", row("a", 1, 13), row("b", 1, 23));
    let (dataset, _) = assemble(vec![parse("1.csv", &first), parse("2.csv", &second)]);
    let all = trials(&dataset);
    let expected = [("a", 1, 11.0), ("b", 1, 21.0), ("b", 2, 22.0), ("a", 3, 13.0), ("b", 3, 23.0)];
    assert_eq!(all, expected);
    // Where files hold a target each, a number means the same in both.
    let a = format!("{heading}{}{}", row("a", 1, 11), row("a", 2, 12));
    let b = format!("{heading}{}{}", row("b", 1, 21), row("b", 2, 22));
    let (dataset, _) = assemble(vec![parse("a.csv", &a), parse("b.csv", &b)]);
    assert_eq!(trials(&dataset), [("a", 1, 11.0), ("b", 1, 21.0), ("a", 2, 12.0), ("b", 2, 22.0)]);
}

#[test]
fn dates_that_go_round_the_targets_make_pairs_and_others_do_not() {
    let table = "target,test,clients,repeat,metric,value\n\
                 a,t,4,1,transactions_per_s,100\n\
                 a,t,4,2,transactions_per_s,101\n\
                 b,t,4,1,transactions_per_s,110\n\
                 b,t,4,2,transactions_per_s,111\n";
    // Of the trials in the order of the file: a, b, a, b by repeat.
    for (dates, together) in [([10, 20, 30, 40], true), ([10, 30, 20, 40], false)] {
        let mut parsed = parse("a.csv", table);
        for (trial, date) in parsed.trials.iter_mut().zip(dates) {
            trial.started_at = Some(UnixMillis(date));
        }
        let order: Vec<&str> = parsed.trials.iter().map(|trial| trial.target.as_str()).collect();
        assert_eq!(order, ["a", "b", "a", "b"]);
        assert_eq!(in_turns(&assemble(vec![parsed]).0), together, "{dates:?}");
    }
}

#[test]
fn repeats_are_numbered_by_their_dates() {
    let one = |value: u32| {
        let rows = format!("target,test,clients,metric,value\na,t,4,transactions_per_s,{value}\n");
        let mut parsed = parse(&format!("{value}.csv"), &rows);
        parsed.trials[0].started_at = Some(UnixMillis(1000 - u64::from(value)));
        parsed
    };
    let (dataset, _) = assemble(vec![one(100), one(200)]);
    assert_eq!(trials(&dataset), [("a", 1, 200.0), ("a", 2, 100.0)]);
}

#[test]
fn a_copy_of_a_result_is_no_repeat() {
    let table = "target,test,clients,metric,value\na,t,4,transactions_per_s,1234.56\na,t,4,latency_p95,17.123\n";
    let (dataset, problems) = assemble(vec![parse("a.csv", table), parse("copy.csv", table)]);
    assert_eq!(dataset.trials.len(), 1);
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    let said = problem.to_string();
    assert!(said.starts_with("copy.csv: ") && said.contains("another in a.csv"), "{said}");
    // Coarse figures agree by chance.
    let coarse = table.replace("1234.56", "1200").replace("17.123", "17");
    let (dataset, problems) = assemble(vec![parse("a.csv", &coarse), parse("b.csv", &coarse)]);
    assert_eq!((dataset.trials.len(), problems.len()), (2, 0));
    // What all trials of a cell have in common tells nothing.
    let events = |rate: u32| {
        format!(
            "target,test,clients,metric,value\na,t,4,events,1000000000\na,t,4,transactions_per_s,{rate}\n"
        )
    };
    let files = [1200, 1210, 1200].map(events);
    let names = ["a.csv", "b.csv", "c.csv"];
    let parsed = names.iter().zip(&files).map(|(name, text)| parse(name, text)).collect();
    assert_eq!(assemble(parsed).0.trials.len(), 3);
    // Another level is another cell.
    let other = table.replace(",4,", ",8,");
    assert_eq!(assemble(vec![parse("a.csv", table), parse("b.csv", &other)]).0.trials.len(), 2);
}

/// A table of repeats of one cell: the figures of each, `NAME=VALUE` with spaces between.
fn rows(repeats: &[&str]) -> String {
    let mut table = "target,test,clients,repeat,metric,value\n".to_owned();
    for (number, figures) in (1..).zip(repeats) {
        for figure in figures.split(' ') {
            let (name, value) = figure.split_once('=').unwrap();
            table.push_str(&format!("a,t,4,{number},{name},{value}\n"));
        }
    }
    table
}

#[test]
fn a_row_that_was_copied_is_no_repeat() {
    let one = "transactions_per_s=1234.57 latency_avg=3.238 latency_p95=17.123 latency_p99=31.418 \
               latency_max=148.91";
    let other = "transactions_per_s=1240.11 latency_avg=3.224 latency_p95=17.001 \
                 latency_p99=31.207 latency_max=151.03";
    for copied in [
        one,
        // One figure alone, as a program writes what it has computed.
        "transactions_per_s=1234.567801234567",
    ] {
        let table = rows(&[copied, other, copied]);
        let (dataset, problems) = assemble(vec![parse("a.csv", &table)]);
        assert_eq!(dataset.trials.len(), 2, "{copied}");
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        let line = 2 + copied.split(' ').count() + other.split(' ').count();
        let said = format!("a.csv:{line}: left out a trial of t on a: ");
        assert!(problem.to_string().starts_with(&said), "{problem}");
        assert!(problem.message.contains("the one at line 2, digit by digit"), "{problem}");
        // Whether others of the cell tell them apart or not.
        let (dataset, problems) = assemble(vec![parse("a.csv", &rows(&[copied, copied]))]);
        assert_eq!((dataset.trials.len(), problems.len()), (1, 1), "{copied}");
    }
    // One figure that differs makes it another result.
    let close = one.replace("148.91", "148.92");
    let (dataset, problems) = assemble(vec![parse("a.csv", &rows(&[one, &close]))]);
    assert_eq!((dataset.trials.len(), problems.len()), (2, 0));
}

#[test]
fn rows_of_one_file_may_agree_where_something_explains_it() {
    for (figures, why) in [
        ("transactions_per_s=1234.57 latency_p95=17.123", "few digits"),
        ("transactions_per_s=1235 latency_p95=17 latency_p99=24 latency_max=48", "rounded"),
        ("events=123457891 reads=1728410474 latency_p95=17.12", "numbers that were asked for"),
        ("transactions_per_s=5000.00000000 latency_p95=17.63", "a limit"),
        ("transactions_per_s=1666.66666666667 latency_p95=17.63", "a limit over 60 s"),
        ("transactions_per_s=1234.57 queries_per_s=24691.40 latency_p95=17.12", "one from another"),
        ("latency_avg=123.456 latency_min=123.456 latency_max=123.456", "one value"),
        ("transactions_per_s=0.00 queries_per_s=0.00 latency_avg=0.00", "nothing was done"),
    ] {
        let (dataset, problems) = assemble(vec![parse("a.csv", &rows(&[figures, figures]))]);
        assert_eq!((dataset.trials.len(), problems.len()), (2, 0), "{why}: {problems:?}");
    }
}

/// Repeats that scatter by a tenth of a per cent and are printed as sysbench prints them: of ten
/// thousand pairs and more in each file some agree in all that a table has.
#[test]
fn repeats_that_resemble_each_other_are_all_kept() {
    let mut state = 7_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..30 {
        let repeats: Vec<String> = (0..150)
            .map(|_| {
                let rate = 1234.5 * (1.0 + 0.001 * (random() - 0.5));
                let p95 = [5.57, 5.67, 5.77][(random() * 3.0) as usize];
                format!(
                    "transactions_per_s={rate:.2} queries_per_s={:.2} elapsed={:.4} \
                     latency_avg={:.2} latency_p95={p95:.2}",
                    rate * 20.0,
                    60.0 + 0.002 * random(),
                    4000.0 / rate,
                )
            })
            .collect();
        let repeats: Vec<&str> = repeats.iter().map(String::as_str).collect();
        let (dataset, problems) = assemble(vec![parse("a.csv", &rows(&repeats))]);
        assert_eq!(dataset.trials.len(), repeats.len(), "{problems:?}");
    }
}

#[test]
fn an_output_that_was_pasted_twice_into_one_file_counts_once() {
    let run = include_str!("../fixtures/sysbench/1.0.20.txt");
    let parsed = |text: &str| {
        import::SysbenchText.parse(Source { file: "rw.log", text, budget: &ReadBudget::default() })
    };
    let named = |text: &str| {
        let mut parsed = parsed(text);
        for trial in &mut parsed.trials {
            (trial.target, trial.test) = ("a".to_owned(), "t".to_owned());
        }
        assemble(vec![parsed])
    };
    assert_eq!(named(run).0.trials.len(), 1);
    let (dataset, problems) = named(&format!("{run}\n{run}"));
    assert_eq!(dataset.trials.len(), 1, "{problems:?}");
    assert!(problems.iter().any(|problem| problem.message.contains("left out")), "{problems:?}");
}

#[test]
fn a_target_has_one_number_of_requests_in_an_io() {
    let table = "target,test,metric,value,unit\n\
                 a,price,volume_per_million_io,1,EUR\n\
                 a,price,requests_per_io,40,\n\
                 a,price,requests_per_io,40,\n\
                 a,price,requests_per_io,50,\n";
    let (dataset, problems) = assemble(vec![parse("a.csv", table)]);
    let price = dataset.study.targets[0].price.as_ref().unwrap();
    assert_eq!(price.requests_per_io, Some(40.0));
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(problem.line == 5 && problem.message.contains("40 already"), "{problem}");
}

#[test]
fn reports_of_one_run_in_files_of_their_own_are_one_run() {
    const RANDREAD: &str = include_str!("../fixtures/fio/randread.json");
    // A job that began at that moment, as it was told so many seconds later.
    let report = |file: &str, began: u64, seconds: u64| {
        let at = began + seconds * 1000;
        let text = RANDREAD
            .replace("\"timestamp_ms\": 1795305471982", &format!("\"timestamp_ms\": {at}"))
            .replace("\"runtime\": \"2\"", "\"size\": \"16m\"")
            .replacen("\"groupid\"", &format!("\"job_start\": {began},\n\"groupid\""), 1);
        import::Fio.parse(Source { file, text: &text, budget: &ReadBudget::default() })
    };
    let named = |mut files: Vec<Parsed>| {
        let (_, problems) = import::name_trials(&mut files, &import::Naming::default()).unwrap();
        let kept = files.iter().flat_map(|file| &file.trials).map(|trial| trial.file.clone());
        (kept.collect::<Vec<String>>(), problems)
    };
    const BEGAN: u64 = 1_795_305_469_000;
    let of_one = [("d/snap-1.json", 2), ("d/snap-10.json", 60), ("d/snap-2.json", 30)];
    let (kept, problems) = named(of_one.map(|(file, seconds)| report(file, BEGAN, seconds)).into());
    assert_eq!(kept, ["d/snap-10.json"], "{problems:?}");
    assert_eq!(problems.len(), 2);
    assert!(problems[0].message.contains("of which d/snap-10.json has all"), "{problems:?}");
    // Runs of several disks that began together, and runs one after the other, are what they are.
    let disks = vec![report("diskA/r-1.json", BEGAN, 30), report("diskB/r-2.json", BEGAN, 60)];
    assert_eq!(named(disks).0.len(), 2);
    let repeats =
        vec![report("d/run-1.json", BEGAN, 30), report("d/run-2.json", BEGAN + 40_000, 30)];
    assert_eq!(named(repeats).0.len(), 2);
}
