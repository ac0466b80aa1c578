use crate::keys::forms::forbid_null;
use crate::keys::key::ABSENT;
use crate::keys::{File, PriceTable, forms};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// JSON Schema (draft 2020-12) of the study file, for editors that complete and check TOML.
pub fn json_schema() -> Value {
    let mut schema = schema();
    tell_absence(&mut schema);
    schema
}

/// Editors show descriptions, and no keywords that they do not know.
fn tell_absence(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(tell_absence),
        Value::Object(object) => {
            if let Some(Value::String(absent)) = object.remove(ABSENT) {
                let described = object.get("description").and_then(Value::as_str);
                let told = format!("{}\n\nWhen absent: {absent}.", described.unwrap_or_default());
                object.insert("description".into(), told.into());
            }
            object.values_mut().for_each(tell_absence);
        }
        _ => {}
    }
}

/// The schema, with what holds in the absence of keys that have no default in [`ABSENT`].
pub(crate) fn schema() -> Value {
    let mut schema = generated::<File>();
    schema["properties"]["test"]["items"] = forms::schema();
    forbid_null(&mut schema);
    schema
}

/// That of a price alone.
pub(crate) fn price_schema() -> Value {
    let mut schema = generated::<PriceTable>();
    forbid_null(&mut schema);
    schema
}

fn generated<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
