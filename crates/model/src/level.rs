use crate::{SearchOver, UnitName};
use serde::{Deserialize, Serialize};

/// How hard a workload is run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Level {
    /// In a closed loop, how many run one operation after another: connections, or reads and
    /// writes in flight (see `unit`). In an open loop, how many operations there can be at a time.
    /// 0 in results that were imported and do not say.
    pub clients: u32,
    /// Open loop: operations offered per second, over all connections.
    pub rate: Option<u32>,
    /// Where the level is not given but searched for: what the search varies. `clients` is the
    /// most connections that it may use, and there is no `rate`.
    pub search: Option<SearchOver>,
    /// What `clients` counts.
    #[serde(default, skip_serializing_if = "LevelUnit::is_clients")]
    pub unit: LevelUnit,
}

/// What the number of a level counts where no rate decides how hard the load is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum LevelUnit {
    /// Connections to a server.
    #[default]
    Clients,
    /// Reads and writes that each virtual machine keeps in flight at a volume.
    QueueDepth,
}

impl LevelUnit {
    /// What a column of levels is headed.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Clients => UnitName::CLIENT.many,
            Self::QueueDepth => "queue depth",
        }
    }

    fn is_clients(&self) -> bool {
        *self == Self::Clients
    }
}

impl Level {
    /// Of tasks that know no levels, and of imported results that do not say how hard the load was.
    pub const NONE: Self = Self::clients(0);

    /// A closed loop of so many clients.
    pub const fn clients(clients: u32) -> Self {
        Self { clients, rate: None, search: None, unit: LevelUnit::Clients }
    }

    /// So many reads and writes in flight from each virtual machine.
    pub const fn queue_depth(number: u32) -> Self {
        Self::clients(number).counting(LevelUnit::QueueDepth)
    }

    /// The same where `clients` counts something else.
    pub const fn counting(self, unit: LevelUnit) -> Self {
        Self { unit, ..self }
    }

    /// An open loop of so many operations per second over so many connections.
    pub const fn rate(clients: u32, rate: u32) -> Self {
        Self { rate: Some(rate), ..Self::clients(clients) }
    }

    /// The highest load of that kind under a bound, with so many connections at most.
    pub const fn searched(over: SearchOver, clients: u32) -> Self {
        Self { search: Some(over), ..Self::clients(clients) }
    }

    /// Whether operations are offered at a rate, given or searched for.
    pub fn is_open(&self) -> bool {
        self.rate.is_some() || self.search == Some(SearchOver::Rate)
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.rate, self.clients) {
            _ if self.search == Some(SearchOver::Rate) => f.write_str("the highest rate"),
            _ if self.search.is_some() => f.write_str("the highest number of clients"),
            (Some(rate), _) => write!(f, "{}/s", grouped(rate)),
            (None, 0) => f.write_str("no level"),
            (None, n) => match self.unit {
                LevelUnit::Clients => {
                    write!(f, "{} {}", grouped(n), UnitName::CLIENT.for_count(n.into()))
                }
                LevelUnit::QueueDepth => write!(f, "queue depth {}", grouped(n)),
            },
        }
    }
}

/// A number as reports have it: `1,000`.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_read_as_numbers_do_in_reports() {
        assert_eq!(Level::clients(1).to_string(), "1 client");
        assert_eq!(Level::clients(1_000).to_string(), "1,000 clients");
        assert_eq!(Level::queue_depth(1).to_string(), "queue depth 1");
        assert_eq!(Level::queue_depth(32).to_string(), "queue depth 32");
        assert_eq!(Level::rate(64, 1_234_567).to_string(), "1,234,567/s");
        assert_eq!(Level::rate(64, 12).to_string(), "12/s");
    }
}
