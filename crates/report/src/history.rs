//! Many runs over time, for people and programs.

use crate::document::Document;
use crate::numbers::{NOTHING, counted, date, figure, interval, percent};
use crate::runs::{RunsFormat, json_text};
use crate::tables::{Table, TableCell, numbers, words};
use crate::words::metric_name;
use analyse::runs::{CellHistory, History, LevelChange};
use model::{Level, text};
use serde::Serialize;

/// Raised when a field changes its meaning or goes away; new fields may come without.
const VERSION: u32 = 1;

/// A history in that form.
pub fn render_history(history: &History, format: RunsFormat) -> String {
    format.write(|| document(history), || json(history))
}

fn json(history: &History) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        format_version: u32,
        #[serde(flatten)]
        history: &'a History,
    }
    json_text(&Document { format: "weighin-history", format_version: VERSION, history })
}

fn document(history: &History) -> Document {
    let runs = history.runs.len();
    let mut studies: Vec<String> =
        history.runs.iter().map(|run| text::line(&run.study).into_owned()).collect();
    studies.sort_unstable();
    studies.dedup();
    let span =
        history.runs.first().zip(history.runs.last()).map_or(String::new(), |(first, last)| {
            format!(", {} to {}", date(first.started_at), date(last.started_at))
        });
    let said = format!("Runs: {} (study {}){span}", counted(runs, "file"), studies.join(", "));
    let found: Vec<(&CellHistory, &LevelChange)> = history
        .cells
        .iter()
        .flat_map(|cell| cell.changes.iter().map(move |change| (cell, change)))
        .collect();
    let title = match found.len() {
        0 => "History: no change".to_owned(),
        several => format!("History: {}", counted(several, "change")),
    };
    Document::new(title, |b| {
        b.bullets([said]);
        if found.is_empty() {
            b.paragraph(no_change(history));
        }
        b.table(table(history, &found));
        b.part(2, "What else changed there", |b| b.bullets(conditions(history, &found)));
        b.part(2, "Every figure over the runs", |b| b.table(courses(history)));
        b.warning(drifts(history));
        b.warning(left_out(history));
        b.paragraph(format!(
            "A change is where the ranks of a cell’s medians differ more than in all but a few random \
             orders of the same runs, and more than in all but a few series that drift as much; all \
             {} together show one where there is none with a chance of at most {}. A level is at least \
             three runs long. A drift shows as one or several steps.",
            counted(history.cells.len(), "cell"),
            percent(history.error)
        ));
    })
}

fn no_change(history: &History) -> String {
    let cells = counted(history.cells.len(), "cell");
    let longest = history.cells.iter().map(|cell| cell.points.len()).max().unwrap_or(0);
    match history.fewest_runs {
        None => format!("No change can show in {cells}: there are too many for any to count."),
        Some(fewest) if longest < fewest => {
            format!("No change shows in {cells}; in fewer than {fewest} runs none can.")
        }
        Some(_) => format!("No change shows in {cells}."),
    }
}

/// What slow drift explains; empty where nothing drifts.
fn drifts(history: &History) -> String {
    let drifts: Vec<f64> = history.cells.iter().filter_map(|cell| cell.drift).collect();
    if drifts.is_empty() {
        return String::new();
    }
    format!(
        "In {} something looks like a change that slow drift explains: runs resemble those before them \
         (coefficient of autoregression up to {}). It does not count; what drifts on the machine is \
         worth a look.",
        counted(drifts.len(), "cell"),
        figure(drifts.into_iter().fold(0.0, f64::max))
    )
}

/// How many results are of another test; empty where none is.
fn left_out(history: &History) -> String {
    let results = match history.cells.iter().map(|cell| cell.left_out).sum() {
        0 => return String::new(),
        1 => "1 result is".to_owned(),
        several => format!("{} are", counted(several, "result")),
    };
    format!("{results} left out: the test was another one then than in the latest run.")
}

fn table(history: &History, found: &[(&CellHistory, &LevelChange)]) -> Table {
    let mut table = Table::new([
        words("test"),
        words("target"),
        words("level"),
        words("figure"),
        words("new level from"),
        words("run"),
        numbers("before"),
        numbers("after"),
        numbers("after ÷ before"),
        numbers("interval"),
    ]);
    for (cell, change) in found {
        let from = &history.runs[change.between.1];
        table.push([
            TableCell::text(&cell.test),
            TableCell::text(&cell.target),
            level(cell),
            TableCell::text(metric_name(cell.metric)),
            TableCell::text(date(from.started_at)),
            TableCell::text(&from.file),
            TableCell::text(figure(change.before)),
            TableCell::text(figure(change.after)),
            TableCell::text(change.ratio.map_or(NOTHING.to_owned(), |ratio| figure(ratio.point))),
            TableCell::text(change.ratio.as_ref().map_or(String::new(), interval)),
        ]);
    }
    table.without_empty_columns()
}

fn level(cell: &CellHistory) -> TableCell {
    match cell.level {
        Level::NONE => TableCell::default(),
        level => TableCell::text(level.to_string()),
    }
}

/// Most figures whose course is shown; the JSON has all.
const MOST_COURSES: usize = 60;

/// Every figure over the runs that have it; nothing for fewer than three.
fn courses(history: &History) -> Option<Table> {
    let mut table = Table::new([
        words("test"),
        words("target"),
        words("level"),
        words("figure"),
        numbers("runs"),
        numbers("latest"),
        words("course"),
    ]);
    let long = history.cells.iter().filter(|cell| cell.points.len() >= 3);
    for cell in long.take(MOST_COURSES) {
        let values: Vec<f64> = cell.points.iter().map(|(_, value)| *value).collect();
        table.push([
            TableCell::text(&cell.test),
            TableCell::text(&cell.target),
            level(cell),
            TableCell::text(metric_name(cell.metric)),
            TableCell::text(values.len().to_string()),
            TableCell::text(values.last().map_or(NOTHING.to_owned(), |value| figure(*value))),
            TableCell::course(values),
        ]);
    }
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}

/// Each fact that changed between the runs on both sides of a change, once.
fn conditions(history: &History, found: &[(&CellHistory, &LevelChange)]) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for (_, change) in found {
        let file = text::line(&history.runs[change.between.1].file).into_owned();
        for condition in &change.conditions {
            let (before, after) = (text::line(&condition.before), text::line(&condition.after));
            let one = format!("{file}: {} was {before}, is {after}", condition.what);
            if !said.contains(&one) {
                said.push(one);
            }
        }
    }
    said
}
