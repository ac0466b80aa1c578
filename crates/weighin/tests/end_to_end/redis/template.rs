//! The study of Redis on several volumes, from its template to its report.

use crate::support::Workplace;
use crate::volumes::volumes_can_be_built;

#[test]
fn it_runs_to_its_end_and_answers_with_verdicts_and_break_evens() {
    if !volumes_can_be_built() {
        return;
    }
    let place = Workplace::new();
    place.weighin(&["init", "--template", "redis-volumes", "volumes.toml"]).done();
    // All set-ups and tests, in less time, with fewer keys and repeats, and one level of two: clients in
    // the first test, and in the others a rate, which leaves processors to other tests.
    let text = std::fs::read_to_string(place.path("volumes.toml")).unwrap();
    let text = text
        .replacen("clients = [200, 1000]", "clients = 16", 1)
        .replace("clients = [200, 1000]", "rate = 400")
        .replace("keys = 100_000", "keys = 1_000")
        .replace("size = \"1GiB\"", "size = \"128MiB\"")
        .replace("warmup = \"10s\"", "warmup = \"200ms\"")
        .replace("duration = \"60s\"", "duration = \"2s\"")
        .replace("repeats = 3", "repeats = 1");
    place.write("volumes.toml", text);
    // One repeat after another, each of which a busy machine finishes before a test gives up.
    place.weighin(&["run", "volumes.toml"]).done();
    place.assert_no_server_left();
    place.weighin(&["run", "volumes.toml", "--more", "1"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4 * 4 * 2);
    for trial in &dataset.trials {
        let load = trial.load().unwrap_or_else(|| panic!("{:?}", trial.end));
        assert!(load.measure.transactions > 0, "{}", trial.key);
    }

    let json = place.weighin(&["report", "volumes.toml", "--format", "json"]).json();
    let findings = json["findings"].as_array().unwrap();
    let kind = |found: &serde_json::Value| found["evidence"]["kind"].as_str().unwrap().to_owned();
    assert!(!findings.iter().any(|found| kind(found) == "counter_mismatch"), "{findings:#?}");
    // Every test says of every pair whether they are the same, or that it cannot be told.
    for test in json["tests"].as_array().unwrap() {
        let compared = test["comparisons"].as_array().unwrap();
        let of_throughput = compared.iter().filter(|pair| pair["metric"] == "throughput");
        let verdicts: Vec<&str> =
            of_throughput.map(|pair| pair["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts.len(), 6, "{test:#}");
    }
    // With prices and requests per IO as the study of 2012 has them; it gives 37,500 and 91,500.
    for (pair, printed) in [("nonopt", 37_500.0), ("opt", 91_500.0)] {
        let mut all = json["break_evens"].as_array().unwrap().iter();
        let of = |of: &str| format!("{of}-{pair}");
        let found = all
            .find(|found| found["a"] == *of("standard") && found["b"] == *of("piops"))
            .unwrap_or_else(|| panic!("{:#}", json["break_evens"]));
        assert_eq!(found["outcome"]["kind"], "at", "{found:#}");
        let load = found["outcome"]["load"]["point"].as_f64().unwrap();
        assert!((load / printed - 1.0).abs() < 0.04, "{found:#}");
    }
}
