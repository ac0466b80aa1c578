use crate::forms;
use crate::wire::File;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// JSON Schema (draft 2020-12) of the study file, for editors that complete and check TOML.
pub fn json_schema() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<File>().to_value();
    schema["properties"]["test"]["items"] = forms::schema();
    forbid_null(&mut schema);
    schema
}

/// An optional key of a TOML file is absent, never null.
fn forbid_null(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forbid_null),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    // What stands beside `anyOf` describes the key; it wins.
                    only.into_iter().for_each(|(key, value)| {
                        object.entry(key).or_insert(value);
                    });
                }
            }
            object.values_mut().for_each(forbid_null);
        }
        _ => {}
    }
}
