//! Targets of different products.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use model::{Kept, promises_differ, promises_in_words, text};
use serde::Serialize;

/// The targets are of different products: no setting is compared, and what they promise may differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProductsCompared {
    pub targets: Vec<ComparedProduct>,
}

/// A target, and what its server promises of data that it has acknowledged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedProduct {
    pub target: String,
    /// Such as `MariaDB`.
    pub product: String,
    pub durability: Vec<Kept>,
}

impl ProductsCompared {
    fn promises_differ(&self) -> bool {
        promises_differ(self.targets.iter().map(|one| one.durability.as_slice()))
    }
}

impl FindingKind for ProductsCompared {
    const HEADING: &'static str = "Different products";

    fn severity(&self) -> Severity {
        match self.promises_differ() {
            true => Severity::Warning,
            false => Severity::Notice,
        }
    }

    fn say(found: &Group<'_, Self>) -> String {
        let targets = &found.first.targets;
        let named = |one: &ComparedProduct| {
            format!("{} is {}", target_name(&one.target), text::line(&one.product))
        };
        let names: Vec<String> = targets.iter().map(named).collect();
        let promises: Vec<String> = targets.iter().filter_map(promises).collect();
        let what = match found.first.promises_differ() {
            true => "Their guarantees for acknowledged data differ",
            false => "Their guarantees for acknowledged data are the same",
        };
        let mut sentence = format!(
            "this compares products as configured, not single settings: {}",
            names.join(", ")
        );
        if !promises.is_empty() {
            sentence += &format!(". {what}: {}", promises.join("; "));
        }
        sentence
    }
}

fn promises(one: &ComparedProduct) -> Option<String> {
    let words = promises_in_words(&target_name(&one.target), &one.durability);
    (!one.durability.is_empty()).then(|| text::line(&words).into_owned())
}
