//! Whether a setting of the study may be given to a private server.

use super::kind::KindFacts;
use model::{Failure, FailureKind};
use settings::{Verdict, is_name};

/// Refuses what is no setting, what weighin chooses itself, and without trust what could harm the
/// host. `name` is the setting's whole name, `written` as the study has it.
///
/// # Errors
/// `SandboxStart` that names the target and the setting.
pub fn permitted(
    (target, kind): (&str, &KindFacts),
    (written, name, value): (&str, &str, &str),
    trusted: bool,
) -> Result<(), Failure> {
    let refuse = |why: &str, remedy: &str| Err(refusal(target, written, why, remedy));
    if !is_name(name) {
        return refuse(
            "is not the name of a server setting",
            &format!("write it as in the server's option file, such as {}", kind.setting_example),
        );
    }
    if value.contains(char::is_control) {
        return refuse("has a value of several lines", "give it a value of one line");
    }
    let also = if written.eq_ignore_ascii_case(name) {
        String::new()
    } else {
        format!(", which the server takes for {name},")
    };
    match kind.system.facts().settings.judge(name, value) {
        Verdict::Allowed => Ok(()),
        Verdict::NeedsTrust(_) if trusted => Ok(()),
        Verdict::NeedsTrust(harm) => refuse(
            &format!("{also} needs trust: {harm}"),
            "remove it, or if you know what it does to this host, write trusted = true beside the \
             settings",
        ),
        Verdict::Decided(reason) => {
            refuse(&format!("{also} cannot be set for a sandbox: {reason}"), "remove it")
        }
    }
}

/// What is said of a setting that is refused.
pub fn refusal(target: &str, written: &str, why: &str, remedy: &str) -> Failure {
    let space = if why.starts_with(',') { "" } else { " " };
    let why = why.trim_start();
    let message = format!("target \"{target}\": setting \"{written}\"{space}{why}");
    Failure::new(FailureKind::SandboxStart, message, remedy)
}
