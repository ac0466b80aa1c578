use serde::{Deserialize, Serialize};

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SetValue {
    Integer(i64),
    Double(f64),
    Text(String),
}
