//! Figures that were consistent before they were rounded are never found wrong; figures that were
//! changed beyond rounding are.

use crate::audit;
use proptest::prelude::*;

/// A number above 0 rounded to so many significant digits, in print.
fn rounded(value: f64, digits: i32) -> String {
    let last = value.log10().floor() as i32 - digits + 1;
    let unit = 10_f64.powi(last);
    let decimals = usize::try_from(-last).unwrap_or(0);
    format!("{:.decimals$}", (value / unit).round() * unit)
}

/// A whole study: rates of one load, a storage test with totals and shares, and a distribution.
#[derive(Clone, Debug)]
struct Truth {
    seconds: f64,
    transactions: u32,
    iops: f64,
    vms: u32,
    digits: i32,
}

fn truths() -> impl Strategy<Value = Truth> {
    (5.0..50_000.0, 1_000_u32..10_000_000, 100.0..900_000.0, 2_u32..60, 3..8).prop_map(
        |(seconds, transactions, iops, vms, digits)| Truth {
            seconds,
            transactions,
            iops,
            vms,
            digits,
        },
    )
}

/// The study in print; `wrong` names a figure that is changed by 11 %.
fn table(truth: &Truth, wrong: Option<&str>) -> String {
    let mut text = "target,test,metric,value,unit\n".to_owned();
    let mut print = |test: &str, metric: &str, value: f64, unit: &str| {
        let changed = wrong == Some(&format!("{test} {metric}"));
        let value = if changed { value * 1.11 } else { value };
        // Counts and times are taken by the letter, so they are printed to the unit at least.
        let letter = matches!(unit, "count" | "s");
        let digits = truth.digits.max(if letter { value.log10() as i32 + 1 } else { 1 });
        text.push_str(&format!("t,{test},{metric},{},{unit}\n", rounded(value, digits)));
    };
    let Truth { seconds, transactions, iops, vms, .. } = *truth;
    let per_s = |count: u32| f64::from(count) / seconds;
    print("oltp", "elapsed", seconds, "s");
    for (name, count) in [("transactions", transactions), ("reads", 14 * transactions)] {
        print("oltp", name, count.into(), "count");
        print("oltp", &format!("{name}_per_s"), per_s(count), "1/s");
    }
    print("oltp", "latency_min", 0.5, "ms");
    print("oltp", "latency_avg", 1e3 / iops + 0.5, "ms");
    print("oltp", "latency_p95", 2e3 / iops + 0.5, "ms");
    print("oltp", "latency_max", 9e3 / iops + 0.5, "ms");
    for (test, share) in [("t1 o8 b4k", 1.0), ("t1 o8 b8k", 0.7), ("t1 o8 b64k", 0.31)] {
        let block = Pattern::block(test);
        let iops = iops * share;
        print(test, "iops_per_volume", iops, "1/s");
        print(test, "iops_per_vm", iops / f64::from(vms), "1/s");
        print(test, "bandwidth_per_volume", iops * block / 1e6, "MB/s");
        print(test, "bandwidth_per_vm", iops * block / 1e6 / f64::from(vms), "MB/s");
    }
    text
}

struct Pattern;

impl Pattern {
    fn block(test: &str) -> f64 {
        let kib = test.rsplit_once('b').unwrap().1.trim_end_matches('k');
        1024.0 * kib.parse::<f64>().unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_was_only_rounded_is_never_found_wrong(truth in truths()) {
        let found = audit(&table(&truth, None));
        prop_assert_eq!(found.figures(), Vec::<String>::new());
        prop_assert!(found.checked >= 15, "{}", found.checked);
    }

    #[test]
    fn what_was_changed_beyond_rounding_is(
        truth in truths(),
        figure in prop::sample::select(vec![
            "oltp transactions_per_s",
            "oltp reads_per_s",
            "oltp reads",
            "oltp elapsed",
            "t1 o8 b8k iops_per_vm",
            "t1 o8 b64k bandwidth_per_volume",
            "t1 o8 b4k bandwidth_per_vm",
        ]),
    ) {
        let found = audit(&table(&truth, Some(figure)));
        prop_assert!(!found.wrong.is_empty());
        // Whatever is named is in the trial that was changed.
        let test = figure.rsplit_once(' ').unwrap().0;
        for (of, _, _, wrong) in &found.wrong {
            prop_assert_eq!(of, test);
            prop_assert!((0.05..0.2).contains(&wrong.relative()), "{:?}", wrong);
        }
    }
}
