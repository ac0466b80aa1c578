//! Where results are kept, and finding them again.

use crate::arguments::ReadArguments;
use crate::exit::CliError;
use crate::messages::{shown, tell};
use analyse::Analysis;
use model::{Dataset, OverBudget, ReadBudget, ReadLimit, Study};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use store::Store;

/// Ending of a results file.
pub(crate) const EXTENSION: &str = "weighin";

/// A new results file for a run of a study that starts now: beside the study file, with the
/// study's name and the time (UTC).
pub(crate) fn new_path(study: &Study, study_file: &Path) -> PathBuf {
    let directory = directory_of(study_file);
    let stamp = timestamp(SystemTime::now());
    let name = |suffix: &str| directory.join(format!("{}.{stamp}{suffix}.{EXTENSION}", study.name));
    let mut path = name("");
    // Two runs within a second.
    for number in 2.. {
        if !path.exists() {
            break;
        }
        path = name(&format!("-{number}"));
    }
    path
}

/// The latest run of a study, beside its file.
pub(crate) fn latest(study: &Study, study_file: &Path) -> Result<PathBuf, CliError> {
    let directory = directory_of(study_file);
    let prefix = format!("{}.", study.name);
    let newest = results_in(&directory)?
        .into_iter()
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
        })
        .max();
    newest.ok_or_else(|| {
        CliError::usage(
            format!("there is no results file of {} in {}", study.name, directory.display()),
            format!("run the study first: weighin run {}", study_file.display()),
        )
    })
}

/// What a user who names a study file, a results file or nothing means by it.
pub(crate) fn find(named: Option<&Path>) -> Result<PathBuf, CliError> {
    let Some(path) = named else {
        let mut here = results_in(Path::new("."))?;
        return match (here.pop(), here.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(CliError::usage(
                "there is no results file (*.weighin) in this directory",
                "name a study file or a results file, or run a study first: weighin run STUDY",
            )),
            (Some(_), false) => Err(CliError::usage(
                "there are several results files (*.weighin) in this directory",
                "name the one that you mean: weighin report FILE",
            )),
        };
    };
    if path.extension().is_some_and(|extension| extension == EXTENSION) {
        return Ok(path.to_owned());
    }
    latest(&study::load(path)?, path)
}

/// Opens a results file for reading.
pub(crate) fn open(path: &Path, reading: ReadArguments) -> Result<Store, CliError> {
    Ok(said_of_log(Store::open_within(path, reading.limit())?))
}

/// Opens a results file for writing.
pub(crate) fn resume(path: &Path, reading: ReadArguments) -> Result<Store, CliError> {
    Ok(said_of_log(Store::resume_within(path, reading.limit())?))
}

/// Says where an earlier state is read than was recorded.
fn said_of_log(store: Store) -> Store {
    if let Some(trouble) = store.log_trouble() {
        let results = shown(store.path());
        tell(&format!(
            "warning: {results}: {trouble}\n  = help: restore the file and its log from one copy, if there \
             is one; trials without a record are measured by weighin run --resume"
        ));
    }
    store
}

/// The analysis of what [`dataset`] gave, and the budget that it was made within.
pub(crate) fn analysis<'d>(
    path: &Path,
    dataset: &'d Dataset,
    reading: ReadArguments,
) -> Result<(Analysis<'d>, ReadBudget), CliError> {
    analysis_by(analyse::analyse_within, path, dataset, reading)
}

/// A way to analyse.
type Analyse = for<'d> fn(&'d Dataset, &ReadBudget) -> Result<Analysis<'d>, OverBudget>;

/// The same, analysed in that way.
pub(crate) fn analysis_by<'d>(
    analyse: Analyse,
    path: &Path,
    dataset: &'d Dataset,
    reading: ReadArguments,
) -> Result<(Analysis<'d>, ReadBudget), CliError> {
    let budget = limit(path, reading).budget();
    let analysis = analyse(dataset, &budget)
        .map_err(|over| CliError::unavailable(format!("{}: to analyse {over}", shown(path)), ""))?;
    Ok((analysis, budget))
}

/// What a results file may take.
pub(crate) fn limit(path: &Path, reading: ReadArguments) -> ReadLimit {
    store::limit_for(path, reading.limit())
}

/// Work on what was read, which may take as much time as reading did; `what` it makes.
pub(crate) fn bound<T>(
    what: &str,
    limit: ReadLimit,
    work: impl FnOnce() -> T,
) -> Result<T, CliError> {
    limit.budget().bound(work).map_err(|over| not_made(what, over))
}

/// What was not made for want of memory or time.
pub(crate) fn not_made(what: &str, over: OverBudget) -> CliError {
    CliError::unavailable(format!("to make {what} {over}"), "")
}

/// Everything that a results file holds, where that can be analysed within the limit.
pub(crate) fn dataset(path: &Path, reading: ReadArguments) -> Result<Dataset, CliError> {
    let dataset = open(path, reading)?.into_dataset()?;
    limit(path, reading).budget().charge(analyse::memory(&dataset)).map_err(|over| {
        let what = "an analysis compares all pairs of targets at each level";
        let message = format!("{}: {what}: {over}", shown(path));
        CliError::unavailable(message, "")
    })?;
    Ok(dataset)
}

fn directory_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn results_in(directory: &Path) -> Result<Vec<PathBuf>, CliError> {
    let entries = std::fs::read_dir(directory)
        .map_err(|error| CliError::file("read the directory", directory, error))?;
    Ok(entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
        .collect())
}

/// `20261121T203015Z`: sorts by time as text.
fn timestamp(at: SystemTime) -> String {
    humantime::format_rfc3339_seconds(at).to_string().replace(['-', ':'], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn timestamps_are_utc_and_sort_as_text() {
        let at = |seconds| timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "19700101T000000Z");
        assert_eq!(at(1_795_293_015), "20261121T203015Z");
    }
}
