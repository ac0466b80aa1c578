//! The option file of another server, of which a private one did not get all.

use crate::kind::{FindingKind, Group};
use crate::numbers;
use model::text;
use serde::Serialize;

/// What a private server did not get of an option file, or got otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfigChanged {
    /// The option file, as the study names it.
    pub file: String,
    pub settings: Vec<ChangedSetting>,
}

/// A setting of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedSetting {
    pub name: String,
    pub value: String,
    /// What the server had in its place; absent where nothing says.
    pub instead: Option<String>,
    pub why: String,
}

impl FindingKind for ConfigChanged {
    const HEADING: &'static str = "Changed configuration";

    fn is_like(&self, other: &Self) -> bool {
        self == other
    }

    fn say(found: &Group<'_, Self>) -> String {
        let each = found.first.settings.iter().map(|setting| {
            let ChangedSetting { name, value, instead, why } = setting;
            let (name, value) = (text::line(name), text::line(value));
            match instead {
                Some(instead) => {
                    format!("{name} = {value} became {} ({why})", text::line(instead))
                }
                None => format!("{name} = {value} was left out ({why})"),
            }
        });
        format!(
            "a private server cannot have all of {} as it is: {}",
            text::line(&found.first.file),
            numbers::list(&each.collect::<Vec<_>>())
        )
    }
}
