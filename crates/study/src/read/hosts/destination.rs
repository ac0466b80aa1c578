//! Where ssh is to connect to, and what results call a machine.

use crate::keys::Maybe;
use crate::keys::value::name;
use crate::problem::{Place, Problems};

/// Longest destination, in bytes: names of the DNS have up to 253.
const LONGEST_DESTINATION: usize = 255;

/// What results call the machine that weighin runs on.
const RESERVED: &str = "this machine";

/// The name of a machine.
pub(crate) fn named(
    written: &Maybe<String>,
    at: &Place,
    kind: &'static str,
    problems: &mut Problems,
) -> Option<String> {
    let Some(written) = written else {
        let help = "add a line like name = \"db2\"";
        problems.missing(at.clone(), format!("this {kind} has no name"), help);
        return None;
    };
    if written.get_ref() == RESERVED {
        problems
            .add(written.span(), "results call the machine that weighin runs on so")
            .help(format!("give this {kind} another name"));
    }
    name(written.get_ref(), written.span(), kind, problems)
}

/// What ssh is to connect to.
pub(crate) fn destination(written: &Maybe<String>, problems: &mut Problems) -> Option<String> {
    let written = written.as_ref()?;
    if is_destination(written.get_ref()) {
        return Some(written.get_ref().clone());
    }
    problems.add(written.span(), "`ssh` must be a destination of the program ssh").help(
        "write user@host or an alias of ~/.ssh/config; ports, keys and jump hosts belong there",
    );
    None
}

/// Whether ssh, and what it runs (`ProxyCommand`), can take it for nothing but a destination.
pub(crate) fn is_destination(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("user", text));
    let allowed = |text: &str, further: &str| {
        !text.is_empty()
            && !text.starts_with('-')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || further.contains(c))
    };
    text.len() <= LONGEST_DESTINATION && allowed(user, "._-+@") && allowed(host, "._-:%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_cannot_be_taken_for_anything_else() {
        for good in ["db2", "admin@db2.internal", "me@corp.example@10.0.0.7", "a@fe80::1%eth0"] {
            assert!(is_destination(good), "{good}");
        }
        let long = "h".repeat(256);
        for bad in [
            "",
            "-oProxyCommand=id",
            "a@-oProxyCommand=id",
            "-l@host",
            "a b",
            "a\nb",
            "a\u{1b}[2J",
            "$(id)",
            "a`id`",
            "a;id",
            "@host",
            "a@",
            "ssh://host",
            "a@[::1]",
            "höst",
            &long,
        ] {
            assert!(!is_destination(bad), "{bad}");
        }
    }
}
