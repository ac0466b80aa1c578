//! Targets that are loaded at once on this machine: `duet`.

use model::{Study, Trial};

const TEST: &str =
    "workload = \"oltp_point_select\"\nwarmup = \"2s\"\nduration = \"20s\"\nclients = [1, 2]";
const PRIVATE: &str = "sandbox = {}";

fn study(head: &str, second: &str, test: &str) -> Result<Study, String> {
    let text = format!(
        "[study]\nname = \"at-once\"\nrepeats = 2\n{head}\n[[target]]\nname = \"x\"\n{PRIVATE}\n\
         [[target]]\nname = \"y\"\n{second}\n[[test]]\nname = \"t\"\n{test}\n"
    );
    study::parse(&text, "at-once.toml").map_err(|error| error.to_string())
}

#[test]
fn targets_and_their_control_are_loaded_at_once_and_change_places() {
    let one_by_one = study("", PRIVATE, TEST).unwrap();
    let duet = study("duet = true", PRIVATE, TEST).unwrap();
    let control = study("duet = true\nnoise_floor = true", PRIVATE, TEST).unwrap();
    let rounds = |study: &Study| -> Vec<usize> {
        let plan = study::expand(study, study.seed);
        let trials: Vec<&Trial> = plan.blocks[0].trials.iter().collect();
        study.rounds(&trials).iter().map(Vec::len).collect()
    };
    assert_eq!(rounds(&one_by_one), [1; 4]);
    assert_eq!((rounds(&duet), rounds(&control)), (vec![2, 2], vec![3, 3]));

    let load = |study: &Study| {
        let plan = study::expand(study, study.seed);
        study::estimate(&plan, study) - study::estimate_set_up(study)
    };
    assert_eq!(load(&duet) * 2, load(&one_by_one));
    let conflicts = study::changes(&one_by_one, &duet).unwrap_err();
    assert!(conflicts.iter().any(|conflict| conflict.change.contains("duet")), "{conflicts:?}");
    let kept = serde_json::to_string(&duet).unwrap();
    assert_eq!(serde_json::from_str::<Study>(&kept).unwrap(), duet);
}

#[test]
fn what_cannot_be_kept_apart_is_refused_with_the_way_round_it() {
    let refused = |head: &str, second: &str, test: &str, words: &[&str]| {
        let head = format!("duet = true\n{head}");
        let error = study(&head, second, test).unwrap_err();
        for word in words {
            assert!(error.contains(word), "no «{word}» in {error}");
        }
    };
    refused("slices = \"5s\"", PRIVATE, TEST, &["`slices` each say", "remove one of the two"]);
    refused("parallel = true", PRIVATE, TEST, &["`parallel` each say"]);
    let running = "url = \"mysql://u@db-2/s\"";
    refused("", running, TEST, &["runs already", "sandbox = {}"]);
    refused(
        "",
        "sandbox = { container = \"docker.io/library/mariadb:11.4\" }",
        TEST,
        &["in a container", "unpacked distribution"],
    );
    refused("", "ssh = \"bench@db-2\"\nsandbox = {}", TEST, &["is on another machine"]);
    let with = |keys: &str| format!("workload = \"oltp_point_select\"\nclients = 1\n{keys}");
    refused("", PRIVATE, &with("transactions = 500"), &["is over when its work is done"]);
    refused("", PRIVATE, &with("cache = \"cold\""), &["cold caches", "remove `cache`"]);
    refused("", PRIVATE, &with("cross_check = true"), &["has a cross-check"]);
    let search = "workload = \"oltp_point_select\"\nclients = [1, 8]\nslo = \"p95 < 20ms\"";
    refused("", PRIVATE, search, &["searches"]);
    let statement = "task = \"statement\"\nstatements = \"sort\"";
    refused("", PRIVATE, statement, &["is no load"]);
    let single = "[study]\nname = \"one\"\nduet = true\n[[target]]\nname = \"x\"\nsandbox = {}\n\
                  [[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n";
    let error = study::parse(single, "one.toml").unwrap_err().to_string();
    assert!(error.contains("`duet` needs two targets"), "{error}");
}
