use super::arena::Arena;
use crate::arguments::{Arguments, Transport};
use crate::pair::{Pair, alternate};
use crosscheck::sysbench::Task;
use host::Finished;

/// Threads that sysbench prepares with, one after the other.
const THREADS: [u32; 2] = [1, 4];
/// Connections of `weighin prepare`: its default.
const CONNECTIONS: u32 = 4;

/// What one preparation took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preparation {
    pub(crate) seconds: f64,
    /// User and system time of the whole process, in seconds.
    pub(crate) cpu_seconds: f64,
}

/// Preparations of the same tables with both tools.
#[derive(Debug)]
pub(crate) struct PreparationPairs {
    /// Threads of sysbench.
    pub(crate) threads: u32,
    /// Rows of all tables together.
    pub(crate) rows: u64,
    pub(crate) pairs: Vec<Pair<Preparation>>,
}

/// Makes the same tables with both tools in alternation; drops them each time.
pub(super) fn measure(
    arena: &Arena<'_>,
    arguments: &Arguments,
) -> anyhow::Result<Vec<PreparationPairs>> {
    let tables = arena.tables(arguments.preparation_size);
    let rows = u64::from(tables.tables) * u64::from(tables.table_size);
    let weighin = || {
        let finished = arena.prepare(&tables, CONNECTIONS)?;
        arena.weighin("cleanup", Transport::Tcp, &[])?;
        Ok(Preparation::from_finished(&finished))
    };
    THREADS
        .into_iter()
        .map(|threads| {
            let sysbench = || {
                let make = Task::Prepare { threads };
                let finished = arena.sysbench(&tables, &make)?;
                arena.sysbench(&tables, &Task::Cleanup)?;
                Ok(Preparation::from_finished(&finished))
            };
            let pairs = alternate(arguments.preparations, weighin, sysbench)?;
            Ok(PreparationPairs { threads, rows, pairs })
        })
        .collect()
}

impl Preparation {
    fn from_finished(finished: &Finished) -> Self {
        Self {
            seconds: finished.elapsed.as_secs_f64(),
            cpu_seconds: finished.usage.cpu().as_secs_f64(),
        }
    }
}
