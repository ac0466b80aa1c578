use crate::keys::forms::Form;
use crate::keys::schema::schema;
use crate::keys::{File, LoadKeys, TestKeys, forms};
use crate::problem::names::{choices, nearest};
use crate::problem::secret::is_secret_key;
use crate::problem::{Place, Places, Problems};
use crate::read::tests::table::{LoadTable, TaskTable, TestTable, TimedTable, WorkTable};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Deserializer};

/// A study file as read.
#[derive(Debug)]
pub(crate) struct Shape {
    pub file: File,
    /// Where the keys of its targets are.
    pub target_places: Vec<Places>,
    /// Its tests, each with the keys of its form.
    pub tests: Vec<TestTable>,
}

/// Reads the shape of a study file, noting unknown keys and values of the wrong type.
///
/// A value of the wrong type is noted and dropped, and the rest is read again, so that all of
/// them are found. `None` only if that leads nowhere.
pub(crate) fn read(mut tree: Spanned<DeTable<'_>>, problems: &mut Problems) -> Option<Shape> {
    unknown_keys(tree.get_ref(), &schema(), "the study file", problems);
    let file = typed::<File>(&mut tree, problems)?;
    let tables = |name: &str| {
        let items = tree.get_ref().get(name).and_then(|items| items.get_ref().as_array());
        let items = items.into_iter().flat_map(|items| items.iter());
        items.filter_map(|item| Some(Spanned::new(item.span(), item.get_ref().as_table()?.clone())))
    };
    let target_places = tables("target").map(|table| Places::in_table(table.get_ref())).collect();
    let tests = tables("test").map(|mut table| test(&mut table, problems));
    let tests = tests.collect::<Option<_>>()?;
    Some(Shape { file, target_places, tests })
}

/// Reads a test: the keys that all have, and those of its form.
pub(crate) fn test(table: &mut Spanned<DeTable<'_>>, problems: &mut Problems) -> Option<TestTable> {
    let task = match Form::of_test(table.get_ref()) {
        Some(Form::Statement) => {
            TaskTable::Statement(Box::new(typed(table, problems)?), timed(table, problems)?)
        }
        Some(Form::SchemaChange) => {
            TaskTable::SchemaChange(Box::new(typed(table, problems)?), timed(table, problems)?)
        }
        Some(Form::Failover) => TaskTable::Failover(Box::new(typed(table, problems)?)),
        Some(Form::CatchUp) => TaskTable::CatchUp(Box::new(typed(table, problems)?)),
        form => TaskTable::Load(Box::new(load(form, table, problems)?)),
    };
    let keys = typed::<TestKeys>(table, problems)?;
    let places = Places::in_table(table.get_ref());
    Some(TestTable { at: table.span(), places, keys, task, once: false })
}

/// Reads the keys of a load; without those of its workload where that is none that there is.
fn load(
    form: Option<Form>,
    table: &mut Spanned<DeTable<'_>>,
    problems: &mut Problems,
) -> Option<LoadTable> {
    let work = match form {
        None | Some(Form::Statement | Form::SchemaChange | Form::Failover | Form::CatchUp) => None,
        Some(Form::Oltp(mix)) => {
            Some(WorkTable::Oltp(mix, Box::new(typed(table, problems)?), typed(table, problems)?))
        }
        Some(Form::Transactions) => Some(WorkTable::Transactions(
            Box::new(typed(table, problems)?),
            typed(table, problems)?,
        )),
        Some(Form::KeyValue) => {
            Some(WorkTable::KeyValue(Box::new(typed(table, problems)?), typed(table, problems)?))
        }
        Some(Form::Storage) => Some(WorkTable::Storage(typed(table, problems)?)),
    };
    Some(LoadTable { keys: typed(table, problems)?, work })
}

/// Reads the keys that statements and schema changes have in common, and those of the load beside
/// which they run, where the test has one.
fn timed(table: &mut Spanned<DeTable<'_>>, problems: &mut Problems) -> Option<TimedTable> {
    let keys = typed(table, problems)?;
    // A value of the wrong type is gone after this.
    let workload = typed::<LoadKeys>(table, problems)?.workload;
    let load = match &workload {
        None => None,
        Some(name) => {
            // Of the others it would be said that their keys are unknown here.
            let form = Form::of_workload(name.get_ref()).filter(|f| matches!(f, Form::Oltp(_)));
            Some(load(form, table, problems)?)
        }
    };
    Some(TimedTable { keys, load })
}

/// Reads those entries of a table that a type has.
pub(crate) fn typed<'t, T: Deserialize<'t>>(
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
        let Some((key, value)) = remove(tree.get_mut(), &at) else {
            problems.add(at, error.message());
            return None;
        };
        let message = wrong_type(&problems.key(&key), &value, error.message());
        let problem = problems.add(at, message);
        if key.starts_with("password") {
            problem.secret(); // what stands there may be the password itself
        }
        if ["target", "test"].contains(&key.as_str()) {
            problem.help(format!("write [[{key}]] with two brackets: there may be several"));
        }
    }
}

/// Notes every key that the schema doesn't know, with the nearest one that it does.
pub(crate) fn unknown_keys(
    table: &DeTable<'_>,
    schema: &Value,
    name: &str,
    problems: &mut Problems,
) {
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
    let form = Form::of_test(test);
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
                let key = problems.key(key_name);
                let (form, choice, owners) = (form.name(), form.choice(), owners.join(" and "));
                problems
                    .add(value.span(), format!("{key} does not apply to {form}: it is of {owners}"))
                    .help(format!("leave {key} out, or choose another {choice}"));
            }
            _ => unknown_key(key, known, "[[test]]", problems),
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
                 password_file = \"/path\"; change a password that others could read here",
            )
            .secret();
        return;
    }
    let names = known.keys().map(String::as_str);
    let (hint, help) = match nearest(key_name, names.clone()) {
        Some(near) => (format!(": did you mean `{near}`?"), None),
        None => (String::new(), Some(format!("{name} may have {}", choices(names)))),
    };
    let message = format!("unknown key `{key_name}` in {name}{hint}");
    problems.add(key.span(), message).help = help;
}

/// Removes the innermost entry whose value holds `place`, and returns it.
fn remove<'t>(table: &mut DeTable<'t>, place: &Place) -> Option<(String, DeValue<'t>)> {
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
    let value = table.remove(&key)?.into_inner();
    Some((key.into_inner().into_owned(), value))
}

/// serde names types of Rust; users know those of TOML. The key is as the user calls it.
fn wrong_type(key: &str, value: &DeValue<'_>, message: &str) -> String {
    let readable = message
        .replace("expected i64", "expected a whole number")
        .replace("expected f64", "expected a number")
        // Keys of several forms take anything but what no number of TOML's holds.
        .replace("expected any value", "expected a whole number of up to 18 digits")
        .replace("expected a sequence", "expected a list")
        .replace(" as i128", "");
    match readable.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected ")) {
        Some((found, expected)) => format!("{key} must be {expected}, not {found}"),
        None if readable.starts_with("a ") => match value {
            DeValue::String(text) => format!("{key} must be {readable}, not string {text:?}"),
            DeValue::Integer(number) => format!("{key} must be {readable}, not {number}"),
            DeValue::Float(number) => format!("{key} must be {readable}, not {number}"),
            _ => format!("{key} must be {readable}"),
        },
        None => format!("{key}: {readable}"),
    }
}
