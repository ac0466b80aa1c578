//! The workload that arguments describe.

use super::storage;
use crate::arguments::{KeyArguments, LoadArguments, PrepareArguments, WorkloadName};
use crate::exit::CliError;
use model::{KeyDistribution, KeyOrder, KeyValue, Oltp, OltpMix, System, Workload};
use report::numbers::{count, percent};
use report::words::storage_load;

/// What the arguments of `weighin load` say is to be run, on a server of that kind.
pub(super) fn to_load(arguments: &LoadArguments, system: System) -> Result<Workload, CliError> {
    let (tables, keys) = (&arguments.tables, &arguments.keys);
    let Some(named) = arguments.workload else {
        return Err(CliError::usage(
            "no workload is named",
            "add --workload oltp_read_write, or key_value for Redis",
        ));
    };
    refuse("a server", &storage::given(&arguments.storage))?;
    let workload = match named {
        WorkloadName::Oltp(mix) => {
            refuse(mix.name(), &given_of_keys(keys))?;
            Workload::Oltp(Oltp {
                tables: tables.tables.unwrap_or(1),
                table_size: tables.table_size.unwrap_or(10_000),
                range_size: arguments.range_size.unwrap_or(100),
                distribution: drawn(tables.rand_type)?,
                ..Oltp::preset(mix)
            })
        }
        WorkloadName::KeyValue => {
            refuse(
                Workload::KEY_VALUE,
                &[
                    ("--tables", tables.tables.is_some()),
                    ("--table-size", tables.table_size.is_some()),
                    ("--range-size", arguments.range_size.is_some()),
                    ("--statements", arguments.statements),
                ],
            )?;
            Workload::KeyValue(key_value(keys, tables.rand_type))
        }
    };
    if workload.suits(system) {
        return Ok(workload);
    }
    Err(CliError::usage(
        format!("{} cannot run on a server of {system}", workload.name()),
        "key_value is for redis:// URLs, the workloads that begin with oltp_ and select_ for mysql://",
    ))
}

/// The tables of `weighin prepare mysql://…`. The mix and the range play no part in them.
pub(super) fn tables_to_make(arguments: &PrepareArguments) -> Result<Oltp, CliError> {
    let tables = &arguments.tables;
    refuse("a server of tables", &given_of_keys(&arguments.keys))?;
    refuse("a server of tables", &storage::given_data(&arguments.data))?;
    Ok(Oltp {
        tables: tables.tables.unwrap_or(1),
        table_size: tables.table_size.unwrap_or(10_000),
        distribution: drawn(tables.rand_type)?,
        ..Oltp::preset(OltpMix::ReadWrite)
    })
}

/// The keys of `weighin prepare redis://…`. What is done with them plays no part.
pub(super) fn keys_to_make(arguments: &PrepareArguments) -> Result<KeyValue, CliError> {
    refuse("making keys", &storage::given_data(&arguments.data))?;
    refuse(
        "making keys",
        &[
            ("--tables", arguments.tables.tables.is_some()),
            ("--table-size", arguments.tables.table_size.is_some()),
            ("--rand-type", arguments.tables.rand_type.is_some()),
            ("--threads", arguments.threads.is_some()),
            ("--ratio", arguments.keys.ratio.is_some()),
            ("--pipeline", arguments.keys.pipeline.is_some()),
            ("--expiry", arguments.keys.expiry.is_some()),
        ],
    )?;
    Ok(key_value(&arguments.keys, None))
}

/// A workload in the headline of a result: `oltp_read_write, 4 × 25,000 rows`.
pub(super) fn headline(workload: &Workload) -> String {
    match workload {
        Workload::Oltp(oltp) => {
            format!("{}, {} × {} rows", oltp.mix.name(), oltp.tables, count(oltp.table_size.into()))
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

fn key_value(keys: &KeyArguments, order: Option<KeyOrder>) -> KeyValue {
    let default = KeyValue::default();
    KeyValue {
        keys: keys.keys.unwrap_or(default.keys),
        order: order.unwrap_or(default.order),
        sets_to_gets: keys.ratio.unwrap_or(default.sets_to_gets),
        value_size: keys.value_size.unwrap_or(default.value_size),
        pipeline: keys.pipeline.unwrap_or(default.pipeline),
        expiry: keys.expiry,
        ..default
    }
}

fn drawn(order: Option<KeyOrder>) -> Result<KeyDistribution, CliError> {
    match order {
        None => Ok(KeyDistribution::default()),
        Some(KeyOrder::Drawn(distribution)) => Ok(distribution),
        Some(KeyOrder::Sequential) => Err(CliError::usage(
            "rows of tables are not picked in sequence",
            "leave --rand-type out",
        )),
    }
}

/// The options of keys, and whether they were given.
pub(super) fn given_of_keys(keys: &KeyArguments) -> [(&'static str, bool); 5] {
    [
        ("--keys", keys.keys.is_some()),
        ("--value-size", keys.value_size.is_some()),
        ("--ratio", keys.ratio.is_some()),
        ("--pipeline", keys.pipeline.is_some()),
        ("--expiry", keys.expiry.is_some()),
    ]
}

/// Refuses options that mean nothing to what is to be done.
pub(super) fn refuse(what: &str, options: &[(&str, bool)]) -> Result<(), CliError> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(CliError::usage(
            format!("{option} means nothing to {what}"),
            format!("leave {option} out"),
        )),
    }
}
