use crate::names::{choices, nearest};
use crate::problem::{Place, Problems};
use crate::schema::json_schema;
use crate::secret::is_secret_key;
use crate::test::{LoadTable, TaskTable, TestTable, WorkTable};
use crate::wire::{File, TestKeys};
use crate::{forms, forms::Form};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Deserializer};

/// A study file as read.
#[derive(Debug)]
pub(crate) struct Shape {
    pub file: File,
    /// Its tests, each with the keys of its form.
    pub tests: Vec<TestTable>,
}

/// Keys that had another name before the first release.
const RENAMED: [(&str, &str); 2] =
    [("second_opinion", "cross_check"), ("in_flight", "queue_depth")];

/// Reads the shape of a study file, noting unknown keys and values of the wrong type.
///
/// A value of the wrong type is noted and dropped, and the rest is read again, so that all of
/// them are found. `None` only if that leads nowhere.
pub(crate) fn read(mut tree: Spanned<DeTable<'_>>, problems: &mut Problems) -> Option<Shape> {
    unknown_keys(tree.get_ref(), &json_schema(), "the study file", problems);
    let file = typed::<File>(&mut tree, problems)?;
    let mut tests = Vec::new();
    let written = file.test.as_ref().and_then(|_| tree.get_ref().get("test"));
    if let Some(DeValue::Array(items)) = written.map(Spanned::get_ref) {
        for item in items.iter() {
            if let DeValue::Table(table) = item.get_ref() {
                let mut table = Spanned::new(item.span(), table.clone());
                tests.push(test(&mut table, problems)?);
            }
        }
    }
    Some(Shape { file, tests })
}

/// Reads a test: the keys that all have, and those of its form.
pub(crate) fn test(table: &mut Spanned<DeTable<'_>>, problems: &mut Problems) -> Option<TestTable> {
    let form = Form::of(table.get_ref());
    let work = match form {
        None | Some(Form::Statement) => None,
        Some(Form::Oltp(mix)) => {
            Some(WorkTable::Oltp(mix, typed(table, problems)?, typed(table, problems)?))
        }
        Some(Form::KeyValue) => {
            Some(WorkTable::KeyValue(typed(table, problems)?, typed(table, problems)?))
        }
        Some(Form::Storage) => Some(WorkTable::Storage(typed(table, problems)?)),
    };
    let task = match form {
        Some(Form::Statement) => TaskTable::Statement(Box::new(typed(table, problems)?)),
        _ => TaskTable::Load(Box::new(LoadTable { keys: typed(table, problems)?, work })),
    };
    let keys = typed::<TestKeys>(table, problems)?;
    let entries = table.get_ref().iter();
    let places =
        entries.map(|(key, value)| (key.get_ref().as_ref().to_owned(), value.span())).collect();
    Some(TestTable { at: table.span(), places, keys, task })
}

/// Reads those entries of a table that a type has.
fn typed<'t, T: Deserialize<'t>>(
    tree: &mut Spanned<DeTable<'t>>,
    problems: &mut Problems,
) -> Option<T> {
    loop {
        // Every turn but the last removes an entry, so the loop ends.
        let error = match T::deserialize(Deserializer::from(tree.clone())) {
            Ok(file) => return Some(file),
            Err(error) => error,
        };
        problems.mark_incomplete();
        let at = error.span().unwrap_or_default();
        let Some(key) = remove(tree.get_mut(), &at) else {
            problems.add(at, error.message());
            return None;
        };
        let problem = problems.add(at, wrong_type(&key, error.message()));
        if key.starts_with("password") {
            problem.secret(); // what stands there may be the password itself
        }
        if ["target", "test"].contains(&key.as_str()) {
            problem.help(format!("write [[{key}]] with two brackets: there may be several"));
        }
    }
}

/// Notes every key that the schema doesn't know, with the nearest one that it does.
fn unknown_keys(table: &DeTable<'_>, schema: &Value, name: &str, problems: &mut Problems) {
    // A value that may be something else as well has its keys in one of the forms.
    let forms = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let Some(known) = [schema]
        .into_iter()
        .chain(forms)
        .find_map(|form| form.get("properties"))
        .and_then(Value::as_object)
    else {
        return; // the keys of this table are the user's own
    };
    for (key, value) in table {
        match (known.get(key.get_ref().as_ref()), value.get_ref()) {
            (None, _) => unknown_key(key, known, name, problems),
            (Some(_), DeValue::Array(tests)) if key.get_ref() == "test" => {
                for test in tests.iter().filter_map(|item| item.get_ref().as_table()) {
                    unknown_test_keys(test, problems);
                }
            }
            (Some(schema), value) => inner_keys(key.get_ref(), value, schema, problems),
        }
    }
}

/// The same of the tables that stand in a value.
fn inner_keys(key: &str, value: &DeValue<'_>, schema: &Value, problems: &mut Problems) {
    match value {
        DeValue::Table(inner) => unknown_keys(inner, schema, &format!("[{key}]"), problems),
        DeValue::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            for item in items.iter().filter_map(|item| item.get_ref().as_table()) {
                unknown_keys(item, schema, &format!("[[{key}]]"), problems);
            }
        }
        _ => {}
    }
}

/// Notes every key of a test that its form does not have.
pub(crate) fn unknown_test_keys(test: &DeTable<'_>, problems: &mut Problems) {
    let form = Form::of(test);
    let known = form.map_or_else(forms::all_keys, Form::keys);
    for (key, value) in test {
        let key_name = key.get_ref().as_ref();
        if let Some(schema) = known.get(key_name) {
            inner_keys(key_name, value.get_ref(), schema, problems);
            continue;
        }
        let owners = forms::owners(key_name);
        match form {
            Some(form) if !owners.is_empty() => {
                let message = format!(
                    "`{key_name}` does not apply to {}: it is a key of {}",
                    form.name(),
                    owners.join(" and ")
                );
                problems
                    .add(value.span(), message)
                    .help(format!("leave `{key_name}` out, or choose another {}", form.choice()));
            }
            _ => unknown_key(key, &known, "[[test]]", problems),
        }
    }
}

/// Notes a key that a table with these keys does not have.
fn unknown_key(
    key: &Spanned<DeString<'_>>,
    known: &Map<String, Value>,
    name: &str,
    problems: &mut Problems,
) {
    let key_name = key.get_ref().as_ref();
    problems.mark_incomplete();
    if is_secret_key(key_name) {
        problems
            .add(key.span(), format!("`{key_name}` in {name}: a study keeps no secrets"))
            .help(
                "remove it, and name where the password is: password_env = \"VARIABLE\" or \
                 password_file = \"/path\"; a password that others could read here is \
                 better changed",
            )
            .secret();
        return;
    }
    let names = known.keys().map(String::as_str);
    let renamed = RENAMED.iter().find(|(old, _)| *old == key_name).map(|(_, new)| *new);
    let (hint, help) = match renamed.or_else(|| nearest(key_name, names.clone())) {
        Some(near) => (format!(": did you mean `{near}`?"), None),
        None => (String::new(), Some(format!("{name} may have {}", choices(names)))),
    };
    let message = format!("unknown key `{key_name}` in {name}{hint}");
    problems.add(key.span(), message).help = help;
}

/// Removes the innermost entry whose value holds `place`; returns its key.
fn remove(table: &mut DeTable<'_>, place: &Place) -> Option<String> {
    for (_, value) in table.iter_mut() {
        let inner = match value.get_mut() {
            DeValue::Table(inner) => remove(inner, place),
            DeValue::Array(items) => items.iter_mut().find_map(|item| match item.get_mut() {
                DeValue::Table(inner) => remove(inner, place),
                _ => None,
            }),
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
    }
    let holds = |value: &Spanned<DeValue<'_>>| {
        let span = value.span();
        span.start <= place.start && place.end <= span.end
    };
    let key = table.iter().find(|(_, value)| holds(value)).map(|(key, _)| key.clone())?;
    table.remove(&key);
    Some(key.into_inner().into_owned())
}

/// serde names types of Rust; users know those of TOML.
fn wrong_type(key: &str, message: &str) -> String {
    let readable = message
        .replace("expected i64", "expected a whole number")
        .replace("expected f64", "expected a number")
        .replace("expected a sequence", "expected a list")
        .replace(" as i128", "");
    match readable.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected ")) {
        Some((found, expected)) => format!("`{key}` must be {expected}, not {found}"),
        None => format!("`{key}`: {readable}"),
    }
}
