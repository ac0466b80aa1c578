use crate::program::Program;
use host::Finished;
use model::{Failure, FailureKind};

/// Lines of complaint that a message repeats; with many connections each says the same.
const COMPLAINTS: usize = 2;

/// What a tool that failed has said, in its own words.
pub(super) fn complaint<'a>(
    program: &Program,
    finished: &Finished,
    lines: impl Iterator<Item = &'a str>,
) -> Failure {
    let mut said: Vec<&str> = Vec::new();
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        if said.len() < COMPLAINTS && !said.contains(&line) {
            said.push(line);
        }
    }
    let (called, said) = (program.called(), said.join("; "));
    if said.is_empty() {
        let message = format!("{called} ended with {}", finished.status);
        return Failure::new(FailureKind::Other, message, "");
    }
    let (kind, remedy) = trouble(&said);
    Failure::new(kind, format!("{called} gave up: {said}"), remedy)
}

/// What kind of trouble it is, by the server's error codes and the words of both tools.
fn trouble(said: &str) -> (FailureKind, &'static str) {
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if any(&["NOAUTH", "WRONGPASS", "NOPERM", "authentication failed"]) {
        (FailureKind::AccessDenied, "check user, password and rights")
    } else if any(&["OOM"]) {
        (FailureKind::DiskFull, "raise maxmemory, or use fewer or smaller keys")
    } else if any(&["MISCONF"]) {
        (FailureKind::DiskFull, "see in the server's log why it cannot save, and free space")
    } else if any(&["max number of clients"]) {
        (FailureKind::TooFewConnections, "raise the server's maxclients")
    } else if any(&["Connection refused", "Could not connect", "No such file", "connect failed"]) {
        (FailureKind::Unreachable, "see whether the server runs and listens there")
    } else if any(&[
        "connection dropped",
        "Connection reset",
        "closed the connection",
        "Broken pipe",
    ]) {
        (FailureKind::ServerLost, "see whether the server runs, and look into its log")
    } else {
        (FailureKind::Other, "run the same tool by hand to see all that it says")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_told_apart() {
        for (said, kind) in [
            ("error: authentication failed [-WRONGPASS invalid]", FailureKind::AccessDenied),
            ("Error from server: OOM command not allowed", FailureKind::DiskFull),
            ("Connection error: Connection refused", FailureKind::Unreachable),
            ("Error: Server closed the connection", FailureKind::ServerLost),
            ("something else", FailureKind::Other),
        ] {
            assert_eq!(trouble(said).0, kind, "{said}");
        }
    }
}
