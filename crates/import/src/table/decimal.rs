//! Numbers of a table, whose decimal mark the table as a whole tells.

use crate::printed_number;
use model::FigureNumber;

/// What stands before the fraction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalMark {
    /// `1,234.5`
    Point,
    /// `1.234,5`
    Comma,
}

/// What numbers tell of their decimal mark.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// The first number in which it is a point, and the one in which it is a comma.
    point: Option<String>,
    comma: Option<String>,
    /// The first that may mean either, such as `1.234`.
    pub(super) open: Option<String>,
}

/// Why numbers cannot be read.
#[derive(Debug)]
pub(super) enum Undecided {
    /// Some have a point, others a comma.
    Contradiction(String, String),
    /// All may mean either.
    Open(String),
}

impl Evidence {
    pub(super) fn see(&mut self, cell: &str) {
        let Some((digits, _)) = bare(cell) else { return };
        let (points, commas) = (digits.matches('.').count(), digits.matches(',').count());
        let place = match (points, commas) {
            (0, 0) => return,
            (1.., 1..) if digits.rfind('.') > digits.rfind(',') => &mut self.point,
            (1.., 1..) => &mut self.comma,
            // What stands more than once parts thousands, and the other one is the mark.
            (2.., 0) => &mut self.comma,
            (0, 2..) => &mut self.point,
            (points, _) => {
                let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or_default();
                let whole = whole.trim_start_matches(['+', '-']);
                let grouped = fraction.len() == 3
                    && (1..=3).contains(&whole.len())
                    && !whole.starts_with('0');
                match (grouped, points) {
                    (true, _) => &mut self.open,
                    (false, 1) => &mut self.point,
                    (false, _) => &mut self.comma,
                }
            }
        };
        place.get_or_insert_with(|| cell.to_owned());
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (own, other) in [
            (&mut self.point, &other.point),
            (&mut self.comma, &other.comma),
            (&mut self.open, &other.open),
        ] {
            if own.is_none() {
                own.clone_from(other);
            }
        }
    }

    /// The mark, by these numbers or else by all of the table; `None` where no number has one.
    pub(super) fn mark(
        &self,
        table: &Self,
        delimiter: u8,
    ) -> Result<Option<DecimalMark>, Undecided> {
        match (&self.point, &self.comma) {
            (Some(point), Some(comma)) => {
                return Err(Undecided::Contradiction(point.clone(), comma.clone()));
            }
            (Some(_), None) => return Ok(Some(DecimalMark::Point)),
            (None, Some(_)) => return Ok(Some(DecimalMark::Comma)),
            (None, None) => {}
        }
        let Some(open) = &self.open else { return Ok(None) };
        match (&table.point, &table.comma) {
            (Some(_), None) => Ok(Some(DecimalMark::Point)),
            (None, Some(_)) => Ok(Some(DecimalMark::Comma)),
            // Cells that commas part have numbers with points.
            (None, None) if delimiter == b',' => Ok(Some(DecimalMark::Point)),
            _ => Err(Undecided::Open(open.clone())),
        }
    }
}

/// A number with the mark of its table: `1 234,5`, `1'234.5`, `18.4k`, `3,4 ms`. The second is the unit
/// that stands after it.
pub(super) fn number(cell: &str, mark: DecimalMark) -> Option<(FigureNumber, &str)> {
    let (digits, rest) = bare(cell)?;
    let plain = match mark {
        DecimalMark::Point => digits,
        DecimalMark::Comma => {
            let swap = |c| match c {
                '.' => ',',
                ',' => '.',
                other => other,
            };
            digits.chars().map(swap).collect()
        }
    };
    let number = printed_number(&plain)?;
    let (factor, unit) = match rest {
        "k" | "K" => (1e3, ""),
        "M" => (1e6, ""),
        unit => (1.0, unit),
    };
    let value =
        FigureNumber { value: number.value * factor, resolution: number.resolution * factor };
    Some((value, unit))
}

/// The digits and marks that a cell begins with, without spaces and apostrophes between groups, and the
/// unit after them. `None` where it begins with no number.
fn bare(cell: &str) -> Option<(String, &str)> {
    let parting = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’');
    let of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-');
    let end = cell.find(|c: char| !(of_number(c) || parting(c))).unwrap_or(cell.len());
    let (number, rest) = cell.split_at(end);
    // `1.5e3`: a unit does not begin so.
    let exponent = rest.strip_prefix(['e', 'E']).filter(|power| {
        let power = power.trim_start_matches(['+', '-']);
        !power.is_empty() && power.bytes().all(|byte| byte.is_ascii_digit())
    });
    let mut digits: String = number.chars().filter(|c| !parting(*c)).collect();
    if !digits.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match exponent {
        Some(power) => {
            digits.push('e');
            digits.push_str(power);
            Some((digits, ""))
        }
        None => Some((digits, rest.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(cells: &[&str], delimiter: u8) -> Result<Option<DecimalMark>, Undecided> {
        let mut evidence = Evidence::default();
        cells.iter().for_each(|cell| evidence.see(cell));
        evidence.mark(&evidence.clone(), delimiter)
    }

    #[test]
    fn one_clear_number_decides_for_all() {
        use DecimalMark::{Comma, Point};
        for (cells, expected) in [
            (&["1.234", "12.5"][..], Point),
            (&["1.234", "12,5"], Comma),
            (&["1.234.567"], Comma),
            (&["1,234,567"], Point),
            (&["1.234,5"], Comma),
            (&["0.123"], Point),
            (&["0,123"], Comma),
            (&["1234,567"], Comma),
        ] {
            assert_eq!(mark(cells, b';').unwrap(), Some(expected), "{cells:?}");
        }
        assert_eq!(mark(&["12", "7"], b';').unwrap(), None);
        assert!(matches!(mark(&["1.234", "2.345"], b';'), Err(Undecided::Open(_))));
        assert_eq!(mark(&["1.234", "2.345"], b',').unwrap(), Some(Point));
        assert!(matches!(mark(&["1.5", "1,5"], b';'), Err(Undecided::Contradiction(..))));
    }

    #[test]
    fn numbers_keep_their_precision() {
        let read = |cell, mark| number(cell, mark).map(|(n, unit)| (n.value, n.resolution, unit));
        assert_eq!(read("1.234,5", DecimalMark::Comma), Some((1234.5, 0.1, "")));
        assert_eq!(read("1 234,50", DecimalMark::Comma).unwrap().0, 1234.5);
        assert_eq!(read("1'234", DecimalMark::Point), Some((1234.0, 1.0, "")));
        assert_eq!(read("18.4k", DecimalMark::Point), Some((18_400.0, 100.0, "")));
        assert_eq!(read("3,4 ms", DecimalMark::Comma).unwrap().2, "ms");
        assert_eq!(read("1.5e3", DecimalMark::Point).unwrap().0, 1500.0);
        for cell in ["", "n/a", "-", "1,23,4", "OOM", "2023-11-14"] {
            assert_eq!(read(cell, DecimalMark::Point), None, "{cell}");
        }
    }
}
