//! A study that offers load at rates.

use crate::support::{Workplace, sandbox_study};
use model::{ArrivalProcess, Level};

/// More than four connections can carry anywhere, since each waits for the server's reply.
const TOO_MUCH: u32 = 1_000_000;

#[test]
fn a_study_offers_its_rates_and_reports_the_one_that_is_too_high_as_overloaded() {
    let place = Workplace::new();
    let keys = format!(
        "rate = [20, {TOO_MUCH}]\nclients = 4\narrivals = \"uniform\"\nmax_waiting = 50\n\
         on_conflict = \"retry\"\nwarmup = \"500ms\"\nduration = \"1s\""
    );
    let study = sandbox_study(&keys).replace("clients = [1, 2]\n", "");
    place.write("duel.toml", &study);
    let plan = place.weighin(&["plan", "duel.toml"]).done();
    assert!(plan.contains("rate") && plan.contains("1000000/s"), "{plan}");
    place.weighin(&["run", "duel.toml"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 8);
    for trial in &dataset.trials {
        let Level { clients, rate, .. } = trial.key.level;
        let load = trial.load().unwrap_or_else(|| panic!("{:?}", trial.end));
        let open = load.open.as_ref().expect("an open loop");
        assert_eq!((load.clients, clients), (4, 4));
        assert_eq!(Some(open.rate), rate.map(f64::from));
        assert_eq!((open.process, open.max_waiting), (ArrivalProcess::Uniform, 50));
        if rate == Some(TOO_MUCH) {
            assert!(load.is_overloaded() && load.ledger.dropped > 0, "{:?}", load.ledger);
        } else {
            assert_eq!(open.scheduled, 20, "uniform arrivals of one second");
        }
    }

    let report = place.weighin(&["report", "duel.toml", "--format", "markdown"]).done();
    assert!(report.contains("| overloaded | overloaded | overloaded |"), "{report}");
    assert!(report.contains("response times"), "{report}");
    assert!(!report.contains("(a closed loop)"), "{report}");
}
