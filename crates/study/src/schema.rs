/// JSON Schema of the study file.
pub fn json_schema() -> serde_json::Value {
    unimplemented!()
}
