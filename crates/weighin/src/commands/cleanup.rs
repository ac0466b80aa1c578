use super::{Outcome, print, targets};
use crate::Exit;
use crate::arguments::{CleanupArguments, EraseArguments};
use crate::exit::CliError;
use crate::messages::shown;
use crate::signals;
use campaign::Login;
use model::{Place, System};
use report::numbers::count;

/// Removes what weighin made on a target, and tables that the user names.
pub(crate) fn cleanup(arguments: &CleanupArguments) -> Outcome {
    let nothing = EraseArguments { erase: Vec::new() };
    let target = targets::describe(&arguments.target, &nothing)?.read_target()?;
    if target.system != System::MariaDb && !arguments.also.is_empty() {
        return Err(CliError::usage(
            format!("--also names tables, and {} has none", target.name),
            "leave --also out",
        ));
    }
    let said = match &target.place {
        Place::Storage(place) => volumes(place.volumes.iter().map(|volume| volume.path.as_path()))?,
        _ if target.system == System::Redis => keys(&targets::login(&target)?)?,
        _ => tables(arguments, &targets::login(&target)?)?,
    };
    print(&said)?;
    Ok(Exit::Done)
}

fn volumes<'p>(paths: impl Iterator<Item = &'p std::path::Path>) -> Result<String, CliError> {
    paths
        .map(|path| {
            Ok(match host::this_machine().clear_volume(path, &signals::stop())? {
                false => format!("Nothing of weighin's in {}.\n", shown(path)),
                true => format!("Removed weighin's data from {}.\n", shown(path)),
            })
        })
        .collect()
}

fn keys(login: &Login) -> Result<String, CliError> {
    let mut control = campaign::connect_redis(login)?;
    Ok(match campaign::cleanup_keys(&mut control)? {
        0 => "No keys of weighin's to remove.\n".to_owned(),
        removed => format!("Removed {} keys.\n", count(removed)),
    })
}

fn tables(arguments: &CleanupArguments, login: &Login) -> Result<String, CliError> {
    let mut control = campaign::mysql::connect(login)?;
    let done = campaign::mysql::tables::cleanup(login, &mut control, &arguments.also)?;
    let mut text = match done.dropped.len() {
        0 => "No tables of weighin's to drop.\n".to_owned(),
        1 => format!("Dropped {}.\n", done.dropped[0]),
        n => format!("Dropped {n} tables: {}.\n", done.dropped.join(", ")),
    };
    if !done.kept.is_empty() {
        text.push_str(&format!(
            "Kept what weighin did not make: {names}. To drop it all the same: --also {list}\n",
            names = done.kept.join(", "),
            list = done.kept.join(","),
        ));
    }
    Ok(text)
}
