//! A study from its file to its reports.

use crate::support::{Workplace, sandbox_study};
use model::Place;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn a_study_ends_in_records_and_reports_that_need_no_server() {
    let place = Workplace::new();
    let study = sandbox_study("warmup = \"1s\"\nduration = \"20s\"");
    place.write("duel.toml", &study);
    let summary = place.weighin(&["run", "duel.toml", "--scale", "0.1"]).done();
    for words in ["one", "two", "Results: ", ".weighin", "Report: ", ".html"] {
        assert!(summary.contains(words), "no «{words}» in {summary}");
    }
    assert!(summary.lines().all(|line| line.chars().count() <= 80), "{summary}");
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.study.source, study);
    assert_eq!(dataset.run.scale, 0.1);
    assert!(dataset.run.host.cpus > 0 && dataset.run.host.memory_bytes > 0);
    assert!(!dataset.run.host.kernel.is_empty() && !dataset.run.host.cpu_model.is_empty());

    let planned: Vec<_> = dataset.plan.trials().map(|trial| (&trial.key, trial.seed)).collect();
    let done: Vec<_> = dataset.trials.iter().map(|trial| (&trial.key, trial.seed)).collect();
    assert_eq!(done, planned);
    assert_eq!(done.len(), 8);
    assert!(dataset.trials.is_sorted_by_key(|trial| trial.started_at));

    let mut seeds = BTreeMap::new();
    for trial in &dataset.trials {
        let load = trial.load().unwrap_or_else(|| panic!("{trial:?}"));
        assert!(load.measure.transactions > 0 && load.ledger.balances(), "{}", trial.key);
        assert_eq!(load.clients, trial.key.level.clients);
        assert!(trial.sampling.before.is_some() && trial.sampling.after.is_some());
        let cell = (trial.key.level, trial.key.repeat);
        let seed = *seeds.entry(cell).or_insert(trial.seed);
        assert_eq!(seed, trial.seed, "both targets get the same work: {}", trial.key);
    }
    let different: BTreeSet<_> = seeds.values().collect();
    assert_eq!(different.len(), 4, "every cell and repeat has a seed of its own: {seeds:?}");

    for (target, flush, sort) in [("one", "0", None), ("two", "2", Some("1048576"))] {
        let facts = dataset.targets.iter().find(|facts| facts.target == target).unwrap();
        let variables = &facts.server.variables;
        assert!(facts.server.version.contains("MariaDB"), "{}", facts.server.version);
        assert!(variables.len() > 300, "only {} variables", variables.len());
        assert_eq!(variables["innodb_flush_log_at_trx_commit"], flush);
        sort.iter().for_each(|sort| assert_eq!(&variables["sort_buffer_size"], sort));
        assert!(facts.server.dataset_bytes.unwrap() > 0);
        assert!(facts.server.prepare_seconds.unwrap() > 0.0);
    }
    assert!(dataset.study.targets.iter().all(|t| matches!(t.place, Place::Sandbox(_))));

    reports(&place);
}

/// All forms, long after the servers have gone.
fn reports(place: &Workplace) {
    let html = std::fs::read_to_string(&place.files(".html")[0]).unwrap();
    assert!(html.contains("<svg") && html.contains("Which is faster?"));
    assert!(!html.contains("http://") || !html.contains("src=\"http"), "needs the network");
    let again = place.weighin(&["report", "duel.toml", "--out", "again.html"]).done();
    assert!(again.contains("again.html"), "{again}");
    assert_eq!(std::fs::read_to_string(place.path("again.html")).unwrap(), html);

    let json = place.weighin(&["report", "duel.toml", "--format", "json"]).json();
    assert_eq!(json["format"], "weighin-report");
    assert_eq!(json["trials"].as_array().unwrap().len(), 8);
    let csv = place.weighin(&["report", "--format", "csv"]).done();
    assert_eq!(csv.lines().count(), 1 + 8, "{csv}");
    let markdown = place.weighin(&["report", "duel.toml", "--format", "markdown"]).done();
    assert!(markdown.starts_with('#') && markdown.contains("| "), "{markdown}");
}

#[test]
fn check_reaches_every_target_and_changes_nothing() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study(""));
    let said = place.weighin(&["check", "duel.toml"]).done();
    assert!(said.contains("ok       one") && said.contains("ok       two"), "{said}");
    assert!(place.files(".weighin").is_empty());
    place.assert_no_server_left();
}

#[test]
fn a_plan_is_shown_without_any_server() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study("warmup = \"1s\"\nduration = \"9s\""));
    let said = place.weighin(&["plan", "duel.toml"]).done();
    assert!(said.starts_with("8 trials in 2 blocks, in the order of seed 5"), "{said}");
    assert_eq!(said.lines().filter(|line| line.contains("oltp")).count(), 8, "{said}");
}

#[test]
fn what_init_writes_is_a_study() {
    let place = Workplace::new();
    place.weighin(&["init", "mine.toml"]).done();
    place.weighin(&["plan", "mine.toml"]).done();
    place.weighin(&["init", "mine.toml"]).refused(2, &["mine.toml", "exists"]);
    // For a pipe.
    let printed = place.weighin(&["init", "-"]).done();
    assert_eq!(printed, std::fs::read_to_string(place.path("mine.toml")).unwrap());
    assert_eq!(place.files("-"), [] as [std::path::PathBuf; 0]);
    place.weighin(&["init", "-", "--schema"]).refused(2, &["--schema", "name the study file"]);
}
