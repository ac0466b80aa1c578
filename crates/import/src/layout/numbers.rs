//! Numbers of paths that agree with what the files say.

use super::File;
use super::roles::{Path, Role};
use super::vocabulary::{is_clients, is_clients_by_itself, is_rate, is_rate_by_itself};
use crate::Knob;
use std::collections::{BTreeSet, HashMap};

/// What tells the numbers of a path apart: the letters at them, or the place of those without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Name {
    before: String,
    after: String,
    /// The component of a bare number; how many of the same come before it.
    component: usize,
    nth: usize,
}

/// A number of a path.
#[derive(Clone, Copy, Debug)]
struct Place {
    file: usize,
    component: usize,
    word: usize,
    value: u64,
}

const LEVELS: [Knob; 5] =
    [Knob::Clients, Knob::Threads, Knob::ClientsPerThread, Knob::Jobs, Knob::Depth];
/// From here on numbers do not agree by chance, as those of two hosts may with 1 and 2 clients.
const LARGE: u64 = 8;

/// Gives numbers their roles where they agree with what is inside the files. Says what is doubtful.
pub(super) fn recognise(files: &[File], paths: &mut [Path]) -> Vec<String> {
    let mut doubts = Vec::new();
    let mut of_name: Vec<(Name, Vec<Place>)> = names(paths).into_iter().collect();
    of_name.sort_by(|a, b| {
        let key = |name: &Name| (name.component, name.nth);
        (key(&a.0), &a.0.before, &a.0.after).cmp(&(key(&b.0), &b.0.before, &b.0.after))
    });
    for (name, places) in of_name {
        let word = if name.before.is_empty() { &name.after } else { &name.before };
        let word = if name.before.is_empty() || name.after.is_empty() { word } else { "" };
        let bare = word.is_empty() && name.before.is_empty();
        let known = |knob: Knob| {
            places.iter().filter(|place| files[place.file].says(knob).is_some()).count()
        };
        let mut role = None;
        for knob in LEVELS {
            let agree = agreeing(files, &places, knob);
            let sure = bare
                || is_clients(word)
                || distinct(&agree) > 2
                || (distinct(&agree) > 1 && agree.iter().any(|p| p.value >= LARGE));
            let named = is_clients_by_itself(word) && 2 * agree.len() > known(knob);
            if !agree.is_empty() && (agree.len() == known(knob) && sure || named) {
                role = Some((knob, agree));
                break;
            }
        }
        if let Some((knob, agree)) = role {
            // Files that say nothing of it, as those of another tool, take it from the path.
            for place in &places {
                give(paths, *place, Role::Clients);
            }
            if let Some(other) = places.iter().find(|place| {
                files[place.file].says(knob).is_some_and(|inside| inside != place.value)
            }) {
                let file = &files[other.file];
                doubts.push(format!(
                    "{} has {} clients by its path and {} inside; what is inside counts (so it is in {} of {} files)",
                    file.path,
                    other.value,
                    file.says(knob).unwrap_or(0),
                    known(knob) - agree.len(),
                    known(knob),
                ));
            }
            continue;
        }
        let unsaid = LEVELS.into_iter().all(|knob| known(knob) == 0);
        if is_clients_by_itself(word) && unsaid {
            places.iter().for_each(|place| give(paths, *place, Role::Clients));
            continue;
        }
        // Of pgbench, which does not print its rate.
        if is_rate_by_itself(word) && known(Knob::Rate) == 0 {
            places.iter().for_each(|place| give(paths, *place, Role::Rate));
            continue;
        }
        let rates = agreeing(files, &places, Knob::Rate);
        if !rates.is_empty()
            && rates.len() == known(Knob::Rate)
            && (bare || is_rate(word) || distinct(&rates) > 2)
        {
            places.iter().for_each(|place| give(paths, *place, Role::Rate));
            continue;
        }
        for place in &places {
            let file = &files[place.file];
            let number = paths[place.file].words[place.component][place.word].number();
            let bytes = number.and_then(super::token::Number::bytes);
            let block = bytes.is_some() && bytes == file.says(Knob::BlockSize);
            let scale =
                matches!(word, "s" | "sf" | "scale") && file.says(Knob::Scale) == Some(place.value);
            if block || scale {
                give(paths, *place, Role::Test);
            }
        }
    }
    short_repeats(paths);
    doubts
}

/// Whether any bare numbers within versions would agree with clients: then points part numbers.
pub(super) fn any_clients(paths: &[Path]) -> bool {
    paths.iter().any(|path| path.all().any(|(_, word)| word.role == Role::Clients))
}

fn give(paths: &mut [Path], place: Place, role: Role) {
    paths[place.file].words[place.component][place.word].role = role;
}

fn agreeing(files: &[File], places: &[Place], knob: Knob) -> Vec<Place> {
    let agrees = |place: &&Place| files[place.file].says(knob) == Some(place.value);
    places.iter().filter(agrees).copied().collect()
}

fn distinct(places: &[Place]) -> usize {
    places.iter().map(|place| place.value).collect::<BTreeSet<u64>>().len()
}

fn names(paths: &[Path]) -> HashMap<Name, Vec<Place>> {
    let mut found: HashMap<Name, Vec<Place>> = HashMap::new();
    for (file, path) in paths.iter().enumerate() {
        let mut seen: HashMap<Name, usize> = HashMap::new();
        for (component, words) in path.words.iter().enumerate() {
            for (word, number) in
                words.iter().enumerate().filter_map(|(at, w)| Some((at, w.number()?)))
            {
                if !matches!(
                    words[word].role,
                    Role::Counter | Role::Target | Role::Repeat | Role::Test
                ) {
                    continue;
                }
                let component_of_name = if number.is_bare() { component + 1 } else { 0 };
                let (before, after) = (number.before.clone(), number.after.clone());
                let mut name = Name { before, after, component: component_of_name, nth: 0 };
                let nth = seen.entry(name.clone()).or_default();
                name.nth = *nth;
                *nth += 1;
                let place = Place { file, component, word, value: number.value };
                found.entry(name).or_default().push(place);
            }
        }
    }
    found
}

/// `r1`, `r2` and so on at the end of a file's name are repeats, and families of instances are not:
/// they begin with 1 and leave none out.
fn short_repeats(paths: &mut [Path]) {
    let is_short = |path: &Path, component: usize, word: usize| {
        let words = &path.words[component];
        let last = words[word + 1..].iter().all(|word| word.role == Role::Kind);
        let number =
            words[word].number().filter(|number| number.before == "r" && number.after.is_empty());
        number.filter(|_| last && path.is_name(component)).map(|number| number.value)
    };
    let mut places = Vec::new();
    for (file, path) in paths.iter().enumerate() {
        for (component, words) in path.words.iter().enumerate() {
            for word in 0..words.len() {
                places.extend(is_short(path, component, word).map(|value| Place {
                    file,
                    component,
                    word,
                    value,
                }));
            }
        }
    }
    let values: BTreeSet<u64> = places.iter().map(|place| place.value).collect();
    if values.iter().copied().eq(1..=values.len() as u64)
        || values.len() == 1 && places.len() == paths.len()
    {
        places.into_iter().for_each(|place| give(paths, place, Role::Repeat));
    }
}
