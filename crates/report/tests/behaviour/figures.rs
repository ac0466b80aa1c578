//! What a report says of a task that is no load: all that it knows are figures.

use crate::support;
use analyse::{Analysis, Metric, Verdict, analyse};
use model::{Dataset, Figure, Mark, Outcome, TrialEnd};
use report::{Format, render};
use test_support::imported;

/// A statement on two targets, four times each; on `small` it takes twice as long and spills.
fn dataset() -> Dataset {
    let rows = ["large", "small"].map(|target| format!("{target},scan,elapsed,1,s\n").repeat(4));
    let text = format!("target,test,metric,value,unit\n{}", rows.concat());
    let mut dataset = imported("table", &text);
    for record in &mut dataset.trials {
        let (seconds, bytes) =
            if record.key.target == "small" { (2.0, 65_536.0) } else { (1.0, 0.0) };
        let seconds = seconds + 0.001 * f64::from(record.key.repeat);
        record.end = TrialEnd::Completed(Box::new(Outcome::of_figures(vec![
            Figure::measured(Metric::Elapsed, seconds, 1e-6),
            Figure::measured(Metric::RowsReturned, 7.0, 0.0),
            Figure::measured(Metric::TemporarySpace, bytes, 0.0),
        ])));
    }
    dataset
}

fn rendered(analysis: &Analysis, format: Format) -> String {
    let mut out = Vec::new();
    render(analysis, format, &mut out).unwrap();
    String::from_utf8(out).unwrap().replace('\u{a0}', " ")
}

#[test]
fn figures_of_a_task_are_estimated_compared_and_ranked() {
    let dataset = dataset();
    let analysis = analyse(&dataset);
    let test = &analysis.tests[0];
    assert_eq!(test.basis.unwrap().metric, Metric::Elapsed);
    let [large, small] = test.cells.as_slice() else { panic!("{:?}", test.cells) };
    let point = |cell: &analyse::Cell, metric| cell.estimate(metric).unwrap().point;
    assert!((point(large, Metric::Elapsed) - 1.0025).abs() < 1e-9);
    assert_eq!(point(large, Metric::TemporarySpace), 0.0, "nothing is a figure too");
    assert_eq!(point(small, Metric::TemporarySpace), 65_536.0);
    assert_eq!(point(small, Metric::RowsReturned), 7.0);
    assert!(large.estimate(Metric::Throughput).is_none());
    let [comparison] = test.comparisons.as_slice() else { panic!("{:?}", test.comparisons) };
    assert_eq!((comparison.metric, comparison.verdict), (Metric::Elapsed, Verdict::BaselineBetter));
    let tiers: Vec<Vec<&str>> =
        test.ranking.tiers.iter().map(|tier| tier.iter().map(|p| &*p.target).collect()).collect();
    assert_eq!(tiers, [["large"], ["small"]]);
    assert!(test.curves.is_empty() && test.laws.is_empty() && test.growth.is_empty());
}

#[test]
fn every_format_has_the_metrics_of_the_registry() {
    let dataset = dataset();
    let analysis = analyse(&dataset);

    let json: serde_json::Value = serde_json::from_str(&rendered(&analysis, Format::Json)).unwrap();
    let small = &json["tests"][0]["cells"][1];
    assert_eq!(small["estimates"]["temporary_bytes"]["point"], 65_536.0);
    assert_eq!(small["trials"][0]["figures"]["elapsed_s"], 2.001);
    assert_eq!(small["estimates"].get("throughput"), None);
    assert_eq!(json["tests"][0]["comparisons"][0]["metric"], "elapsed_s");
    assert_eq!(json["trials"][0]["rows_returned"], 7.0);

    let csv = rendered(&analysis, Format::Csv);
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().unwrap();
    let first = lines.next().unwrap();
    let field = |name: &str| first[heading.iter().position(|column| *column == name).unwrap()];
    for metric in Metric::ALL {
        let expected = match metric {
            Metric::Elapsed => "1.001",
            Metric::RowsReturned => "7.0",
            Metric::TemporarySpace => "0.0",
            _ => "",
        };
        assert_eq!(field(&metric.name()), expected, "{metric:?}");
    }

    let markdown = rendered(&analysis, Format::Markdown);
    let heading =
        "| target | time taken, s | rows returned | temporary space, MB | spread | trials |";
    assert!(markdown.lines().any(|line| line == heading), "{markdown}");
    // 65,536 bytes, and seven rows each time.
    assert!(markdown.contains("| 7 | 0.0655"), "{markdown}");
    assert!(markdown.contains("large is faster than small"), "{markdown}");
    let html = rendered(&analysis, Format::Html);
    assert!(html.contains("id=\"elapsed-0\"") && html.contains("id=\"temporary-0\""));
}

#[test]
fn marks_stand_on_the_time_line_of_their_trial() {
    let mut dataset = support::usual();
    let unmarked = rendered(&analyse(&dataset), Format::Html);
    let record = dataset.trials.iter_mut().find(|record| record.load().is_some()).unwrap();
    let position = record.position;
    let TrialEnd::Completed(outcome) = &mut record.end else { panic!("it has a load") };
    let note = Some("in place <b>".to_owned());
    outcome.marks = vec![
        Mark { note, ..Mark::span("ALTER", 2.5, 7.25) },
        Mark { until_seconds: None, ..Mark::span("caught up", 9.0, 9.0) },
    ];
    let analysis = analyse(&dataset);
    let html = rendered(&analysis, Format::Html);
    assert!(html.contains("ALTER, 2.50–7.25 s: in place &lt;b&gt;"));
    assert!(html.contains("caught up, 9.00 s") && html.contains("other marks of what happened"));
    assert!(!unmarked.contains("class=\"moment\"") && !unmarked.contains("Marks of what happened"));

    let json: serde_json::Value = serde_json::from_str(&rendered(&analysis, Format::Json)).unwrap();
    let marks = json["marks"].as_array().unwrap();
    assert_eq!((marks.len(), marks[0]["position"].as_u64()), (2, Some(position.into())));
    assert_eq!((&marks[0]["until_seconds"], &marks[0]["name"]), (&7.25.into(), &"ALTER".into()));
    assert_eq!(marks[1]["until_seconds"], serde_json::Value::Null);
}
