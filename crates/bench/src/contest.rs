use crate::arena::{Arena, table_arguments};
use crate::arguments::{Arguments, Transport, Workload};
use crate::reading::Reading;
use model::Oltp;
use peer::sysbench::Task;
use std::time::Duration;

/// One run of each tool, under the same conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<T> {
    pub(crate) weighin: T,
    pub(crate) sysbench: T,
}

/// Runs both in alternation: weighin first in odd pairs, sysbench first in even ones.
pub(crate) fn alternate<T>(
    pairs: u32,
    mut weighin: impl FnMut() -> anyhow::Result<T>,
    mut sysbench: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<Vec<Pair<T>>> {
    (1..=pairs)
        .map(|number| {
            if number.is_multiple_of(2) {
                let sysbench = sysbench()?;
                Ok(Pair { weighin: weighin()?, sysbench })
            } else {
                let weighin = weighin()?;
                Ok(Pair { weighin, sysbench: sysbench()? })
            }
        })
        .collect()
}

/// All pairs of one cell.
pub(crate) fn measure(
    arena: &Arena,
    arguments: &Arguments,
    (workload, transport, clients): (Workload, Transport, u32),
) -> anyhow::Result<Vec<Pair<Reading>>> {
    let oltp = Oltp {
        mix: workload.mix(),
        transaction: workload.mix().transaction(),
        ..arena.tables(arguments.table_size)
    };
    let mut options = table_arguments(&oltp);
    options.extend([
        format!("--workload={}", workload.mix().name()),
        format!("--clients={clients}"),
        format!("--duration={}s", arguments.seconds),
        "--json".to_owned(),
    ]);
    let duration = Duration::from_secs(arguments.seconds.into());
    let task = Task::Run { clients, rate: None, duration };
    alternate(
        arguments.pairs,
        || Reading::of_weighin(&arena.weighin("load", transport, &options)?),
        || Reading::of_sysbench(&arena.sysbench(&oltp, transport, &task)?),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn who_goes_first_alternates() {
        let order = RefCell::new(String::new());
        let run = |name| {
            order.borrow_mut().push(name);
            Ok(name)
        };
        let pairs = alternate(4, || run('w'), || run('s')).unwrap();
        assert_eq!(*order.borrow(), "wsswwssw");
        assert!(pairs.iter().all(|pair| (pair.weighin, pair.sysbench) == ('w', 's')));
    }

    #[test]
    fn a_failure_ends_the_contest() {
        let failing = || anyhow::bail!("no");
        assert!(alternate(3, || Ok(1), failing).is_err());
    }
}
