//! Places in the log, as the server writes them: `16/B374D848`.

use system::group::Position;

/// How many bytes one is beyond another; `None` where one is no place, or the second is before the first.
pub(super) fn between(from: &Position, to: &Position) -> Option<u64> {
    number(to)?.checked_sub(number(from)?)
}

/// As SQL. What is no place is the beginning, which every server has passed.
pub(super) fn literal(position: &Position) -> String {
    let number = number(position).unwrap_or(0);
    format!("'{:X}/{:X}'::pg_lsn", number >> 32, number & 0xFFFF_FFFF)
}

fn number(position: &Position) -> Option<u64> {
    let (high, low) = position.0.split_once('/')?;
    let half = |digits: &str| u32::from_str_radix(digits, 16).ok();
    Some(u64::from(half(high)?) << 32 | u64::from(half(low)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Position {
        Position(text.to_owned())
    }

    #[test]
    fn positions_are_bytes_from_the_beginning_of_the_log() {
        assert_eq!(between(&at("0/FFFFFFF0"), &at("1/10")), Some(32));
        assert_eq!(between(&at("1/10"), &at("0/FFFFFFF0")), None);
        assert_eq!(between(&at(""), &at("1/10")), None);
        assert_eq!(between(&at("0/1"), &at("0/123456789")), None);
        assert_eq!(literal(&at("16/B374D848")), "'16/B374D848'::pg_lsn");
        assert_eq!(literal(&at("'; DROP TABLE x")), "'0/0'::pg_lsn");
    }
}
