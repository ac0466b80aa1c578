use super::words::Words;
use crate::exit::CliError;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Where a password is looked for.
pub(super) const VARIABLE: &str = "WEIGHIN_SYSBENCH_PASSWORD";
const OPTIONS: [&str; 2] = ["mysql-password", "pgsql-password"];

/// Takes a password off the command line, where every user of the machine can read it: this
/// process starts itself anew, under the same number, with the password in its environment. For
/// the few milliseconds until then it can be seen; the environment variable alone never is.
pub(super) fn hide(words: &Words) -> Result<(), CliError> {
    let argument = std::env::args_os().any(|word| is_password(&word.to_string_lossy()));
    // One of an option file goes the same way, unless the environment has one.
    // That of the driver which is not used is hidden too, and left out.
    let used = match words.value("db-driver") {
        Some("pgsql") => OPTIONS[1],
        _ => OPTIONS[0],
    };
    let given = OPTIONS.iter().any(|option| words.has(option));
    if !given || (!argument && std::env::var_os(VARIABLE).is_some()) {
        return Ok(());
    }
    let program =
        std::env::current_exe().map_err(|error| cannot(&error, "find the program again"))?;
    let kept = std::env::args_os().skip(1).filter(|word| !is_password(&word.to_string_lossy()));
    // Returns only when it failed.
    let mut again = Command::new(program);
    again.arg0("weighin").args(kept);
    if let Some(password) = words.value(used) {
        again.env(VARIABLE, password);
    }
    let error = again.exec();
    Err(cannot(&error, "start again without it"))
}

fn is_password(word: &str) -> bool {
    word.strip_prefix("--")
        .and_then(|option| option.split('=').next())
        .is_some_and(|name| OPTIONS.contains(&name.replace('_', "-").as_str()))
}

fn cannot(error: &std::io::Error, what: &str) -> CliError {
    CliError::unavailable(
        format!("cannot hide the password from the process list: cannot {what}: {error}"),
        format!("give the password in the environment variable {VARIABLE} instead"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_in_either_spelling_and_nothing_else_is_taken_for_one() {
        assert!(is_password("--mysql-password=x") && is_password("--mysql_password"));
        assert!(is_password("--pgsql-password=x"));
        assert!(!is_password("--mysql-user=mysql-password") && !is_password("mysql-password=x"));
    }
}
