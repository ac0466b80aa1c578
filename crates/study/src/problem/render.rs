use crate::problem::secret::holds_secret;
use crate::problem::{Place, Problem};
use crate::text::url::may_hold_password;
use model::text;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Problems shown in full: as many as fit on a screen with their source lines.
const SHOWN: usize = 4;
/// Characters of a source line that are shown.
const LINE_WIDTH: usize = 96;
/// Characters of a message, which may hold a value of the file, that are shown.
const LONGEST_MESSAGE: usize = 400;

/// What places are places in.
pub(crate) enum Source<'a> {
    /// The text of a study file; `origin` is what messages call it.
    File { text: &'a str, origin: &'a str },
    /// The names of a command line's options.
    Options(Vec<String>),
}

impl Source<'_> {
    /// A message with its place: line and column, the line itself and a mark under it; or the option,
    /// where the message does not name it.
    fn write(&self, out: &mut String, indent: &str, at: &Place, message: &str, secret: bool) {
        let message = hide(message);
        match self {
            Self::File { text, origin } => {
                let (line, column) = position(text, at.start);
                let _ = writeln!(out, "{indent}{origin}:{line}:{column}: {message}");
                if !secret {
                    snippet(out, text, at);
                }
            }
            Self::Options(options) => {
                let option = options.get(at.start);
                let unnamed = option.filter(|option| !message.contains(option.as_str()));
                let option = unnamed.map_or(String::new(), |option| format!("{option}: "));
                let _ = writeln!(out, "{indent}{option}{message}");
            }
        }
    }

    /// Whether there is something to see at a place.
    fn has(&self, at: &Place) -> bool {
        match self {
            Self::File { .. } => true,
            Self::Options(options) => at.start < options.len(),
        }
    }

    /// A secret may go on over several lines, and a problem may point to any of them.
    fn holds_secret(&self) -> bool {
        match self {
            Self::File { text, .. } => holds_secret(text),
            Self::Options(_) => false,
        }
    }
}

/// Writes problems as text: each with its place and how to fix it.
pub(crate) fn render(problems: &[Problem], source: &Source<'_>) -> String {
    let mut out = String::new();
    let secretive = source.holds_secret();
    for problem in problems.iter().take(SHOWN) {
        source.write(&mut out, "", &problem.at, &problem.message, problem.secret || secretive);
        if let Some((at, label)) = problem.other.as_ref().filter(|(at, _)| source.has(at)) {
            source.write(&mut out, "  ", at, label, secretive);
        }
        for line in problem.inside.iter().filter(|_| !secretive).flat_map(|text| text.lines()) {
            let _ = writeln!(out, "  {}", text::visible(line));
        }
        if let Some(help) = &problem.help {
            let _ = writeln!(out, "  = help: {}", text::visible(help));
        }
    }
    match problems.len().saturating_sub(SHOWN) {
        0 => {}
        1 => out.push_str("and 1 more problem\n"),
        more => {
            let _ = writeln!(out, "and {more} more problems");
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Line and column of a byte, both from 1; columns count characters.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The source line of a place with a mark under it. A line that may hold a password is left out.
fn snippet(out: &mut String, text: &str, at: &Place) {
    let (line_number, column) = position(text, at.start);
    let line = text.lines().nth(line_number - 1).unwrap_or_default();
    if may_hold_password(line) {
        return;
    }
    let skipped = if column > LINE_WIDTH { column - LINE_WIDTH / 2 } else { 0 };
    let shown: String = line.chars().skip(skipped).take(LINE_WIDTH).map(printable).collect();
    let before: String =
        line.chars().skip(skipped).take(column - 1 - skipped).map(printable).collect();
    let place = text.get(at.clone()).and_then(|place| place.lines().next()).unwrap_or_default();
    let place: String = place.trim_end().chars().take(LINE_WIDTH).map(printable).collect();
    let (indent, room) = (before.width(), shown.width().saturating_sub(before.width()));
    let marks = "^".repeat(place.width().min(room).max(1));
    let gutter = " ".repeat(line_number.to_string().len());
    let _ = writeln!(out, " {gutter} |");
    let _ = writeln!(out, " {line_number} | {}", shown.trim_end());
    let _ = writeln!(out, " {gutter} | {}{marks}", " ".repeat(indent));
}

/// A character of the file as it is shown: what steers a terminal or is invisible as an escape, and a
/// tab, which would shift the mark, as a space.
fn printable(character: char) -> String {
    match character {
        '\t' => " ".to_owned(),
        c => text::line(c.encode_utf8(&mut [0; 4])).into_owned(),
    }
}

fn hide(message: &str) -> String {
    if may_hold_password(message) {
        let hidden =
            "this value is not allowed here (not shown, because it may contain a password)";
        return hidden.into();
    }
    text::excerpt(message, LONGEST_MESSAGE).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_its_place_whatever_stands_before_it() {
        let text = "a = \"\u{1b}[31m速\u{202e}\" # \u{7}\nb";
        let start = text.find('#').unwrap();
        let problem = Problem {
            at: start..start + 3,
            message: format!("hostile \u{9b} {}", "x".repeat(70_000)),
            other: None,
            help: None,
            inside: None,
            secret: false,
        };
        let shown = render(&[problem], &Source::File { text, origin: "s.toml" });
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].contains("hostile \\u{9b} xxx") && lines[0].ends_with("(68 KiB in all)"));
        assert_eq!(lines[2], " 1 | a = \"\\x1b[31m速\\u{202e}\" # \\x07");
        let before = lines[2].split('#').next().unwrap().width();
        assert_eq!(lines[3], format!("   |{}^^^^^^", " ".repeat(before - "   |".len())));
    }
}
