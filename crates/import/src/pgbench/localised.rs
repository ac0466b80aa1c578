//! Reports in other languages. What pgbench prints has one order whatever its messages say, and some of
//! it is never translated: the name of the mode that queries are sent in, and `tps = `.

use std::borrow::Cow;

const MODES: [&str; 3] = ["simple", "extended", "prepared"];
const METHODS: [&str; 2] = ["range", "hash"];
/// The version from which on failed transactions are told, and the one from which on the time of the
/// first connections is.
const FAILED_SINCE: u32 = 15;
const CONNECTING_SINCE: u32 = 14;
/// Lines that a report has at most.
const LONGEST: usize = 40;
/// `error: ` in the languages that PostgreSQL speaks.
const ERRORS: [&str; 16] = [
    "Fehler: ", "erreur : ", "erreur: ", "errore: ", "erro: ", "ошибка: ", "错误: ", "エラー: ",
    "błąd: ", "chyba: ", "fel: ", "hata: ", "오류: ", "помилка: ", "σφάλμα: ", "שגיאה: ",
];

/// Whether a report of another language is in it, of a version that does not say its name before.
pub(super) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("tps = "))
        && text.lines().any(|line| pair(line).is_some_and(|(_, value)| MODES.contains(&value)))
}

/// The text with reports of other languages in English; lines keep their numbers.
pub(super) fn in_english(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| line.starts_with("tps = ") || line.starts_with("pgbench: ")) {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<Cow<'_, str>> = text.lines().map(Cow::Borrowed).collect();
    let (mut version, mut changed) = (0, false);
    for at in 0..lines.len() {
        if let Some(rest) = lines[at].strip_prefix("pgbench (") {
            let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
            let major = rest.split(|c: char| !c.is_ascii_digit()).next();
            version = major.and_then(|major| major.parse().ok()).unwrap_or(0);
        }
        let error = lines[at]
            .strip_prefix("pgbench: ")
            .and_then(|rest| ERRORS.iter().find_map(|error| rest.strip_prefix(error)));
        if let Some(error) = error {
            lines[at] = Cow::Owned(format!("pgbench: error: {error}"));
            changed = true;
        }
        let mode =
            pair(&lines[at]).filter(|(name, value)| *name != "query mode" && MODES.contains(value));
        if mode.is_some() && translate(&mut lines, at, version).is_some() {
            changed = true;
        }
    }
    match changed {
        true => Cow::Owned(lines.join("\n")),
        false => Cow::Borrowed(text),
    }
}

/// Name and value of a line with a colon; some languages have a space before it, some a wide colon.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once([':', '：'])?;
    (!name.starts_with(' ')).then_some((name.trim_end(), value.trim()))
}

/// Puts the report whose mode of queries stands in this line into English. `None` where its lines are
/// not those of a report; nothing is changed then.
fn translate(lines: &mut [Cow<'_, str>], mode: usize, version: u32) -> Option<()> {
    let value = |at: usize| lines.get(at).and_then(|line| pair(line)).map(|(_, value)| value);
    let whole = |at: usize| value(at).filter(|text| text.parse::<u64>().is_ok());
    let mut told: Vec<(usize, String)> = Vec::new();
    let partitions = value(mode.checked_sub(2)?).is_some_and(|value| METHODS.contains(&value));
    let scale = mode - if partitions { 3 } else { 1 };
    let kind = scale.checked_sub(1)?;
    told.push((kind, format!("transaction type: {}", value(kind)?)));
    told.push((scale, format!("scaling factor: {}", whole(scale)?)));
    told.push((mode, format!("query mode: {}", value(mode)?)));
    told.push((mode + 1, format!("number of clients: {}", whole(mode + 1)?)));
    told.push((mode + 2, format!("number of threads: {}", whole(mode + 2)?)));
    // How often a transaction is tried, from version 15 on, stands before how long the run was.
    let length = (mode + 3..mode + 5).find(|at| {
        let timed = value(*at).is_some_and(|value| value.contains(' '));
        timed || value(at + 1).is_some_and(|value| value.contains('/'))
    })?;
    let long = value(length)?;
    told.push((
        length,
        match long.split_once(' ') {
            Some((seconds, _)) => format!("duration: {} s", seconds.parse::<u64>().ok()?),
            None => format!("number of transactions per client: {}", whole(length)?),
        },
    ));
    let done = value(length + 1)?;
    told.push((length + 1, format!("number of transactions actually processed: {done}")));
    let after = length + 2..lines.len().min(length + LONGEST);
    if version >= FAILED_SINCE
        && let Some(failed) = value(after.start).filter(|value| value.contains('%'))
    {
        told.push((after.start, format!("number of failed transactions: {failed}")));
    }
    let ends = |at: &usize| {
        lines[*at].starts_with("pgbench (")
            || *at > mode && value(*at).is_some_and(|v| MODES.contains(&v))
    };
    let figures: Vec<(usize, &str)> = after
        .take_while(|at| !ends(at))
        .filter_map(|at| {
            let (name, value) = lines[at].split_once(" = ")?;
            (!name.starts_with([' ', '-'])).then_some((at, value))
        })
        .collect();
    let is_rate = |at: usize| lines[at].starts_with("tps = ");
    let times: Vec<&(usize, &str)> = figures.iter().filter(|(at, _)| !is_rate(*at)).collect();
    let connecting = version >= CONNECTING_SINCE;
    for (number, (at, value)) in times.iter().enumerate() {
        let last = number > 0 && number + 1 == times.len();
        let name = match number {
            0 => "latency average",
            _ if last && connecting => "initial connection time",
            1 => "latency stddev",
            _ => continue,
        };
        told.push((*at, format!("{name} = {} ms", plain(value))));
    }
    let rates: Vec<&(usize, &str)> = figures.iter().filter(|(at, _)| is_rate(*at)).collect();
    for (number, (at, value)) in rates.iter().enumerate() {
        let which = match (rates.len(), number) {
            (1, _) => "without initial connection time",
            (_, 0) => "including connections establishing",
            _ => "excluding connections establishing",
        };
        told.push((*at, format!("tps = {} ({which})", plain(value))));
    }
    if rates.is_empty() {
        return None;
    }
    for (at, line) in told {
        lines[at] = Cow::Owned(line);
    }
    Some(())
}

/// The number that a value begins with, with a point where the language has a comma.
fn plain(value: &str) -> String {
    value.split([' ', '\u{a0}']).next().unwrap_or_default().replace(',', ".")
}
