use super::{Outcome, print, secrets, targets};
use crate::Exit;
use crate::arguments::{CleanupArguments, EraseArguments, SecretArguments};
use crate::exit::CliError;
use crate::signals;
use host::{Host, Remote};
use model::system::Feature;
use model::{Endpoint, Place, StoragePlace, Study, Target, text};
use report::numbers::count;
use std::collections::BTreeMap;
use std::path::Path;
use system::CleanedUp;
use system::client::SecretRules;

/// Removes what weighin made on a target, and tables that the user names; or what it made on all targets
/// of a study.
pub(crate) fn cleanup(arguments: &CleanupArguments) -> Outcome {
    if is_study(&arguments.target.url) {
        return of_study(arguments);
    }
    let nothing = EraseArguments { erase: Vec::new() };
    if !arguments.allow_secret.is_empty() {
        return Err(CliError::usage(
            "--allow-secret is for studies, and this names one target",
            "leave it out: what the command line names may be used",
        ));
    }
    let target = targets::describe(&arguments.target, &nothing)?.read_target()?;
    if !target.system.has(Feature::Transactions) && !arguments.also.is_empty() {
        return Err(CliError::usage(
            format!("--also names tables, and {} has none", target.name),
            "leave --also out",
        ));
    }
    print(&of_target(&target, &arguments.also, &targets::rules(&arguments.target))?)?;
    Ok(Exit::Done)
}

/// Whether a study file is named, and not a target.
fn is_study(named: &str) -> bool {
    named.ends_with(".toml") && !named.contains("://")
}

/// Goes on where a target is out of reach, and says so.
fn of_study(arguments: &CleanupArguments) -> Outcome {
    let target = &arguments.target;
    let texts = [&target.password_env, &target.password_file, &target.tls, &target.tls_ca];
    let is_login = texts.into_iter().chain([&target.server_public_key]).any(Option::is_some)
        || target.get_server_public_key
        || target.compression;
    if is_login || !arguments.also.is_empty() {
        return Err(CliError::usage(
            format!("{} is a study, which says itself how to log in to its targets", target.url),
            "leave out the options; for --also name one target by its URL",
        ));
    }
    let file = Path::new(&target.url);
    let study = study::load(file)?;
    let allowed = SecretArguments {
        allow_secret: arguments.allow_secret.clone(),
        cleartext: target.cleartext,
    };
    // No agent is asked for anything.
    let of_targets = Study { fleet: None, ..study.clone() };
    let rules = secrets::rules(file, &of_targets, &allowed)?;
    let mut failed = None;
    for target in &study.targets {
        let name = text::line(&target.name);
        match of_target(target, &[], &rules) {
            Ok(said) => {
                let lines = said.lines().map(|line| format!("{name}: {line}\n"));
                print(&lines.collect::<String>())?;
            }
            Err(error) if error.exit() == Exit::Interrupted => return Err(error),
            Err(error) => {
                error.about(&name).print();
                failed = Some(Exit::Unavailable);
            }
        }
    }
    Ok(failed.unwrap_or(Exit::Done))
}

fn of_target(target: &Target, also: &[String], rules: &SecretRules) -> Result<String, CliError> {
    match &target.place {
        Place::Storage(place) => volumes(place),
        Place::Sandbox(spec) if spec.host.is_none() => Ok(servers(spec.directory.as_deref())?),
        Place::Sandbox(_) => {
            Ok("Nothing is left of a private server when its run is over; what a \
                                 kill leaves, the next one there removes.\n"
                .into())
        }
        Place::Server(spec) if spec.address.endpoint == Endpoint::NotUp => {
            Ok("It comes up for a run alone, and what weighin made goes with it.\n".into())
        }
        Place::Imported => Ok("Imported: there is nothing to remove.\n".into()),
        Place::Server(_) => {
            let login = targets::login(target, rules)?;
            Ok(match system::of_target(target)?.clean_up(&login, also)? {
                CleanedUp::Tables { dropped, kept } => tables(&dropped, &kept),
                CleanedUp::Keys(0) => "No keys of weighin's to remove.\n".to_owned(),
                CleanedUp::Keys(removed) => format!("Removed {} keys.\n", count(removed)),
            })
        }
    }
}

/// Private servers are gone when their run is; this is for those that were killed with all else.
fn servers(directory: Option<&Path>) -> Result<String, CliError> {
    Ok(match host::remove_left(directory)? {
        0 => "Nothing is left of private servers of earlier runs.\n".to_owned(),
        1 => "Removed what was left of a private server of an earlier run.\n".to_owned(),
        n => format!("Removed what was left of {n} private servers of earlier runs.\n"),
    })
}

fn volumes(place: &StoragePlace) -> Result<String, CliError> {
    let stop = signals::stop();
    // Each is connected to once.
    let ssh = place.hosts.iter().filter_map(|host| Some((&host.name, host.ssh()?)));
    let machines: BTreeMap<&String, Remote> =
        ssh.map(|(name, ssh)| (name, Remote::over_ssh(ssh, &stop))).collect();
    let mut said = String::new();
    for volume in place.placed() {
        let path = &volume.place.path;
        let removed = match volume.host.and_then(|host| machines.get(&host.name)) {
            Some(machine) => machine.clear_volume(path, &stop)?,
            None => host::this_machine().clear_volume(path, &stop)?,
        };
        let named = text::line(&volume.to_string()).into_owned();
        said.push_str(&match removed {
            false => format!("Nothing of weighin's in {named}.\n"),
            true => format!("Removed weighin's data from {named}.\n"),
        });
    }
    Ok(said)
}

fn tables(dropped: &[String], kept: &[String]) -> String {
    let mut text = match dropped.len() {
        0 => "No tables of weighin's to drop.\n".to_owned(),
        1 => format!("Dropped {}.\n", dropped[0]),
        n => format!("Dropped {n} tables: {}.\n", dropped.join(", ")),
    };
    if !kept.is_empty() {
        text.push_str(&format!(
            "Kept what weighin did not make: {names}. To drop it all the same: --also {list}\n",
            names = kept.join(", "),
            list = kept.join(","),
        ));
    }
    text
}
