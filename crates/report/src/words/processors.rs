//! The processors that virtual machines have among them, in words.

use crate::numbers;
use analyse::{Evidence, Finding, VmProcessors};
use model::{Oversubscription, Storage};
use stats::Estimate;

/// The processors that virtual machines are held to: `with 2 processors among them (4 virtual ones to
/// each)`; `None` where they are held to none.
pub fn shared(storage: &Storage) -> Option<String> {
    let (asked, count) = storage.oversubscription.zip(storage.processors())?;
    let among = if storage.vms == 1 { "" } else { " among them" };
    Some(format!("with {}{among} ({})", processors(count), to_each(asked)))
}

/// `1 processor`, `0.5 processors`: whole where it is whole, else with two decimals at most.
fn processors(count: f64) -> String {
    let plural = if count == 1.0 { "" } else { "s" };
    format!("{} processor{plural}", (count * 100.0).round() / 100.0)
}

/// How many virtual processors share one.
fn to_each(asked: Oversubscription) -> String {
    format!("{} to each", processors(asked.ratio).replace("processor", "virtual processor"))
}

/// Whether one sentence can say both.
pub(super) fn alike(a: &VmProcessors, b: &VmProcessors) -> bool {
    (a.vms, a.asked, a.period) == (b.vms, b.asked, b.period)
}

/// How busy the processors of virtual machines were, at one level or at several alike.
pub(super) fn used(findings: &[&Finding]) -> String {
    let all: Vec<&VmProcessors> = findings
        .iter()
        .filter_map(|finding| match &finding.evidence {
            Evidence::VmProcessors(processors) => Some(processors),
            _ => None,
        })
        .collect();
    let Some(first) = all.first() else { return String::new() };
    let (busy, held_back) = match all.as_slice() {
        [_] => (share(&first.busy), share(&first.held_back)),
        several => {
            let range = |of: fn(&VmProcessors) -> f64| {
                let values = || several.iter().map(|processors| of(processors));
                let low = values().fold(f64::INFINITY, f64::min);
                numbers::percents((low, values().fold(0.0, f64::max)))
            };
            (range(|p| p.busy.point), range(|p| p.held_back.point))
        }
    };
    let had = processors(first.count);
    let whose = match first.vms {
        1 => format!("the virtual machine had {had}"),
        vms => format!("the {} virtual machines had {had} among them", numbers::count(vms.into())),
    };
    let of_periods = if all.iter().all(|processors| processors.held_back.point == 0.0) {
        "never held back".to_owned()
    } else {
        format!("held back in {held_back} of the periods of {}", numbers::duration(first.period))
    };
    format!(
        "{whose} ({}), used {busy} of their time, and {} {of_periods}",
        to_each(first.asked),
        if first.vms == 1 { "was" } else { "were" },
    )
}

/// A share with its interval, in percent.
fn share(share: &Estimate) -> String {
    let percent = share.map(|share| share * 100.0);
    match percent.interval {
        // A share of nothing in every repeat has none.
        None if share.n > 1 => numbers::percent(share.point),
        _ => numbers::estimate(&percent, "%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyse::{Severity, Subject};
    use std::time::Duration;

    fn finding(vms: u32, busy: &[f64], held_back: &[f64]) -> Finding {
        let estimate = |values: &[f64]| {
            let sample = stats::Sample::new(values.to_vec()).unwrap();
            Estimate::of_median(&sample, 0.95)
        };
        let asked = Oversubscription { vcpus: 1, ratio: 4.0 };
        let evidence = Evidence::VmProcessors(VmProcessors {
            vms,
            asked,
            count: asked.processors(vms),
            busy: estimate(busy),
            held_back: estimate(held_back),
            held_back_per_second: estimate(&[0.0]),
            period: Duration::from_millis(100),
        });
        Finding { severity: Severity::Notice, subject: Subject::default(), evidence }
    }

    #[test]
    fn what_virtual_machines_had_and_used_is_one_sentence() {
        let one = finding(8, &[0.93, 0.93], &[0.41, 0.41]);
        assert_eq!(
            used(&[&one]),
            "the 8 virtual machines had 2 processors among them (4 virtual processors to each), \
             used 93.0 % (95\u{a0}% interval 93.0) of their time, and were held back in 41.0 % \
             (95\u{a0}% interval 41.0) of the periods of 100\u{a0}ms"
        );
        let idle = finding(1, &[0.105], &[0.0]);
        assert_eq!(
            used(&[&idle]),
            "the virtual machine had 0.25 processors (4 virtual processors to each), used 10.5 % \
             (measured once, so without interval) of their time, and was never held back"
        );
        let other = finding(8, &[0.35], &[0.0]);
        assert!(alike_of(&one, &other) && !alike_of(&one, &idle));
        let both = used(&[&one, &other]);
        assert!(both.contains("used 35–93\u{a0}% of their time"), "{both}");
        assert!(both.contains("held back in 0–41\u{a0}% of the periods of 100\u{a0}ms"), "{both}");
    }

    fn alike_of(a: &Finding, b: &Finding) -> bool {
        match (&a.evidence, &b.evidence) {
            (Evidence::VmProcessors(a), Evidence::VmProcessors(b)) => alike(a, b),
            _ => false,
        }
    }
}
