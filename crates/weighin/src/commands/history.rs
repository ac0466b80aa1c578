//! Where figures changed over many runs.

use super::Outcome;
use crate::Exit;
use crate::arguments::{HistoryArguments, ReadArguments};
use crate::exit::CliError;
use crate::messages::{shown, tell};
use crate::stores::{self, EXTENSION};
use analyse::runs::{RunPoints, history as find};
use std::fs;
use std::path::{Path, PathBuf};

/// Shows where figures changed over the runs in a directory.
pub(crate) fn history(arguments: &HistoryArguments) -> Outcome {
    let runs = runs_in(&arguments.directory, arguments.reading)?;
    if runs.len() < 2 {
        return Err(CliError::usage(
            format!(
                "{} holds {} that can be read",
                shown(&arguments.directory),
                report::numbers::counted(runs.len(), "results file")
            ),
            "name a directory with the results files (*.weighin) of at least two runs",
        ));
    }
    let text = stores::bound("the history", arguments.reading.limit().times(runs.len()), || {
        report::render_history(&find(runs), arguments.output.format())
    })?;
    arguments.output.write(&text)?;
    Ok(Exit::Done)
}

/// The runs in a directory; files that cannot be read are left out with a word.
pub(super) fn runs_in(
    directory: &Path,
    reading: ReadArguments,
) -> Result<Vec<RunPoints>, CliError> {
    let mut runs = Vec::new();
    for path in &results_in(directory)? {
        match points(path, reading) {
            Ok(points) => runs.push(points),
            Err(error) => tell(&format!("{} is left out: {}", shown(path), error.message())),
        }
    }
    Ok(runs)
}

/// The figures of a results file.
fn points(path: &Path, reading: ReadArguments) -> Result<RunPoints, CliError> {
    let dataset = stores::dataset(path, reading)?;
    let limit = stores::limit(path, reading);
    stores::bound("its figures", limit, || RunPoints::from_dataset(name(path), &dataset))
}

/// The results files of a directory by name; links are passed over.
fn results_in(directory: &Path) -> Result<Vec<PathBuf>, CliError> {
    let failed = |error| CliError::file("read the directory", directory, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let is_results = path.extension().is_some_and(|extension| extension == EXTENSION);
        // Of the entry itself, not of what a link leads to.
        if is_results && entry.file_type().map_err(failed)?.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
