//! What a terminal shows when a run is over.

use crate::tables::{self, Table};
use crate::{numbers, view, words};
use analyse::{Analysis, Evidence, Finding, RankedTarget, SearchAnalysis, Severity, TestAnalysis};
use model::text;
use std::fmt::Write;

/// The codes of the escape sequences (`ESC [ code m`) that style a terminal's text, the one that
/// ends a style among them.
pub const STYLES: [&str; 5] = ["0", "1", "2", "31", "33"];

/// Narrowest width that lines are broken to.
const NARROWEST: usize = 40;
/// Most sentences on pairs of targets; the report has them all.
const MAX_CONDITIONS: usize = 8;
/// Most failures that are shown; the report has them all.
const MAX_FAILURES: usize = 6;
/// Most lines on transactions by name.
const MAX_TRANSACTIONS: usize = 12;
/// Most notes that are shown.
const MAX_NOTES: usize = 10;
/// What the figures of a place need beside its name, in columns.
const FIGURES: usize = 52;

/// The ranking with its ties, how the targets compare, and what failed or is suspect, in lines
/// of at most `width` columns (40 at least). Without `colour` there are no escape sequences; in
/// either case control characters and invisible ones in names and messages are shown as escapes.
pub fn terminal_summary(analysis: &Analysis, width: usize, colour: bool) -> String {
    let mut page = Page::new(width, colour);
    if let Some(scaled) = words::scaled(analysis) {
        page.paragraph("", &scaled, Style::Doubtful);
        page.end_section();
    }
    page.recommendation(analysis);
    page.summary(analysis);
    for test in &analysis.tests {
        page.test(analysis, test);
    }
    page.lost(analysis);
    page.problems(analysis);
    page.notes(analysis);
    page.text
}

/// Text in lines of a given width.
pub(crate) struct Page {
    text: String,
    width: usize,
    colour: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Style {
    Plain,
    Bold,
    Bad,
    Doubtful,
    Soft,
}

impl Page {
    /// An empty page with lines of at most so many columns, 40 at least.
    pub(crate) fn new(width: usize, colour: bool) -> Self {
        Self { text: String::new(), width: width.max(NARROWEST), colour }
    }

    /// All that was put on it.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Leaves a line free.
    pub(crate) fn end_section(&mut self) {
        self.text.push('\n');
    }

    /// The question, what to choose, what that rests on and what it does not hold for.
    fn recommendation(&mut self, analysis: &Analysis) {
        let study = &analysis.dataset.study;
        self.paragraph("", study.question.as_deref().unwrap_or(&study.name), Style::Bold);
        let judged = || analysis.tests.iter().filter(|test| test.basis.is_some());
        for test in judged() {
            let said = words::answer(analysis, test);
            let several =
                if judged().count() > 1 { format!("{}: ", test.test) } else { String::new() };
            self.paragraph("  ", &format!("{several}{}", said.first()), Style::Plain);
        }
        for said in words::grounds(analysis) {
            self.paragraph("  ", &said, Style::Soft);
        }
        self.text.push('\n');
    }

    /// Who comes first and second in each test, and how often each target does.
    fn summary(&mut self, analysis: &Analysis) {
        let Some((tests, targets)) = tables::summary(analysis) else { return };
        self.paragraph("", "First and second places", Style::Bold);
        for table in [tests, targets].iter().filter(|table| !table.rows.is_empty()) {
            self.table(table);
            self.text.push('\n');
        }
    }

    fn test(&mut self, analysis: &Analysis, test: &TestAnalysis) {
        if let Some(found) = &test.search {
            return self.search(analysis, test, found);
        }
        self.paragraph("", &format!("{}: {}", test.test, words::ranked_by(test)), Style::Bold);
        let names = test.ranking.tiers.iter().flatten().map(|place| place.target.chars().count());
        let column = names.max().unwrap_or(0).min(self.longest_name());
        let mut last = 0;
        for place in view::ranked(test) {
            let is_shared = std::mem::replace(&mut last, place.place()) == place.place();
            let label = if is_shared { "=".to_owned() } else { format!("{}.", place.place()) };
            self.place(&label, test, place, column);
        }
        let without = words::not_offered(test).map(|(targets, _)| targets).unwrap_or_default();
        if test.ranking.tiers.is_empty() && without.len() < test.ranking.unranked.len() {
            let mut unranked = test.ranking.unranked.iter();
            let some = unranked.any(|target| view::lacks_figure(analysis, test, target));
            let what = if some { "the figure that decides" } else { "a trial that counts" };
            self.paragraph("  ", &format!("no target has {what}"), Style::Bad);
        }
        for target in &test.ranking.unranked {
            let name = numbers::shortened(target, self.longest_name());
            let (why, style) = match without.contains(&target.as_str()) {
                true => ("not offered", Style::Soft),
                false if view::lacks_figure(analysis, test, target) => {
                    ("not ranked: no trial has this figure", Style::Bad)
                }
                false => ("not ranked: no trial that counts", Style::Bad),
            };
            self.paragraph("  ", &format!("–  {name}  {why}"), style);
        }
        let said = words::answer(analysis, test);
        if said.ranking.is_some() {
            self.bullet(&said.headline, Style::Plain);
        }
        for condition in said.conditions.iter().take(MAX_CONDITIONS) {
            self.bullet(condition, Style::Plain);
        }
        if let Some(more @ 1..) = said.conditions.len().checked_sub(MAX_CONDITIONS) {
            self.bullet(&format!("{more} more in the report"), Style::Soft);
        }
        self.transactions(analysis, test);
        self.text.push('\n');
    }

    /// Transactions by name.
    fn transactions(&mut self, analysis: &Analysis, test: &TestAnalysis) {
        let mut table = tables::transactions_in_short(analysis, test);
        let more = table.rows.len().saturating_sub(MAX_TRANSACTIONS);
        if table.rows.is_empty() {
            return;
        }
        table.rows.truncate(MAX_TRANSACTIONS);
        self.table(&table);
        if more > 0 {
            self.bullet(&format!("{more} more transactions in the report"), Style::Soft);
        }
    }

    /// What the searches for the highest load found.
    fn search(&mut self, analysis: &Analysis, test: &TestAnalysis, found: &SearchAnalysis) {
        let heading = format!(
            "{}: {} {}",
            test.test,
            words::searched_for(found.over),
            words::bound(&found.bound)
        );
        self.paragraph("", &heading, Style::Bold);
        let said = words::answer(analysis, test);
        for sentence in said.targets.iter().chain(&said.conditions) {
            self.bullet(sentence, Style::Plain);
        }
        self.text.push('\n');
    }

    fn place(&mut self, label: &str, test: &TestAnalysis, place: &RankedTarget, column: usize) {
        let name = numbers::shortened(&text::line(&place.target), column);
        let interval = place.figure.interval.map_or("no interval".to_owned(), |interval| {
            numbers::range(interval.low, interval.high)
        });
        let figure = numbers::figure(place.figure.point);
        let (unit, at) = (words::short_unit(test), words::at(place.level));
        let line = format!("{label:<3}{name:<column$} {figure:>9}{unit} ({interval}){at}");
        self.text.push_str("  ");
        self.styled(&line, Style::Plain);
        self.text.push('\n');
    }

    /// Longest name of a target in the ranking, in characters.
    fn longest_name(&self) -> usize {
        self.width.saturating_sub(FIGURES).max(8)
    }

    /// How many trials say nothing, and why.
    fn lost(&mut self, analysis: &Analysis) {
        let missing = analysis.dataset.missing().count();
        let mut trials = view::Tally::of_all(analysis).describe();
        if missing > 0 {
            // Writing into a String cannot fail.
            let _ = write!(trials, ", {missing} not run");
        }
        self.paragraph("", &format!("Trials: {trials}"), Style::Bold);
        let failures = view::failures(analysis);
        for failed in failures.iter().take(MAX_FAILURES) {
            let message = &failed.failure.message;
            self.bullet(&format!("{} failed: {message}", failed.describe()), Style::Bad);
            if !failed.failure.remedy.is_empty() {
                let remedy = &failed.failure.remedy;
                self.paragraph("    ", &format!("To fix: {remedy}"), Style::Soft);
            }
        }
        if let Some(more @ 1..) = failures.len().checked_sub(MAX_FAILURES) {
            self.bullet(&format!("{more} more failures in the report"), Style::Soft);
        }
    }

    /// Of the severe findings and the warnings one sentence of each kind, but for failures, which
    /// are listed already.
    fn problems(&mut self, analysis: &Analysis) {
        for (severity, style) in
            [(Severity::Severe, Style::Bad), (Severity::Warning, Style::Doubtful)]
        {
            for (_, findings) in view::by_kind(analysis, severity) {
                if findings.iter().any(|f| matches!(f.evidence, Evidence::TrialFailed(_))) {
                    continue;
                }
                let counted = |finding: &Finding| view::counted_in(analysis, finding);
                let sentences = words::sentences(&findings, counted);
                let Some((first, others)) = sentences.split_first() else { continue };
                self.bullet(first, style);
                if !others.is_empty() {
                    let more = format!("{} more of this kind in the report", others.len());
                    self.paragraph("    ", &more, Style::Soft);
                }
            }
        }
    }

    /// What was noted while the run was going on.
    fn notes(&mut self, analysis: &Analysis) {
        let notes = &analysis.dataset.notes;
        if notes.is_empty() {
            return;
        }
        self.end_section();
        self.paragraph("", "Notes", Style::Bold);
        for note in notes.iter().take(MAX_NOTES) {
            self.bullet(&format!("{}: {}", numbers::date(note.at), note.text), Style::Plain);
        }
        if let Some(more @ 1..) = notes.len().checked_sub(MAX_NOTES) {
            self.bullet(&format!("{more} more in the report"), Style::Soft);
        }
    }

    /// A table in columns.
    pub(crate) fn table(&mut self, table: &Table) {
        for line in columns(table, self.width) {
            self.styled(&line, Style::Plain);
            self.text.push('\n');
        }
    }

    pub(crate) fn bullet(&mut self, text: &str, style: Style) {
        self.wrapped("  - ", "    ", text, style);
    }

    pub(crate) fn paragraph(&mut self, indent: &str, text: &str, style: Style) {
        // A line of a name that was broken must not begin like one of weighin's own.
        let further = if indent.is_empty() { "  " } else { indent };
        self.wrapped(indent, further, text, style);
    }

    /// Breaks at spaces; a word that is longer than a line is cut.
    fn wrapped(&mut self, first: &str, indent: &str, text: &str, style: Style) {
        let room = self.width - indent.chars().count();
        for (i, line) in broken(text, room).iter().enumerate() {
            self.text.push_str(if i == 0 { first } else { indent });
            self.styled(line, style);
            self.text.push('\n');
        }
    }

    fn styled(&mut self, text: &str, style: Style) {
        let code = match style {
            _ if !self.colour => "",
            Style::Plain => "",
            Style::Bold => "1",
            Style::Bad => "31",
            Style::Doubtful => "33",
            Style::Soft => "2",
        };
        if code.is_empty() {
            self.text.push_str(text);
        } else {
            // Writing into a String cannot fail.
            let _ = write!(self.text, "\u{1b}[{code}m{text}\u{1b}[0m");
        }
    }
}

/// Text within a paragraph: lines run on, and nothing in it steers a terminal.
fn printable(text: &str) -> String {
    text::visible(&text::message(text)).replace(['\n', '\t'], " ")
}

/// Text in lines of at most `room` characters, broken at spaces; a word that is longer is cut.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut filled = 0;
    for word in printable(text).split(' ').flat_map(|word| pieces(word, room)) {
        let length = word.chars().count();
        let gap = usize::from(filled > 0);
        match lines.last_mut() {
            Some(line) if filled + gap + length <= room => {
                line.push_str(&" ".repeat(gap));
                line.push_str(&word);
                filled += gap + length;
            }
            _ => {
                lines.push(word);
                filled = length;
            }
        }
    }
    lines
}

/// A table of words in columns, each as wide as it must be and, where they do not all fit, no wider
/// than its share of `width`.
fn columns(table: &Table, width: usize) -> Vec<String> {
    const GAP: usize = 2;
    let headings = table.columns.iter().map(|column| column.heading.as_str()).collect();
    let cells =
        table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.as_str()).collect());
    let rows: Vec<Vec<&str>> = std::iter::once(headings).chain(cells).collect();
    let longest = |column: usize| {
        let lengths =
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(0) + GAP
    };
    let whole: usize = (0..table.columns.len()).map(longest).sum();
    let share = match whole <= width {
        true => width.max(1),
        false => (width / table.columns.len().max(1)).saturating_sub(GAP).max(1),
    };
    let mut lines = Vec::new();
    let broken: Vec<Vec<Vec<String>>> =
        rows.iter().map(|row| row.iter().map(|cell| broken(cell, share)).collect()).collect();
    let widest = |column: usize| {
        let parts = broken.iter().filter_map(|row| row.get(column)).flatten();
        parts.map(|part| part.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(widest).collect();
    for row in &broken {
        for number in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                let part = cell.get(number).map_or("", String::as_str);
                line.push_str(&format!("{:GAP$}{part:<width$}", ""));
            }
            lines.push(line.trim_end().to_owned());
        }
    }
    lines
}

/// A word in pieces of at most `length` characters.
fn pieces(word: &str, length: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(length).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Column, Row, TableCell};

    #[test]
    fn columns_are_as_wide_as_they_must_be_and_no_wider_than_their_share() {
        let column = |heading: &str| Column { heading: heading.to_owned(), numeric: false };
        let cells = ["oltp", "fast", "a and b"].map(TableCell::text).into();
        let table = Table {
            columns: ["test", "first", "second"].map(column).into(),
            rows: vec![Row { cells, opens_group: false, id: None }],
        };
        let lines = columns(&table, 60);
        assert_eq!(lines, ["  test  first  second", "  oltp  fast   a and b"]);
        let lines = columns(&table, 21);
        assert_eq!(
            lines,
            [
                "  test  first  secon",
                "               d",
                "  oltp  fast   a and",
                "               b"
            ]
        );
    }
}
