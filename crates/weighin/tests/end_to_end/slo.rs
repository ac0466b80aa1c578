//! Searches for the highest load under a bound on latency.

use crate::support::{Workplace, number, prepared, sandbox_study, whole};
use model::{SearchAnswer, SearchOver};

#[test]
fn a_study_searches_for_the_highest_rate_on_each_target_and_reports_it() {
    let place = Workplace::new();
    let keys = "slo = \"p95 < 60ms\"\nclients = 4\nmax_waiting = 100\non_conflict = \"retry\"\n\
                warmup = \"100ms\"\nduration = \"400ms\"";
    place.write("duel.toml", sandbox_study(keys).replace("clients = [1, 2]\n", ""));
    let plan = place.weighin(&["plan", "duel.toml"]).done();
    assert!(plan.contains("4 trials") && plan.contains("?") && plan.contains("about"), "{plan}");
    place.weighin(&["run", "duel.toml"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4, "one for each target and repeat");
    for trial in &dataset.trials {
        assert_eq!(trial.key.level.search, Some(SearchOver::Rate));
        let search = trial.search.as_ref().unwrap_or_else(|| panic!("{:?}", trial.end));
        assert!(search.capacity.is_some_and(|rate| rate > 0.0));
        assert!((2..=16).contains(&search.steps.len()), "{:?}", search.steps);
        assert_eq!(search.answer, SearchAnswer::from_steps(&search.steps));
        let decided = search.answer.met.or(search.answer.missed);
        let load = trial.load().expect("a search that ended has a load");
        assert_eq!(load.open.as_ref().map(|open| open.rate), decided);
        assert_eq!(load.clients, 4);
    }

    let page = place.weighin(&["report", "duel.toml", "--format", "markdown"]).done();
    for words in ["p95 &lt; 60 ms", "highest rate, transactions/s", "p95 latency, ms"] {
        assert!(page.contains(words), "no «{words}» in {page}");
    }
    assert!(!page.contains("At its peak"), "{page}");
    let json = place.weighin(&["report", "duel.toml", "--format", "json"]).json();
    let steps = json.pointer("/tests/0/search/targets/1/searches/1/steps").unwrap();
    assert!(steps.as_array().is_some_and(|steps| steps.len() >= 2), "{steps}");
    assert_eq!(json["trials"][0]["slo"], "p95 < 60 ms");
    assert_eq!(json["trials"][0]["search"], "rate");
}

#[test]
fn a_search_by_hand_tells_its_steps_and_its_answer() {
    let place = Workplace::new();
    let server = prepared(&place);
    let base = ["--workload=oltp_point_select", "--table-size=1000", "--duration=300ms"];
    let load = |more: &[&str]| {
        let arguments: Vec<&str> = base.iter().chain(more).copied().collect();
        server.weighin(&place, "load", &arguments)
    };
    // Nothing is that fast.
    let rate = ["--slo", "p50 < 1us", "--clients=4", "--max-waiting=50", "--warmup=0s", "--json"];
    let json = load(&rate).json();
    assert!(json["met"].is_null() && number(&json, "/missed") > 0.0, "{json:#}");
    assert!(number(&json, "/capacity") > number(&json, "/missed"), "{json:#}");
    assert_eq!(number(&json, "/load/open_loop/rate"), number(&json, "/missed"));
    // Nothing is that slow.
    let clients = ["--slo", "max <= 1000s", "--search=clients", "--clients=3"];
    let text = load(&clients).done();
    let found = ["3 clients: max ", "max <= 1000 s is met at 3 clients, the highest tried"];
    for words in found {
        assert!(text.contains(words), "no «{words}» in {text}");
    }
    let json = load(&[clients.as_slice(), &["--json"]].concat()).json();
    assert_eq!((whole(&json, "/load/clients"), json["missed"].is_null()), (3, true));
    assert_eq!(json["steps"][0]["verdict"], "met");
}

#[test]
fn bounds_that_cannot_be_meant_are_wrong_usage() {
    let place = Workplace::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        let mut all = vec!["load", "mysql://u@127.0.0.1:1/d", "--workload=oltp_read_only"];
        all.extend(arguments);
        place.weighin(&all).refused(2, words);
    };
    refused(&["--slo", "p95 < 20"], &["no unit", "20ms"]);
    refused(&["--slo", "p95 < 20ms", "--rate", "5"], &["--rate"]);
    refused(&["--search", "clients"], &["--slo"]);
}
