//! The user's own programs.

use crate::problem::Problems;
use toml::Spanned;

/// Where commands run that are not the target's own.
pub(crate) const THIS_HOST: &str = "this host, as the user of weighin";

/// Notes a command, the value of that key, that names no program or that nobody says is meant. `place`
/// says where it would run.
pub(crate) fn check_command(
    key: &str,
    command: &Spanned<Vec<String>>,
    trusted: bool,
    place: &str,
    problems: &mut Problems,
) {
    if command.get_ref().first().is_none_or(|program| program.trim().is_empty()) {
        problems.add(command.span(), format!("`{key}` names no program")).help(format!(
            "write the program and its arguments: {key} = [\"./switch.sh\", \"--now\"]"
        ));
    }
    if !trusted {
        problems
            .add(command.span(), format!("this `{key}` would run on {place}"))
            .help("read it; if it is meant, add trusted = true beside it");
    }
}
