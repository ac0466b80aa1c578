use super::init::write_new;
use super::{Outcome, print, run::run_study};
use crate::arguments::DemoArguments;
use crate::exit::CliError;
use crate::messages::shown;
use crate::stores;
use std::path::Path;

/// Name of the demo's study file.
const STUDY: &str = "study.toml";

/// Runs a small head-to-head on two private servers and reports on it.
pub(crate) fn demo(arguments: &DemoArguments) -> Outcome {
    let directory = &arguments.directory;
    std::fs::create_dir_all(directory)
        .map_err(|error| CliError::file("make the directory", directory, error))?;
    let file = directory.join(STUDY);
    if !same_text(&file) {
        write_new(&file, study::demo())?;
    }
    let study = study::scaled(&study::load(&file)?, arguments.scale);
    let results = stores::new_path(&study, &file);
    let exit = run_study(&study, &results, arguments.scale)?;
    print(&format!(
        "\nThe study file is {}; change it and run it again with\n  weighin run {}\n",
        shown(&file),
        shown(&file)
    ))?;
    Ok(exit)
}

/// Whether the demo's study file is there as a former demo left it.
fn same_text(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text == study::demo())
}
