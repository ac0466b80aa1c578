use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ReportArguments, ReportFormat};
use crate::exit::CliError;
use crate::stores;
use report::Format;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use store::Store;

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Html => Self::Html,
            ReportFormat::Markdown => Self::Markdown,
            ReportFormat::Json => Self::Json,
            ReportFormat::Csv => Self::Csv,
        }
    }
}

/// Makes a report of a study that was run.
pub(crate) fn report(arguments: &ReportArguments) -> Outcome {
    let results = stores::find(arguments.study.as_deref())?;
    let store = stores::open(&results)?;
    let format = Format::from(arguments.format);
    let out = match &arguments.out {
        Some(path) if path.as_os_str() == "-" => None,
        Some(path) => Some(path.clone()),
        None if format == Format::Html => Some(html_path(&results)),
        None => None,
    };
    match out {
        Some(path) => {
            write_file(&store, format, &path)?;
            print(&format!("Wrote {}\n", path.display()))?;
        }
        None => {
            let mut text = Vec::new();
            render(&store, format, &mut text)?;
            print(&String::from_utf8_lossy(&text))?;
        }
    }
    Ok(Exit::Done)
}

/// Where the HTML report of a results file goes: beside it.
pub(super) fn html_path(results: &Path) -> PathBuf {
    results.with_extension("html")
}

/// Writes a report into a file, which appears complete or not at all.
pub(super) fn write_file(store: &Store, format: Format, path: &Path) -> Result<(), CliError> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".new");
    let unfinished = PathBuf::from(unfinished);
    let file = |error| CliError::file("write the report", path, error);
    let mut out = BufWriter::new(File::create(&unfinished).map_err(file)?);
    render(store, format, &mut out)?;
    out.flush().map_err(file)?;
    std::fs::rename(&unfinished, path).map_err(file)
}

fn render(store: &Store, format: Format, out: &mut impl Write) -> Result<(), CliError> {
    let dataset = store.dataset()?;
    let analysis = analyse::analyse(&dataset);
    report::render(&analysis, format, out)
        .map_err(|error| CliError::unavailable(format!("cannot write the report: {error}"), ""))
}
