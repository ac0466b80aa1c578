//! Transactions of the user's own with what loads can do: rates, searches under a bound, cold caches, load
//! generators, interventions, repeats that end by themselves, and a target beside itself.

use crate::support::Workplace;
use model::TrialRecord;

const SCHEMA: &str = "CREATE TABLE item (id INT PRIMARY KEY, stock INT NOT NULL);";

/// A study of small trials with these keys of the study, targets and keys of the test.
fn place(study: &str, targets: &str, test: &str) -> Workplace {
    let place = Workplace::new();
    place.write("schema.sql", SCHEMA);
    place.write(
        "own.toml",
        format!(
            "[study]\nname = \"own\"\nseed = 4\n{study}\n{targets}\n[[test]]\nname = \"items\"\n\
             workload = \"transactions\"\nset = {{ items = 500 }}\nsetup = \"schema.sql\"\n\
             load = [{{ table = \"item\", rows = \":items\", columns = {{ id = \"sequence\", stock = {{ integer = [9, 9] }} }} }}]\n\
             {test}\n\
             [[test.transaction]]\nname = \"look\"\nweight = 3\nslo = \"max < 1us\"\n\
             sql = ['\\set i random(1, :items)', 'SELECT stock FROM item WHERE id = :i']\n\
             [[test.transaction]]\nname = \"sell\"\nretry = \"deadlock\"\n\
             sql = ['\\set i random(1, :items)', 'UPDATE item SET stock = stock - 1 WHERE id = :i']\n"
        ),
    );
    place
}

const ONE: &str = "[[target]]\nname = \"one\"\nsandbox = { trusted = true }";

fn run(place: &Workplace) -> (String, Vec<TrialRecord>) {
    let ran = place.weighin(&["run", "own.toml"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.out, ran.err);
    place.assert_no_server_left();
    let trials = place.store().dataset().unwrap().trials;
    assert!(trials.iter().all(|trial| trial.outcome().is_some()), "{trials:?}");
    (ran.out.split_whitespace().collect::<Vec<_>>().join(" "), trials)
}

/// Offered rates over two processes, with an intervention, caches cold.
#[test]
fn rates_from_several_generators_with_cold_caches_and_an_intervention() {
    let test = "rate = [40, 80]\nload_generators = 2\nwarmup = \"0s\"\nduration = \"3s\"\ncache = \"cold\"\n\
                invariant = [{ name = \"all items\", sql = \"SELECT COUNT(*) FROM item\", gives = 500 }]\n\
                [[test.intervention]]\nat = \"500ms\"\nname = \"look at all\"\n\
                statement = \"SELECT SUM(stock) FROM item\"";
    let place = place("repeats = 1", ONE, test);
    let (said, trials) = run(&place);
    assert_eq!(trials.len(), 2);
    for trial in &trials {
        let load = trial.load().unwrap();
        assert!(load.by_transaction.len() == 2 && load.ledger.failed == 0, "{load:?}");
        let data = trial.outcome().unwrap().data.as_ref().unwrap();
        assert_eq!((data.checked, data.broken.len()), (1, 0));
        assert!(trial.interventions().any(|mark| mark.name == "look at all"));
    }
    // Every look takes longer than its bound lets it, at both rates.
    assert!(said.contains("The transaction `look` misses its bound of max < 1 µs"), "{said}");
    assert!(said.contains("transaction target per second"), "{said}");
}

/// A search for the highest rate under a bound on the whole.
#[test]
fn a_search_keeps_the_bounds_of_the_whole_and_of_a_transaction() {
    let test = "slo = \"p95 < 500ms\"\nwarmup = \"200ms\"\nduration = \"1s\"\nclients = 8";
    let place = place("repeats = 1", ONE, test);
    let text = std::fs::read_to_string(place.path("own.toml")).unwrap();
    place.write("own.toml", text.replace("max < 1us", "p95 < 400ms"));
    let (_, trials) = run(&place);
    assert!(trials[0].search.is_some(), "{:?}", trials[0]);
}

/// A target beside itself, repeats that end by themselves, figures by name over both.
#[test]
fn repeats_end_by_themselves_with_a_target_beside_itself() {
    let targets = format!("{ONE}\n[[target]]\nname = \"two\"\nsandbox = {{ trusted = true }}");
    let study = "repeats = { min = 2, max = 3, until = \"resolved\" }\nnoise_floor = true";
    let test = "clients = 2\nwarmup = \"0s\"\ntransactions = 300";
    let place = place(study, &targets, test);
    let (_, trials) = run(&place);
    let targets: std::collections::BTreeSet<&str> =
        trials.iter().map(|trial| trial.key.target.as_str()).collect();
    assert!(targets.len() >= 2 && trials.len() >= 6, "{targets:?} {}", trials.len());
    assert!(trials.iter().all(|trial| trial.load().unwrap().by_transaction.len() == 2));
}
