//! The keys of `[[test.intervention]]`: what is done to targets while a test measures them.

use crate::keys::value::name;
use crate::keys::{InterventionTable, LoadKeys};
use crate::problem::{Place, Problems};
use crate::read::command::{THIS_HOST, check_command};
use model::bounds::MAX_INTERVENTIONS;
use model::{Act, Intervention};
use std::time::Duration;
use toml::Spanned;

/// The interventions of a load that measures for `duration`.
pub(crate) fn interventions(
    keys: &LoadKeys,
    searches: bool,
    duration: Duration,
    problems: &mut Problems,
) -> Vec<Intervention> {
    let tables = keys.intervention.as_deref().unwrap_or_default();
    let Some(first) = tables.first() else { return Vec::new() };
    if searches {
        problems
            .add(first.span(), "a search has no interventions: its steps are short")
            .help("measure them in a test with levels, such as `clients`");
    }
    if keys.cross_check.value() {
        problems
            .add(
                first.span(),
                "`cross_check` is not possible with interventions: no other tool has them",
            )
            .help("ask for it in a test without interventions");
    }
    if let Some(surplus) = tables.get(MAX_INTERVENTIONS) {
        let message = format!("a test has at most {MAX_INTERVENTIONS} interventions");
        problems.add(surplus.span(), message).help("write several tests");
    }
    let mut interventions: Vec<Intervention> = Vec::new();
    for table in tables {
        let at = moment(table, duration, problems);
        let timeout = timeout(table, problems);
        let act = act(table, problems);
        let (Some(at), Some(act)) = (at, act) else { continue };
        let name = named(table, &act, &interventions, problems);
        interventions.extend(name.map(|name| Intervention { name, at, act, timeout }));
    }
    interventions
}

/// When it begins.
fn moment(
    table: &Spanned<InterventionTable>,
    duration: Duration,
    problems: &mut Problems,
) -> Option<Duration> {
    let written = &table.get_ref().at;
    let Some(place) = written.place() else {
        let help = "add a line like at = \"10s\", counted from the start of measuring";
        problems.missing(table.span(), "this intervention has no time", help);
        return None;
    };
    let at = written.value("at", problems)?;
    if at >= duration {
        problems.add(place, "`at` must lie within the time measured").help(
            "it counts from the start of measuring; name an earlier time, or raise `duration` or \
             `time_limit`",
        );
    }
    Some(at)
}

fn timeout(table: &Spanned<InterventionTable>, problems: &mut Problems) -> Option<Duration> {
    let written = &table.get_ref().timeout;
    let timeout = written.value("timeout", problems)?;
    if timeout.is_zero() {
        problems
            .add(
                written.place().unwrap_or_default(),
                "`timeout` must be more than zero: nothing would be done",
            )
            .help("leave it out to allow the act the rest of the load");
    }
    Some(timeout)
}

/// What is done: one of the acts.
fn act(table: &Spanned<InterventionTable>, problems: &mut Problems) -> Option<Act> {
    let InterventionTable { background_work, statement, command, trusted, .. } = table.get_ref();
    let mut places = table.get_ref().acts();
    let Some(first) = places.next() else {
        let help = "add a line like background_work = \"snapshot\", statement = \"ALTER TABLE ...\" \
                    or command = [\"./switch.sh\"]";
        problems.missing(table.span(), "this intervention does nothing", help);
        return None;
    };
    if let Some(second) = places.next() {
        problems
            .add(second, "an intervention does one thing")
            .other(first, "this is another")
            .help("write a [[test.intervention]] for each");
        return None;
    }
    if background_work.is_some() {
        return background_work.value("background_work", problems).map(Act::BackgroundWork);
    }
    if let Some(sql) = statement {
        if sql.get_ref().trim().is_empty() {
            problems
                .add(sql.span(), "`statement` is empty")
                .help("write it like statement = \"ALTER TABLE sbtest1 ENGINE = InnoDB\"");
        }
        return Some(Act::Statement(sql.get_ref().clone()));
    }
    let command = command.as_ref()?;
    check_command("command", command, trusted.value(), THIS_HOST, problems);
    Some(Act::Command(command.get_ref().clone()))
}

/// The name that is written, or that of the act with a number where another has it.
fn named(
    table: &Spanned<InterventionTable>,
    act: &Act,
    earlier: &[Intervention],
    problems: &mut Problems,
) -> Option<String> {
    let is_taken = |name: &str| earlier.iter().any(|other| other.name == name);
    let Some(written) = &table.get_ref().name else {
        let numbered = (2..).map(|number| format!("{} {number}", act.name()));
        return std::iter::once(act.name().to_owned()).chain(numbered).find(|name| !is_taken(name));
    };
    let at: Place = written.span();
    let name = name(written.get_ref(), at.clone(), "intervention", problems)?;
    if is_taken(&name) {
        problems
            .add(at, format!("a second intervention of the test is named `{name}`"))
            .help("give every intervention a name of its own");
    }
    Some(name)
}
