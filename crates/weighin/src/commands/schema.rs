use super::{Outcome, print};
use crate::Exit;

/// Prints the JSON Schema of study files.
pub(crate) fn schema() -> Outcome {
    print(&text())?;
    Ok(Exit::Done)
}

/// The JSON Schema of study files.
pub(super) fn text() -> String {
    format!("{:#}\n", study::json_schema())
}
