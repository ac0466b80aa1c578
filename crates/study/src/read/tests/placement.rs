//! Levels that place themselves.

use crate::keys::levels::{DEFAULT_TO, MOST_LEVELS, RESOLUTIONS, STEPS};
use crate::keys::value::whole;
use crate::keys::{ClientsKey, PlacementTable};
use crate::problem::Problems;
use model::LevelPlacement;
use model::bounds::MAX_CLIENTS;
use std::ops::RangeInclusive;
use toml::Spanned;

/// What `clients` says of levels that place themselves; `None` where that makes no sense.
pub(crate) fn placement(
    written: &Spanned<ClientsKey>,
    problems: &mut Problems,
) -> Option<LevelPlacement> {
    let at = written.span();
    let absent = PlacementTable::default();
    let table = match written.get_ref() {
        ClientsKey::Numbers(_) => return None,
        ClientsKey::Auto(word) if word != "auto" => {
            let key = problems.key("clients");
            problems.add(at, format!("{key} cannot be `{word}`")).help(
                "write a whole number or a list of whole numbers, or clients = \"auto\" for \
                     levels that place themselves",
            );
            return None;
        }
        ClientsKey::Auto(_) => &absent,
        ClientsKey::Placed(table) => table,
    };
    let mut number = |key: &str, given: Option<i64>, default: u32, range: RangeInclusive<u32>| {
        let given = given.map(|number| Spanned::new(at.clone(), number));
        whole(key, &given, default, range, problems)
    };
    let from = number("from", table.from, 1, 1..=MAX_CLIENTS);
    let default_to = DEFAULT_TO.max(from.saturating_mul(2)).min(MAX_CLIENTS);
    let to = number("to", table.to, default_to, 2..=MAX_CLIENTS);
    let mut ratio = |key: &str, given: Option<f64>, default: f64, range: RangeInclusive<f64>| {
        let ratio = given.unwrap_or(default);
        if !range.contains(&ratio) {
            let (low, high) = range.into_inner();
            problems.add(at.clone(), format!("`{key}` must be from {low} to {high}, not {ratio}"));
            return default;
        }
        ratio
    };
    let step = ratio("step", table.step, LevelPlacement::STEP, STEPS);
    let resolution =
        ratio("resolution", table.resolution, LevelPlacement::RESOLUTION.min(step), RESOLUTIONS);
    if from >= to {
        problems
            .add(at, format!("`from` is {from} and `to` is {to}"))
            .help("`to` must be above `from`");
        return None;
    }
    if resolution > step {
        problems
            .add(at, format!("`resolution` is {resolution} and `step` is {step}"))
            .help("levels are placed between those of the first pass: `step` must be the larger");
        return None;
    }
    let mut placement = LevelPlacement { from, to, step, resolution, most: 0 };
    let given = table.most.map(|most| Spanned::new(at.clone(), most));
    let default_most = placement.half_of_sweep().min(*MOST_LEVELS.end());
    let most = whole("most", &given, default_most, MOST_LEVELS, problems);
    placement.most = most;
    let first = placement.first_pass().len();
    if first > most as usize {
        problems.add(at, format!("the first pass has {first} levels and `most` is {most}")).help(
            format!(
                "raise `step`, make the range smaller, or raise `most`, to {} at most",
                MOST_LEVELS.end()
            ),
        );
        return None;
    }
    Some(placement)
}
