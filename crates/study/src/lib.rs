//! From a study file to a [`model::Study`], and from that to a [`model::Plan`]; from the options of a
//! command line ([`CommandLine`]) to a target and a test, by the same rules.
//!
//! The types that either is read into are private; what leaves this crate is valid. Errors name the
//! line or the option, point at the place, and say how to fix it.
//!
//! Files form a tree: `problem` and `text` at the bottom, then `keys` (types, ranges and defaults), then
//! what reads and checks them (`read::hosts`, `read::targets`, `read::tests`). `plan` takes a `Study` alone.

mod draft;
mod error;
mod keys;
mod plan;
mod problem;
mod read;
mod reference;
mod template;
mod text;

pub use draft::Drafted;
pub use error::StudyError;
pub use keys::schema::json_schema;
pub use plan::change::{Conflict, Part, changes, differences};
pub use plan::estimate::{VolumeSpace, estimate, estimate_set_up, space};
pub use plan::expand::{Additions, expand, expand_most, extend, next_block, next_levels};
pub use plan::merge::{MergeError, NamedRun, merged};
pub use plan::scale::scaled;
pub use read::hosts::instance::{InstanceOutput, OutputError, host_output, instance_output};
pub use read::options::{CommandLine, LoadKey, load_keys};
pub use read::tests::key_value::{RatioError, parse_ratio};
pub use read::{load, parse, prices};
pub use reference::{markdown_cell, reference};
pub use template::{Template, demo, template, template_files};
pub use text::broker::{BrokerError, parse_broker};
pub use text::duration::{DurationError, parse_duration};
pub use text::pattern::{PatternError, StoragePattern, parse_pattern};
pub use text::size::{SizeError, parse_size};
pub use text::url::{Completion, UrlError, complete_urls_by, parse_url};
