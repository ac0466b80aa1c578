//! Targets that command lines name: a server by its URL, or a volume by its path.

use crate::arguments::{EraseArguments, TargetArguments, option};
use crate::exit::CliError;
use crate::passing::Progress;
use crate::signals;
use model::{Failure, Place, Target, Workload, text};
use std::path::PathBuf;
use study::CommandLine;
use system::client::SecretRules;
use system::{Login, TargetHandle, reach};
use volume::{Taking, Volumes};

/// Longest name of a target, in characters.
const LONGEST_NAME: usize = 64;

/// What the arguments say of a target.
pub(super) fn describe(
    arguments: &TargetArguments,
    erase: &EraseArguments,
) -> Result<CommandLine, CliError> {
    let mut line = CommandLine::new(option);
    let url = &arguments.url;
    let name: String = url.chars().filter(|c| !text::deceives(*c)).take(LONGEST_NAME).collect();
    line.target("name", name.trim());
    match is_volume(url) {
        true => {
            line.target("kind", model::Storage::NAME);
            line.target_list("volumes", vec![absolute(url)?]);
        }
        false => line.target("url", url),
    }
    for (key, text) in [
        ("password_env", &arguments.password_env),
        ("password_file", &arguments.password_file),
        ("tls", &arguments.tls),
        ("tls_ca", &arguments.tls_ca),
        ("server_public_key", &arguments.server_public_key),
    ] {
        if let Some(text) = text {
            line.target(key, text);
        }
    }
    if arguments.compression {
        line.target("compression", "true");
    }
    if arguments.get_server_public_key {
        line.target("get_server_public_key", "true");
    }
    if !erase.erase.is_empty() {
        let paths = erase.erase.iter().map(|path| absolute(path));
        line.target_list("erase", paths.collect::<Result<_, _>>()?);
    }
    Ok(line)
}

/// Whether the path of a volume is named, and not a server.
pub(super) fn is_volume(named: &str) -> bool {
    named.starts_with(['/', '.']) || named.starts_with("file://")
}

fn absolute(named: &str) -> Result<String, CliError> {
    let path = named.strip_prefix("file://").unwrap_or(named);
    let whole = || std::path::absolute(path).ok()?.into_os_string().into_string().ok();
    whole().ok_or_else(|| {
        CliError::usage(format!("{path}: this path cannot be completed"), "name an absolute path")
    })
}

/// Takes hold of a target for a workload. What is on volumes is read.
pub(super) fn hold(
    target: &Target,
    workload: &Workload,
    arguments: &TargetArguments,
    erase: &EraseArguments,
) -> Result<Box<dyn TargetHandle>, CliError> {
    let stop = signals::stop();
    let Some(storage) = workload.storage() else {
        return Ok(reach(login(target, &rules(arguments))?)?);
    };
    let consent = erase.erase.iter().map(|path| absolute(path).map(PathBuf::from));
    let consent: Vec<PathBuf> = consent.collect::<Result<_, _>>()?;
    let bar = Progress::start("bytes checked");
    let progress = &mut |step| bar.show(step);
    let hosts = &[host::this_machine()];
    let taking = &mut Taking { hosts, consent: &consent, stop: &stop, progress };
    let taken = Volumes::take(target, &[storage], taking);
    bar.finish();
    Ok(Box::new(taken?))
}

/// What holds for the secrets of a target that the command line names.
pub(super) fn rules(arguments: &TargetArguments) -> SecretRules {
    SecretRules::command_line(arguments.cleartext.allow_cleartext)
}

/// How to log in to a target that is a server.
pub(super) fn login(target: &Target, rules: &SecretRules) -> Result<Login, Failure> {
    let Place::Server(spec) = &target.place else { return Err(target.out_of_reach()) };
    Ok(system::log_in(target.system, &spec.address, rules)?.stopped_by(&signals::stop()))
}
