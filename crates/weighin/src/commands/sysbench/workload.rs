//! The workload that a command line asks for.

use super::generation::{Generation, script_name};
use super::options::Options;
use super::unsupported;
use crate::exit::CliError;
use model::bounds::{MAX_COUNT, MAX_ROWS, MAX_TABLES};
use model::{KeyDistribution, KeyParameters, Oltp, OltpMix, OltpTransaction, TableSchema};

/// Largest exponent of zipfian: with it nearly all draws hit the first key.
const MAX_ZIPFIAN_EXPONENT: f64 = 10.0;

/// The workload of a test.
pub(super) fn workload(
    test: &str,
    options: &Options,
    generation: Generation,
) -> Result<Oltp, CliError> {
    let name = script_name(test);
    let mut workload = match generation {
        Generation::V04 => of_04(name, options)?,
        Generation::V05 => of_05(name, options)?,
        Generation::V10 => of_10(name, options)?,
    };
    workload.dialect = generation.dialect();
    (workload.distribution, workload.keys) = keys(options, generation)?;
    let prepares = match options.text("db-ps-mode") {
        "auto" => true,
        "disable" => false,
        other => {
            return Err(CliError::usage(
                format!("--db-ps-mode={other} is not possible"),
                "give auto or disable",
            ));
        }
    };
    // The scripts of 0.5 sent text, with these exceptions.
    let is_prepared = generation != Generation::V05
        || matches!(workload.mix, OltpMix::RandomPoints | OltpMix::RandomRanges);
    workload.prepared = prepares && is_prepared;
    Ok(workload)
}

fn of_10(name: &str, options: &Options) -> Result<Oltp, CliError> {
    let mix = OltpMix::from_name(name).ok_or_else(|| unknown_test(name))?;
    let preset = Oltp::preset(mix);
    let mut transaction = preset.transaction;
    let count = |name: &str| options.within(name, 0, MAX_COUNT);
    // These scripts take the counts from the command line; the others always do one thing.
    if transaction.explicit {
        if transaction.reads() > 0 {
            transaction.point_selects = count("point-selects")?;
            let ranges = options.flag("range-selects");
            let ranged = |name: &str| if ranges { count(name) } else { Ok(0) };
            transaction.simple_ranges = ranged("simple-ranges")?;
            transaction.sum_ranges = ranged("sum-ranges")?;
            transaction.order_ranges = ranged("order-ranges")?;
            transaction.distinct_ranges = ranged("distinct-ranges")?;
        }
        if preset.transaction.writes() > 0 {
            transaction.index_updates = count("index-updates")?;
            transaction.non_index_updates = count("non-index-updates")?;
            transaction.delete_inserts = count("delete-inserts")?;
        }
        transaction.explicit = !options.flag("skip-trx");
    }
    match mix {
        OltpMix::UpdateIndex => transaction.index_updates = count("index-updates")?,
        OltpMix::UpdateNonIndex => transaction.non_index_updates = count("non-index-updates")?,
        _ => {}
    }
    let tables = options.within("tables", 1, MAX_TABLES)?;
    if matches!(mix, OltpMix::RandomPoints | OltpMix::RandomRanges) && tables > 1 {
        return Err(CliError::usage(
            format!("{name} does not support --tables={tables}"),
            "it has one table: leave --tables out",
        ));
    }
    not_empty(&transaction)?;
    Ok(Oltp {
        transaction,
        tables,
        table_size: options.within("table-size", 1, MAX_ROWS)?,
        range_size: options.within("range-size", 1, MAX_ROWS)?,
        points: options.within("random-points", 1, MAX_COUNT)?,
        ranges: options.within("number-of-ranges", 1, MAX_COUNT)?,
        delta: options.within("delta", 0, MAX_ROWS)?,
        schema: TableSchema {
            single_table: None,
            auto_increment: options.flag("auto-inc"),
            secondary: options.flag("secondary"),
            index_on_k: options.flag("create-secondary"),
            engine: engine(options, "mysql-storage-engine")?,
        },
        ..preset
    })
}

fn of_05(name: &str, options: &Options) -> Result<Oltp, CliError> {
    let (mix, transaction) = match name {
        "oltp" => (OltpMix::ReadWrite, older_transaction(options)?),
        "oltp_simple" => (OltpMix::PointSelect, OltpMix::PointSelect.transaction()),
        "select" => {
            (OltpMix::PointSelect, OltpTransaction { pad_selects: 1, ..Default::default() })
        }
        "insert" => (OltpMix::Insert, OltpMix::Insert.transaction()),
        "delete" => (OltpMix::Delete, OltpMix::Delete.transaction()),
        "update_index" => (OltpMix::UpdateIndex, OltpMix::UpdateIndex.transaction()),
        "update_non_index" => (OltpMix::UpdateNonIndex, OltpMix::UpdateNonIndex.transaction()),
        "bulk_insert" => (OltpMix::BulkInsert, OltpMix::BulkInsert.transaction()),
        _ => return Err(unknown_test(name)),
    };
    Ok(Oltp {
        transaction,
        tables: options.within("oltp-tables-count", 1, MAX_TABLES)?,
        schema: older_schema(options, None)?,
        ..older(mix, options)?
    })
}

fn of_04(name: &str, options: &Options) -> Result<Oltp, CliError> {
    if name != "oltp" {
        return Err(unknown_test(name));
    }
    let (mix, transaction) = match options.text("oltp-test-mode") {
        "complex" => (OltpMix::ReadWrite, older_transaction(options)?),
        "simple" => (OltpMix::PointSelect, OltpMix::PointSelect.transaction()),
        "nontrx" => nontrx(options.text("oltp-nontrx-mode"))?,
        other => {
            return Err(unsupported(
                &format!("--oltp-test-mode={other}"),
                "give complex, simple or nontrx",
            ));
        }
    };
    let table = options.text("oltp-table-name");
    if table.is_empty() || !table.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(CliError::usage(
            format!("--oltp-table-name={table} is not possible"),
            "give a name of letters, digits and _",
        ));
    }
    if options.flag("oltp-auto-inc") && options.flag("oltp-secondary") {
        return Err(CliError::usage(
            "--oltp-secondary cannot be had with --oltp-auto-inc",
            "add --oltp-auto-inc=off",
        ));
    }
    Ok(Oltp {
        transaction,
        schema: older_schema(options, Some(table.to_owned()))?,
        ..older(mix, options)?
    })
}

fn nontrx(mode: &str) -> Result<(OltpMix, OltpTransaction), CliError> {
    let none = OltpTransaction::default();
    Ok(match mode {
        "select" => (OltpMix::PointSelect, OltpTransaction { pad_selects: 1, ..none }),
        "update_key" => (OltpMix::UpdateIndex, OltpMix::UpdateIndex.transaction()),
        "update_nokey" => (OltpMix::UpdateNonIndex, OltpMix::UpdateNonIndex.transaction()),
        "insert" => (OltpMix::Insert, OltpMix::Insert.transaction()),
        "delete" => (OltpMix::Delete, OltpMix::Delete.transaction()),
        other => {
            return Err(CliError::usage(
                format!("--oltp-nontrx-mode={other} is not possible"),
                "give select, update_key, update_nokey, insert or delete",
            ));
        }
    })
}

/// What 0.4 and 0.5 have in common.
fn older(mix: OltpMix, options: &Options) -> Result<Oltp, CliError> {
    Ok(Oltp {
        table_size: options.within("oltp-table-size", 1, MAX_ROWS)?,
        range_size: options.within("oltp-range-size", 1, MAX_ROWS)?,
        ..Oltp::preset(mix)
    })
}

fn older_transaction(options: &Options) -> Result<OltpTransaction, CliError> {
    let (read_only, write_only) = (options.flag("oltp-read-only"), options.flag("oltp-write-only"));
    if read_only && write_only {
        return Err(CliError::usage(
            "--oltp-read-only and --oltp-write-only exclude each other",
            "leave one of them out",
        ));
    }
    let count = |wanted: bool, name: &str| {
        if wanted { options.within(name, 0, MAX_COUNT) } else { Ok(0) }
    };
    let (reads, writes) = (!write_only, !read_only);
    let ranges = reads && options.flag("oltp-range-selects");
    let transaction = OltpTransaction {
        explicit: !options.flag("oltp-skip-trx"),
        point_selects: count(reads, "oltp-point-selects")?,
        simple_ranges: count(ranges, "oltp-simple-ranges")?,
        sum_ranges: count(ranges, "oltp-sum-ranges")?,
        order_ranges: count(ranges, "oltp-order-ranges")?,
        distinct_ranges: count(ranges, "oltp-distinct-ranges")?,
        index_updates: count(writes, "oltp-index-updates")?,
        non_index_updates: count(writes, "oltp-non-index-updates")?,
        delete_inserts: count(writes, "oltp-delete-inserts")?,
        ..OltpTransaction::default()
    };
    not_empty(&transaction)?;
    Ok(transaction)
}

/// A client with nothing to send would spin for ever.
fn not_empty(transaction: &OltpTransaction) -> Result<(), CliError> {
    if transaction.reads() + transaction.writes() + transaction.others() > 0 {
        return Ok(());
    }
    Err(CliError::usage(
        "the transaction holds no statement",
        "raise one of the counts above 0, or keep BEGIN and COMMIT",
    ))
}

fn older_schema(options: &Options, single: Option<String>) -> Result<TableSchema, CliError> {
    if !["auto", "yes"].contains(&options.text("mysql-engine-trx")) {
        return Err(unsupported(
            &format!("--mysql-engine-trx={}", options.text("mysql-engine-trx")),
            "LOCK TABLES in place of transactions is not there: give yes or auto",
        ));
    }
    let engine = engine(options, "mysql-table-engine")?;
    if ["myisam", "heap", "memory"].contains(&engine.to_ascii_lowercase().as_str()) {
        return Err(unsupported(
            &format!("--mysql-table-engine={engine}"),
            "LOCK TABLES in place of transactions is not there: use an engine with transactions",
        ));
    }
    Ok(TableSchema {
        single_table: single,
        auto_increment: options.flag("oltp-auto-inc"),
        secondary: options.flag("oltp-secondary"),
        index_on_k: true,
        engine,
    })
}

fn engine(options: &Options, name: &str) -> Result<String, CliError> {
    let engine = options.text(name);
    if engine.is_empty() || !engine.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(CliError::usage(
            format!("--{name}={engine} is not a storage engine"),
            "give a name such as innodb",
        ));
    }
    Ok(engine.to_owned())
}

fn keys(
    options: &Options,
    generation: Generation,
) -> Result<(KeyDistribution, KeyParameters), CliError> {
    let [kind, iterations, range, draws] = match generation {
        Generation::V04 => ["oltp-dist-type", "oltp-dist-iter", "oltp-dist-pct", "oltp-dist-res"],
        _ => ["rand-type", "rand-spec-iter", "rand-spec-pct", "rand-spec-res"],
    };
    let name = options.text(kind);
    let distribution = KeyDistribution::from_name(name).ok_or_else(|| {
        let names = KeyDistribution::ALL.map(KeyDistribution::name).join(", ");
        CliError::usage(
            format!("--{kind}={name} is not a distribution"),
            format!("give one of {names}"),
        )
    })?;
    let default = KeyParameters::default();
    let mut parameters = KeyParameters {
        iterations: options.within(iterations, 1, 10_000)?,
        popular_range: options.within(range, 1, 100)?,
        popular_draws: options.within(draws, 0, 99)?,
        ..default
    };
    if generation != Generation::V04 {
        parameters.pareto_h = options.real("rand-pareto-h");
        if !(parameters.pareto_h > 0.0 && parameters.pareto_h < 1.0) {
            return Err(CliError::usage(
                format!("--rand-pareto-h={} is out of range", parameters.pareto_h),
                "give a number between 0 and 1",
            ));
        }
    }
    if generation == Generation::V10 {
        parameters.zipfian_exponent = options.real("rand-zipfian-exp");
        if !(0.0..=MAX_ZIPFIAN_EXPONENT).contains(&parameters.zipfian_exponent) {
            return Err(CliError::usage(
                format!("--rand-zipfian-exp={} is out of range", parameters.zipfian_exponent),
                format!("give a number from 0 to {MAX_ZIPFIAN_EXPONENT}"),
            ));
        }
    }
    Ok((distribution, parameters))
}

fn unknown_test(name: &str) -> CliError {
    unsupported(
        &format!("the test {name:?}"),
        "its tests are oltp (0.4 and 0.5), 0.5's oltp_simple, select, insert, delete, update_index, \
         update_non_index and bulk_insert, and the oltp_*, select_random_* and bulk_insert tests of \
         1.0",
    )
}
