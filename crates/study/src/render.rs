use crate::problem::{Place, Problem};
use crate::secret::holds_secret;
use crate::url::may_hold_password;
use std::fmt::Write;

/// Problems shown in full: as many as fit on a screen with their source lines.
const SHOWN: usize = 4;
/// Characters of a source line that are shown.
const LINE_WIDTH: usize = 96;

/// Writes problems as text: each with its line and column, the line itself, a mark under the
/// place, and how to mend it.
pub(crate) fn render(problems: &[Problem], text: &str, origin: &str) -> String {
    let mut out = String::new();
    // A secret may go on over several lines, and a problem may point to any of them.
    let secretive = holds_secret(text);
    for problem in problems.iter().take(SHOWN) {
        let (line, column) = position(text, problem.at.start);
        let _ = writeln!(out, "{origin}:{line}:{column}: {}", hide(&problem.message));
        if !problem.secret && !secretive {
            snippet(&mut out, text, &problem.at);
        }
        if let Some((at, label)) = &problem.other {
            let (line, column) = position(text, at.start);
            let _ = writeln!(out, "  {origin}:{line}:{column}: {}", hide(label));
            if !secretive {
                snippet(&mut out, text, at);
            }
        }
        if let Some(help) = &problem.help {
            let _ = writeln!(out, "  = help: {help}");
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
    let indent = column - 1 - skipped;
    let length = text.get(at.clone()).map_or(1, |place| {
        place.lines().next().map_or(1, |first| first.trim_end().chars().count())
    });
    let marks = "^".repeat(length.clamp(1, (LINE_WIDTH - indent).max(1)));
    let gutter = " ".repeat(line_number.to_string().len());
    let _ = writeln!(out, " {gutter} |");
    let _ = writeln!(out, " {line_number} | {}", shown.trim_end());
    let _ = writeln!(out, " {gutter} | {}{marks}", " ".repeat(indent));
}

/// Control characters of a file must not reach the terminal, and tabs would shift the mark.
fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

fn hide(message: &str) -> String {
    if may_hold_password(message) {
        return "this value is not possible here (not shown: it seems to hold a password)".into();
    }
    message.chars().map(printable).collect()
}
