//! What the units of price lists are in a bill.

use model::PriceUnit;

/// Gigabytes in a gibibyte.
const GIBIBYTE: f64 = 1.073_741_824;

/// What a unit of a list is in a bill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ListUnit {
    pub(super) per: PriceUnit,
    /// How many of the list's are one of the bill's.
    pub(super) times: f64,
    /// The same where the study says how many are paid for: they are counted as the list counts them.
    pub(super) times_as_sold: f64,
    /// Whether it is known only from the study how many are paid for, as with provisioned IOs.
    pub(super) needs_quantity: bool,
}

/// `None` of one that a load says nothing of. It may begin with a number: of `100 Hours` one is a hundred.
pub(super) fn unit(written: &str) -> Option<ListUnit> {
    let (number, name) = split_number(written.trim())?;
    let of = |per, times: f64, needs_quantity| {
        let (times, times_as_sold) = (times / number, 1.0 / number);
        Some(ListUnit { per, times, times_as_sold, needs_quantity })
    };
    let name = name.to_ascii_lowercase().replace([' ', '/', '.'], "-");
    match name.trim_start_matches('-') {
        "hrs" | "hours" | "hour" | "hr" | "h" => of(PriceUnit::Hour, 1.0, false),
        "month" | "months" | "mo" => of(PriceUnit::Month, 1.0, false),
        "gb-mo" | "gb-month" | "gigabyte-month" | "gby-mo" => of(PriceUnit::GbMonth, 1.0, false),
        "gib-month" | "gibibyte-month" | "giby-mo" => {
            of(PriceUnit::GbMonth, GIBIBYTE.recip(), false)
        }
        "gb" | "gigabyte" | "gby" => of(PriceUnit::GbSent, 1.0, false),
        "gib" | "gibibyte" | "giby" => of(PriceUnit::GbSent, GIBIBYTE.recip(), false),
        "ios" | "io" => of(PriceUnit::MillionIos, 1e6, false),
        "requests" | "request" => of(PriceUnit::MillionRequests, 1e6, false),
        other if ["-mo", "-month"].iter().any(|end| other.ends_with(end)) => {
            of(PriceUnit::Month, 1.0, true)
        }
        other
            if ["-hr", "-hrs", "-hour", "-hours", "-h"].iter().any(|end| other.ends_with(end)) =>
        {
            of(PriceUnit::Hour, 1.0, true)
        }
        _ => None,
    }
}

/// The number at the beginning, with `K` and `M` of thousands and millions; 1 where there is none.
fn split_number(written: &str) -> Option<(f64, &str)> {
    let name = written.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = &written[..written.len() - name.len()];
    if digits.is_empty() {
        return Some((1.0, written));
    }
    let number: f64 = digits.parse().ok()?;
    let of = |prefix: char| {
        // `1Month` has no millions before it.
        name.strip_prefix(prefix)
            .filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let (times, name) = match (of('K'), of('M')) {
        (Some(rest), _) => (1e3, rest),
        (None, Some(rest)) => (1e6, rest),
        (None, None) => (1.0, name),
    };
    (number > 0.0).then_some((number * times, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_lists_are_those_of_bills() {
        let of = |name| unit(name).map(|unit| (unit.per, unit.times, unit.needs_quantity));
        for hour in ["Hrs", "1 Hour", "1/Hour", "hour", "h"] {
            assert_eq!(of(hour), Some((PriceUnit::Hour, 1.0, false)), "{hour}");
        }
        for month in ["GB-Mo", "1 GB/Month", "gigabyte month"] {
            assert_eq!(of(month), Some((PriceUnit::GbMonth, 1.0, false)), "{month}");
        }
        assert_eq!(of("1/Month"), Some((PriceUnit::Month, 1.0, false)));
        assert_eq!(of("1Month"), Some((PriceUnit::Month, 1.0, false)));
        assert_eq!(of("100 Hours"), Some((PriceUnit::Hour, 0.01, false)));
        assert_eq!(of("1M Requests"), Some((PriceUnit::MillionRequests, 1.0, false)));
        assert_eq!(of("IOs"), Some((PriceUnit::MillionIos, 1e6, false)));
        assert_eq!(of("GB"), Some((PriceUnit::GbSent, 1.0, false)));
        assert_eq!(of("IOPS-Mo"), Some((PriceUnit::Month, 1.0, true)));
        assert_eq!(of("ACU-Hr"), Some((PriceUnit::Hour, 1.0, true)));
        assert_eq!(of("GiBy.h"), Some((PriceUnit::Hour, 1.0, true)));
        for none in ["Quantity", "10K", "count", "0 Hour", ""] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn a_gibibyte_is_more_than_a_gigabyte_unless_the_study_counts_as_the_list_does() {
        for name in ["gibibyte month", "GiBy.mo", "1 GiB/Month"] {
            let unit = unit(name).unwrap();
            assert!((unit.times * GIBIBYTE - 1.0).abs() < 1e-12, "{name}: {unit:?}");
            assert_eq!(unit.times_as_sold, 1.0);
        }
    }
}
