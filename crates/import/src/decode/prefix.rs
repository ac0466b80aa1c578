//! What logs of containers, pods and services put before each line.

use super::stamp;
use std::borrow::Cow;

/// Fewer lines have a beginning in common by chance.
const FEWEST_LINES: usize = 3;
/// How many beginnings stand before one another at most: a name, a time, the output's.
const MOST: usize = 4;

/// The text without what all its lines begin with; `None` where they have nothing in common. Lines
/// keep their numbers.
pub(super) fn without(text: &str) -> Option<String> {
    let mut text = docker_json(text).map_or(Cow::Borrowed(text), Cow::Owned);
    for _ in 0..MOST {
        match FORMS.iter().find_map(|form| stripped(&text, *form)) {
            Some(plain) => text = Cow::Owned(plain),
            None => break,
        }
    }
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

/// A line's own name, and what follows it; `None` where the line is not of the form.
type Form = fn(&str) -> Option<(&str, &str)>;

const FORMS: [Form; 5] = [compose, pod, journal, stream, stamped];

/// `bench_1  | text`, of docker compose.
fn compose(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once('|')?;
    let bare = name.trim_end_matches(' ');
    let word = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let is_name = !bare.is_empty() && bare.len() < name.len() && bare.chars().all(word);
    (is_name && bare.contains(char::is_alphabetic))
        .then(|| (bare, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// `[pod/bench-5d4f/bench] text`, of kubectl.
fn pod(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))?;
    name.starts_with("pod/").then_some((name, rest))
}

/// `Nov 14 22:13:01 host unit[123]: text`, of journald and syslog.
fn journal(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = stamp::after(line)?.split_once(' ')?;
    let (unit, rest) = rest.split_once(':')?;
    let name = unit.split('[').next().unwrap_or(unit);
    let process = unit.strip_suffix(']').is_some_and(|unit| unit.contains('['));
    let rest = rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest))?;
    (process && !unit.contains(' ')).then_some((name, rest))
}

/// `stdout F text`, of container runtimes, after the time.
fn stream(line: &str) -> Option<(&str, &str)> {
    let rest = stamp::after(line)?;
    let rest = rest.strip_prefix("stdout ").or_else(|| rest.strip_prefix("stderr "))?;
    let rest = rest.strip_prefix(['F', 'P'])?;
    Some(("", rest.strip_prefix(' ').unwrap_or(rest)))
}

/// A time alone, of `kubectl logs --timestamps`, `docker logs -t` and `ts`.
fn stamped(line: &str) -> Option<(&str, &str)> {
    stamp::after(line).map(|rest| ("", rest))
}

/// What these programs say themselves between the lines.
fn is_remark(line: &str) -> bool {
    line.trim().is_empty()
        || line.starts_with("Attaching to ")
        || line.contains(" exited with code ")
        || line.starts_with("-- ")
        || line.starts_with("::group::")
}

/// The text without beginnings of one form. Where they name several services, the lines of the one
/// whose results are in it stay: where that is none or several, the text stays as it is.
fn stripped(text: &str, form: Form) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    let mut lines = 0;
    for line in text.lines().filter(|line| !is_remark(line)) {
        let (name, _) = form(line)?;
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() > MOST_SERVICES {
            return None;
        }
        lines += 1;
    }
    if lines < FEWEST_LINES {
        return None;
    }
    let of = |name: &str| {
        let mut plain = String::with_capacity(text.len());
        for line in text.lines() {
            if let Some((_, rest)) = form(line).filter(|(own, _)| *own == name) {
                plain.push_str(rest);
            }
            plain.push('\n');
        }
        plain
    };
    let mut texts = names.iter().map(|name| of(name));
    if names.len() == 1 {
        return texts.next();
    }
    let mut results = texts.filter(|text| crate::recognise(text).is_some());
    results.next().filter(|_| results.next().is_none())
}

/// Services of one log at most.
const MOST_SERVICES: usize = 16;

/// Docker's own files, a document a line: `{"log":"text\n","stream":"stdout","time":"…"}`.
fn docker_json(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Line {
        log: String,
    }
    if !text.starts_with("{\"log\":\"") {
        return None;
    }
    let mut plain = String::with_capacity(text.len() / 2);
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).ok()?;
        plain.push_str(&line.log);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "sysbench 1.0.20 (x)\n\nSQL statistics:\n    queries:  5\n";

    fn prefixed(prefix: &str) -> String {
        PLAIN.lines().map(|line| format!("{prefix}{line}\n")).collect()
    }

    #[test]
    fn what_all_lines_begin_with_is_taken_off() {
        for prefix in [
            "bench_1  | ",
            "bench-1  | 2023-11-14T22:13:01.123456789Z ",
            "2023-11-14T22:13:01.123456789Z ",
            "2023-11-14T22:13:01.123456789Z stdout F ",
            "[pod/bench-5d4f/bench] ",
            "[pod/bench-5d4f/bench] 2023-11-14T22:13:01.123456789Z ",
            "Nov 14 22:13:01 db1 bench.sh[4711]: ",
            "2023-11-14T22:13:01+0000 db1 bench[4711]: ",
            "[2023-11-14 22:13:01] ",
        ] {
            assert_eq!(without(&prefixed(prefix)).as_deref(), Some(PLAIN), "{prefix}");
        }
        let framed =
            format!("Attaching to bench_1\n{}bench_1 exited with code 0\n", prefixed("bench_1 | "));
        assert_eq!(without(&framed).unwrap().trim(), PLAIN.trim());
        let docker: String = PLAIN
            .lines()
            .map(|line| format!("{{\"log\":\"{line}\\n\",\"stream\":\"stdout\",\"time\":\"x\"}}\n"))
            .collect();
        assert_eq!(without(&docker).as_deref(), Some(PLAIN));
    }

    #[test]
    fn of_several_services_the_one_with_results_is_taken() {
        let server = "db_1 | ready for connections\ndb_1 | shutdown\n";
        let text = format!("{server}{}", prefixed("bench_1 | "));
        assert_eq!(without(&text).unwrap().trim(), PLAIN.trim());
        let both = format!("{}{}", prefixed("a_1 | "), prefixed("b_1 | "));
        assert_eq!(without(&both), None, "whose lines are whose would be lost");
    }

    #[test]
    fn what_not_all_lines_share_stays() {
        for text in [
            PLAIN.to_owned(),
            "12:00:00 AM\nDevice\n".to_owned(),
            "[ 1s ] thds: 1\n[ 2s ] thds: 1\n[ 3s ] thds: 1\n".to_owned(),
            "a;b\n2023-11-14 22:13:01;5\n2023-11-14 22:13:02;6\n".to_owned(),
            format!("{}stray\n", prefixed("bench_1 | ")),
            String::new(),
        ] {
            assert_eq!(without(&text), None, "{text}");
        }
    }
}
