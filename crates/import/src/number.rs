//! Numbers as they are printed.

use model::{FigureNumber, FigureValue};

/// A number with the precision of its last digit: `33.64` is off by up to 0.01, `1.5e3` by up to
/// 100. Commas may part groups of three digits. `None` for what is no finite number.
pub fn printed_number(text: &str) -> Option<FigureNumber> {
    let plain = without_separators(text.trim())?;
    let value: f64 = plain.parse().ok().filter(|value: &f64| value.is_finite())?;
    let (mantissa, exponent) = match plain.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (plain.as_str(), 0),
    };
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let last_digit = exponent.checked_sub(i32::try_from(decimals).ok()?)?;
    let resolution = 10_f64.powi(last_digit);
    resolution.is_finite().then_some(FigureNumber { value, resolution })
}

/// A number where it is one, and the text as it stands where not.
pub fn as_printed(text: &str) -> FigureValue {
    printed_number(text)
        .map_or_else(|| FigureValue::Text(text.trim().to_owned()), FigureValue::Number)
}

/// The digits without the commas between groups of three. `None` for commas in other places, and
/// for what `f64` reads as a number and nobody prints as one, such as `inf`.
fn without_separators(text: &str) -> Option<String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,eE".contains(&byte)) {
        return None;
    }
    if !text.contains(',') {
        return Some(text.to_owned());
    }
    let (whole, rest) = text.find('.').map_or((text, ""), |point| text.split_at(point));
    let mut groups = whole.trim_start_matches(['+', '-']).split(',');
    let first = groups.next()?;
    let grouped = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    (grouped && !rest.contains(',')).then(|| text.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_says_how_precise_a_number_is() {
        let cases = [
            ("33.64", 33.64, 0.01),
            ("475000", 475_000.0, 1.0),
            ("1,234,567.5", 1_234_567.5, 0.1),
            ("-0.30", -0.3, 0.01),
            ("1.5e3", 1500.0, 100.0),
            (" 7 ", 7.0, 1.0),
        ];
        for (text, value, resolution) in cases {
            let number = printed_number(text).unwrap();
            assert_eq!(number.value, value, "{text}");
            assert!((number.resolution / resolution - 1.0).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_stays_text() {
        for text in ["", "inf", "nan", "12 ms", "1,23", ",123", "1.2.3", "2016-06-09", "e", "1e999"]
        {
            assert_eq!(printed_number(text), None, "{text}");
        }
        assert_eq!(as_printed(" n/a "), FigureValue::Text("n/a".to_owned()));
    }
}
