//! A study that measures its first target twice.

use crate::support::{Workplace, sandbox_study};
use std::collections::BTreeSet;

#[test]
fn the_first_target_runs_twice_on_servers_of_its_own() {
    let place = Workplace::new();
    let study = sandbox_study("warmup = \"100ms\"\nduration = \"3s\"");
    // Reads alone: a p95 takes 72 transactions, and a slow disk syncs fewer in that time, or a busy machine.
    let study = study.replace("oltp_read_write", "oltp_point_select");
    place.write("duel.toml", study.replace("seed = 5", "seed = 5\nnoise_floor = true"));
    place.weighin(&["run", "duel.toml"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    let aa_control = dataset.study.aa_control.as_ref().unwrap();
    assert_eq!(aa_control.name, "one (again)");
    assert_eq!(dataset.study.targets.len(), 2, "the A/A control is no candidate");
    assert_eq!(dataset.trials.len(), 12);
    assert!(dataset.trials.iter().all(|trial| trial.load().is_some()));
    let sockets: BTreeSet<&String> =
        dataset.targets.iter().map(|facts| &facts.server.variables["socket"]).collect();
    assert_eq!(sockets.len(), 3, "three servers: {sockets:?}");

    let analysis = analyse::analyse(&dataset);
    let floors = &analysis.tests[0].floors;
    assert_eq!(floors.len(), 2, "throughput and the 95th percentile of latency: {floors:?}");
    assert!(floors.iter().all(|floor| floor.factor > 1.0 && floor.ratios.len() == 2));
    let mut html = Vec::new();
    report::render(&analysis, report::Format::Html, &mut html).unwrap();
    let html = String::from_utf8(html).unwrap();
    assert!(html.contains("noise floor of throughput is ±"));
}
