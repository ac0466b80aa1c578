//! What has changed in a study since a run of it began, and whether the run can take it.

use model::{Level, PasswordSource, Place, Study, Target, Test, Until, text};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;

/// Longest value of a key that a message repeats.
const LONGEST_VALUE: usize = 60;

/// A part of a study that trials belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Study,
    Target(String),
    Test(String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Study => f.write_str("the study"),
            Self::Target(name) => write!(f, "target {name}"),
            Self::Test(name) => write!(f, "test {name}"),
        }
    }
}

/// A change that touches trials that a run has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub part: Part,
    /// What changed, such as `table_size was 1000, is 2000`.
    pub change: String,
}

/// What has changed in a study that a run was begun with, in words; nothing that touches its trials:
/// question, answer_by, answer_at, confidence, margin, prices, labels and more repeats, and what was added, which are
/// targets, tests, levels and a noise floor.
///
/// # Errors
/// The changes that a run cannot take, since trials were planned or measured with what was there.
pub fn changes(recorded: &Study, asked: &Study) -> Result<Vec<String>, Vec<Conflict>> {
    let found = Differences::between(recorded, asked);
    if found.conflicts.is_empty() { Ok(found.changes) } else { Err(found.conflicts) }
}

/// All that differs between two studies, in words: what touches trials first, then the rest.
pub fn differences(old: &Study, new: &Study) -> Vec<String> {
    let found = Differences::between(old, new);
    let said = |conflict: Conflict| match conflict.part {
        Part::Study => conflict.change,
        part => format!("{part}: {}", conflict.change),
    };
    found.conflicts.into_iter().map(said).chain(found.changes).collect()
}

#[derive(Default)]
struct Differences {
    changes: Vec<String>,
    conflicts: Vec<Conflict>,
}

impl Differences {
    fn between(recorded: &Study, asked: &Study) -> Self {
        let mut found = Differences::default();
        found.free("name", &recorded.name, &asked.name);
        found.free("question", &recorded.question, &asked.question);
        found.free("answer_by", &recorded.answer_by, &asked.answer_by);
        found.free("answer_at", &recorded.answer_at, &asked.answer_at);
        found.free("confidence", &recorded.confidence, &asked.confidence);
        found.free("margin", &recorded.margin, &asked.margin);
        found.free("budget", &recorded.budget, &asked.budget);
        found.free("fleet", &recorded.fleet, &asked.fleet);
        found.free("host instances", &recorded.host_instances, &asked.host_instances);
        let study = Part::Study;
        if asked.until.is_some() || recorded.until.is_some() {
            // What was decided so far rests on when the study said that it would look.
            let written = |study: &Study| match study.until {
                Some(Until { min }) => format!("{min} to {}", study.repeats),
                None => study.repeats.to_string(),
            };
            found.fixed(&study, "repeats", &written(recorded), &written(asked));
        } else if asked.repeats < recorded.repeats {
            found.fixed(&study, "repeats", &recorded.repeats, &asked.repeats);
        } else {
            found.free("repeats", &recorded.repeats, &asked.repeats);
        }
        found.fixed(&study, "seed", &recorded.seed, &asked.seed);
        found.fixed(&study, "sample_every", &recorded.sample_every, &asked.sample_every);
        found.fixed(&study, "parallel", &recorded.parallel, &asked.parallel);
        found.fixed(&study, "slices", &recorded.slices, &asked.slices);
        found.fixed(&study, "duet", &recorded.duet, &asked.duet);
        found.targets(recorded, asked);
        found.tests(recorded, asked);
        found
    }

    /// A key that touches no trial.
    fn free(&mut self, key: &str, was: &impl Serialize, is: &impl Serialize) {
        if value(was) != value(is) {
            self.changes.push(key.to_owned());
        }
    }

    /// A key, or a part with many, that trials depend on.
    fn fixed(&mut self, part: &Part, key: &str, was: &impl Serialize, is: &impl Serialize) {
        let mut differences = Vec::new();
        differ(key, &value(was), &value(is), &mut differences);
        self.conflicts
            .extend(differences.into_iter().map(|change| Conflict { part: part.clone(), change }));
    }

    fn gone(&mut self, part: Part) {
        self.conflicts
            .push(Conflict { part, change: "it is not in the study any more".to_owned() });
    }

    fn targets(&mut self, recorded: &Study, asked: &Study) {
        for was in recorded.measured() {
            let part = Part::Target(was.name.clone());
            let Some(is) = asked.measured().find(|target| target.name == was.name) else {
                self.gone(part);
                continue;
            };
            let Target { name, system, place, price, labels, path, load_hosts } = was;
            self.fixed(&part, "kind", system, &is.system);
            self.fixed(&part, "load_hosts", load_hosts, &is.load_hosts);
            self.fixed(&part, "path", path, &is.path);
            self.fixed(&part, "place", &without_password(place), &without_password(&is.place));
            if without_password(place) == without_password(&is.place) {
                self.free(&format!("password of {name}"), place, &is.place);
            }
            self.free(&format!("price of {name}"), price, &is.price);
            self.free(&format!("labels of {name}"), labels, &is.labels);
        }
        for is in asked.measured() {
            if recorded.measured().all(|target| target.name != is.name) {
                self.changes.push(format!("target {} added", is.name));
            }
        }
    }

    fn tests(&mut self, recorded: &Study, asked: &Study) {
        for was in &recorded.tests {
            let part = Part::Test(was.name.clone());
            let Some(is) = asked.test(&was.name) else {
                self.gone(part);
                continue;
            };
            let Test { name, task: _, cache, cross_check } = was;
            self.fixed(&part, "cache", cache, &is.cache);
            self.fixed(&part, "cross_check", cross_check, &is.cross_check);
            let (before, after) = (was.without_levels(), is.without_levels());
            self.fixed(&part, "task", &before.task, &after.task);
            if was.placement().is_some() && is.placement().is_some() {
                // The run has more than the first pass of either.
                continue;
            }
            let missing = |all: &[Level], level: &&Level| !all.contains(level);
            if let Some(level) = was.levels().iter().find(|level| missing(is.levels(), level)) {
                let change = format!("its level {level} is not in the study any more");
                self.conflicts.push(Conflict { part, change });
            }
            for level in is.levels().iter().filter(|level| missing(was.levels(), level)) {
                self.changes.push(format!("{name} at {level} added"));
            }
        }
        for is in &asked.tests {
            if recorded.test(&is.name).is_none() {
                self.changes.push(format!("test {} added", is.name));
            }
        }
    }
}

/// Where a target is, but for where the password comes from.
fn without_password(place: &Place) -> Place {
    let mut place = place.clone();
    if let Place::Server(spec) = &mut place {
        let replicas = spec.replicas.iter_mut();
        for address in std::iter::once(&mut spec.address).chain(replicas) {
            address.password = PasswordSource::OptionFile;
        }
    }
    place
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// The keys that differ below a key, each with both values.
fn differ(key: &str, was: &Value, is: &Value, differences: &mut Vec<String>) {
    if was == is {
        return;
    }
    match (was, is) {
        (Value::Object(before), Value::Object(after))
            if !is_duration(before) && (key == "settings" || !are_variants(before, after)) =>
        {
            let keys = before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)));
            for key in keys {
                let of = |all: &Map<String, Value>| all.get(key).cloned().unwrap_or_default();
                differ(key, &of(before), &of(after), differences);
            }
        }
        _ => differences.push(match (was, is) {
            (Value::Null, is) => format!("{key} was not set, is {}", shown(is)),
            (was, Value::Null) => format!("{key} was {}, is not set", shown(was)),
            (was, is) => format!("{key} was {}, is {}", shown(was), shown(is)),
        }),
    }
}

/// Whether these are two kinds of one thing, such as of a place or a task.
fn are_variants(before: &Map<String, Value>, after: &Map<String, Value>) -> bool {
    before.len() == 1 && after.len() == 1 && !before.keys().eq(after.keys())
}

fn is_duration(object: &Map<String, Value>) -> bool {
    object.len() == 2 && object.contains_key("secs") && object.contains_key("nanos")
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Object(object) if is_duration(object) => {
            let part = |key| object.get(key).and_then(Value::as_f64).unwrap_or_default();
            format!("{} s", part("secs") + part("nanos") / 1e9)
        }
        Value::String(text) => text.clone(),
        // Of another kind of thing the name says enough.
        Value::Object(object) if object.len() == 1 => object.keys().cloned().collect(),
        other => other.to_string(),
    };
    text::excerpt(&text, LONGEST_VALUE).to_string()
}
