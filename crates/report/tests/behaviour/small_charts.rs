//! Charts as small as a word: in lists of runs, in a comparison of two, and in a history.

use crate::support;
use analyse::runs::{EarlierRuns, RunPoints, RunResult, compare_runs, history};
use report::site::{BestFigure, ReadState, RunState, SiteRun, SiteSummary, list_part};
use report::{RunName, Runs, RunsFormat, render_history, render_runs};

fn run(number: u64, study: &str, value: f64) -> SiteRun {
    let summary = SiteSummary {
        study: study.to_owned(),
        question: None,
        started_at: model::UnixMillis(1_795_294_000_000 + number * 1000),
        state: RunState::Finished,
        done: 4,
        planned: 4,
        left: None,
        answer: "Choose a.".to_owned(),
        best: Some(BestFigure { of: "oltp: throughput, transactions/s".to_owned(), value }),
    };
    SiteRun {
        id: number.to_string(),
        file: format!("{number}.weighin"),
        state: ReadState::Run(summary),
    }
}

#[test]
fn each_run_of_a_study_stands_in_the_course_of_all_of_them() {
    // The latest comes first in the list.
    let mut runs: Vec<SiteRun> = [(3, 400.0), (2, 100.0), (1, 250.0)]
        .map(|(number, value)| run(number, "duel", value))
        .into();
    let page = list_part(&runs).replace('\u{a0}', " ");
    assert_eq!(page.matches("aria-label=\"3 runs from 100 to 400\"").count(), 3);
    assert!(page.contains("oltp: throughput, transactions/s, best: 400"), "{page}");
    let dots: Vec<&str> =
        page.split("cx=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(dots, ["93", "48", "3"], "each run's own is meant");
    // Two runs are no course, and runs of another study are none of this one.
    runs.push(run(0, "other", 900.0));
    assert_eq!(list_part(&runs).matches("class=\"spark\"").count(), 3);
    runs.remove(0);
    assert!(!list_part(&runs).contains("class=\"spark\""));
}

#[test]
fn a_history_shows_the_course_of_every_figure_in_every_format() {
    let data = support::usual();
    let runs = (0..4).map(|number| RunPoints::from_dataset(format!("{number}.weighin"), &data));
    let found = history(runs.collect());
    let page = render_history(&found, RunsFormat::Html);
    let cells = found.cells.iter().filter(|cell| cell.points.len() == 4).count();
    assert!(cells > 4 && page.matches("class=\"spark\"").count() == cells, "{cells}");
    let markdown = render_history(&found, RunsFormat::Markdown);
    assert_eq!(markdown.matches("▅▅▅▅").count(), cells, "{markdown}");
}

#[test]
fn a_comparison_draws_each_ratio_around_one() {
    let data = support::usual();
    let found = compare_runs(&data, &data, &EarlierRuns::default());
    let name = |file| RunName { file, dataset: &data };
    let runs = Runs { old: name("a"), new: name("b"), found: &found, study: &[] };
    let page = render_runs(&runs, RunsFormat::Html);
    let results = || found.tests.iter().flat_map(|test| &test.results);
    let has_interval = |result: &&RunResult| result.ratio.interval.is_some();
    // What an operation takes is listed over all levels together, where nothing differs.
    let is_listed =
        |result: &&RunResult| result.metric.resource().is_none() || result.level.is_none();
    let drawn = results().filter(is_listed).filter(has_interval).count();
    assert!(drawn > 4 && page.matches("class=\"spark\"").count() == drawn, "{drawn}");
    assert!(page.contains("<h3>What a transaction takes</h3>"), "{page}");
    // The conclusion comes first, and each figure has a table of its own.
    let order = ["By throughput over all levels together the new run is", "What changed"];
    let order = order.map(|words| page.find(words).unwrap_or(usize::MAX));
    assert!(order[0] < order[1] && order[1] < usize::MAX, "{page}");
    let with_tables = ["<h3>throughput, transactions/s</h3>", "<h3>p95 latency, ms</h3>"];
    assert!(with_tables.iter().all(|heading| page.matches(heading).count() == 1), "{page}");
}
