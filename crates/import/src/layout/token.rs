//! A path taken apart into words and numbers.

use super::vocabulary::{is_amount, is_clients, is_rate, is_repeat, is_rest_of_test, is_test};
use super::vocabulary::{is_target, is_test_by_number};
use std::ops::Range;

/// A part of a path between two slashes.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
}

/// A word, a number with the letters at it, a version, or a date.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    /// Where it stands in the component.
    pub(super) at: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Word,
    Number(Number),
    /// Several numbers with points between, letters before or after them.
    Version,
    /// A day, with the time of day or without.
    Date,
    /// Words that say what a workload does.
    Test,
}

/// `thr128`, `16G`, `threads-16` or `7`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// Letters or a word before it, in lower case; empty where there are none.
    pub(super) before: String,
    pub(super) value: u64,
    /// Likewise after it.
    pub(super) after: String,
    /// Where its digits stand in the component.
    pub(super) digits: Range<usize>,
}

impl Number {
    pub(super) fn is_bare(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// The word that stands at one side of it alone.
    pub(super) fn word(&self) -> &str {
        match (self.before.as_str(), self.after.as_str()) {
            (before, "") => before,
            ("", after) => after,
            _ => "",
        }
    }

    /// Bytes, where it is a size such as `16k` or `bs=4K`.
    pub(super) fn bytes(&self) -> Option<u64> {
        let shift = match self.after.as_str() {
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "b" => 0,
            _ => return None,
        };
        self.value.checked_mul(1 << shift)
    }
}

impl Component {
    pub(super) fn word(&self, token: &Token) -> &str {
        &self.text[token.at.clone()]
    }
}

/// The components of a path. `points_part` says that points stand between numbers and do not make
/// versions of them, as in `rw.16.1`.
pub(super) fn components(path: &str, points_part: bool) -> Vec<Component> {
    let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    let mut components: Vec<Component> = parts
        .map(crate::without_container)
        .map(|part| Component { text: part.to_owned(), tokens: tokens(part, points_part) })
        .collect();
    let last = components.len().saturating_sub(1);
    for (at, component) in components.iter_mut().enumerate() {
        join_addresses(component);
        join_numbers(component, at < last);
        join_tests(component);
    }
    number_of_directory_before(&mut components);
    components
}

fn tokens(text: &str, points_part: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if !c.is_alphanumeric() {
            continue;
        }
        let mut end = start + c.len_utf8();
        if let Some(length) = date(&text[start..]) {
            end = start + length;
            while chars.next_if(|(at, _)| *at < end).is_some() {}
            tokens.push(Token { at: start..end, kind: Kind::Date });
            continue;
        }
        let mut version = false;
        while let Some(&(at, next)) = chars.peek() {
            let between = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let point = next == '.'
                && !points_part
                && between(text[..at].chars().next_back())
                && between(text[at + 1..].chars().next());
            if !(next.is_alphanumeric() || point) {
                break;
            }
            version |= point;
            end = at + next.len_utf8();
            chars.next();
        }
        let kind = if version { Kind::Version } else { word_or_number(&text[start..end], start) };
        tokens.push(Token { at: start..end, kind });
    }
    tokens
}

fn word_or_number(text: &str, start: usize) -> Kind {
    let Some(first) = text.find(|c: char| c.is_ascii_digit()) else { return Kind::Word };
    let length = text[first..].bytes().take_while(u8::is_ascii_digit).count();
    let (before, after) = (&text[..first], &text[first + length..]);
    let value = text[first..first + length].parse();
    match value {
        Ok(value) if !after.contains(|c: char| c.is_ascii_digit()) => Kind::Number(Number {
            before: before.to_lowercase(),
            value,
            after: after.to_lowercase(),
            digits: start + first..start + first + length,
        }),
        _ => Kind::Word,
    }
}

/// The length of the date that a text begins with: `2024-01-15`, `20240115T103000`,
/// `2024-01-15_10-30-00`, or seconds since 1970.
pub(super) fn date(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize, count: usize| -> Option<u32> {
        let part = bytes.get(from..from + count)?;
        part.iter().all(u8::is_ascii_digit).then(|| text[from..from + count].parse().ok())?
    };
    let ends = |at: usize| !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    if digits(0, 10).is_some_and(|seconds| (1_000_000_000..2_000_000_000).contains(&seconds))
        && ends(10)
    {
        return Some(10);
    }
    let sign = |at: usize| bytes.get(at).is_some_and(|byte| b"-_.".contains(byte));
    let year = digits(0, 4).filter(|year| (1990..2100).contains(year));
    year?;
    let parted = usize::from(sign(4));
    let month = digits(4 + parted, 2)?;
    if usize::from(sign(6 + parted)) != parted {
        return None;
    }
    let day = digits(6 + 2 * parted, 2)?;
    let end = 8 + 2 * parted;
    if !((1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    if bytes.get(end).is_some_and(|byte| b"-_T. ".contains(byte)) {
        let two = |at: usize, most: u32| digits(at, 2).is_some_and(|part| part < most);
        let from = end + 1;
        let zone = |at: usize| at + usize::from(bytes.get(at) == Some(&b'Z'));
        let parted = bytes.get(from + 2).is_some_and(|byte| b"-_:.h".contains(byte));
        let (step, long) = if parted { (3, from + 8) } else { (2, from + 6) };
        let sign_again = !parted || bytes.get(from + 5).is_some_and(|byte| b"-_:.m".contains(byte));
        let short = from + step + 2;
        let hours = two(from, 24) && two(from + step, 60);
        if hours && sign_again && two(from + 2 * step, 60) && ends(zone(long)) {
            return Some(zone(long));
        }
        // `2024-01-15-10-30`: parted like the day.
        let sure =
            !parted || bytes.get(from + 2) == Some(&b':') || bytes.get(from + 2) == bytes.get(4);
        if hours && sure && ends(zone(short)) {
            return Some(zone(short));
        }
    }
    ends(end).then_some(end)
}

/// The four numbers of an address, as in `ip-10-0-0-12`, are one.
fn join_addresses(component: &mut Component) {
    let octet = |token: &Token| match &token.kind {
        Kind::Number(number) => number.is_bare() && number.value < 256,
        _ => false,
    };
    let adjacent = |pair: &[Token]| pair[1].at.start == pair[0].at.end + 1;
    let four = component
        .tokens
        .windows(4)
        .position(|tokens| tokens.iter().all(octet) && tokens.windows(2).all(adjacent));
    if let Some(at) = four {
        let end = component.tokens[at + 3].at.end;
        component.tokens[at] =
            Token { at: component.tokens[at].at.start..end, kind: Kind::Version };
        component.tokens.drain(at + 1..at + 4);
    }
}

/// A word and the number that belongs to it are one: `threads-16`, `16_clients`, `run.3`, and in
/// names of directories `series-25` as well.
fn join_numbers(component: &mut Component, directory: bool) {
    let mut at = 0;
    while at + 1 < component.tokens.len() {
        let (first, second) = (&component.tokens[at], &component.tokens[at + 1]);
        let adjacent = second.at.start == first.at.end + 1;
        let joined = match (&first.kind, &second.kind) {
            (Kind::Word, Kind::Number(number)) if adjacent && number.is_bare() => {
                let word = component.word(first).to_lowercase();
                let known = names_a_number(&word);
                let other = directory && !is_rest_of_test(&word) && !is_target(&word);
                (known || other).then(|| Number { before: word, ..number.clone() })
            }
            (Kind::Number(number), Kind::Word) if adjacent && number.is_bare() => {
                let word = component.word(second).to_lowercase();
                let known = is_clients(&word) || is_amount(&word) || is_rate(&word);
                known.then(|| Number { after: word, ..number.clone() })
            }
            _ => None,
        };
        if let Some(number) = joined {
            let at_both = first.at.start..second.at.end;
            component.tokens[at] = Token { at: at_both, kind: Kind::Number(number) };
            component.tokens.remove(at + 1);
        }
        at += 1;
    }
}

fn names_a_number(word: &str) -> bool {
    const OTHERS: [&str; 18] = [
        "host", "node", "server", "srv", "db", "instance", "box", "machine", "shard", "bp", "port",
        "qd", "iodepth", "depth", "jobs", "numjobs", "bs", "block",
    ];
    is_clients(word)
        || is_repeat(word)
        || is_rate(word)
        || is_amount(word)
        || OTHERS.contains(&word)
}

/// Words that name a workload together are one.
fn join_tests(component: &mut Component) {
    let mut tokens: Vec<Token> = Vec::with_capacity(component.tokens.len());
    for token in std::mem::take(&mut component.tokens) {
        let word = &component.text[token.at.clone()];
        let begins = match &token.kind {
            Kind::Word => is_test(word),
            Kind::Number(number) => {
                (number.after.is_empty() || number.after == "w" || is_amount(&number.after))
                    && is_test_by_number(&number.before)
                    && !number.before.is_empty()
                    || is_amount(number.word())
            }
            Kind::Version | Kind::Date | Kind::Test => false,
        };
        match tokens.last_mut() {
            Some(last) if last.kind == Kind::Test && last.at.end + 1 == token.at.start => {
                let said = component.text[last.at.clone()].to_lowercase();
                let letter = word.len() == 1 && (said == "ycsb" || said.ends_with("workload"));
                // A point parts what is said of a test from what names it.
                let parted = component.text[last.at.end..].starts_with('.');
                if begins && !parted
                    || (token.kind == Kind::Word && (is_rest_of_test(word) || letter))
                {
                    last.at.end = token.at.end;
                    continue;
                }
            }
            _ => {}
        }
        let kind = if begins { Kind::Test } else { token.kind };
        tokens.push(Token { kind, ..token });
    }
    component.tokens = tokens;
}

/// `threads/16/rw.txt`: the directory above says what the number is.
fn number_of_directory_before(components: &mut [Component]) {
    for at in 1..components.len().saturating_sub(1) {
        let [above, below] = &mut components[at - 1..=at] else { continue };
        let ([Token { kind: Kind::Word, .. }], [token]) =
            (&above.tokens[..], &mut below.tokens[..])
        else {
            continue;
        };
        let word = above.text.to_lowercase();
        if let Kind::Number(number) = &mut token.kind
            && number.is_bare()
            && names_a_number(&word)
        {
            number.before = word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(path: &str) -> Vec<String> {
        let components = components(path, false);
        let word = |component: &Component, token: &Token| {
            let kind = match &token.kind {
                Kind::Word => "word",
                Kind::Number(_) => "number",
                Kind::Version => "version",
                Kind::Date => "date",
                Kind::Test => "test",
            };
            format!("{kind} {}", component.word(token))
        };
        let of = |c: &Component| c.tokens.iter().map(|t| word(c, t)).collect::<Vec<_>>();
        components.iter().flat_map(of).collect()
    }

    #[test]
    fn words_numbers_versions_dates_and_tests_are_told_apart() {
        for (path, expected) in [
            (
                "mysql_8.0.36_oltp_read_write_64.txt",
                "word mysql|version 8.0.36|test oltp_read_write|number 64|word txt",
            ),
            ("sysbench.ro.128.res", "word sysbench|test ro|number 128|word res"),
            ("mysql57-BP25/thr128/", "number mysql57|number BP25|number thr128"),
            ("2024-01-15/rw", "date 2024-01-15|test rw"),
            ("20240115-103000/rw", "date 20240115-103000|test rw"),
            ("2024-01-15_10-30-00", "date 2024-01-15_10-30-00"),
            ("tpcc-2020-07-16-14-27/x", "test tpcc|date 2020-07-16-14-27|word x"),
            ("2024-01-15-16", "date 2024-01-15|number 16"),
            ("20241715", "number 20241715"),
            ("16-threads", "number 16-threads"),
            ("series-25/x", "number series-25|word x"),
            ("ycsb-a.log", "test ycsb-a|word log"),
            ("tpcc1000-16G", "test tpcc1000|number 16G"),
            ("oltp_update_non_index", "test oltp_update_non_index"),
            ("ip-10-0-0-12", "word ip|version 10-0-0-12"),
            ("10.0.0.12", "version 10.0.0.12"),
            ("\u{1b}[31m{x}", "number 31m|word x"),
            ("день-1", "word день|number 1"),
        ] {
            assert_eq!(words(path).join("|"), expected, "{path:?}");
        }
    }
}
