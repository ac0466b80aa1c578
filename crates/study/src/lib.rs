//! From a study file to a [`model::Study`], and from that to a [`model::Plan`]; from the options of a
//! command line ([`CommandLine`]) to a target and a test, by the same rules.
//!
//! The types that either is read into are private; what leaves this crate is valid. Errors name the
//! line or the option, point at the place, and say how to fix it.

mod amount;
mod beside;
mod broker;
mod budget;
mod catch_up;
mod change;
mod duration;
mod error;
mod estimate;
mod expand;
mod failover;
mod fit;
mod fleet;
mod forms;
mod generators;
mod hosts;
mod instance;
mod intervention;
mod key_value;
mod level;
mod load;
mod load_hosts;
mod merge;
mod mix;
mod names;
mod options;
mod placement;
mod policy;
mod price;
mod problem;
mod random;
mod read;
mod render;
mod replication;
mod scaled;
mod schema;
mod schema_change;
mod secret;
mod settings;
mod shape;
mod size;
mod slo;
mod space;
mod statement;
mod storage;
mod target;
mod template;
mod test;
mod url;
mod validate;
mod volume;
mod volumes;
mod wire;

pub use broker::{BrokerError, parse_broker};
pub use change::{Conflict, Part, changes, differences};
pub use duration::{DurationError, parse_duration};
pub use error::StudyError;
pub use estimate::{estimate, estimate_set_up};
pub use expand::{Additions, expand, expand_most, extend, next_block, next_levels};
pub use instance::{OutputError, Told, told};
pub use key_value::{RatioError, parse_ratio};
pub use merge::{MergeError, NamedRun, merged};
pub use options::{CommandLine, LoadKey, load_keys};
pub use read::{load, parse};
pub use scaled::scaled;
pub use schema::json_schema;
pub use size::{SizeError, parse_size};
pub use space::{VolumeSpace, space};
pub use storage::{PatternError, StoragePattern, parse_pattern};
pub use template::{Template, demo, template};
pub use url::{UrlError, parse_url};
