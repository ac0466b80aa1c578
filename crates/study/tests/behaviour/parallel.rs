//! Targets side by side: `parallel`.

use model::{Study, Trial};

const HOSTS: &str = "[[load_host]]\nname = \"a\"\nssh = \"bench@a\"\n\
                     [[load_host]]\nname = \"b\"\nssh = \"bench@b\"\n\
                     [[load_host]]\nname = \"c\"\nssh = \"bench@c\"\n";

fn target(name: &str, keys: &str) -> String {
    format!("[[target]]\nname = \"{name}\"\n{keys}\n")
}

fn server(name: &str, load_host: &str) -> String {
    let keys = format!("url = \"mysql://u@db-{name}/sbtest\"\nload_hosts = [{load_host}]");
    target(name, &keys)
}

fn study(head: &str, targets: &str, test: &str) -> Result<Study, String> {
    let text =
        format!("[study]\nname = \"abreast\"\n{head}\n{targets}[[test]]\nname = \"t\"\n{test}\n");
    study::parse(&text, "abreast.toml").map_err(|error| error.to_string())
}

fn three() -> String {
    HOSTS.to_owned() + &server("x", "\"a\"") + &server("y", "\"b\"") + &server("z", "\"c\"")
}

const READS: &str = "workload = \"oltp_point_select\"\nwarmup = \"1s\"\nduration = \"9s\"";

/// The targets of each round of the first block.
fn rounds(study: &Study) -> Vec<Vec<String>> {
    let plan = study::expand(study, study.seed);
    let trials: Vec<&Trial> = plan.blocks[0].trials.iter().collect();
    let rounds = study.rounds(&trials);
    let positions: Vec<u32> = rounds.iter().flatten().map(|trial| trial.position).collect();
    let mut all = positions.clone();
    all.sort_unstable();
    assert_eq!(all, (1..=trials.len() as u32).collect::<Vec<_>>(), "each trial once");
    let names = |round: &Vec<&Trial>| {
        let mut names: Vec<String> = round.iter().map(|trial| trial.key.target.clone()).collect();
        assert!(round.iter().all(|trial| trial.key.level == round[0].key.level));
        names.sort_unstable();
        names
    };
    rounds.iter().map(names).collect()
}

#[test]
fn all_targets_run_a_test_at_a_level_at_once_and_the_control_by_itself() {
    let levels = format!("{READS}\nclients = [1, 2]");
    let one_by_one = study("repeats = 3", &three(), &levels).unwrap();
    assert_eq!(rounds(&one_by_one).len(), 6);
    let abreast = study("repeats = 3\nparallel = true", &three(), &levels).unwrap();
    assert_eq!(rounds(&abreast), [["x", "y", "z"], ["x", "y", "z"]]);
    // The order is that of the same study without.
    let plan = |study: &Study| study::expand(study, study.seed);
    assert_eq!(plan(&abreast), plan(&one_by_one));
    let control = "repeats = 3\nparallel = true\nnoise_floor = true";
    let control = study(control, &three(), &levels).unwrap();
    let mut found = rounds(&control);
    found.sort();
    let (all, alone) = (vec!["x", "y", "z"], vec!["x (again)"]);
    assert_eq!(found, [all.clone(), all, alone.clone(), alone]);

    let kept = serde_json::to_string(&abreast).unwrap();
    assert_eq!(serde_json::from_str::<Study>(&kept).unwrap(), abreast);
    let conflicts = study::changes(&one_by_one, &abreast).unwrap_err();
    assert_eq!(conflicts.len(), 1);
    assert!(conflicts[0].change.contains("parallel"), "{conflicts:?}");
}

#[test]
fn a_plan_takes_as_long_as_the_longest_of_those_that_run_at_once() {
    let estimate = |study: &Study| {
        let plan = study::expand(study, study.seed);
        let set_up = study::estimate_set_up(study);
        (study::estimate(&plan, study) - set_up).as_secs_f64()
    };
    let levels = format!("{READS}\nclients = [1, 2]");
    let one_by_one = estimate(&study("repeats = 3", &three(), &levels).unwrap());
    let abreast = estimate(&study("repeats = 3\nparallel = true", &three(), &levels).unwrap());
    assert!((one_by_one / abreast - 3.0).abs() < 1e-6, "{one_by_one} {abreast}");
    let control = "repeats = 3\nparallel = true\nnoise_floor = true";
    let control = estimate(&study(control, &three(), &levels).unwrap());
    assert!((control / abreast - 2.0).abs() < 1e-6, "{control} {abreast}");
}

#[test]
fn what_cannot_run_side_by_side_is_refused_with_the_way_round_it() {
    let two = |first: &str, second: &str| format!("{HOSTS}{first}{second}");
    let (x, y) = (server("x", "\"a\", \"c\""), server("y", "\"b\""));
    let on = |name: &str, more: &str| server(name, more);
    let reads = format!("{READS}\nclients = 2");
    let statement = "task = \"statement\"\nstatements = \"sort\"";
    let ssh = |name: &str, host: &str| server(name, host) + "ssh = \"admin@one\"\n";
    let address = |name: &str, host: &str| {
        let keys = format!("url = \"mysql://u@db-1/{name}\"\nload_hosts = [{host}]");
        target(name, &keys)
    };
    for (targets, test, words) in [
        (format!("{HOSTS}{}", on("x", "\"a\", \"b\", \"c\"")), &reads, "needs two targets"),
        (
            two(&x, &on("y", "\"a\", \"b\"")),
            &reads,
            "the targets `x` and `y` share the load host `a`",
        ),
        (on("x", "") + &on("y", ""), &reads, "share the machine that weighin runs on, which makes"),
        (
            target("x", "url = \"mysql://u@db-x/s\"") + &target("y", "url = \"mysql://u@db-y/s\""),
            &reads,
            "share the machine that weighin runs on, which makes",
        ),
        (
            target("x", "sandbox = {}") + &y.replace("\"b\"", ""),
            &reads,
            "the target `x` is on the machine that weighin runs on",
        ),
        (two(&ssh("x", "\"a\", \"c\""), &ssh("y", "\"b\"")), &reads, "share the machine admin@one"),
        (
            two(&address("x", "\"a\", \"c\""), &address("y", "\"b\"")),
            &reads,
            "share the machine db-1",
        ),
        (on("x", "") + &on("y", ""), &statement.to_owned(), "the test `t` is no load"),
    ] {
        let said = study("parallel = true", &targets, test).unwrap_err();
        assert!(said.contains(words) && said.contains("help"), "no «{words}» in:\n{said}");
        // Without it they are fine, but for what has nothing to do with it.
        if let Err(said) = study("parallel = false", &targets, test) {
            assert!(!said.contains("parallel"), "{said}");
        }
    }
    // This machine can make the loads of one of them.
    let text = two(&on("x", ""), &on("y", "\"a\", \"b\", \"c\""));
    study("parallel = true", &text, &format!("{READS}\nclients = 3")).unwrap();
}
