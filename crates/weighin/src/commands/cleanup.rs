use super::server::login;
use super::workload::refuse;
use super::{Outcome, print, storage};
use crate::Exit;
use crate::arguments::CleanupArguments;
use campaign::Login;
use model::System;
use report::numbers::count;

/// Removes the tables or keys that weighin made, and tables that the user names.
pub(crate) fn cleanup(arguments: &CleanupArguments) -> Outcome {
    if let Some(path) = storage::volume(&arguments.server.url)? {
        return storage::cleanup_path(arguments, &path);
    }
    let login = login(&arguments.server)?;
    match login.system() {
        System::Redis => keys(arguments, &login),
        System::MariaDb => tables(arguments, &login),
        System::Storage | System::Unknown => Err(login.no_server().into()),
    }
}

fn keys(arguments: &CleanupArguments, login: &Login) -> Outcome {
    refuse("a server of keys", &[("--also", !arguments.also.is_empty())])?;
    let mut control = campaign::connect_redis(login)?;
    print(&match campaign::cleanup_keys(&mut control)? {
        0 => "No keys of weighin's to remove.\n".to_owned(),
        removed => format!("Removed {} keys.\n", count(removed)),
    })?;
    Ok(Exit::Done)
}

fn tables(arguments: &CleanupArguments, login: &Login) -> Outcome {
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
    print(&text)?;
    Ok(Exit::Done)
}
