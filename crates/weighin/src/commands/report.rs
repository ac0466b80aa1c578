use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ReportArguments, ReportFormat};
use crate::exit::CliError;
use crate::output::{self, Replaces, html_path};
use crate::stores;
use analyse::Analysis;
use model::ReadBudget;
use report::Format;
use std::io::{self, Write};

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Html => Self::Html,
            ReportFormat::Markdown => Self::Markdown,
            ReportFormat::Json => Self::Json,
            ReportFormat::Csv => Self::Csv,
            ReportFormat::Hlog => Self::Hlog,
        }
    }
}

/// Makes a report of a study that was run.
pub(crate) fn report(arguments: &ReportArguments) -> Outcome {
    let results = stores::find(arguments.study.as_deref())?;
    let dataset = stores::dataset(&results, arguments.reading)?;
    let format = Format::from(arguments.format);
    let out = match &arguments.out {
        Some(path) if path.as_os_str() == "-" => None,
        Some(path) => Some(path.clone()),
        None if format == Format::Html => Some(html_path(&results)),
        None => None,
    };
    // Tables of trials say nothing of scaling laws, whose fits take long.
    let analyse = match format {
        Format::Csv | Format::Hlog => analyse::analyse_without_laws_within,
        Format::Html | Format::Markdown | Format::Json => analyse::analyse_within,
    };
    let (analysis, budget) = stores::analysis_by(analyse, &results, &dataset, arguments.reading)?;
    let text = render(&analysis, format, &budget)?;
    match out {
        Some(path) => {
            let replaces = if arguments.overwrite { Replaces::Anything } else { Replaces::Reports };
            let write = if arguments.out.is_some() { output::write } else { output::write_beside };
            let written = write(&path, &text, replaces)?;
            print(&format!("Wrote {}\n", model::text::line(&written)))?;
        }
        None => print(&String::from_utf8_lossy(&text))?,
    }
    Ok(Exit::Done)
}

/// The report of an analysis.
pub(super) fn render(
    analysis: &Analysis<'_>,
    format: Format,
    budget: &ReadBudget,
) -> Result<Vec<u8>, CliError> {
    let mut text = Charged { text: Vec::new(), budget };
    budget
        .bound(|| report::render(analysis, format, &mut text))
        .map_err(|over| stores::not_made("the report", over))?
        .map_err(|error| CliError::unavailable(format!("cannot make the report: {error}"), ""))?;
    Ok(text.text)
}

/// A text that is made within a budget.
struct Charged<'a> {
    text: Vec<u8>,
    budget: &'a ReadBudget,
}

impl Write for Charged<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        // Of its time: how long a page may be follows from what was read, which was charged.
        self.budget.charge(0).map_err(io::Error::other)?;
        self.text.write(part)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
