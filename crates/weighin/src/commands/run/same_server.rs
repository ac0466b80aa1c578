//! Whether targets are still the servers that trials ran on.

use model::{Failure, FailureKind, ServerFacts, TargetFacts};
use std::collections::HashSet;
use store::{Store, StoreError};

/// A target that is another server than the one that its trials ran on.
pub(super) fn other_server(
    store: &Store,
    found: &[TargetFacts],
) -> Result<Option<(String, Failure)>, StoreError> {
    let recorded = store.targets()?;
    let measured: HashSet<String> = store.completed().into_iter().map(|key| key.target).collect();
    let differs = |facts: &TargetFacts| {
        let before = recorded.iter().find(|before| before.target == facts.target)?;
        let change = other_program(&before.server, &facts.server)?;
        measured.contains(&facts.target).then(|| (facts.target.clone(), change))
    };
    Ok(found.iter().find_map(differs))
}

/// That a server is of another version, or another program, than it was.
fn other_program(before: &ServerFacts, now: &ServerFacts) -> Option<Failure> {
    let differs = |what: &str, before: &str, now: &str| {
        let changed = before != now && !before.is_empty() && !now.is_empty();
        changed.then(|| {
            Failure::new(
                FailureKind::Other,
                format!("its {what} is {now}, and its trials ran on {before}"),
                "bring the former back, or start a new run and compare the two (weighin compare)",
            )
        })
    };
    let program = |facts: &ServerFacts| facts.program.clone().unwrap_or_default();
    differs("version", &before.version, &now.version)
        .or_else(|| differs("program", &program(before), &program(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_or_program_is_another_server() {
        let server = |version: &str, program: Option<&str>| ServerFacts {
            version: version.to_owned(),
            program: program.map(str::to_owned),
            ..ServerFacts::default()
        };
        let said = |before: ServerFacts, now: ServerFacts| {
            other_program(&before, &now).map(|failure| failure.message)
        };
        let version = said(server("10.11.6", None), server("11.4.2", None)).unwrap();
        assert_eq!(version, "its version is 11.4.2, and its trials ran on 10.11.6");
        let program = said(server("8.0", Some("/a")), server("8.0", Some("/b"))).unwrap();
        assert!(program.contains("/b") && program.contains("/a"), "{program}");
        // What is not known differs from nothing.
        assert_eq!(said(server("8.0", None), server("8.0", Some("/b"))), None);
        assert_eq!(said(server("8.0", Some("/b")), server("8.0", Some("/b"))), None);
    }
}
