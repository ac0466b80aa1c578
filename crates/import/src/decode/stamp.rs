//! Times at the beginning of lines.

/// What follows a time and the space after it; `None` where the line does not begin with one.
/// Forms: RFC 3339 (`2023-11-14T22:13:01.123Z`, with a space for the T, with a comma for the point),
/// syslog's (`Nov 14 22:13:01`), the time of day alone; each in brackets as well.
pub(super) fn after(line: &str) -> Option<&str> {
    let (bracket, inner) = match line.strip_prefix('[') {
        Some(inner) => (true, inner),
        None => (false, line),
    };
    let rest = date_and_time(inner).or_else(|| syslog(inner)).or_else(|| of_day(inner))?;
    let rest = match bracket {
        true => rest.strip_prefix(']')?,
        false => rest,
    };
    match rest.strip_prefix([' ', '\t']) {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(rest),
    }
}

fn digits(text: &str, count: usize) -> Option<&str> {
    let own = text.get(..count)?;
    own.bytes().all(|byte| byte.is_ascii_digit()).then(|| &text[count..])
}

fn date_and_time(text: &str) -> Option<&str> {
    let mut rest = digits(text, 4)?;
    for _ in 0..2 {
        rest = digits(rest.strip_prefix(['-', '/'])?, 2)?;
    }
    of_day(rest.strip_prefix(['T', ' '])?).map(zone)
}

/// `Nov 14 22:13:01`.
fn syslog(text: &str) -> Option<&str> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let month = text.get(..3)?;
    if month.len() != 3 || MONTHS.find(month).is_none_or(|at| at % 3 != 0) {
        return None;
    }
    let day = text[3..].strip_prefix(' ')?.trim_start_matches(' ');
    let rest = digits(day, 2).or_else(|| digits(day, 1))?;
    of_day(rest.strip_prefix(' ')?)
}

/// `22:13:01`, with a fraction.
fn of_day(text: &str) -> Option<&str> {
    let mut rest = digits(text, 2)?;
    for _ in 0..2 {
        rest = digits(rest.strip_prefix(':')?, 2)?;
    }
    Some(match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    })
}

/// What follows `Z`, `+0100` or `+01:00`; the text itself where it begins with none.
fn zone(text: &str) -> &str {
    if let Some(rest) = text.strip_prefix('Z') {
        return rest;
    }
    let offset = text.strip_prefix(['+', '-']).and_then(|rest| digits(rest, 2));
    offset.and_then(|rest| digits(rest.strip_prefix(':').unwrap_or(rest), 2)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_many_forms_are_known() {
        for time in [
            "2023-11-14T22:13:01.123456789Z",
            "2023-11-14T22:13:01+01:00",
            "2023-11-14T22:13:01+0000",
            "2023-11-14 22:13:01,123",
            "2023/11/14 22:13:01",
            "[2023-11-14 22:13:01]",
            "Nov 14 22:13:01",
            "Nov  4 22:13:01.123456",
            "[22:13:01]",
            "22:13:01",
        ] {
            assert_eq!(after(&format!("{time}   read: 5")), Some("  read: 5"), "{time}");
            assert_eq!(after(time), Some(""), "{time}");
        }
        for line in ["2023-11-14", "12:30", "[ 1s ] thds: 16", "Nov tps", "22:13:01;5", "é2", ""] {
            assert_eq!(after(line), None, "{line}");
        }
    }
}
