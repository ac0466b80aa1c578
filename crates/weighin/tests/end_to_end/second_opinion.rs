//! The installed sysbench beside every trial.

use crate::support::{Workplace, sandbox_study};
use model::{OpinionEnd, Turn};

#[test]
fn sysbench_repeats_every_trial_in_turns_and_the_report_says_what_it_found() {
    let place = Workplace::new();
    let keys = "warmup = \"1s\"\nduration = \"5s\"\nsecond_opinion = true";
    place.write("duel.toml", sandbox_study(keys));
    place.weighin(&["run", "duel.toml", "--scale", "0.2"]).done();
    place.assert_no_server_left();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 8);
    for trial in &dataset.trials {
        let opinion = trial.second_opinion.as_ref().expect("sysbench was asked");
        let turn = if trial.key.repeat == 1 { Turn::After } else { Turn::Before };
        assert_eq!(opinion.turn, turn);
        assert!(opinion.tool.starts_with("sysbench 1."), "{}", opinion.tool);
        let OpinionEnd::Measured(figures) = &opinion.end else { panic!("{opinion:?}") };
        assert!(figures.transactions > 0 && figures.cpu_seconds > 0.0, "{figures:?}");
        assert!(figures.elapsed.as_secs_f64() >= 1.0);
    }

    let text = place.weighin(&["report", "duel.toml", "--format", "markdown"]).done();
    assert!(text.contains("weighin measured") && text.contains("sysbench 1."), "{text}");
}
