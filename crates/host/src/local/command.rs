//! How other programs are started: the one place that builds their commands.
//!
//! A study may name any environment variable as the place of a password, and the user's environment
//! may hold more secrets. A server, a tool or a shell has no use for them, and what is in its
//! environment stays readable in `/proc` for its account as long as it lives. So other programs get
//! the variables that they need to work, by name, and no others.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

/// Variables that other programs get. They say where things are, which language is spoken, and how
/// memory is allocated, which people set to measure it. None of them holds a secret.
const PASSED_ON: [&str; 42] = [
    "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "GLIBC_TUNABLES",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LOGNAME",
    "MALLOC_ARENA_MAX",
    "MALLOC_CONF",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "PATH",
    "RUST_BACKTRACE",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "TZDIR",
    "USER",
    "WEIGHIN_SANDBOX_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
];

/// A command that starts a program with an environment without secrets. Variables that are set on
/// it come in addition.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    // Listed one by one, so that who builds a command from another finds them in `get_envs`.
    command.env_clear().envs(environment());
    command
}

/// Where programs are looked for: along the `PATH`, and then in further places.
pub(crate) fn search_path(further: &[&str]) -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).chain(further.iter().map(PathBuf::from)).collect()
}

fn environment() -> impl Iterator<Item = (&'static str, OsString)> {
    PASSED_ON.into_iter().filter_map(|name| Some((name, env::var_os(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_program_gets_what_it_needs_and_nothing_else() {
        // What cargo sets for a test stands for any other variable.
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some() && env::var_os("PATH").is_some());
        let output = command("env").env("ADDED", "yes").output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let names: BTreeSet<&str> =
            said.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        assert!(names.contains("PATH") && names.contains("ADDED"), "{said}");
        let more: Vec<_> = names.iter().filter(|name| !PASSED_ON.contains(name)).collect();
        assert_eq!(more, [&"ADDED"]);
    }

    #[test]
    fn a_command_lists_what_it_passes_on() {
        let command = command("env");
        let path = env::var_os("PATH").unwrap();
        assert!(command.get_envs().any(|(name, value)| name == "PATH" && value == Some(&path)));
    }
}
