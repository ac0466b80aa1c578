use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ReportArguments, ReportFormat};
use crate::messages::print_made;
use crate::output::{self, Replaces, html_path};
use crate::{prices, stores};
use analyse::Analysis;
use model::ReadBudget;
use report::Format;
use std::io::{self, BufWriter, Write};

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
    let mut dataset = stores::dataset(&results, arguments.reading)?;
    prices::apply(&mut dataset, arguments.prices.as_deref())?;
    let format = Format::from(arguments.format);
    let out = match &arguments.out {
        Some(path) if path.as_os_str() == "-" => None,
        Some(path) => Some(path.clone()),
        None if format == Format::Html => Some(html_path(&results)),
        None => None,
    };
    // Tables of trials say nothing of what trials show together, which takes most of the time.
    let analyse = match format {
        Format::Csv | Format::Hlog => analyse::analyse_trials_within,
        Format::Html | Format::Markdown => analyse::analyse_for_pages_within,
        Format::Json => analyse::analyse_within,
    };
    let (analysis, budget) = stores::analysis_by(analyse, &results, &dataset, arguments.reading)?;
    let mut page = |to: &mut dyn Write| render(&analysis, format, &budget, to);
    match out {
        Some(path) => {
            let replaces = if arguments.overwrite { Replaces::Anything } else { Replaces::Reports };
            let named = arguments.out.is_some();
            let write = if named { output::write_made } else { output::write_beside };
            let written = write(&path, replaces, &mut page)?;
            print(&format!("Wrote {}\n", model::text::line(&written)))?;
        }
        None => print_made(&mut page)?,
    }
    Ok(Exit::Done)
}

/// Writes the report of an analysis, within a budget.
pub(super) fn render(
    analysis: &Analysis<'_>,
    format: Format,
    budget: &ReadBudget,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(AT_ONCE, Charged { to, budget });
    budget.bound(|| report::render(analysis, format, &mut out)).map_err(io::Error::other)??;
    out.flush()
}

/// Bytes that are written at once, between two looks at the time.
const AT_ONCE: usize = 64 << 10;

/// What is written within a budget.
struct Charged<'a> {
    to: &'a mut dyn Write,
    budget: &'a ReadBudget,
}

impl Write for Charged<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        // Of its time: how long a page may be follows from what was read, which was charged.
        self.budget.charge(0).map_err(io::Error::other)?;
        self.to.write(part)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
