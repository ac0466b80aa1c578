//! Conditional rules from curves of which the answer is known.

use crate::support::{Noise, dataset, found};
use analyse::{Choice, Evidence, Span, analyse};

fn clients(span: &Span) -> Vec<u32> {
    span.levels.iter().map(|level| level.clients).collect()
}

fn only(target: &str) -> Choice {
    Choice::Only { target: target.to_owned() }
}

#[test]
fn study_000_s_answer_is_ec2_for_few_connections_and_rds_for_many() {
    // EC2 is linear to 16 clients and flat after; RDS is behind at first, three times ahead at 256.
    let levels = [1, 2, 4, 8, 16, 32, 64, 128, 256];
    let mut noise = Noise::new(5);
    let data = dataset(&["ec2", "rds"], &levels, 6, |target, clients, _| {
        let clients = f64::from(clients);
        let speed =
            if target == "ec2" { 100.0 * clients.min(16.0) } else { (60.0 * clients).min(4800.0) };
        speed * noise.factor(0.01)
    });
    let analysis = analyse(&data);
    let spans = &analysis.tests[0].advice;
    let [few, many] = spans.as_slice() else { panic!("two rules: {spans:?}") };
    assert_eq!((clients(few), &few.choice), (vec![1, 2, 4, 8, 16], &only("ec2")));
    assert_eq!((clients(many), &many.choice), (vec![32, 64, 128, 256], &only("rds")));
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::Advice(_))).len(), 1);
}

#[test]
fn what_is_the_same_and_what_is_not_resolved_are_told_apart() {
    let data = dataset(&["a", "b", "slow"], &[1, 8], 6, |target, clients, repeat| {
        let scatter = [0.8, 1.3, 0.9, 1.2, 0.7, 1.4][repeat as usize - 1];
        // Of no order: figures that rise from repeat to repeat are noise that lasts.
        let little = f64::from(repeat * 7 % 5);
        match (target, clients) {
            ("slow", _) => 100.0 + little,
            ("b", 8) => 10_000.0 * scatter,
            _ => 10_000.0 + little,
        }
    });
    let both = || vec!["a".to_owned(), "b".to_owned()];
    let choices: Vec<Choice> =
        analyse(&data).tests[0].advice.iter().map(|span| span.choice.clone()).collect();
    let (same, open) = (Choice::Same { targets: both() }, Choice::Unresolved { targets: both() });
    assert_eq!(choices, [same, open]);
}

#[test]
fn a_target_alone_gives_no_rule() {
    let data = dataset(&["a"], &[1, 8], 3, |_, _, _| 1000.0);
    let analysis = analyse(&data);
    assert!(analysis.tests[0].advice.is_empty());
    assert!(found(&analysis, |e| matches!(e, Evidence::Advice(_))).is_empty());
}
