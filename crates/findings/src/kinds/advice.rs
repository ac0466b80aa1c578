//! Which target to choose at which level.

use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers;
use crate::names::target_name;
use crate::place::levels;
use model::Level;

/// Whom to take at which levels of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Along the levels, in order.
    pub spans: Vec<Span>,
}

impl FindingKind for Advice {
    const HEADING: &'static str = "Advice";

    fn say(found: &Group<'_, Self>) -> String {
        choices(&found.first.spans)
    }
}

/// Neighbouring levels at which the same targets come first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// These levels, in order. What lies between two spans was not measured.
    pub levels: Vec<Level>,
    /// Whom to take there.
    pub choice: Choice,
}

/// The targets that no other is clearly better than.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Choice {
    Only {
        target: String,
    },
    /// All of them are the same within the study's margin.
    Same {
        /// Which, in the order of the study.
        targets: Vec<String>,
    },
    /// They cannot all be told apart.
    Unresolved {
        /// Which, in the order of the study.
        targets: Vec<String>,
    },
}

/// The conditions of a test in one sentence without a full stop: `up to 16 clients choose ec2; from 32
/// clients choose rds`.
pub fn choices(spans: &[Span]) -> String {
    let last = spans.len().saturating_sub(1);
    let parts: Vec<String> = spans
        .iter()
        .enumerate()
        .map(|(i, span)| {
            let at = match (span.levels.first(), span.levels.last()) {
                (Some(first), Some(_)) if i > 0 && i == last && span.levels.len() > 1 => {
                    format!("from {first}")
                }
                (Some(_), Some(highest)) if i == 0 && last > 0 && span.levels.len() > 1 => {
                    format!("up to {highest}")
                }
                _ => at(&span.levels),
            };
            format!("{at}{}", choice(&span.choice))
        })
        .collect();
    parts.join("; ")
}

fn at(all: &[Level]) -> String {
    match all {
        [Level::NONE] => String::new(),
        _ => format!("at {}", levels(all)),
    }
}

fn choice(choice: &Choice) -> String {
    let named = |targets: &[String]| {
        let names: Vec<String> = targets.iter().map(|name| target_name(name)).collect();
        numbers::list(&names)
    };
    match choice {
        Choice::Only { target } => format!(" choose {}", target_name(target)),
        Choice::Same { targets } => format!(" {} are the same", named(targets)),
        Choice::Unresolved { targets } => format!(" {} cannot be told apart", named(targets)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(clients: &[u32], choice: Choice) -> Span {
        Span { levels: clients.iter().map(|&n| Level::clients(n)).collect(), choice }
    }

    fn only(target: &str) -> Choice {
        Choice::Only { target: target.to_owned() }
    }

    #[test]
    fn conditions_name_the_levels_that_were_measured_and_no_others() {
        let both = Choice::Unresolved { targets: vec!["ec2".into(), "rds".into()] };
        let spans =
            [span(&[1, 4, 8], only("ec2")), span(&[16], both), span(&[32, 64], only("rds"))];
        assert_eq!(
            choices(&spans),
            "up to 8 clients choose ec2; at 16 clients ec2 and rds cannot be told apart; from 32 \
             clients choose rds"
        );
        assert_eq!(choices(&[span(&[1, 4], only("a"))]), "at 1 and 4 clients choose a");
        let two = [span(&[1], only("a")), span(&[4], only("b"))];
        assert_eq!(choices(&two), "at 1 client choose a; at 4 clients choose b");
    }
}
