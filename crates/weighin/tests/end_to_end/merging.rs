//! Runs of one study, put into one results file.

use crate::support::{Workplace, light_study};
use model::Dataset;
use std::fs;
use store::Store;

const SHORT: &str = "warmup = \"100ms\"\nduration = \"300ms\"";

fn dataset(place: &Workplace, file: &str) -> Dataset {
    Store::open(&place.path(file)).unwrap().dataset().unwrap()
}

#[test]
fn two_runs_become_one_that_reports_and_goes_on() {
    let place = Workplace::new();
    place.write("duel.toml", light_study(SHORT));
    for file in ["a.weighin", "b.weighin"] {
        place.weighin(&["run", "duel.toml", "--store", file]).done();
    }
    let inputs = || ["a.weighin", "b.weighin"].map(|file| fs::read(place.path(file)).unwrap());
    let before = inputs();
    let said = place.weighin(&["merge", "all.weighin", "a.weighin", "b.weighin"]).done();
    assert!(said.contains("b.weighin: 8 trials on ") && said.contains("all.weighin: 16 trials"));
    assert_eq!(inputs(), before);
    let (a, b, all) = (
        dataset(&place, "a.weighin"),
        dataset(&place, "b.weighin"),
        dataset(&place, "all.weighin"),
    );
    assert_eq!(all.trials[..8], a.trials);
    for (merged, own) in all.trials[8..].iter().zip(&b.trials) {
        assert_eq!((merged.key.repeat, merged.position), (own.key.repeat + 2, own.position + 8));
        assert_eq!(
            (&merged.end, &merged.sampling, merged.seed),
            (&own.end, &own.sampling, own.seed)
        );
        assert_eq!((merged.started_at, merged.finished_at), (own.started_at, own.finished_at));
    }
    let [extension] = &all.run.extensions[..] else { panic!("{:?}", all.run.extensions) };
    assert_eq!(extension.merged_from.as_deref(), Some("b.weighin"));
    assert_eq!((&extension.host, extension.at), (&b.run.host, b.run.started_at));
    let report = place.weighin(&["report", "all.weighin", "--format", "markdown"]).done();
    assert!(
        report.contains("the first run: 8 trials; on ") && report.contains("b.weighin, started")
    );
    // Nobody looked in between.
    assert!(!report.contains("after results could be seen"), "{report}");
    let more = place.weighin(&["run", "duel.toml", "--store", "all.weighin", "--more", "1"]);
    more.done();
    assert_eq!(dataset(&place, "all.weighin").trials.len(), 20);

    let merge = |arguments: &[&str]| place.weighin(&[&["merge"], arguments].concat());
    merge(&["all.weighin", "a.weighin", "b.weighin"]).refused(3, &["all.weighin"]);
    merge(&["twice.weighin", "a.weighin", "a.weighin"]).refused(2, &["the same trial"]);
    merge(&["twice.weighin", "a.weighin", "all.weighin"]).refused(2, &["the same trial"]);
    place.write("duel.toml", light_study(SHORT).replace("300ms", "400ms"));
    place.weighin(&["run", "duel.toml", "--store", "other.weighin"]).done();
    merge(&["o.weighin", "a.weighin", "other.weighin"])
        .refused(2, &["of another study", "duration"]);
    for file in ["twice.weighin", "o.weighin"] {
        assert!(!place.path(file).exists(), "{file}");
    }
}
