use super::options::Script;
use model::text;
use std::fmt;

/// Characters of a line that are shown.
const LINE_WIDTH: usize = 96;
/// Characters of a message, which may quote the script, that are shown.
const LONGEST_MESSAGE: usize = 400;

/// What is wrong at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The byte.
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) help: String,
}

impl Problem {
    pub(super) fn new(at: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: help.into() }
    }
}

/// Why a script cannot be run, or what is noteworthy in one that can, and where. Shown with the line
/// and a mark under the place; what the script contains is shown without its control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The file, or the name of a script without one.
    pub script: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub message: String,
    /// What to write instead; may be empty.
    pub help: String,
    /// The line as it is shown, and how many characters stand before the mark.
    shown: (String, usize),
}

impl ScriptError {
    pub(super) fn new(script: &Script, problem: Problem) -> Self {
        let mut at = problem.at.min(script.text.len());
        while !script.text.is_char_boundary(at) {
            at -= 1;
        }
        let (before, after) = script.text.split_at(at);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].chars().count();
        let skipped = if column > LINE_WIDTH { column - LINE_WIDTH / 2 } else { 0 };
        let prefix: String = before[start..].chars().skip(skipped).map(printable).collect();
        let rest = after.lines().next().unwrap_or_default();
        let room = LINE_WIDTH.saturating_sub(column - skipped);
        let rest: String = rest.chars().take(room).map(printable).collect();
        let mark = prefix.chars().count();
        Self {
            script: text::line(script.file.as_ref().unwrap_or(&script.name)).into_owned(),
            line: before.matches('\n').count() + 1,
            column: column + 1,
            message: text::excerpt(&problem.message, LONGEST_MESSAGE).into_owned(),
            help: text::excerpt(&problem.help, LONGEST_MESSAGE).into_owned(),
            shown: ((prefix + &rest).trim_end().to_owned(), mark),
        }
    }

    /// Something else at the same place.
    pub(super) fn with_message(&self, message: &str, help: &str) -> Self {
        Self {
            message: text::excerpt(message, LONGEST_MESSAGE).into_owned(),
            help: text::excerpt(help, LONGEST_MESSAGE).into_owned(),
            ..self.clone()
        }
    }

    /// What is wrong with a script as a whole.
    pub(super) fn of_script(script: &Script, message: &str, help: &str) -> Self {
        Self::new(script, Problem::new(0, message, help))
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { script, line, column, message, help, shown: (shown, mark) } = self;
        let gutter = " ".repeat(line.to_string().len());
        writeln!(f, "{script}:{line}:{column}: {message}")?;
        writeln!(f, " {gutter} |\n {line} | {shown}")?;
        write!(f, " {gutter} | {}^", " ".repeat(*mark))?;
        match help.is_empty() {
            true => Ok(()),
            false => write!(f, "\n  = help: {help}"),
        }
    }
}

/// A character as it is shown: a tab, which would shift the mark, as a space.
fn printable(character: char) -> String {
    match character {
        '\t' => " ".to_owned(),
        c => text::line(c.encode_utf8(&mut [0; 4])).into_owned(),
    }
}
