//! Order entry: its consistency conditions hold after every trial, on both products, and after a crash; and
//! one that does not is found.

use crate::support::{Server, Workplace, wait_for};
use model::TrialRecord;

/// A small study of these targets, with these lines of its test.
fn study(targets: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"orders\"\nrepeats = 1\n{targets}\n[[test]]\nworkload = \"transactions\"\n\
         built_in = \"order-entry\"\nset = {{ warehouses = 2, customers = 30, items = 300 }}\n\
         clients = 4\nwarmup = \"0s\"\n{test}\n"
    )
}

const MARIA: &str = "[[target]]\nname = \"maria\"\nsandbox = {}\n";
const POSTGRES: &str = "[[target]]\nname = \"pg\"\nkind = \"postgresql\"\nsandbox = {}\n";

fn completed(place: &Workplace, trials: usize) -> Vec<TrialRecord> {
    let records = place.store().dataset().unwrap().trials;
    assert_eq!(records.len(), trials);
    assert!(records.iter().all(|record| record.load().is_some()), "{records:?}");
    records
}

fn broken(record: &TrialRecord) -> Vec<String> {
    let data = record.outcome().unwrap().data.as_ref().unwrap();
    assert_eq!(data.checked, 4, "{data:?}");
    data.broken.iter().map(|broken| broken.name.clone()).collect()
}

#[test]
fn its_conditions_hold_after_every_trial_on_both_products() {
    let place = Workplace::new();
    let test = "clients = [1, 8]\ntransactions = 1_500";
    let study = study(&format!("{MARIA}{POSTGRES}"), test).replace("clients = 4\n", "");
    place.write("orders.toml", study);
    let ran = place.weighin(&["run", "orders.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for record in completed(&place, 4) {
        assert_eq!(broken(&record), [""; 0]);
        let load = record.load().unwrap();
        let done: Vec<(&str, u64)> =
            load.by_transaction.iter().map(|one| (one.name.as_str(), one.ok)).collect();
        assert_eq!(done.iter().map(|(_, ok)| ok).sum::<u64>(), 1_500, "{:?}", load.errors);
        // Of the rarest about 60.
        assert!(done.len() == 5 && done.iter().all(|(_, ok)| *ok > 10), "{done:?}");
        let of = |name: &str| load.by_statement.iter().find(|one| one.name == name);
        // About 7 of 675; none in one of 900 trials.
        let rolled_back = of("new_order: ROLLBACK").map_or(0, |one| one.ok);
        assert!(rolled_back < 40, "{rolled_back}");
        let lines = of("new_order: write line").unwrap();
        let orders = of("new_order: write order").unwrap();
        assert!(lines.ok > 8 * orders.ok && lines.ok < 12 * orders.ok, "{lines:?} {orders:?}");
        assert_eq!(of("delivery: remove new order").map(|one| one.failed), Some(0));
    }
    place.assert_no_server_left();
}

#[test]
fn a_row_that_is_changed_by_hand_breaks_a_condition() {
    let place = Workplace::new();
    let test = "duration = \"8s\"\n[[test.intervention]]\nat = \"100ms\"\n\
         statement = \"UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2\"";
    place.write("orders.toml", study(&MARIA.replace("{}", "{ trusted = true }"), test));
    let ran = place.weighin(&["run", "orders.toml"]);
    let record = completed(&place, 1).remove(0);
    assert_eq!(broken(&record), ["1: a warehouse has taken what its districts have"]);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("a warehouse has taken what its districts have"), "{said}");
    assert!(said.contains("1 void"), "{said}");
}

#[test]
fn its_conditions_hold_after_the_server_was_killed_in_a_trial() {
    let mut server = Server::start();
    let target = format!(
        "[[target]]\nname = \"db\"\nurl = \"{}\"\npassword_file = \"{}\"\n",
        server.url(),
        server.password_file().display()
    );
    let place = Workplace::new();
    let keys = "writes = true\nrestore = \"none\"\n";
    place.write("killed.toml", study(&target, &format!("{keys}duration = \"60s\"")));
    let mut run = place.start(&["run", "killed.toml", "--allow-writes"]);
    run.wait_for_line("starting");
    wait_for("orders in the middle of a trial", || server.counters()["Com_commit"] > 300);
    host::local::os::kill(server.sandbox.pid()).unwrap();
    let ran = run.end();
    assert!(ran.err.contains("FAILED"), "{}", ran.err);

    server.sandbox.start_again().unwrap();
    // What was there before the kill is there, and no more is made: the trial checks what the crash has left.
    let orders = server.query("SELECT COUNT(*) FROM orders").remove(0).parse::<u64>().unwrap();
    assert!(orders > 2 * 10 * 30 + 50, "{orders}");
    place.write("after.toml", study(&target, &format!("{keys}transactions = 20")));
    let ran = place.weighin(&["run", "after.toml", "--allow-writes", "--store", "after.weighin"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("tables were there"), "{}", ran.err);
    let after = place.path("after.weighin");
    let dataset = store::Store::open(&after).unwrap().dataset().unwrap();
    assert_eq!(broken(&dataset.trials[0]), [""; 0]);
}

#[test]
fn it_is_a_template_and_an_option_of_loads() {
    let place = Workplace::new();
    place.weighin(&["init", "--template", "order-entry", "orders.toml"]).done();
    place.weighin(&["plan", "orders.toml"]).done();
    place.write("wrong.toml", study(MARIA, "").replace("order-entry", "order-entries"));
    place
        .weighin(&["plan", "wrong.toml"])
        .refused(2, &["no built-in workload `order-entries`", "did you mean `order-entry`?"]);
    place.write("both.toml", study(MARIA, "setup = \"x.sql\""));
    place.weighin(&["plan", "both.toml"]).refused(2, &["`setup` stands beside `built_in`"]);
    place.write("none.toml", study(MARIA, "").replace("warehouses = 2", "warehouses = 0"));
    place.weighin(&["plan", "none.toml"]).refused(2, &["`rows` of warehouse comes to 0"]);
}
