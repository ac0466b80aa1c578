//! Loads that end after so many operations.

use model::Study;
use std::time::Duration;

fn study(keys: &str) -> Result<Study, String> {
    let text = format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"t\"\nsandbox = {{}}\n[[test]]\n{keys}\n"
    );
    study::parse(&text, "s").map_err(|error| error.to_string())
}

#[test]
fn a_load_ends_after_a_time_or_after_so_many_transactions() {
    let load = |keys: &str| {
        let keys = format!("workload = \"oltp_read_only\"\nclients = [1]\n{keys}");
        let study = study(&keys).unwrap();
        let load = study.tests[0].load().unwrap();
        (load.operations, load.duration)
    };
    assert_eq!(load(""), (None, Duration::from_secs(30)));
    assert_eq!(load("transactions = 5"), (Some(5), Duration::from_secs(3_600)));
    let both = load("transactions = 1_000_000_000_000\ntime_limit = \"2m\"");
    assert_eq!(both, (Some(1_000_000_000_000), Duration::from_secs(120)));
}

#[test]
fn what_goes_with_a_duration_only_is_refused_beside_an_amount() {
    for (keys, part) in [
        ("clients = [1]\nduration = \"9s\"", "duration cannot stand beside transactions"),
        ("rate = [10]", "rate cannot stand beside transactions"),
        ("slo = \"p95 < 5ms\"", "slo cannot stand beside transactions"),
        ("clients = [1]\ncross_check = true", "cross_check cannot stand beside transactions"),
        ("clients = [1]\ntime_limit = \"0s\"", "time_limit must be more than zero"),
    ] {
        let keys = format!("workload = \"oltp_read_only\"\ntransactions = 7\n{keys}");
        let said = study(&keys).unwrap_err().replace('`', "");
        assert!(said.contains(part), "{said}");
    }
    let refused = |keys: &str| {
        study(&format!("workload = \"oltp_read_only\"\nclients = [1]\n{keys}")).unwrap_err()
    };
    assert!(refused("transactions = 0").contains("from 1 to 1000000000000"));
    let said = refused("time_limit = \"1s\"").replace('`', "");
    assert!(said.contains("time_limit applies only with transactions"), "{said}");
    assert!(refused("operations = 7").contains("operations"));
}
