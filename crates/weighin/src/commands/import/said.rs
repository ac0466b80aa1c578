//! What an import tells: one line for each kind of thing, and all of them where that is asked for.

use super::{Stranger, counted};
use crate::messages::tell;
use import::{Format, Problem, Understood};
use model::{Level, text};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Most characters of a problem with a file that are shown.
const LONGEST_PROBLEM: usize = 400;
/// Words of a message by which its kind is told.
const TELLING_WORDS: usize = 4;
/// Most names, or endings of names, in a line.
const MOST_NAMES: usize = 6;

pub(super) fn what(format: Option<&'static dyn Format>) -> String {
    format.map_or("of a kind that weighin reads".to_owned(), |f| f.description().to_owned())
}

/// Tells what could not be read or put together.
pub(super) fn problems(problems: &[Problem], verbose: bool) {
    let one = |problem: &Problem| text::excerpt(&problem.to_string(), LONGEST_PROBLEM).into_owned();
    if verbose {
        problems.iter().for_each(|problem| tell(&format!("weighin: {}", one(problem))));
        return;
    }
    let mut kinds: Vec<(String, &Problem, usize)> = Vec::new();
    for problem in problems {
        let kind = kind(&problem.message);
        match kinds.iter_mut().find(|(known, ..)| *known == kind) {
            Some((.., count)) => *count += 1,
            None => kinds.push((kind, problem, 1)),
        }
    }
    for (_, first, count) in kinds {
        let more = match count {
            1 => String::new(),
            _ => format!(" (and {} more like it; --verbose shows all)", count - 1),
        };
        tell(&format!("weighin: {}{more}", one(first)));
    }
}

/// What problems of one kind have in common: the first words of their messages, numbers aside.
fn kind(message: &str) -> String {
    let plain = message.split_whitespace().map(|word| match word.contains(['«', '`']) {
        true => "…".to_owned(),
        false => word.replace(|c: char| c.is_ascii_digit(), "0"),
    });
    plain.take(TELLING_WORDS).collect::<Vec<_>>().join(" ")
}

/// Tells of files that are no results and were found in directories.
pub(super) fn left_out(strangers: &[Stranger], format: Option<&'static dyn Format>, verbose: bool) {
    let found: Vec<&Stranger> = strangers.iter().filter(|file| !file.named).collect();
    let one = |file: &Stranger| {
        let name = text::line(&file.name);
        tell(&format!("left out {name}: it is not {}", what(format)));
    };
    match &found[..] {
        [] => {}
        [file] => one(file),
        _ if verbose => found.into_iter().for_each(one),
        [first, ..] => {
            let mut endings: BTreeMap<String, usize> = BTreeMap::new();
            for file in &found {
                let ending = Path::new(&file.name).extension().map_or_else(
                    || "without an ending".to_owned(),
                    |ending| format!(".{}", ending.to_string_lossy()),
                );
                *endings.entry(ending).or_default() += 1;
            }
            let mut endings: Vec<(String, usize)> = endings.into_iter().collect();
            endings.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let named = endings.iter().take(MOST_NAMES);
            let mut named: Vec<String> =
                named.map(|(ending, count)| format!("{count} {ending}")).collect();
            if endings.len() > MOST_NAMES {
                named.push("others".to_owned());
            }
            tell(&text::line(&format!(
                "left out {} that are not {}: {}; such as {} (--verbose shows all)",
                counted(found.len(), "file"),
                what(format),
                named.join(", "),
                first.name
            )));
        }
    }
}

/// What was made of the paths; all that led to it where that is asked for.
pub(super) fn understood(understood: &Understood, whole: bool) -> String {
    let mut said = String::new();
    let lines = [
        ("targets", understood.targets.len(), names(&understood.targets)),
        ("tests", understood.tests.len(), names(&understood.tests)),
        ("levels", understood.levels.len(), levels(&understood.levels)),
    ];
    for (what, count, names) in lines {
        let _ = writeln!(said, "{what:<8} {count:>6}  {names}");
    }
    let repeats = match understood.repeats {
        0 | 1 => "none: no result is a repeat of another".to_owned(),
        most => format!("up to {most} results of one target, test and level"),
    };
    let _ = writeln!(said, "{:<8} {:>6}  {repeats}", "repeats", "");
    if whole {
        for part in &understood.parts {
            let (role, values) = (part.role, counted(part.values, "word"));
            let (example, file) = (text::line(&part.example), text::line(&part.file));
            let _ = writeln!(said, "{role}: {values}, such as {example} in {file}");
        }
        if let Some((pattern, fits, all)) = &understood.pattern {
            let pattern = super::quoted(pattern);
            let pattern = text::line(&pattern);
            let _ = writeln!(said, "as a pattern: --layout {pattern} (fits {fits} of {all} files)");
        }
    }
    for doubt in &understood.doubts {
        let _ = writeln!(said, "doubtful: {}", text::excerpt(doubt, LONGEST_PROBLEM));
    }
    said
}

fn names(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(MOST_NAMES).map(|name| text::line(name).into_owned()).collect();
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn levels(levels: &[Level]) -> String {
    let shown = levels.iter().take(2 * MOST_NAMES).map(|level| match (level.clients, level.rate) {
        (0, None) => "not said".to_owned(),
        (0, Some(rate)) => format!("{rate}/s"),
        (clients, None) => clients.to_string(),
        (clients, Some(rate)) => format!("{clients} at {rate}/s"),
    });
    let shown: Vec<String> = shown.collect();
    let more = if levels.len() > 2 * MOST_NAMES { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
