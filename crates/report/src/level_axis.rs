//! What the levels of a test count, and what its latencies are called.

use crate::numbers::{NOTHING, count};
use crate::{view, words};
use analyse::TestAnalysis;
use model::{Level, LevelUnit, UnitName};

/// What the levels of a test count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelAxis {
    /// Closed loops of so many clients; latencies are service times.
    Clients,
    /// Closed loops of so many reads and writes in flight from each virtual machine.
    QueueDepth,
    /// Open loops at so many of these per second; latencies are response times, which share no
    /// table and no axis with service times.
    Rate(UnitName),
    /// Results that were imported and do not say how hard the load was, or know no levels.
    NotStated,
}

impl LevelAxis {
    /// That of a test, which has levels of one kind only.
    pub(crate) fn for_test(test: &TestAnalysis) -> Self {
        let open = test.cells.iter().any(|cell| cell.level.is_open());
        let stated = test.cells.iter().any(|cell| cell.level != Level::NONE);
        match (open, stated) {
            (true, _) => Self::Rate(view::counted(test)),
            (false, true) => match test.cells.first().map(|cell| cell.level.unit) {
                Some(LevelUnit::QueueDepth) => Self::QueueDepth,
                Some(LevelUnit::Clients) | None => Self::Clients,
            },
            (false, false) => Self::NotStated,
        }
    }

    /// A level's place on the axis.
    pub(crate) fn number(self, level: Level) -> u32 {
        match self {
            Self::Clients | Self::QueueDepth | Self::NotStated => level.clients,
            Self::Rate(_) => level.rate.unwrap_or_default(),
        }
    }

    /// A level in a table.
    pub(crate) fn text(self, level: Level) -> String {
        match level.search {
            Some(_) => "the highest found".to_owned(),
            None if level == Level::NONE => NOTHING.to_owned(),
            None => count(self.number(level).into()),
        }
    }

    /// The levels, in words for an axis or a column.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Clients => "clients".to_owned(),
            Self::NotStated => "level".to_owned(),
            Self::QueueDepth => LevelUnit::QueueDepth.heading().to_owned(),
            Self::Rate(counted) => format!("offered, {counted}/s"),
        }
    }

    /// What follows the number of a level: of one, and of several.
    pub(crate) fn units(self) -> (String, String) {
        match self {
            Self::Clients | Self::NotStated => ("client".to_owned(), "clients".to_owned()),
            Self::QueueDepth => ("IO in flight".to_owned(), "IOs in flight".to_owned()),
            Self::Rate(UnitName { one, many }) => {
                (format!("{one}/s offered"), format!("{many}/s offered"))
            }
        }
    }

    /// What the time of an operation is called.
    pub(crate) fn latency(self) -> &'static str {
        match self {
            Self::Clients | Self::QueueDepth | Self::NotStated => "latency",
            Self::Rate(_) => "response time",
        }
    }

    /// Heading of a column with a percentile of that time.
    pub(crate) fn percentile(self, percentile: f64) -> String {
        match self {
            Self::Clients | Self::QueueDepth | Self::NotStated => format!("p{percentile}, ms"),
            Self::Rate(_) => format!("p{percentile} response, ms"),
        }
    }

    /// Heading of the ratio of the 95th percentile of that time.
    pub(crate) fn p95_ratio(self) -> &'static str {
        match self {
            Self::Clients | Self::QueueDepth | Self::NotStated => "p95 ratio",
            Self::Rate(_) => "p95 response ratio",
        }
    }
}

/// Why a cell has no latency where its trials fell behind the offered rate.
pub(crate) fn overloaded(cell: &analyse::Cell) -> Option<String> {
    (cell.overloaded > 0).then(|| words::OVERLOADED.to_owned())
}
