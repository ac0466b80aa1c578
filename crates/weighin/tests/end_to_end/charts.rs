//! Charts in files of their own.

use crate::support::Workplace;
use std::fmt::Write;
use std::fs;

/// A workplace with a results file of two targets at two levels, made without a server.
fn with_results() -> Workplace {
    let place = Workplace::new();
    let mut table = String::from("target,test,clients,repeat,metric,value,unit\n");
    for (target, speed) in [("one", 1.0), ("two", 1.4)] {
        for (clients, repeat) in [(1, 1), (1, 2), (8, 1), (8, 2)] {
            let rate = f64::from(clients * 100 + repeat) * speed;
            let _ =
                writeln!(table, "{target},oltp,{clients},{repeat},transactions_per_s,{rate},1/s");
        }
    }
    place.write("table.csv", table);
    place.weighin(&["import", "csv", "table.csv", "--out", "run.weighin"]).done();
    place
}

#[test]
fn a_chart_is_drawn_and_replaces_only_its_like() {
    let place = with_results();
    let chart = |more: &[&str]| place.weighin(&[&["chart", "run.weighin"], more].concat());
    let text = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    let said = chart(&["--out", "slide.svg"]).done();
    assert!(said.contains("Wrote slide.svg"), "{said}");
    let light = text("slide.svg");
    let drawing = roxmltree::Document::parse(&light).unwrap();
    let lines = drawing.descendants().filter(|node| node.attribute("class") == Some("line"));
    assert_eq!(lines.count(), 2, "one for each target");
    // An earlier chart is replaced.
    chart(&["--out", "slide.svg", "--theme", "dark", "--width", "640"]).done();
    assert!(text("slide.svg") != light && text("slide.svg").contains("width=\"640\""));
    // The drawing of somebody else is not, unless the user says so.
    place.write("own.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    chart(&["--out", "own.svg"]).refused(2, &["own.svg exists already", "--overwrite"]);
    assert!(text("own.svg").ends_with("/>"));
    chart(&["--out", "own.svg", "--overwrite"]).done();
    assert_eq!(text("own.svg"), light);
    assert_eq!(chart(&["--out", "-"]).done(), light);
}

#[test]
fn what_cannot_be_drawn_says_why_and_writes_nothing() {
    let place = with_results();
    let refused = |more: &[&str], said: &[&str]| {
        let arguments = [&["chart", "run.weighin", "--out", "slide.svg"], more].concat();
        place.weighin(&arguments).refused(2, said);
        assert!(!place.path("slide.svg").exists());
    };
    refused(&["--chart", "sideways"], &["no chart `sideways`", "percentiles"]);
    refused(&["--chart", "pareto"], &["no data", "`price`"]);
    refused(&["--chart", "heatmap"], &["no data"]);
    refused(&["--test", "olap"], &["no test `olap`", "oltp"]);
    refused(&["--repeat", "1"], &["--repeat chooses a trial", "heatmap, trial"]);
    refused(&["--width", "100"], &["--width", "200"]);
    let ending = place.weighin(&["chart", "run.weighin", "--out", "slide.png"]);
    ending.refused(2, &["slide.png does not end in .svg"]);
}
