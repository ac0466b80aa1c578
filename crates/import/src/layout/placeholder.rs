//! What a name in a pattern may stand for: a date for a date, a number for a number.

use super::token::date;
use super::vocabulary::is_repeat;
use std::collections::BTreeSet;

/// What parts the words of a value.
const PARTING: [char; 5] = ['-', '_', '.', ' ', ':'];
/// Names of numbers, besides those of dates.
const NUMBERS: [&str; 3] = ["clients", "rate", "block"];

/// What the names of one pattern may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placeholders {
    /// Whether year, month and day are all named, which makes a date of them.
    date_in_parts: bool,
}

impl Placeholders {
    pub(super) fn from_names(names: &BTreeSet<String>) -> Self {
        let has = |all: &[&str]| all.iter().any(|name| names.contains(*name));
        let date_in_parts = has(&["y", "year"]) && has(&["m", "month"]) && has(&["d", "day"]);
        Self { date_in_parts }
    }

    /// Whether a name is that of a part of a date, by which repeats are told apart.
    pub(super) fn is_of_date(self, name: &str) -> bool {
        self.date_in_parts && range(name).is_some()
    }

    /// Whether a name may stand for a value.
    pub(super) fn takes(self, name: &str, value: &str) -> bool {
        match name {
            _ if NUMBERS.contains(&name) => number(value).is_some(),
            "date" => is_date(value),
            "repeat" => is_repeat_or_number(value),
            _ if self.is_of_date(name) => range(name)
                .zip(number(value))
                .is_some_and(|((least, most), value)| (least..=most).contains(&value)),
            _ => true,
        }
    }
}

/// The least and the largest number of a part of a date.
fn range(name: &str) -> Option<(u32, u32)> {
    Some(match name {
        "y" | "year" => (1990, 2099),
        "m" | "month" => (1, 12),
        "d" | "day" => (1, 31),
        "h" | "hour" => (0, 23),
        "min" | "minute" | "s" | "sec" | "second" => (0, 59),
        _ => return None,
    })
}

fn number(value: &str) -> Option<u32> {
    value.parse().ok().filter(|_| !value.starts_with('+'))
}

/// A day with the time of day or without, a month, or a year, in the usual orders.
pub(super) fn is_date(value: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    if date(value) == Some(value.len()) {
        return true;
    }
    let year =
        |part: &str| part.len() == 4 && number(part).is_some_and(|y| (1990..2100).contains(&y));
    let within = |part: &str, most: u32| {
        part.len() <= 2 && number(part).is_some_and(|number| (1..=most).contains(&number))
    };
    let month = |part: &str| {
        let name = part.get(..3).map(str::to_lowercase);
        within(part, 12) || name.is_some_and(|name| MONTHS.contains(&name.as_str()))
    };
    let day = |part: &str| within(part, 31);
    let parts: Vec<&str> = value.split(PARTING).collect();
    match parts[..] {
        [only] if only.len() == 6 && only.is_ascii() => {
            let (first, rest) = only.split_at(4);
            year(first) && month(rest)
                || number(&only[..2]).is_some() && month(&only[2..4]) && day(&only[4..])
        }
        [only] => year(only),
        [first, second] => year(first) && month(second),
        [first, second, third] => {
            year(first) && month(second) && day(third)
                || year(third) && (day(first) && month(second) || month(first) && day(second))
        }
        _ => false,
    }
}

/// A number or a single letter, with a word for repeats or without, or a date.
pub(super) fn is_repeat_or_number(value: &str) -> bool {
    const ORDINALS: [&str; 6] = ["first", "second", "third", "1st", "2nd", "3rd"];
    let letter = |part: &str| part.len() == 1 && part.contains(char::is_alphabetic);
    let part = |part: &str| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let known = word.is_empty() || is_repeat(word) || word.eq_ignore_ascii_case("r");
        known || letter(part) || ORDINALS.iter().any(|ordinal| part.eq_ignore_ascii_case(ordinal))
    };
    let tells = |part: &str| {
        part.contains(|c: char| c.is_ascii_digit())
            || letter(part)
            || ORDINALS.iter().any(|ordinal| part.eq_ignore_ascii_case(ordinal))
    };
    is_date(value)
        || date(value).is_some_and(|end| value[end..].split(PARTING).all(part))
        || value.split(PARTING).all(part) && value.split(PARTING).any(tells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_dates_and_repeats_are_numbers() {
        for value in
            ["2020-01-10-12-17", "20240115", "2024-01", "15-01-2024", "240115", "15-Jan-2024"]
        {
            assert!(is_date(value), "{value}");
            assert!(is_repeat_or_number(value), "{value}");
        }
        for value in ["GR-2020-01-10", "slv16", "12-17", "", "2024-13-01", "-"] {
            assert!(!is_date(value), "{value}");
        }
        for value in ["1", "03", "run1", "rep-2", "r3", "first", "2024-01-15_run2", "1-2", "B"] {
            assert!(is_repeat_or_number(value), "{value}");
        }
        for value in ["slv16", "BP20-1", "alpha", "", "run", "BEFORE-2020-01-10"] {
            assert!(!is_repeat_or_number(value), "{value}");
        }
    }

    #[test]
    fn parts_of_dates_are_numbers_where_there_are_all() {
        let of = |names: &[&str]| {
            Placeholders::from_names(&names.iter().map(|name| (*name).to_owned()).collect())
        };
        let whole = of(&["y", "m", "d", "h"]);
        assert!(whole.takes("y", "2020") && whole.takes("m", "01") && whole.takes("h", "00"));
        assert!(!whole.takes("y", "16") && !whole.takes("d", "32") && !whole.takes("m", "mm"));
        let label = of(&["m", "config"]);
        assert!(label.takes("m", "mm-AFTER") && !label.is_of_date("m"));
        assert!(!label.takes("clients", "+1") && label.takes("clients", "16"));
    }
}
