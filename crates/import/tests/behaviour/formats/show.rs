use super::parse;
use import::{CompanionContent, CompanionFile};

pub(super) const BEFORE: &str = include_str!("../../fixtures/show/status-before.tab");
pub(super) const AFTER: &str = include_str!("../../fixtures/show/status-after.tab");
pub(super) const VARIABLES: &str = include_str!("../../fixtures/show/variables.tab");
const ADMIN: &str = include_str!("../../fixtures/show/mysqladmin.txt");
const VERTICAL: &str = include_str!("../../fixtures/show/vertical.txt");

#[test]
fn status_is_known_by_its_uptime_in_every_shape() {
    let bare = BEFORE.replacen("Variable_name\tValue\n", "", 1);
    for (text, dumps) in [(BEFORE, 1), (&bare, 1), (ADMIN, 2), (VERTICAL, 1)] {
        let parsed = parse("a/status.txt", text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        assert_eq!(parsed.beside.len(), dumps);
        for beside in &parsed.beside {
            let CompanionContent::Counters(uptime, counters) = &beside.says else {
                panic!("{beside:?}")
            };
            assert!(*uptime > 0 && counters["Com_commit"] > 0, "{counters:?}");
            assert_eq!(counters["Uptime"], *uptime as i64);
            assert!(counters.get("Ssl_version").is_none(), "words are no counters");
        }
    }
}

#[test]
fn variables_are_known_by_their_version_and_may_be_empty() {
    let parsed = parse("a/variables.txt", VARIABLES);
    let CompanionContent::Variables(variables) = &parsed.beside[0].says else {
        panic!("{parsed:?}")
    };
    assert_eq!(
        variables["innodb_flush_log_at_trx_commit"].parse::<u32>().ok().map(|n| n < 4),
        Some(true)
    );
    assert_eq!(variables["init_connect"], "");
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
}

#[test]
fn several_dumps_in_a_file_are_parted_with_or_without_headings() {
    let bare = |text: &str| text.replacen("Variable_name\tValue\n", "", 1);
    for (text, dumps) in [
        (format!("{VARIABLES}{BEFORE}{AFTER}"), 3),
        (format!("{}{}", bare(BEFORE), bare(AFTER)), 2),
    ] {
        let parsed = parse("a.txt", &text);
        let counters =
            |beside: &&CompanionFile| matches!(beside.says, CompanionContent::Counters(..));
        assert_eq!(parsed.beside.len(), dumps, "{parsed:?}");
        assert_eq!(parsed.beside.iter().filter(counters).count(), 2);
    }
    let parsed = parse("a.txt", &format!("{VARIABLES}{}", bare(BEFORE)));
    assert!(parsed.beside.is_empty(), "{parsed:?}");
    assert!(parsed.problems[0].message.contains("both"), "{:?}", parsed.problems);
}

#[test]
fn a_dump_of_neither_is_named() {
    let parsed = parse("a.txt", "Variable_name\tValue\nCom_select\t7\nsome words\n");
    let lines: Vec<u32> = parsed.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [3, 2]);
    assert!(parsed.beside.is_empty());
}
