//! Searches for the highest rate that replicas sustain.

use crate::support::{Workplace, not_tested};
use model::{SearchAnswer, SearchOver, StepVerdict};

/// A serial applier whose every commit waits in vain for others.
const COMMIT_MILLIS: f64 = 4.0;
/// The lag that is allowed, and the length of a step with its warm-up.
const LAG_MILLIS: f64 = 300.0;
const STEP_MILLIS: f64 = 1_100.0;

#[test]
fn the_highest_rate_is_what_the_slower_replica_applies() {
    let place = Workplace::new();
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"sustained\"\nrepeats = 1\n\
             [[target]]\nname = \"pair\"\n[target.sandbox]\nreplicas = 1\nrestart = false\n\
             settings = {{ innodb_flush_log_at_trx_commit = 0 }}\n\
             replica_settings = {{ binlog_commit_wait_count = 100, \
             binlog_commit_wait_usec = {} }}\n\
             [[test]]\nname = \"sustained\"\ntask = \"search\"\n\
             workload = \"oltp_update_non_index\"\ntable_size = 1000\nclients = 2\n\
             replica_lag = \"{LAG_MILLIS}ms\"\nwarmup = \"100ms\"\nduration = \"1s\"\n",
            COMMIT_MILLIS * 1e3
        ),
    );
    let plan = place.weighin(&["plan", "study.toml"]).done();
    assert!(plan.contains("1 trial"), "{plan}");
    let ran = place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
    place.assert_no_server_left();
    assert!(ran.contains("replicas at most 0.3 s behind"), "{ran}");

    let dataset = place.store().dataset().unwrap();
    let [trial] = dataset.trials.as_slice() else { panic!("{:?}", dataset.trials) };
    let search = trial.search.as_ref().unwrap_or_else(|| panic!("{:?}", trial.end));
    assert_eq!((search.over, search.bound.replica_lag_ms), (SearchOver::Rate, Some(300)));
    assert_eq!(search.answer, SearchAnswer::from_steps(&search.steps));
    // On a busy machine a step may be over before the lag has been read.
    assert!(search.steps.iter().any(|step| step.lag_ms.is_some()), "{:#?}", search.steps);
    // What the primary does beyond what the replica applies becomes lag, of which so much is allowed.
    let most = 1e3 / COMMIT_MILLIS / (1.0 - LAG_MILLIS / STEP_MILLIS);
    if search.capacity.is_some_and(|capacity| capacity <= most) {
        return not_tested("the primary is no faster than the replica here");
    }
    let lagging = |step: &&model::SearchStep| step.verdict == StepVerdict::Lagging;
    assert!(search.steps.iter().any(|step| lagging(&step)), "{:#?}", search.steps);
    let (Some(met), Some(capacity)) = (search.answer.met, search.capacity) else {
        panic!("{search:#?}")
    };
    assert!(met <= most, "{met}/s, and a replica applies no more than {most}/s: {search:#?}");
    assert!(met < capacity, "{search:#?}");

    for format in ["html", "markdown", "json", "csv"] {
        let file = format!("report.{format}");
        let option = format!("--format={format}");
        place.weighin(&["report", "kept.weighin", &option, "--out", &file]).done();
        let text = std::fs::read_to_string(place.path(&file)).unwrap();
        let parts: &[&str] = match format {
            "html" | "markdown" => {
                &["replicas at most 0.3 s behind", "replication lag, ms", "replicas lag"]
            }
            "json" => &["\"replica_lag_ms\": 300", "\"verdict\": \"lagging\"", "lag_ms"],
            _ => &["replicas at most 0.3 s behind"],
        };
        for part in parts {
            assert!(text.contains(part), "no {part} in {format}: {text}");
        }
    }
}
