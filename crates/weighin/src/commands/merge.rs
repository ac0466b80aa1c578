//! `weighin merge`: runs of one study, made on several machines, in one results file.

use super::run::files_of;
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{MergeArguments, ReadArguments};
use crate::exit::CliError;
use crate::messages::shown;
use crate::signals::Unfinished;
use crate::stores;
use model::{Dataset, ReadLimit};
use report::numbers::counted;
use std::path::Path;
use store::Store;
use study::NamedRun;

/// Makes one results file of several, which stay as they are.
pub(crate) fn merge(arguments: &MergeArguments) -> Outcome {
    let opened = arguments
        .runs
        .iter()
        .map(|path| open(path, arguments.reading))
        .collect::<Result<Vec<_>, _>>()?;
    let (runs, limits): (Vec<NamedRun>, Vec<ReadLimit>) = opened.into_iter().unzip();
    let told: String = runs.iter().map(line).collect();
    let limit = limits.into_iter().reduce(ReadLimit::and);
    let limit = limit.unwrap_or_else(|| arguments.reading.limit());
    let merge = || {
        let whole = study::merged(runs);
        whole.map_err(|error| CliError::usage(error.to_string(), error.help()))
    };
    let whole = stores::bound("one run of them", limit, merge)??;
    // What is there already is somebody's, and stays.
    let unfinished = arguments.out.symlink_metadata().is_err();
    let unfinished = unfinished.then(|| Unfinished::new(files_of(&arguments.out)));
    drop(Store::create_from(&arguments.out, &whole)?);
    drop(unfinished);
    let (out, trials) = (shown(&arguments.out), counted(whole.trials.len(), "trial"));
    print(&format!("{told}{out}: {trials}\nReport: weighin report {out}\n"))?;
    Ok(Exit::Done)
}

fn open(named: &Path, reading: ReadArguments) -> Result<(NamedRun, ReadLimit), CliError> {
    let path = stores::find(Some(named))?;
    let dataset = stores::dataset(&path, reading)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((NamedRun { name, dataset }, stores::limit(&path, reading)))
}

fn line(run: &NamedRun) -> String {
    let Dataset { trials, run: info, .. } = &run.dataset;
    let (name, host) = (model::text::line(&run.name), model::text::line(&info.host.hostname));
    format!("{name}: {} on {host}\n", counted(trials.len(), "trial"))
}
