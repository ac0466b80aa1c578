//! From which load on one target costs less than another.

use super::CostLine;
use super::line::load_that_makes_up;
use findings::{Amount, Outcome, SAME};

/// The load at which two named bills are equal: (difference of the fixed parts) ÷ (difference of
/// the parts for each request).
pub(crate) fn outcome(a: (&str, &CostLine), b: (&str, &CostLine)) -> Outcome {
    // The one with the smaller fixed part first: it costs less at the lowest loads.
    let (low, high) = if a.1.monthly <= b.1.monthly { (a, b) } else { (b, a) };
    let fixed = difference(high.1.monthly, low.1.monthly);
    let slope = low.1.per_million.with(high.1.per_million, difference);
    let always = |cheaper: &str, dearer: &str| Outcome::Always {
        cheaper: cheaper.to_owned(),
        dearer: dearer.to_owned(),
    };
    let at = |slope: Amount| {
        let load = slope.map(|slope| load_that_makes_up(fixed, slope));
        Outcome::At {
            below: low.0.to_owned(),
            above: high.0.to_owned(),
            load,
            monthly: at_break_even(high.1, low.1, load),
        }
    };
    // Without an interval the point is all there is: it gives a load, which will have none either, and
    // nothing that would hold at every load.
    let Some((least, most)) = slope.interval else {
        return match slope.point > 0.0 && fixed > 0.0 {
            true => at(slope),
            false => Outcome::Unresolved,
        };
    };
    if fixed == 0.0 && least == 0.0 && most == 0.0 {
        Outcome::Same
    } else if most <= 0.0 && (fixed > 0.0 || most < 0.0) {
        always(low.0, high.0)
    } else if fixed == 0.0 && least > 0.0 {
        always(high.0, low.0)
    } else if least > 0.0 {
        at(slope)
    } else {
        Outcome::Unresolved
    }
}

/// The bill at the break-even load; of the two lines, equal there, the one that varies less.
fn at_break_even(a: &CostLine, b: &CostLine, load: Amount) -> Amount {
    let (at_a, at_b) = (a.monthly_at(load), b.monthly_at(load));
    let width = |amount: &Amount| amount.interval.map_or(f64::INFINITY, |(low, high)| high - low);
    if width(&at_b) < width(&at_a) { at_b } else { at_a }
}

fn difference(a: f64, b: f64) -> f64 {
    if (a - b).abs() <= SAME * a.abs().max(b.abs()) { 0.0 } else { a - b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(monthly: f64, per_million: f64) -> CostLine {
        measured(monthly, Amount::exact(per_million))
    }

    fn measured(monthly: f64, per_million: Amount) -> CostLine {
        CostLine { currency: "USD".into(), monthly, per_million, growth: None }
    }

    fn outcome_between(a: &CostLine, b: &CostLine) -> Outcome {
        outcome(("a", a), ("b", b))
    }

    fn always(cheaper: &str, dearer: &str) -> Outcome {
        Outcome::Always { cheaper: cheaper.into(), dearer: dearer.into() }
    }

    #[test]
    fn each_case_is_told_from_the_others() {
        assert_eq!(outcome_between(&line(5.0, 1.0), &line(5.0, 1.0)), Outcome::Same);
        assert_eq!(outcome_between(&line(0.1 + 0.2, 1.0), &line(0.3, 1.0)), Outcome::Same);
        assert_eq!(outcome_between(&line(5.0, 1.0), &line(6.0, 1.0)), always("a", "b"));
        assert_eq!(outcome_between(&line(5.0, 1.0), &line(5.0, 0.5)), always("b", "a"));
        assert_eq!(outcome_between(&line(6.0, 1.0), &line(5.0, 0.5)), always("b", "a"));
        assert_eq!(outcome_between(&line(5.0, 1.0), &line(5.0, 2.0)), always("a", "b"));
        let Outcome::At { below, above, load, monthly } =
            outcome_between(&line(9.0, 0.0), &line(5.0, 1.0))
        else {
            panic!("a break-even")
        };
        assert_eq!((below.as_str(), above.as_str(), monthly.point), ("b", "a", 9.0));
        assert!((load.point - 4e6 / 2_628_000.0).abs() < 1e-9 && load.is_exact());
    }

    #[test]
    fn what_was_measured_once_holds_at_no_load_but_one() {
        let once = |point| measured(5.0, Amount { point, interval: None });
        assert_eq!(outcome_between(&once(1.0), &line(6.0, 2.0)), Outcome::Unresolved);
        assert_eq!(outcome_between(&once(1.0), &line(5.0, 1.0)), Outcome::Unresolved);
        let Outcome::At { load, .. } = outcome_between(&once(2.0), &line(6.0, 1.0)) else {
            panic!("a load")
        };
        assert!(load.point > 0.0 && load.interval.is_none(), "{load:?}");
    }

    #[test]
    fn ios_that_may_tip_it_either_way_resolve_nothing() {
        let unsure = Amount { point: 1.0, interval: Some((-0.5, 2.0)) };
        assert_eq!(outcome_between(&measured(5.0, unsure), &line(9.0, 0.0)), Outcome::Unresolved);
        let sure = Amount { point: 1.0, interval: Some((0.5, 2.0)) };
        let Outcome::At { load, .. } = outcome_between(&measured(5.0, sure), &line(9.0, 0.0))
        else {
            panic!("a break-even")
        };
        let (low, high) = load.interval.unwrap();
        assert!((high / load.point - 2.0).abs() < 1e-9 && (load.point / low - 2.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn both_cost_the_same_at_the_break_even_and_the_named_one_less_on_each_side(
            monthly in (0.0..1e4_f64, 0.0..1e4_f64), each in (0.0..10.0_f64, 0.0..10.0_f64),
        ) {
            let (a, b) = (line(monthly.0, each.0), line(monthly.1, each.1));
            let cost = |name: &str, load: f64| {
                (if name == "a" { &a } else { &b }).monthly_at(Amount::exact(load)).point
            };
            match outcome_between(&a, &b) {
                Outcome::At { below, above, load, .. } => {
                    let at = load.point;
                    prop_assert!((cost("a", at) - cost("b", at)).abs() <= 1e-6 * cost("a", at));
                    prop_assert!(cost(&below, at * 0.9) <= cost(&above, at * 0.9));
                    prop_assert!(cost(&above, at * 1.1) <= cost(&below, at * 1.1));
                }
                Outcome::Always { cheaper, dearer } => {
                    for load in [0.0, 1.0, 1e3, 1e6] {
                        prop_assert!(cost(&cheaper, load) <= cost(&dearer, load) * (1.0 + 1e-9));
                    }
                }
                Outcome::Same => prop_assert!((monthly.0 - monthly.1).abs() < 1e-4),
                Outcome::Unresolved => prop_assert!(false, "exact prices decide"),
            }
        }
    }
}
