//! What is said of loads on keys speaks of operations and commands.

use super::{sandbox, study, study_of};
use crate::support::{Ran, Workplace};
use model::SearchOver;

/// Words of databases that are none of keys.
const FOREIGN: [&str; 4] = ["transaction", "Transaction", "queries", "rows made"];

/// Asserts that all that people see of the only study here speaks of operations: what the run said,
/// and its reports.
fn speaks_of_operations(place: &Workplace, ran: &Ran) {
    let report = |format| place.weighin(&["report", "cache.toml", "--format", format]).done();
    for (what, text) in [
        ("progress", ran.err.clone()),
        ("the summary", ran.out.clone()),
        ("markdown", report("markdown")),
        ("html", std::fs::read_to_string(&place.files(".html")[0]).unwrap()),
    ] {
        for word in FOREIGN {
            let at = text.find(word).map(|at| text[..at].chars().count());
            let around = at.map(|at| text.chars().skip(at.saturating_sub(80)).take(200));
            let around: Option<String> = around.map(Iterator::collect);
            assert!(around.is_none(), "{what} has «{word}» in «{}»", around.unwrap_or_default());
        }
    }
    assert!(report("markdown").contains("operations/s"), "{}", report("markdown"));
    let csv = report("csv");
    assert!(csv.lines().skip(1).all(|line| line.contains(",operations,")), "{csv}");
}

#[test]
fn closed_loops() {
    let place = Workplace::new();
    let (one, two) = (sandbox("save = \"\""), sandbox("save = \"\", appendonly = true"));
    place.write("cache.toml", study(&[("memory", &one), ("log", &two)]));
    let ran = place.weighin(&["run", "cache.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    speaks_of_operations(&place, &ran);
}

#[test]
fn rates() {
    let place = Workplace::new();
    let test = "keys = 1_000\nvalue_size = 100\nclients = 2\nrate = [50, 3_000_000]\n\
                max_waiting = 1_000\nwarmup = \"100ms\"\nduration = \"500ms\"";
    let target = sandbox("save = \"\"");
    place.write("cache.toml", study_of(&[("one", &target), ("two", &target)], test));
    let ran = place.weighin(&["run", "cache.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    speaks_of_operations(&place, &ran);
    let markdown = place.weighin(&["report", "cache.toml", "--format", "markdown"]).done();
    assert!(markdown.contains("operations/s were offered"), "{markdown}");
}

#[test]
fn searches_for_the_highest_rate_and_the_most_clients() {
    for (search, most, over) in [("rate", 4, SearchOver::Rate), ("clients", 3, SearchOver::Clients)]
    {
        let place = Workplace::new();
        let test = format!(
            "keys = 1_000\nvalue_size = 100\nslo = \"p95 < 200ms\"\nsearch = \"{search}\"\n\
             clients = {most}\nwarmup = \"50ms\"\nduration = \"200ms\""
        );
        let target = sandbox("save = \"\"");
        place.write("cache.toml", study_of(&[("one", &target), ("two", &target)], &test));
        let ran = place.weighin(&["run", "cache.toml"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        speaks_of_operations(&place, &ran);
        for trial in &place.store().dataset().unwrap().trials {
            let search = trial.search.as_ref().unwrap_or_else(|| panic!("{:?}", trial.end));
            assert_eq!(search.over, over);
            assert!(!search.steps.is_empty() && search.answer.met.is_some(), "{search:?}");
        }
    }
}
