use crate::names::{choices, nearest};
use crate::problem::{Place, Problems};
use crate::schema::json_schema;
use crate::secret::is_secret_key;
use crate::wire::File;
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

/// Reads the shape of a study file, noting unknown keys and values of the wrong type.
///
/// A value of the wrong type is noted and dropped, and the rest is read again, so that all of
/// them are found. `None` only if that leads nowhere.
pub(crate) fn read(mut tree: Spanned<DeTable<'_>>, problems: &mut Problems) -> Option<File> {
    unknown_keys(tree.get_ref(), &json_schema(), "the study file", problems);
    loop {
        // Every turn but the last removes an entry, so the loop ends.
        let error = match File::deserialize(Deserializer::from(tree.clone())) {
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
        let key_name = key.get_ref().as_ref();
        match known.get(key_name) {
            Some(schema) => match value.get_ref() {
                DeValue::Table(inner) => {
                    unknown_keys(inner, schema, &format!("[{key_name}]"), problems);
                }
                DeValue::Array(items) => {
                    let schema = schema.get("items").unwrap_or(&Value::Null);
                    for item in items.iter().filter_map(|item| item.get_ref().as_table()) {
                        unknown_keys(item, schema, &format!("[[{key_name}]]"), problems);
                    }
                }
                _ => {}
            },
            None if is_secret_key(key_name) => {
                problems.mark_incomplete();
                problems
                    .add(key.span(), format!("`{key_name}` in {name}: a study keeps no secrets"))
                    .help(
                        "remove it, and name where the password is: password_env = \"VARIABLE\" or \
                         password_file = \"/path\"; a password that others could read here is \
                         better changed",
                    )
                    .secret();
            }
            None => {
                let names = known.keys().map(String::as_str);
                let (hint, help) = match nearest(key_name, names.clone()) {
                    Some(near) => (format!(": did you mean `{near}`?"), None),
                    None => (String::new(), Some(format!("{name} may have {}", choices(names)))),
                };
                problems.mark_incomplete();
                let message = format!("unknown key `{key_name}` in {name}{hint}");
                problems.add(key.span(), message).help = help;
            }
        }
    }
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
