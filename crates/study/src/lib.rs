//! From a study file to a [`model::Study`], and from that to a [`model::Plan`].
//!
//! The types that the file is read into are private; what leaves this crate is valid. Errors
//! name the line, point at the place, and say how to mend it.

mod error;
mod expand;
mod scale;
mod schema;
mod template;
mod time;
mod url;

pub use error::StudyError;
pub use expand::expand;
pub use scale::scaled;
pub use schema::json_schema;
pub use template::{Template, demo, template};
pub use time::estimate;
pub use url::{UrlError, parse_url};

use model::Study;
use std::path::Path;

/// Reads and validates a study file.
///
/// # Errors
/// When the file cannot be read, is not a study file, or asks for something impossible.
pub fn load(_path: &Path) -> Result<Study, StudyError> {
    unimplemented!()
}

/// Validates the text of a study file; `origin` is what messages call it.
///
/// # Errors
/// When the text is not a study file, or asks for something impossible.
pub fn parse(_text: &str, _origin: &str) -> Result<Study, StudyError> {
    unimplemented!()
}
