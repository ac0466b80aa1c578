//! Background work of servers in reports: bands over time, tables, sentences.

use crate::support::{self, rendered};
use model::{Act, ActResult, BackgroundWork, Dataset, Intervention, Mark, TrialEnd};
use report::Format;

/// A run in which every trial of the target `durable` made a snapshot from second 5 to second 7.
fn with_snapshots() -> Dataset {
    let mut dataset = support::usual();
    let trials = dataset.trials.iter_mut().filter(|record| record.key.target == "durable");
    for record in trials {
        for (second, sample) in (1..).zip(&mut record.sampling.samples) {
            let counters = sample.counters.as_mut().expect("sampled counters");
            let running = i64::from((6..=7).contains(&second));
            counters.edit(|counters| {
                counters.insert("snapshot_running".into(), running);
                counters.insert("last_fork_micros".into(), 2_000);
                counters.insert("snapshot_copied_bytes".into(), 1 << 20);
            });
        }
    }
    dataset
}

#[test]
fn a_snapshot_is_a_band_in_every_panel_with_what_it_may_and_what_it_must_have_taken() {
    let dataset = with_snapshots();
    let page = rendered(&dataset, Format::Html);
    let completed = |record: &&model::TrialRecord| record.load().is_some();
    let of_target = dataset.trials.iter().filter(|record| record.key.target == "durable");
    // Throughput, processors, dirty pages and six of the disk; the fixture has no latencies by the
    // second.
    let bands = 2 * 9 * of_target.filter(completed).count();
    assert_eq!(page.matches("class=\"event snapshot\"").count(), bands);
    assert!(page.contains("<title>snapshot, 5.00–6.00\u{a0}s to 7.00–8.00\u{a0}s</title>"));
    assert!(page.contains("class=\"patch event snapshot\""), "a legend");
    assert!(page.contains("id=\"background\""));
    let none = rendered(&support::usual(), Format::Html);
    assert!(!none.contains("id=\"background\"") && !none.contains("class=\"event"));
}

#[test]
fn sentences_and_tables_say_what_snapshots_cost() {
    let text = rendered(&with_snapshots(), Format::Markdown).replace('\u{a0}', " ");
    for part in [
        "3 snapshots in 3 of 3 trials: each took 1.00–3.00 s, including 2.00 ms for the fork, and 1.00 MiB of memory",
        " s without it, ",
        "## Interventions and background work",
        "| 5.00–6.00 s | 7.00–8.00 s |",
        "**Interventions and background work.**",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    assert!(!text.contains("| intervention |"), "nobody asked for them");
}

#[test]
fn programs_are_told_for_each_trial_what_it_saw_and_what_that_cost() {
    let csv = rendered(&with_snapshots(), Format::Csv);
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let at = |name: &str| names.iter().position(|known| *known == name).expect(name);
    let mut seen = 0;
    for line in lines.filter(|line| line.contains(",completed,")) {
        let row: Vec<&str> = line.split(',').collect();
        let field = |name: &str| row[at(name)];
        let number = |name: &str| -> f64 { field(name).parse().expect(name) };
        assert_eq!(["load_generators", "generator_share_min"].map(field), ["1", ""], "{line}");
        let found = ["snapshots", "log_rewrites", "delayed_syncs"].map(field);
        if field("target") != "durable" {
            assert_eq!((found, field("quiet_seconds")), ([""; 3], ""), "{line}");
            continue;
        }
        seen += 1;
        assert_eq!(found, ["1", "0", "0"], "{line}");
        // It may have taken the third second to the fifth of the measured ones, and no other.
        assert_eq!(number("touched_seconds"), 3.0, "{line}");
        assert_eq!(number("touched_seconds") + number("quiet_seconds"), number("measured_seconds"));
        let [touched, quiet] = ["touched", "quiet"].map(|part| {
            number(&format!("{part}_seconds")) * number(&format!("{part}_transactions_per_second"))
        });
        assert!((touched + quiet - number("transactions")).abs() < 1e-6, "{line}");
    }
    assert!(seen > 0);
}

#[test]
fn interventions_are_reported_with_what_came_of_them() {
    let mut dataset = with_snapshots();
    let intervention = |name: &str, act| Intervention {
        name: name.to_owned(),
        at: std::time::Duration::from_secs(5),
        act,
        timeout: None,
    };
    dataset.study.tests[0].load_mut().expect("a load").interventions = vec![
        intervention("snapshot", Act::BackgroundWork(BackgroundWork::Snapshot)),
        intervention("alter", Act::Statement("ALTER TABLE t".to_owned())),
    ];
    let refused = "the server refused BGSAVE: ERR Background save already in progress";
    for record in &mut dataset.trials {
        let TrialEnd::Completed(outcome) = &mut record.end else { continue };
        let result = Some(ActResult::Failed);
        let (work, note) = (Some(BackgroundWork::Snapshot), Some(refused.to_owned()));
        let failed = Mark { result, work, note, ..Mark::span("snapshot", 7.0, 7.001) };
        let result = Some(ActResult::CutOff);
        outcome.marks = vec![failed, Mark { result, ..Mark::span("alter", 7.0, 9.5) }];
    }
    let text = rendered(&dataset, Format::Markdown).replace('\u{a0}', " ");
    for part in [
        "The intervention snapshot failed: the server refused BGSAVE: ERR",
        "The intervention alter was still under way when the load ended, 2.50 s after it began; weighin ended it",
        ", snapshot 5 s into the measurement, alter 5 s into the measurement",
        "| 7.00 s | 9.50 s |",
        "snapshot: failed",
        "alter: cut off at the end of the load",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    let page = rendered(&dataset, Format::Html);
    assert!(page.contains("<title>alter, 7.00–9.50 s, cut off at the end of the load</title>"));
    let json: serde_json::Value =
        serde_json::from_str(&rendered(&dataset, Format::Json)).expect("JSON");
    let marks = json["marks"].as_array().expect("marks");
    assert_eq!((&marks[0]["result"], &marks[0]["work"]), (&"failed".into(), &"snapshot".into()));
    assert_eq!((&marks[1]["result"], &marks[1]["name"]), (&"cut_off".into(), &"alter".into()));
}
