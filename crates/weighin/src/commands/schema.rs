use super::{Outcome, print};
use crate::Exit;

/// Prints the JSON Schema of study files.
pub(crate) fn schema() -> Outcome {
    print(&format!("{:#}\n", study::json_schema()))?;
    Ok(Exit::Done)
}
