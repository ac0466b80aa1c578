//! Targets and tests that a command line describes: its options are the keys of a study file, and make
//! the same tables, which are checked by the same rules.

use crate::StudyError;
use crate::keys::TargetTable;
use crate::keys::forms::{Form, all_keys, properties};
use crate::problem::render::{Source, render};
use crate::problem::{Place, Places, Problems};
use crate::read::hosts::Hosts;
use crate::read::{fit, shape, targets, tests};
use crate::reference::absence;
use model::{Target, Test};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::LazyLock;
use toml::Spanned;
use toml::Value as Toml;
use toml::de::{DeTable, DeValue};

/// Keys that say nothing of a load which is run once by hand.
const OF_TRIALS: [&str; 16] = [
    "name", "task", "cache", "cross_check", "preload", "intervention", "replica_lag", "load_hosts",
    // Data is made by a study, or by `weighin prepare`, and nothing is done with it between two loads by hand.
    "setup", "load", "restore", "undo", "invariant", // Options of their own.
    "transaction", "set", "writes",
];

/// A key of a load, as an option of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadKey {
    /// As in a study file.
    pub name: String,
    /// What it says, with other keys in backticks.
    pub description: String,
    /// Values that it takes, where these are few.
    pub values: Vec<String>,
    /// Whether it is true or false.
    pub is_flag: bool,
    /// What has it, such as `storage`; absent for keys of several workloads.
    pub owner: Option<&'static str>,
}

/// The keys of all loads.
pub fn load_keys() -> &'static [LoadKey] {
    static KEYS: LazyLock<Vec<LoadKey>> = LazyLock::new(|| {
        let mut names: Vec<&str> = Vec::new();
        for name in loads().flat_map(|form| form.keys().keys()) {
            if !OF_TRIALS.contains(&name.as_str()) && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.into_iter().map(load_key).collect()
    });
    &KEYS
}

fn loads() -> impl Iterator<Item = Form> {
    Form::ALL.into_iter().filter(|form| form.is_of_load())
}

fn load_key(name: &str) -> LoadKey {
    let of_forms: Vec<(Form, &Value)> =
        loads().filter_map(|form| Some((form, form.keys().get(name)?))).collect();
    let values = |schema: &Value| -> Vec<String> {
        let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    // One workload may take more values than another.
    let fullest = of_forms.iter().rev().max_by_key(|(_, schema)| values(schema).len());
    let schema = fullest.map_or(&Value::Null, |(_, schema)| schema);
    LoadKey {
        name: name.to_owned(),
        description: described(schema, &of_forms),
        values: values(schema),
        is_flag: takes(schema, "boolean"),
        owner: match of_forms.as_slice() {
            [(form, _)] => Some(form.family()),
            _ => None,
        },
    }
}

/// What a key says, and what holds without it, by workload where that differs.
fn described(schema: &Value, of_forms: &[(Form, &Value)]) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.replace('\n', " ");
    let absences: Vec<(Form, String)> = of_forms
        .iter()
        .filter_map(|(form, schema)| Some((*form, absence(schema)?.replace('`', ""))))
        .collect();
    let absent = match absences.as_slice() {
        [] => return text,
        [(_, first), others @ ..] if others.iter().all(|(_, other)| other == first) => {
            first.clone()
        }
        several => {
            let of = |(form, absent): &(Form, String)| format!("{absent} for {}", form.family());
            several.iter().map(of).collect::<Vec<_>>().join(", ")
        }
    };
    format!("{} [default: {absent}]", text.trim_end_matches('.'))
}

/// A target and a test as a command line describes them.
#[derive(Clone, Debug)]
pub struct CommandLine {
    option: fn(&str) -> String,
    target: Vec<Given>,
    test: Vec<Given>,
    once: bool,
}

/// A key with what was given for it.
#[derive(Clone, Debug)]
struct Given {
    key: String,
    texts: Vec<String>,
    /// Whether it takes a list of texts.
    is_list: bool,
}

impl CommandLine {
    /// One that says nothing yet. `option` is what messages call a key.
    pub fn new(option: fn(&str) -> String) -> Self {
        Self { option, target: Vec::new(), test: Vec::new(), once: false }
    }

    /// Allows also workloads that cannot be repeated on the same tables.
    #[must_use]
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Gives a key of the target a value. Values are written as in a study file, texts without
    /// quotation marks.
    pub fn target(&mut self, key: &str, text: &str) {
        self.target.push(Given { key: key.into(), texts: vec![text.into()], is_list: false });
    }

    /// Gives a key of the target a list of texts.
    pub fn target_list(&mut self, key: &str, texts: Vec<String>) {
        self.target.push(Given { key: key.into(), texts, is_list: true });
    }

    /// Gives a key of the test a value, as [`Self::target`] does.
    pub fn test(&mut self, key: &str, text: &str) {
        self.test.push(Given { key: key.into(), texts: vec![text.into()], is_list: false });
    }

    /// Gives the test scripts, each a path with its weight behind an `@`.
    pub fn scripts(&mut self, scripts: &[String]) {
        let table = |script: &String| {
            let weighted = script.rsplit_once('@').filter(|(_, weight)| {
                let digits = weight.strip_prefix('-').unwrap_or(weight);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            });
            let (path, weight) = weighted.unwrap_or((script, "1"));
            format!("{{ script = {}, weight = {weight} }}", Toml::from(path))
        };
        let texts = scripts.iter().map(table).collect();
        self.test.push(Given { key: "transaction".into(), texts, is_list: true });
    }

    /// Gives variables of scripts values, each as `name=value`: a number where it is one, otherwise a
    /// text.
    pub fn variables(&mut self, variables: &[String]) {
        if variables.is_empty() {
            return;
        }
        let entry = |variable: &String| {
            let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
            let is_number = value.parse::<i64>().is_ok() || value.parse::<f64>().is_ok();
            let value = match is_number && value.starts_with(|c: char| "-0123456789".contains(c)) {
                true => value.to_owned(),
                false => Toml::from(value).to_string(),
            };
            format!("{} = {value}", Toml::from(name))
        };
        let entries: Vec<String> = variables.iter().map(entry).collect();
        self.test("set", &format!("{{ {} }}", entries.join(", ")));
    }

    /// What the test was given for a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let given = self.test.iter().find(|given| given.key == key)?;
        given.texts.first().map(String::as_str)
    }

    /// The target alone.
    ///
    /// # Errors
    /// When it makes no sense; of each problem the message names the option.
    pub fn read_target(&self) -> Result<Target, StudyError> {
        self.checked(|problems| self.checked_target(problems))
    }

    /// The test alone.
    ///
    /// # Errors
    /// As [`Self::read_target`].
    pub fn read_test(&self) -> Result<Test, StudyError> {
        self.checked(|problems| self.checked_test(None, problems))
    }

    /// The target and the test, which can run on it.
    ///
    /// # Errors
    /// As [`Self::read_target`].
    pub fn read(&self) -> Result<(Target, Test), StudyError> {
        self.checked(|problems| {
            let target = self.checked_target(problems);
            let test = self.checked_test(target.as_ref(), problems);
            target.zip(test)
        })
    }

    fn checked<T>(&self, read: impl FnOnce(&mut Problems) -> Option<T>) -> Result<T, StudyError> {
        let mut problems = Problems::for_options(self.option);
        // Paths are those of the shell.
        problems.directory = Some(PathBuf::new());
        match read(&mut problems) {
            Some(found) if problems.is_empty() => Ok(found),
            _ => {
                let problems = problems.into_sorted();
                let given = self.target.iter().chain(&self.test);
                let options = given.map(|given| (self.option)(&given.key)).collect();
                let report = render(&problems, &Source::Options(options));
                Err(StudyError::Invalid { report, problems: problems.len() })
            }
        }
    }

    fn checked_target(&self, problems: &mut Problems) -> Option<Target> {
        let mut table = table(&self.target, 0, &properties::<TargetTable>());
        let wire = shape::typed::<TargetTable>(&mut table, problems)?;
        let places = Places::in_table(table.get_ref());
        targets::target(Spanned::new(table.span(), wire), &places, &Hosts::default(), problems)
    }

    fn checked_test(&self, target: Option<&Target>, problems: &mut Problems) -> Option<Test> {
        problems.learn_syntaxes(target.into_iter());
        let mut table = table(&self.test, self.target.len(), all_keys());
        shape::unknown_test_keys(table.get_ref(), problems);
        let mut table = shape::test(&mut table, problems)?;
        table.once = self.once;
        let test = tests::tests(&table, problems).pop()?;
        if let Some(target) = target {
            fit::check(&test, &table, &[(target.clone(), NOWHERE)], problems);
        }
        Some(test)
    }
}

/// The place of what no option says.
const NOWHERE: Place = usize::MAX..usize::MAX;

/// The table of these keys, whose schemas are known; the first of them is the option of that number.
fn table<'t>(
    given: &'t [Given],
    first: usize,
    schemas: &Map<String, Value>,
) -> Spanned<DeTable<'t>> {
    let entries = given.iter().zip(first..).map(|(given, number)| {
        let at = number..number + 1;
        let key = Spanned::new(at.clone(), Cow::Borrowed(given.key.as_str()));
        let schema = schemas.get(&given.key).unwrap_or(&Value::Null);
        let mut values = given.texts.iter().map(|text| value(text, schema));
        let value = match given.is_list {
            true => DeValue::Array(values.map(|value| placed(value, &at)).collect()),
            false => values.next().unwrap_or(DeValue::Boolean(true)),
        };
        (key, placed(value, &at))
    });
    Spanned::new(NOWHERE, entries.collect())
}

/// What a text means to a key: a text to one that takes texts and no numbers, and otherwise a value of
/// TOML, if it is one.
fn value<'t>(text: &'t str, schema: &Value) -> DeValue<'t> {
    let is_text = takes(schema, "string")
        && !takes(schema, "integer")
        && !text.trim_start().starts_with(['{', '[']);
    match DeValue::parse(text) {
        Ok(value) if !is_text => value.into_inner(),
        _ => DeValue::String(Cow::Borrowed(text)),
    }
}

/// Whether a key takes values of a type of JSON.
fn takes(schema: &Value, kind: &str) -> bool {
    let mut choices = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let types = |form: &Value| match form.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(types)) => types.iter().any(|known| known == kind),
        _ => false,
    };
    types(schema) || choices.any(|choice| takes(choice, kind))
}

/// A value all of whose parts are at one place.
fn placed<'t>(value: DeValue<'t>, at: &Place) -> Spanned<DeValue<'t>> {
    let value = match value {
        DeValue::Array(items) => {
            DeValue::Array(items.into_iter().map(|item| placed(item.into_inner(), at)).collect())
        }
        DeValue::Table(entries) => {
            let entries = entries.into_iter().map(|(key, value)| {
                (Spanned::new(at.clone(), key.into_inner()), placed(value.into_inner(), at))
            });
            DeValue::Table(entries.collect())
        }
        scalar => scalar,
    };
    Spanned::new(at.clone(), value)
}
