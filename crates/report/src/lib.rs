//! From an [`analyse::Analysis`] to something that people and programs read.
//!
//! Nothing here measures or decides, and the only IO is the writer that it is given. What a
//! report says is in [`words`]; its tables are built once and arranged by each format.

mod advice;
mod charts;
mod document;
mod formats;
mod gate;
mod generator;
mod history;
mod infracost;
mod level_axis;
mod mark;
mod runs;
mod sections;
pub mod site;
mod so_far;
mod tables;
mod trial_columns;
mod view;
pub mod words;

use analyse::Analysis;
use charts::evidence::Evidence;
use document::Section;
use formats::{csv, hlog, html, json, markdown, terminal};
use std::io::{self, Write};

pub use advice::{terminal_answers, terminal_rules};
pub use charts::chart::{
    CHARTS_OF_TRIALS, ChartRequest, KINDS as CHART_KINDS, NoChart, Theme, TrialChoice, chart,
};
pub use findings::numbers;
pub use formats::terminal::STYLES;
pub use gate::{Gated, answer, junit, openmetrics, render_gate};
pub use generator::GeneratorFigures;
pub use history::render_history;
pub use infracost::{UsageOf, usage_file};
pub use mark::{PNG_MARK, SECOND_CHUNK, is_own, recognise};
pub use runs::{RunName, Runs, RunsFormat, render_runs};
pub use so_far::so_far;

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One self-contained page that opens offline.
    Html,
    /// Tables and sentences, for pull requests and wikis.
    Markdown,
    /// Everything, for programs; the schema is in `docs/report-json.md`.
    Json,
    /// One row per trial, for spreadsheets and data frames; described in `docs/report-csv.md`.
    Csv,
    /// The latencies of every trial, as an interval log of HdrHistogram; described in `docs/hlog.md`.
    Hlog,
}

/// Writes a report. Whatever it is written to, the code that writes it is made here, once: serializers of
/// as many types are large, and other crates are optimised less.
///
/// # Errors
/// Only those of the writer.
pub fn render(analysis: &Analysis, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Html => {
            let (title, under) = sections::head(analysis);
            let (before, after) = html::frame(&title, &under);
            text(&before, out)?;
            let evidence = Evidence::of_page(analysis);
            let page = |section: &Section| text(&html::section(section), out);
            sections::each(analysis, Some(&evidence), page)?;
            text(&after, out)
        }
        Format::Markdown => {
            let (title, under) = sections::head(analysis);
            text(&markdown::head(&title, &under), out)?;
            sections::each(analysis, None, |section| text(&markdown::section(section), out))
        }
        Format::Json => json::write(analysis, out),
        Format::Csv => csv::write(analysis, out),
        Format::Hlog => hlog::write(analysis, out),
    }
}

/// The ranking with its ties, how the targets compare, and what failed or is suspect, in lines
/// of at most `width` columns (40 at least). Without `colour` there are no escape sequences; in
/// either case control characters and invisible ones in names and messages are shown as escapes.
pub fn terminal_summary(analysis: &Analysis, width: usize, colour: bool) -> String {
    terminal::document(&sections::brief(analysis), width, colour)
}

/// Writes what a person reads. Whatever names, messages and settings hold, no control character
/// and nothing invisible leaves this crate.
fn text(page: &str, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(model::text::visible(page).as_bytes())
}
