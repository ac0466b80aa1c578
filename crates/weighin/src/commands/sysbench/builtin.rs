//! Tests of the original that measure no database: the installed sysbench runs them.

use super::words::Words;
use crate::commands::Outcome;
use crate::exit::CliError;
use crate::messages::{shown, tell};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

/// Their names.
pub(super) const TESTS: [&str; 5] = ["cpu", "fileio", "memory", "mutex", "threads"];

/// How many programs of that name were tried: one may be a script that calls weighin in sysbench's
/// place, and then comes back here.
const TRIED: &str = "WEIGHIN_SYSBENCH_TRIED";

/// The test of a command line that measures no database.
pub(super) fn named(words: &Words) -> Option<&str> {
    let test = words.value("test").or(words.positional.first().map(String::as_str));
    test.filter(|test| TESTS.contains(test))
}

/// This process becomes the installed sysbench, with the same words. Where these do not say the test
/// it goes before them: 1.0 does not take it from a file of options. Returns only when there is none.
pub(super) fn run(test: &str, is_said: bool, words: &[OsString]) -> Outcome {
    let none = |why: &str| {
        CliError::unavailable(
            format!("the test {test} measures no database, and {why}"),
            format!(
                "install sysbench, which weighin then runs for it{}",
                match test {
                    "fileio" => "; for disks see also weighin init --template storage",
                    _ => "",
                }
            ),
        )
    };
    let tried = std::env::var(TRIED).ok().and_then(|tried| tried.parse().ok()).unwrap_or(0);
    let Some(program) = installed().nth(tried) else {
        return Err(none("no sysbench is on the PATH that runs it"));
    };
    if tried == 0 {
        tell(&format!("weighin: the test {test} is run by sysbench"));
    }
    let ours = |word: &&OsString| !word.to_string_lossy().starts_with("--weighin-");
    let error = host::command(&program)
        .args((!is_said).then_some(test))
        .args(words.iter().filter(ours))
        .env(TRIED, (tried + 1).to_string())
        .exec();
    Err(none(&format!("{} does not start: {error}", shown(&program))))
}

/// The programs called sysbench on the `PATH`, in its order.
pub(super) fn installed() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let programs = directories.into_iter().map(|directory| directory.join("sysbench"));
    programs.filter(|program| {
        program
            .metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}
