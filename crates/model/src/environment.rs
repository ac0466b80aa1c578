use crate::LoadingDebt;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A machine: the one that weighin runs on (and the sandboxes with it), or a target's own. Absent facts
/// could not be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name.
    pub hostname: String,
    /// Kernel name and release.
    pub kernel: String,
    /// Distribution, such as `Debian GNU/Linux 12 (bookworm)`.
    pub os: String,
    /// Processor model.
    pub cpu_model: String,
    /// Logical processors.
    pub cpus: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Frequency governor of the first processor.
    pub governor: Option<String>,
    /// Whether simultaneous multithreading is on.
    pub smt: Option<bool>,
    /// NUMA nodes.
    pub numa_nodes: Option<u32>,
    /// Hypervisor or container technology, where one shows itself.
    pub virtualisation: Option<String>,
    /// Block devices with size in GiB and whether they rotate.
    pub disks: Vec<String>,
    /// File system and device that sandboxes keep their data on.
    pub sandbox_filesystem: Option<String>,
    /// Clock source in use.
    pub clock_source: Option<String>,
}

/// A server as observed when a run began to use it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerFacts {
    /// `VERSION()`, such as `10.11.6-MariaDB-0+deb12u1`.
    pub version: String,
    /// The machine that it runs on, where that is known to be another than the one which makes the
    /// load.
    pub host: Option<HostFacts>,
    /// Which program a private server is: its path, or the image that it is of.
    pub program: Option<String>,
    /// Every server variable.
    pub variables: BTreeMap<String, String>,
    /// Those that differ between any two servers, or between two readings of one, and are no settings
    /// that one would choose between.
    pub incidental: BTreeSet<String>,
    /// Memory in which the server caches data, in bytes.
    pub cache_bytes: Option<u64>,
    /// Data and index bytes of the test tables, after preparing them.
    pub dataset_bytes: Option<u64>,
    /// How long preparing the data took, in seconds; absent when the data was there already.
    pub prepare_seconds: Option<f64>,
    /// What making it left to be done; absent when the data was there already, or the server does not
    /// tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loading_debt: Option<LoadingDebt>,
    /// What the test tables held when weighin had made all of them; absent when any was there
    /// already.
    pub contents: Option<TableContents>,
    /// What they held after the last trial of a run; absent while it goes on.
    pub contents_after: Option<TableContents>,
    /// How it carries out the statements of the user's own, as it said before the first trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<StatementPlan>,
    /// What it answered to the reading statements of a workload of the user's own before any trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<StatementAnswer>,
}

impl ServerFacts {
    /// What a server says of itself; `incidental` has, in lower case, the names of all such variables.
    pub fn new(
        version: impl Into<String>,
        variables: BTreeMap<String, String>,
        incidental: &[&str],
    ) -> Self {
        let is_incidental =
            |name: &&String| incidental.contains(&name.to_ascii_lowercase().as_str());
        Self {
            version: version.into(),
            incidental: variables.keys().filter(is_incidental).cloned().collect(),
            variables,
            ..Self::default()
        }
    }
}

/// How a server carries out a statement of the user's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementPlan {
    pub test: String,
    pub statement: String,
    /// What it does with each table, in the server's words: what does not change with the number of
    /// rows.
    pub steps: Vec<String>,
    /// Rows that it expects to look at in all of them, for each row of those before.
    pub rows: u64,
}

/// The answer to a statement with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementAnswer {
    pub statement: String,
    /// With the parameters in it; cut where it is long.
    pub sql: String,
    pub rows: u64,
    /// A number that follows from the rows, and from their order where the statement says one.
    #[serde(with = "decimal")]
    pub checksum: u64,
}

/// What tables hold, all of a workload's together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableContents {
    /// Rows.
    pub rows: u64,
    /// Sum of the CRC-32 of every row. It uses all 64 bits, of which a number in JSON has 53.
    #[serde(with = "decimal")]
    pub checksum: u64,
}

/// A number as decimal text.
mod decimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::borrow::Cow;

    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}
