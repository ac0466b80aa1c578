use crate::keys::levels::DEFAULT_CONNECTIONS;
use crate::keys::value::applies_only_with;
use crate::keys::{ClientsKey, LoadKeys, Maybe, Numbers, ServerKeys};
use crate::problem::{Place, Problems};
use crate::read::tests::placement::placement;
use crate::read::tests::table::{LoadTable, TestTable};
use model::bounds::{MAX_CLIENTS, MAX_RATE};
use model::{Arrivals, Level, LevelPlacement, LoadProfile, SearchOver};
use toml::Spanned;

/// Levels of a test, and how it places further ones where it does.
pub(crate) type Levels = (Vec<Level>, Option<LevelPlacement>);

/// How hard a test is run: numbers of clients or, with `rate`, transactions per second; where it
/// `searches`, the one level that is searched for.
pub(crate) fn levels(
    keys: &LoadKeys,
    server: &ServerKeys,
    profile: Option<&LoadProfile>,
    searches: bool,
    at: Place,
    problems: &mut Problems,
) -> Levels {
    if searches {
        return (searched_level(server, problems).into_iter().collect(), None);
    }
    if server.load_profile.is_some() {
        let clients = connections("load_profile", &server.clients, DEFAULT_CONNECTIONS, problems);
        let level = |profile: &LoadProfile| Level::rate(clients, mean_rate(profile));
        return (profile.map(level).into_iter().collect(), None);
    }
    let levels = match (&keys.rate, &server.clients) {
        (Some(rates), clients) => {
            let clients = connections("rate", clients, DEFAULT_CONNECTIONS, problems);
            refuse_cross_check(keys, rates, problems);
            let rates = ascending("rate", rates.get_ref(), rates.span(), MAX_RATE, problems);
            rates.into_iter().map(|rate| Level::rate(clients, rate)).collect()
        }
        (None, Some(clients)) => match clients.get_ref() {
            ClientsKey::Numbers(numbers) => {
                let levels = ascending("clients", numbers, clients.span(), MAX_CLIENTS, problems);
                levels.into_iter().map(Level::clients).collect()
            }
            ClientsKey::Auto(_) | ClientsKey::Placed(_) => {
                let placement = placement(clients, problems);
                let first = placement.iter().flat_map(LevelPlacement::first_pass);
                return (first.map(Level::clients).collect(), placement);
            }
        },
        (None, None) => {
            missing("clients", "[1, 2, 4, 8, 16]", at, problems);
            Vec::new()
        }
    };
    (levels, None)
}

/// The mean rate of a profile, in whole operations a second.
fn mean_rate(profile: &LoadProfile) -> u32 {
    profile.mean_rate().round().clamp(1.0, MAX_RATE.into()) as u32
}

/// Notes a test that does not say how hard its load is; a key that would, with an example.
pub(crate) fn missing(key: &str, example: &str, at: Place, problems: &mut Problems) {
    let help = format!("add {}", problems.notation.line(key, example));
    problems.missing(at, "this test has no levels", help);
}

/// How the transactions of a test with rates arrive.
pub(crate) fn arrivals(
    table: &TestTable,
    load: &LoadTable,
    searches: bool,
    problems: &mut Problems,
) -> Arrivals {
    let keys = &load.keys;
    let offers = keys.rate.is_some() || table.place("load_profile").is_some();
    if !(offers || searches && load.varies_rate()) {
        for (key, at) in table.places.written_among(&["arrivals", "max_waiting"]) {
            applies_only_with(key, at, "rate", "[100, 200, 400]", problems);
        }
    }
    let process = keys.arrivals.value("arrivals", problems);
    let default = Arrivals::default();
    Arrivals {
        process: process.unwrap_or(default.process),
        max_waiting: keys.max_waiting.value("max_waiting", problems),
    }
}

/// The connections that a load may use beside a key (`rate`, `slo`) that decides how hard it is.
pub(crate) fn connections(
    beside: &str,
    clients: &Maybe<ClientsKey>,
    default: u32,
    problems: &mut Problems,
) -> u32 {
    let Some(clients) = clients else { return default };
    match clients.get_ref() {
        ClientsKey::Numbers(numbers) => {
            let written = OneLevel {
                key: "clients",
                numbers,
                at: clients.span(),
                meaning: "the number of connections",
                most: MAX_CLIENTS,
                default,
            };
            written.value(beside, problems)
        }
        ClientsKey::Auto(_) | ClientsKey::Placed(_) => {
            let (key, beside) = (problems.key("clients"), problems.key(beside));
            problems
                .add(clients.span(), format!("{key} cannot place levels beside {beside}"))
                .help(format!("with {beside}, {key} is one number: the number of connections"));
            default
        }
    }
}

/// A key that is a list of levels elsewhere, and one number beside a key (`rate`, `slo`) that decides how
/// hard the load is.
pub(crate) struct OneLevel<'a> {
    pub key: &'a str,
    pub numbers: &'a Numbers,
    pub at: Place,
    /// What the number is.
    pub meaning: &'a str,
    pub most: u32,
    pub default: u32,
}

impl OneLevel<'_> {
    pub fn value(self, beside: &str, problems: &mut Problems) -> u32 {
        let Self { key, numbers, at, meaning, most, default } = self;
        match ascending(key, numbers, at.clone(), most, problems).as_slice() {
            [] => default,
            [one] => *one,
            several => {
                let (key, beside) = (problems.key(key), problems.key(beside));
                problems
                    .add(at, format!("{key} has {} levels beside {beside}", several.len()))
                    .help(format!("with {beside}, {key} is one number: {meaning}"));
                default
            }
        }
    }
}

fn refuse_cross_check(keys: &LoadKeys, rates: &Spanned<Numbers>, problems: &mut Problems) {
    if keys.cross_check.value() {
        problems
            .add(
                rates.span(),
                "`cross_check` does not work with a `rate`: other tools exceed it, or keep no \
                 schedule",
            )
            .help("ask for it in a test with levels of `clients`");
    }
}

/// Levels in ascending order, each from 1 to `most`; the order of the file is of no consequence,
/// since the plan shuffles.
pub(crate) fn ascending(
    key: &str,
    numbers: &Numbers,
    at: Place,
    most: u32,
    problems: &mut Problems,
) -> Vec<u32> {
    let mut numbers = match numbers {
        Numbers::One(number) => vec![*number],
        Numbers::Many(numbers) => numbers.clone(),
    };
    if numbers.is_empty() {
        problems
            .add(at, format!("{} is empty", problems.key(key)))
            .help("name at least one level, such as [1]");
        return Vec::new();
    }
    numbers.sort_unstable();
    if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
        problems
            .add(at.clone(), format!("{} has the level {} twice", problems.key(key), pair[0]))
            .help("to measure a level more often, raise `repeats` in [study]");
    }
    let mut levels = Vec::new();
    for number in numbers {
        match u32::try_from(number) {
            Ok(level) if (1..=most).contains(&level) => levels.push(level),
            _ => {
                let key = problems.key(key);
                let message = format!("{key} must be from 1 to {most}, not {number}");
                problems.add(at.clone(), message);
            }
        }
    }
    levels
}

/// The one level of a test with an `slo`.
fn searched_level(server: &ServerKeys, problems: &mut Problems) -> Option<Level> {
    let over = server.search.value("search", problems)?;
    let default = match over {
        SearchOver::Rate => DEFAULT_CONNECTIONS,
        SearchOver::Clients => DEFAULT_MAX_CLIENTS,
    };
    Some(Level::searched(over, connections("slo", &server.clients, default, problems)))
}

/// Most clients to try, where the study names no number: servers allow 151 unless told otherwise.
const DEFAULT_MAX_CLIENTS: u32 = 128;
