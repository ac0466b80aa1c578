//! Reports of what the analysis makes of a dataset, rather than of a made-up analysis.

use crate::support;
use report::{Format, render, terminal_summary};

#[test]
fn every_format_takes_what_the_analysis_gives() {
    for dataset in [support::usual(), support::hostile(), support::single()] {
        let analysis = analyse::analyse(&dataset);
        for format in [Format::Html, Format::Markdown, Format::Json, Format::Csv] {
            let mut out = Vec::new();
            render(&analysis, format, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            for target in &dataset.study.targets {
                // HTML escapes both brackets of a name, Markdown the first, the others none.
                let markdown = target.name.replace('<', "&lt;");
                let html = markdown.replace('>', "&gt;");
                let named =
                    [&target.name, &markdown, &html].iter().any(|n| text.contains(n.as_str()));
                assert!(named, "{format:?} leaves out {}", target.name);
            }
        }
        let summary = terminal_summary(&analysis, 80, false);
        assert!(summary.contains("Trials: "), "{summary}");
    }
}
