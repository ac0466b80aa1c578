//! Words for workloads.

use crate::exit::CliError;
use model::{Transactions, Workload};
use report::numbers::{count, percent};
use report::words::storage_load;

/// A workload in the headline of a result: `oltp_read_write, 4 × 25,000 rows`.
pub(super) fn headline(workload: &Workload) -> String {
    match workload {
        Workload::Oltp(oltp) => {
            format!("{}, {} × {} rows", oltp.mix.name(), oltp.tables, count(oltp.table_size.into()))
        }
        Workload::Transactions(own) => {
            let names: Vec<&str> = own.transactions.iter().map(|one| one.name.as_str()).collect();
            format!("{}: {}", Transactions::NAME, names.join(", "))
        }
        Workload::KeyValue(keys) => {
            let (sets, gets) = keys.sets_to_gets;
            let writes = f64::from(sets) / (f64::from(sets) + f64::from(gets));
            let together = match keys.pipeline {
                1 => String::new(),
                depth => format!(", {depth} commands together"),
            };
            format!(
                "{}, {} keys, values of {}, {} writes{together}",
                Workload::KEY_VALUE,
                count(keys.keys.into()),
                keys.value_size,
                percent(writes)
            )
        }
        Workload::Storage(storage) => storage_load(storage),
    }
}

/// Refuses an option, if it was given, that is only for workloads on tables.
pub(super) fn refuse(option: &str, given: bool, workload: &Workload) -> Result<(), CliError> {
    if !given || matches!(workload, Workload::Oltp(_) | Workload::Transactions(_)) {
        return Ok(());
    }
    Err(CliError::usage(
        format!("{option} does not apply to {}", workload.name()),
        format!("leave {option} out"),
    ))
}
