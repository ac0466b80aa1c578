//! What is said of results that others printed: rates, stalls, figures that were rounded alike.

use crate::support::{analysis, rendered};
use analyse::capacity::{self, Question};
use import::{Parsed, Source, Table};
use model::{Dataset, ReadBudget};
use report::Format;

fn imported(text: &str) -> Dataset {
    let parsed: Parsed = import::Format::parse(
        &Table,
        Source { file: "results.csv", text, budget: &ReadBudget::default() },
    );
    let (dataset, problems) = import::assemble("results", test_support::run(), vec![parsed]);
    assert_eq!(problems, []);
    dataset
}

fn markdown(dataset: &Dataset) -> String {
    rendered(dataset, Format::Markdown).replace('\u{a0}', " ")
}

/// What `weighin advise` answers.
fn advice(dataset: &Dataset, question: &Question) -> String {
    let analysis = analysis(dataset);
    let answers = capacity::answers(&analysis, question);
    let said = report::terminal_answers(&answers, question, &analysis, (1_000, false));
    said.replace('\u{a0}', " ")
}

fn at_rate(rate: f64) -> Question {
    Question { rate: Some(rate), ..Question::default() }
}

#[track_caller]
fn says(page: &str, sentence: &str) {
    assert!(page.contains(sentence), "not said: {sentence}\n{page}");
}

#[test]
fn a_rate_of_which_92_percent_were_reached_is_not_sustained() {
    let data = imported(include_str!("../fixtures/rates-92-percent.csv"));
    let page = markdown(&data);
    says(&page, "**Choose b at 1,000/s; it is undecided between a and b at 500/s.**");
    says(
        &page,
        "a sustains 500/s, with a p95 response time of 4.97 ms (95 % interval 4.69–5.32), and falls \
         behind at 1,000/s.",
    );
    says(&page, "| a | 920 (919–921) | overloaded |");
    let said = advice(&data, &at_rate(1_000.0));
    says(
        &said,
        "1,000 transactions/s: no, trials fell behind the offered rate: 920 transactions/s (95 % \
         interval 919–921) at 1,000/s [trials 1, 2, 3, 4 and 5].",
    );
    says(&said, "Sufficient: b.");
}

#[test]
fn at_rates_p95_decides() {
    let data = imported(include_str!("../fixtures/rates-p95-3x.csv"));
    let page = markdown(&data);
    says(&page, "**Choose fast at every level from 500/s to 1,000/s.**");
    says(
        &page,
        "fast is faster than slow at 500/s and 1,000/s: slow has 2.90–2.96 × its p95 latency (95 % \
         intervals within 2.65–3.17).",
    );
    assert!(!page.contains("have the same throughput"), "{page}");
}

#[test]
fn a_rate_is_sustained_where_the_interval_reaches_it() {
    let table = |printed: [u32; 3]| {
        let mut table = String::from("target,test,concurrency,rate,block,metric,value,unit\n");
        for (block, printed) in (1..).zip(printed) {
            table += &format!("a,w,8,1000,{block},transactions_per_s,{printed}.5,1/s\n");
        }
        advice(&imported(&table), &at_rate(1_000.0))
    };
    says(&table([970, 1_000, 985]), "a: yes");
    says(&table([990, 991, 992]), "a: yes");
    says(&table([985, 986, 987]), "a: no");
    // Less than nine tenths is no chance, whatever the others say.
    says(&table([999, 1_000, 850]), "a: not known");
}

#[test]
fn an_answer_that_rests_on_many_levels_names_the_highest_and_is_not_cut() {
    let data = crate::support::usual();
    let said = advice(&data, &at_rate(50_000.0));
    assert!(!said.contains("in all)"), "{said}");
    let of = |target: &str| {
        let at = said.find(&format!("{target}: ")).unwrap();
        said[at..].lines().nth(1).unwrap().to_owned()
    };
    // Of 32 clients the first has no result.
    assert!(of("durable").ends_with("; lower at 4 other levels."), "{said}");
    assert!(of("durable").contains("no throughput at 32 clients"), "{said}");
    assert!(of("relaxed").contains("at 32 clients [trials"), "{said}");
    assert!(of("relaxed").ends_with("; lower at 5 other levels."), "{said}");
}

#[test]
fn a_stall_stands_first_and_makes_a_yes_unknown() {
    let data = imported(include_str!("../fixtures/stalls.csv"));
    let page = markdown(&data);
    says(
        &page,
        "**Nothing succeeded in 1 of 5 trials of t0 at 4 clients and 2 of 5 trials of t0 at 16 \
         clients. It is undecided between t0 and t1 at 1 client.**",
    );
    says(&page, "2,630 transactions/s (median of 5, without interval) at 16 clients");
    assert!(!page.contains("measured once"), "{page}");
    let findings = page.split_once("## Findings").unwrap().1;
    let first = findings.lines().find(|line| line.starts_with("- ")).unwrap();
    assert!(
        first.starts_with("- Nothing succeeded in 1 of 5 repeats")
            && first.contains("Where: w, t0 at 4"),
        "{first}"
    );
    let said = advice(&data, &Question { clients: Some(16), ..Question::default() });
    says(
        &said,
        "16 clients: not known, in some trials nothing succeeded: 2,630 transactions/s (median of 5, \
         without interval) at 16 clients [trials 1, 2, 3, 4 and 5; nothing succeeded in 2 of them].",
    );
    says(&said, "Sufficient: t1 for 100.00 EUR a month.");
    let said = advice(&data, &at_rate(2_000.0));
    says(&said, "2,000 transactions/s: not known, in some trials nothing succeeded:");
}

#[test]
fn figures_that_were_rounded_alike_are_told_apart() {
    let data = imported(include_str!("../fixtures/rounded-alike.csv"));
    let page = markdown(&data);
    says(
        &page,
        "**Choose any of a and b at 1 client: they are the same within 3 %; choose b at 8 clients.**",
    );
    says(&page, "b is faster than a at 8 clients: 2.00 × its throughput (95 % interval");
}

#[test]
fn an_import_says_that_its_targets_took_no_turns() {
    let blocks = include_str!("../fixtures/rounded-alike.csv");
    let said = "drift between targets (nothing in the imported results says that they took turns).";
    assert!(!markdown(&imported(blocks)).contains("took turns"));
    says(&markdown(&imported(&blocks.replacen("block", "repeat", 1))), said);
}

#[test]
fn one_outlier_moves_no_mean_away_from_its_levels() {
    // Levels of 0.97, 1.01 and 1.00; at one a trial of half the speed.
    let data = imported(include_str!("../fixtures/verdicts/overall-outside-its-levels.csv"));
    let analysis = analysis(&data);
    let overall = &analysis.tests[0].overall[0];
    let levels = analysis.tests[0].comparisons.iter();
    let levels = levels.filter(|one| one.metric == overall.metric).map(|one| one.ratio.point);
    let (low, high) = levels
        .fold((f64::MAX, 0.0), |(low, high): (f64, f64), point| (low.min(point), high.max(point)));
    assert!((low..=high).contains(&overall.ratio.point), "{:?}", overall.ratio);
    assert!((overall.ratio.point - 1.0).abs() < 0.02, "{:?}", overall.ratio);
}

#[test]
fn no_law_has_its_peak_below_a_level_that_still_rises() {
    let data =
        imported(include_str!("../fixtures/verdicts/law-peak-below-a-level-that-still-rises.csv"));
    let page = markdown(&data);
    says(&page, "it still rises at the highest level measured");
    says(&page, "Throughput rises towards a ceiling of 15,800 transactions/s");
}

#[test]
fn one_level_of_twelve_that_differs_is_found() {
    let data = imported(include_str!(
        "../fixtures/verdicts/sparse-20-percent-at-one-of-12-levels-unresolved.csv"
    ));
    let analysis = analysis(&data);
    let differ: Vec<u32> = analysis.tests[0]
        .comparisons
        .iter()
        .filter(|one| one.verdict == analyse::Verdict::CandidateBetter)
        .map(|one| one.level.clients)
        .collect();
    assert_eq!(differ.len(), 1, "{differ:?}");
}

#[test]
fn repeats_without_blocks_are_not_said_to_be_pairs() {
    let text = include_str!("../fixtures/rates-p95-3x.csv");
    let same_block = "with both figures from the same block";
    let in_turns = markdown(&imported(text));
    says(&in_turns, same_block);
    says(&in_turns, "÷ that of the second, repeat by repeat, with");
    let page = markdown(&imported(&text.replacen(",block,", ",repeat,", 1)));
    assert!(!page.contains(same_block), "{page}");
    says(&page, "their repeats are no pairs");
    says(&page, "÷ that of the second, over all repeats of each, which are no pairs, with");
}

#[test]
fn twice_the_offered_rate_supports_no_conclusion() {
    let mut text = "target,test,concurrency,rate,block,metric,value,unit\n".to_owned();
    for block in 1..=5 {
        for (target, served, p95) in [("a", 2_000, 4.1), ("b", 1_000, 8.2)] {
            let served = f64::from(served) + 0.3 * f64::from(block) - 0.9;
            let p95 = p95 + 0.01 * f64::from(block);
            text.push_str(&format!(
                "{target},w,8,1000,{block},transactions_per_s,{served:.2},1/s\n\
                 {target},w,8,1000,{block},latency_p95,{p95:.3},ms\n"
            ));
        }
    }
    let page = markdown(&imported(&text));
    says(&page, "b sustains 1,000/s");
    for unsaid in ["a sustains", "Choose a", "a is better", "a is faster"] {
        assert!(!page.contains(unsaid), "«{unsaid}» in {page}");
    }
}

#[test]
fn nothing_is_chosen_where_the_time_that_decides_is_printed_as_zero() {
    let mut table = String::from("target,test,concurrency,repeat,metric,value,unit\n");
    for repeat in 1..=4 {
        let figures = ["0".to_owned(), format!("1.0{repeat}"), format!("2.0{repeat}")];
        for (target, p95) in ["a", "b", "c"].iter().zip(figures) {
            table += &format!("{target},w,8,{repeat},latency_p95,{p95},ms\n");
        }
    }
    let page = markdown(&imported(&table));
    says(
        &page,
        "Nothing is chosen at 8 clients: the figure that decides is printed there as 0 for a, which \
         may be the best of all.",
    );
    says(&page, "Not ranked, because the figure that decides is printed as 0: a.");
    says(&page, "| a | – | – | this figure is printed as 0 |");
    assert!(!page.contains("Choose b"), "{page}");
}
