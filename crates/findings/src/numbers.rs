//! Numbers, dates and names as people read them.

use model::{FigureNumber, UnitName, UnixMillis};
use stats::{Estimate, Interval};
use std::time::{Duration, UNIX_EPOCH};

/// The powers of ten whose multiples are written out.
const READABLE: std::ops::Range<i32> = -6..12;

/// How many times its lower end the upper end of an interval may be for both to be shown.
const TOO_WIDE: f64 = 1000.0;

/// Shown where there is no number.
pub const NOTHING: &str = "–";

/// Three significant digits, thousands separated: `1,620`, `19.7`, `0.412`. What would have zeros to
/// be counted has a power of ten, as the ends of intervals that know nothing do: `3.98 × 10⁻⁸`.
pub fn figure(value: f64) -> String {
    model::deadline::look();
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounding first decides the magnitude: 999.6 has four digits before the point.
    let magnitude = value.abs().log10().floor() as i32;
    let unit = 10_f64.powi(magnitude - 2);
    let rounded = (value / unit).round() * unit;
    let magnitude = (rounded.abs() * (1.0 + f64::EPSILON)).log10().floor() as i32;
    if !READABLE.contains(&magnitude) {
        let digits = format!("{:.2}", rounded / 10_f64.powi(magnitude)).replace('-', "−");
        return format!("{digits}\u{a0}×\u{a0}10{}", superscript(magnitude));
    }
    let decimals = usize::try_from(2 - magnitude).unwrap_or(0);
    separated(&format!("{rounded:.decimals$}"))
}

/// The power of ten in small raised digits.
fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    power.to_string().chars().map(raised).collect()
}

/// An amount of money to the hundredth, from 1 on: `1,296.00`; below that three significant digits.
pub fn money(amount: f64) -> String {
    if amount.abs() < 1.0 { figure(amount) } else { separated(&format!("{amount:.2}")) }
}

/// As short as the value allows, for the marks of an axis: `0`, `0.5`, `20,000`.
pub fn tick(value: f64) -> String {
    // Ten decimals hide the binary dust of sums such as 0.1 + 0.2.
    with_decimals(value, 10, |fixed| {
        let has_fraction = fixed.contains('.');
        let short = fixed.trim_end_matches(|c| has_fraction && c == '0');
        separated(short.trim_end_matches('.'))
    })
}

/// A number with so many decimals, of at most the digits that are true of a binary fraction; of three
/// digits where it has more before the point.
fn with_decimals(value: f64, decimals: usize, write: impl Fn(&str) -> String) -> String {
    const DIGITS: i32 = 15;
    let whole = value.abs().max(1.0).log10().floor() as i32 + 1;
    match usize::try_from(DIGITS - whole) {
        Ok(most) if value.is_finite() => write(&format!("{value:.*}", decimals.min(most))),
        _ => figure(value),
    }
}

/// Seven digits at most, the whole ones aside: programs print more than anybody measures. `38,569.87`
/// for 38569.865738.
pub fn at_most_seven(value: f64) -> String {
    const DIGITS: f64 = 7.0;
    if value == 0.0 || !value.is_finite() {
        return figure(value);
    }
    let whole = value.abs().log10().floor() + 1.0;
    let unit = 10_f64.powf((DIGITS - whole).max(0.0));
    tick((value * unit).round() / unit)
}

/// The end of an axis that is no round number, to two digits: `0.13`, `4.2`, `1,200`.
pub fn tick_of(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let unit = 10_f64.powf(value.abs().log10().floor() - 1.0);
    tick((value / unit).round() * unit)
}

/// A whole number, every digit of it: `1,234,567`.
pub fn count(value: u64) -> String {
    separated(&value.to_string())
}

/// A number with as many digits as it was printed with, thousands separated: `14,000,238`,
/// `2,084.99`; as many as it takes where it is exact.
pub fn printed(number: FigureNumber) -> String {
    /// More would be the dust of binary fractions.
    const MOST: f64 = 9.0;
    let decimals = -number.resolution.log10().floor();
    if number.resolution > 0.0 && number.value.is_finite() {
        with_decimals(number.value, decimals.clamp(0.0, MOST) as usize, separated)
    } else {
        tick(number.value)
    }
}

fn separated(plain: &str) -> String {
    let (sign, digits) = plain.strip_prefix('-').map_or(("", plain), |rest| ("−", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut text = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// A share as a percentage: 0.0412 is `4.1 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NOTHING.to_owned();
    }
    // One decimal, more for the tiniest shares; none where it would say nothing.
    let percent = share * 100.0;
    let text = match percent.abs() {
        small if small < 0.1 => format!("{percent:.3}"),
        // What is not all is not to look as if it were.
        almost if (99.95..100.0).contains(&almost) => {
            let decimals = (1..=9).find(|&decimals| 100.0 - almost >= 0.5 / 10_f64.powi(decimals));
            format!("{percent:.0$}", decimals.unwrap_or(1) as usize)
        }
        _ => format!("{percent:.1}"),
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}\u{a0}%")
}

/// A range of shares as percentages: `96–98.1 %`; one figure where the ends look the same.
pub fn percents((low, high): (f64, f64)) -> String {
    let (first, last) = (percent(low), percent(high));
    let bare = first.trim_end_matches("\u{a0}%");
    if first == last { last } else { format!("{bare}–{last}") }
}

/// Whether the ends of an interval are so far apart that they say nothing, as after two repeats that
/// had little in common.
pub fn says_nothing(low: f64, high: f64) -> bool {
    low > 0.0 && high > low * TOO_WIDE
}

/// The two ends of an interval: `1,540–1,700`; one figure where they look the same, and no figures
/// where they say nothing.
pub fn range(low: f64, high: f64) -> String {
    if says_nothing(low, high) {
        return format!("wider than 1:{}", tick(TOO_WIDE));
    }
    let (low, high) = (figure(low), figure(high));
    if low == high { low } else { format!("{low}–{high}") }
}

/// The ends of an estimate's interval, or a dash where one measurement gives none.
pub fn interval(estimate: &Estimate) -> String {
    estimate.interval.map_or(NOTHING.to_owned(), |i| range(i.low, i.high))
}

/// An interval with its confidence: `95 % interval 1,540–1,700`.
pub fn interval_with_confidence(interval: &Interval) -> String {
    format!("{} interval {}", percent(interval.confidence), range(interval.low, interval.high))
}

/// An estimate with a unit and its interval:
/// `1,620 transactions/s (95 % interval 1,540–1,700)`.
pub fn estimate(estimate: &Estimate, unit: &str) -> String {
    let point = figure(estimate.point);
    let gap = if unit.is_empty() { "" } else { " " };
    match &estimate.interval {
        Some(interval) => format!("{point}{gap}{unit} ({})", interval_with_confidence(interval)),
        None if estimate.n > 1 => {
            format!("{point}{gap}{unit} (median of {}, without interval)", estimate.n)
        }
        None => format!("{point}{gap}{unit} (measured once, so without interval)"),
    }
}

/// A ratio with its interval: `0.81 × the peak (95 % interval 0.75–0.88)`.
pub fn times(ratio: &Estimate, what: &str) -> String {
    estimate(ratio, &format!("× {what}"))
}

/// Bytes in binary units: `1.50 GiB`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{}\u{a0}{unit}", figure(value))
}

/// A size that was chosen, exactly where it is a whole number of a binary unit: `16 KiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = |(shift, _): &(u32, &str)| bytes > 0 && bytes.is_multiple_of(1 << shift);
    match UNITS.into_iter().find(whole) {
        Some((shift, unit)) => format!("{}\u{a0}{unit}", count(bytes >> shift)),
        None if bytes < 10_240 => format!("{}\u{a0}B", count(bytes)),
        None => self::bytes(bytes),
    }
}

/// A length of time: `350 ms`, `4.20 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(length: Duration) -> String {
    let seconds = length.as_secs_f64();
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 1.0 => format!("{}\u{a0}ms", tick((seconds * 1e5).round() / 100.0)),
        0..60 => format!("{}\u{a0}s", tick((seconds * 10.0).round() / 10.0)),
        60..3600 if whole.is_multiple_of(60) => format!("{}\u{a0}min", whole / 60),
        60..3600 => format!("{}\u{a0}min {}\u{a0}s", whole / 60, whole % 60),
        _ if whole % 3600 < 60 => format!("{}\u{a0}h", whole / 3600),
        _ => format!("{}\u{a0}h {}\u{a0}min", whole / 3600, whole % 3600 / 60),
    }
}

/// A length of time to the second where it has hours: `9 h 58 min 39 s`, `4 h 26 min`.
pub fn full_duration(length: Duration) -> String {
    let whole = length.as_secs_f64().round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole % 3600 / 60, whole % 60);
    match (hours, seconds) {
        (0, _) => duration(length),
        (_, 0) => format!("{hours}\u{a0}h {minutes}\u{a0}min"),
        _ => format!("{hours}\u{a0}h {minutes}\u{a0}min {seconds}\u{a0}s"),
    }
}

/// A date in UTC: `2026-11-21 20:46:40 UTC`; dates after the year 9999 show as its last second.
pub fn date(at: UnixMillis) -> String {
    const LAST_SECOND: u64 = 253_402_300_799;
    let since_epoch = Duration::from_secs((at.0 / 1000).min(LAST_SECOND));
    let text = humantime::format_rfc3339_seconds(UNIX_EPOCH + since_epoch).to_string();
    text.replace('T', " ").replace('Z', " UTC")
}

/// A name of at most `most` characters; a longer one loses its middle, because names that belong
/// together tend to begin alike and differ at the end.
pub fn shortened(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let tail = (most - 1) / 2;
    let head = most - 1 - tail;
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// A number of what a test counts: `1 query`, `1,234 queries`.
pub fn number_of(number: u64, noun: UnitName) -> String {
    format!("{} {}", count(number), noun.for_count(number))
}

/// A number with its noun: `1 trial`, `2 trials`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_print_has_seven_digits_and_all_whole_ones() {
        let of = |value| at_most_seven(value);
        assert_eq!([of(38_569.865_738), of(1_158.383_333_333_3)], ["38,569.87", "1,158.383"]);
        assert_eq!([of(14_000_238.0), of(0.25), of(2_084.99)], ["14,000,238", "0.25", "2,084.99"]);
        assert_eq!([of(f64::INFINITY), of(0.0), of(0.000_013_3)], [NOTHING, "0", "0.0000133"]);
    }

    #[test]
    fn figures_have_three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (0.004_123, "0.00412"),
            (0.999_6, "1.00"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (19.74, "19.7"),
            (999.6, "1,000"),
            (1_624.0, "1,620"),
            (-1_624.0, "−1,620"),
            (1_234_567.0, "1,230,000"),
            (999_400_000_000.0, "999,000,000,000"),
            (999_600_000_000.0, "1.00\u{a0}×\u{a0}10¹²"),
            (-1.194e21, "−1.19\u{a0}×\u{a0}10²¹"),
            (0.000_004_5, "0.00000450"),
            (3.984e-8, "3.98\u{a0}×\u{a0}10⁻⁸"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(figure(value), text, "{value}");
        }
    }

    #[test]
    fn money_is_given_to_the_hundredth() {
        assert_eq!(money(1296.0), "1,296.00");
        assert_eq!(money(0.012_34), "0.0123");
        assert_eq!(money(0.0), "0");
    }

    #[test]
    fn ticks_are_short() {
        assert_eq!(tick(0.1 + 0.2), "0.3");
        assert_eq!(tick(0.0), "0");
        assert_eq!(tick(20_000.0), "20,000");
        assert_eq!(tick(49_585_531_274.053), "49,585,531,274.053");
        assert_eq!(tick(1e308), "1.00\u{a0}×\u{a0}10³⁰⁸");
        let number = FigureNumber { value: 1e300, resolution: 1e292 };
        assert_eq!(printed(number), figure(1e300));
        let ends = [0.126, 4.234, 12.6, 1_249.0, 0.0].map(tick_of);
        assert_eq!(ends, ["0.13", "4.2", "13", "1,200", "0"]);
    }

    #[test]
    fn percentages_keep_what_matters() {
        assert_eq!(percent(0.95), "95\u{a0}%");
        assert_eq!(percent(0.96875), "96.9\u{a0}%");
        assert_eq!(percent(0.0412), "4.1\u{a0}%");
        assert_eq!(percent(0.00005), "0.005\u{a0}%");
        assert_eq!(percent(0.0), "0\u{a0}%");
    }

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(UnixMillis(0)), "1970-01-01 00:00:00 UTC");
        assert_eq!(date(UnixMillis(951_782_400_000)), "2000-02-29 00:00:00 UTC");
        assert_eq!(date(UnixMillis(1_798_761_599_999)), "2026-12-31 23:59:59 UTC");
        assert_eq!(date(UnixMillis(4_107_542_400_000)), "2100-03-01 00:00:00 UTC");
        assert_eq!(date(UnixMillis(u64::MAX)), "9999-12-31 23:59:59 UTC");
    }

    #[test]
    fn an_interval_that_says_nothing_says_so() {
        assert_eq!(range(1540.0, 1700.0), "1,540–1,700");
        assert_eq!(range(0.0, 1700.0), "0–1,700");
        assert_eq!(range(0.0005, 0.45), "0.000500–0.450");
        assert_eq!(range(0.0000437, 66_300.0), "wider than 1:1,000");
    }

    #[test]
    fn lengths_and_sizes_choose_their_unit() {
        assert_eq!(duration(Duration::from_millis(350)), "350\u{a0}ms");
        assert_eq!(duration(Duration::from_millis(4_200)), "4.2\u{a0}s");
        assert_eq!(duration(Duration::from_secs(200)), "3\u{a0}min 20\u{a0}s");
        assert_eq!(duration(Duration::from_secs(7_500)), "2\u{a0}h 5\u{a0}min");
        assert_eq!(bytes(1_610_612_736), "1.50\u{a0}GiB");
        assert_eq!(bytes(12), "12.0\u{a0}B");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("production-replica-2", 9), "prod…ca-2");
        assert_eq!(shortened("short", 9), "short");
        assert_eq!(shortened("日本語の名前です", 5), "日本…です");
    }

    #[test]
    fn lists_read_as_prose() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(counted(1, "trial"), "1 trial");
        assert_eq!(counted(1200, "trial"), "1,200 trials");
    }
}
