//! The load that a command line asks for.

use super::generation::{Generation, Release, script_name};
use super::options::Options;
use super::unsupported;
use crate::exit::CliError;
use model::{KeyParameters, Level, Oltp, OltpMix, OltpTransaction, TableSchema};
use study::CommandLine;

/// Largest exponent of zipfian: with it nearly all draws hit the first key.
const MAX_ZIPFIAN_EXPONENT: f64 = 10.0;

/// Statements of a transaction, by the keys that study files have for their numbers.
const POINTS: [&str; 1] = ["point_selects"];
const RANGES: [&str; 4] = ["simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"];
const WRITES: [&str; 3] = ["index_updates", "non_index_updates", "delete_inserts"];

/// The load of a test, whose numbers of threads and events per second are options of these names.
pub(super) fn load(
    test: &str,
    options: &Options,
    generation: Generation,
    [threads, rate]: [&str; 2],
) -> Result<(Oltp, Level), CliError> {
    let name = script_name(test);
    let line = CommandLine::new(match generation {
        Generation::V04 => |key| option(key, Generation::V04),
        Generation::V05 => |key| option(key, Generation::V05),
        Generation::LEGACY => |key| option(key, Generation::LEGACY),
        _ => |key| option(key, Generation::V10),
    });
    let mut keys = Keys { line: line.once(), options, generation };
    keys.line.test("clients", options.text(threads));
    if options.number(rate) > 0 {
        keys.line.test("rate", options.text(rate));
    }
    keys.take(&["table_size", "range_size", "distribution"]);
    keys.take_old_name();
    let (transaction, schema) = match generation.tests {
        Release::V04 => keys.of_04(name)?,
        Release::V05 => keys.of_05(name)?,
        Release::V10 | Release::V11 => keys.of_10(name)?,
    };
    let test = keys.line.read_test()?;
    let load = test.runnable_load()?;
    let read = load.workload.oltp()?;
    let prepares = match options.text("db-ps-mode") {
        "auto" => true,
        "disable" => false,
        other => {
            return Err(CliError::usage(
                format!("--db-ps-mode={other} is not supported"),
                "give auto or disable",
            ));
        }
    };
    // The scripts of 0.5 sent text, with these exceptions.
    let is_prepared = generation.tests != Release::V05
        || matches!(read.mix, OltpMix::RandomPoints | OltpMix::RandomRanges);
    let oltp = Oltp {
        transaction: transaction.unwrap_or(read.transaction),
        keys: parameters(options, generation)?,
        schema,
        dialect: generation.dialect(),
        prepared: prepares && is_prepared,
        ..read.clone()
    };
    Ok((oltp, load.levels[0]))
}

/// What a key of a study file is called, as messages name it.
fn option(key: &str, generation: Generation) -> String {
    match key {
        "workload" => "the test".to_owned(),
        _ => format!("--{}", name_of(key, generation)),
    }
}

/// The option that says what a key of a study file says.
fn name_of(key: &str, generation: Generation) -> String {
    let known = match (key, generation.tests) {
        ("clients", _) if generation.is_recent() => "threads",
        ("clients", _) => "num-threads",
        ("rate", _) if generation.is_recent() => "rate",
        ("rate", _) => "tx-rate",
        ("distribution", Release::V04) => "oltp-dist-type",
        ("distribution", _) => "rand-type",
        ("tables", Release::V05) => "oltp-tables-count",
        ("delta", Release::V05) => "random-ranges-delta",
        _ => "",
    };
    match (known, generation.tests) {
        ("", Release::V10 | Release::V11) => key.replace('_', "-"),
        ("", _) => format!("oltp-{}", key.replace('_', "-")),
        (known, _) => known.to_owned(),
    }
}

/// A transaction that no keys of a study file describe, where it is one, and how the tables look.
type Particular = (Option<OltpTransaction>, TableSchema);

/// The keys of a study file that a command line gives values.
struct Keys<'o> {
    line: CommandLine,
    options: &'o Options,
    generation: Generation,
}

impl Keys<'_> {
    /// Takes the values of options.
    fn take(&mut self, keys: &[&str]) {
        for key in keys {
            self.line.test(key, self.options.text(&name_of(key, self.generation)));
        }
    }

    fn flag(&self, key: &str) -> bool {
        self.options.flag(&name_of(key, self.generation))
    }

    /// Takes the distribution of keys by the name that 0.5 had for it at first.
    fn take_old_name(&mut self) {
        let old = self.options.text("oltp-dist-type");
        if self.generation.tests == Release::V05 && !old.is_empty() {
            self.line.test("distribution", old);
        }
    }

    /// Takes how many statements of each kind a transaction has.
    fn transaction(&mut self, reads: bool, writes: bool) {
        let ranges = reads && self.flag("range_selects");
        for (keys, wanted) in [(&POINTS[..], reads), (&RANGES, ranges), (&WRITES, writes)] {
            match wanted {
                true => self.take(keys),
                false => keys.iter().for_each(|key| self.line.test(key, "0")),
            }
        }
        self.line.test("skip_trx", if self.flag("skip_trx") { "true" } else { "false" });
    }

    fn of_10(&mut self, name: &str) -> Result<Particular, CliError> {
        let mix = OltpMix::from_name(name).ok_or_else(|| unknown_test(name))?;
        self.line.test("workload", mix.name());
        self.take(&["random_points", "number_of_ranges", "delta"]);
        // These two read the first table, however many there are.
        if !matches!(mix, OltpMix::RandomPoints | OltpMix::RandomRanges) {
            self.take(&["tables"]);
        }
        // These scripts take the counts from the command line; the others always do one thing.
        let preset = mix.transaction();
        match mix {
            _ if preset.explicit => self.transaction(preset.reads() > 0, preset.writes() > 0),
            OltpMix::UpdateIndex => self.take(&["index_updates"]),
            OltpMix::UpdateNonIndex => self.take(&["non_index_updates"]),
            _ => {}
        }
        let schema = TableSchema {
            single_table: None,
            auto_increment: self.flag("auto_inc"),
            secondary: self.flag("secondary"),
            index_on_k: self.flag("create_secondary"),
            engine: Some(engine(self.options, "mysql-storage-engine")?),
            options: self.options.text("create-table-options").to_owned(),
        };
        Ok((None, schema))
    }

    fn of_05(&mut self, name: &str) -> Result<Particular, CliError> {
        let mix = match name {
            "oltp" => OltpMix::ReadWrite,
            "oltp_simple" | "select" => OltpMix::PointSelect,
            "insert" => OltpMix::Insert,
            "delete" => OltpMix::Delete,
            "update_index" => OltpMix::UpdateIndex,
            "update_non_index" => OltpMix::UpdateNonIndex,
            "bulk_insert" => OltpMix::BulkInsert,
            _ => return Err(unknown_test(name)),
        };
        self.line.test("workload", mix.name());
        self.take(&["tables"]);
        if mix == OltpMix::ReadWrite {
            self.older_transaction()?;
        }
        Ok(((name == "select").then(pad_selects), older_schema(self.options, None)?))
    }

    fn of_04(&mut self, name: &str) -> Result<Particular, CliError> {
        if name != "oltp" {
            return Err(unknown_test(name));
        }
        let mode = self.options.text("oltp-nontrx-mode");
        let (mix, is_pad) = match (self.options.text("oltp-test-mode"), mode) {
            ("complex", _) => (OltpMix::ReadWrite, false),
            ("simple", _) => (OltpMix::PointSelect, false),
            ("nontrx", "select") => (OltpMix::PointSelect, true),
            ("nontrx", "update_key") => (OltpMix::UpdateIndex, false),
            ("nontrx", "update_nokey") => (OltpMix::UpdateNonIndex, false),
            ("nontrx", "insert") => (OltpMix::Insert, false),
            ("nontrx", "delete") => (OltpMix::Delete, false),
            ("nontrx", other) => {
                return Err(CliError::usage(
                    format!("--oltp-nontrx-mode={other} is not supported"),
                    "give select, update_key, update_nokey, insert or delete",
                ));
            }
            (other, _) => {
                return Err(unsupported(
                    &format!("--oltp-test-mode={other}"),
                    "give complex, simple or nontrx",
                ));
            }
        };
        self.line.test("workload", mix.name());
        if mix == OltpMix::ReadWrite {
            self.older_transaction()?;
        }
        let table = self.options.text("oltp-table-name");
        if table.is_empty() || !table.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(CliError::usage(
                format!("--oltp-table-name={table} is not supported"),
                "give a name of letters, digits and _",
            ));
        }
        if self.flag("auto_inc") && self.flag("secondary") {
            return Err(CliError::usage(
                "--oltp-secondary cannot be combined with --oltp-auto-inc",
                "add --oltp-auto-inc=off",
            ));
        }
        Ok((is_pad.then(pad_selects), older_schema(self.options, Some(table.to_owned()))?))
    }

    fn older_transaction(&mut self) -> Result<(), CliError> {
        let (read_only, write_only) = (self.flag("read_only"), self.flag("write_only"));
        if read_only && write_only {
            return Err(CliError::usage(
                "--oltp-read-only and --oltp-write-only exclude each other",
                "leave one of them out",
            ));
        }
        self.transaction(!write_only, !read_only);
        Ok(())
    }
}

/// A row by its number, of which another column is read.
fn pad_selects() -> OltpTransaction {
    OltpTransaction { pad_selects: 1, ..OltpTransaction::default() }
}

fn older_schema(options: &Options, single: Option<String>) -> Result<TableSchema, CliError> {
    if !["auto", "yes"].contains(&options.text("mysql-engine-trx")) {
        return Err(unsupported(
            &format!("--mysql-engine-trx={}", options.text("mysql-engine-trx")),
            "LOCK TABLES in place of transactions is not supported: give yes or auto",
        ));
    }
    let engine = engine(options, "mysql-table-engine")?;
    if ["myisam", "heap", "memory"].contains(&engine.to_ascii_lowercase().as_str()) {
        return Err(unsupported(
            &format!("--mysql-table-engine={engine}"),
            "LOCK TABLES in place of transactions is not supported: use an engine with \
             transactions",
        ));
    }
    Ok(TableSchema {
        single_table: single,
        auto_increment: options.flag("oltp-auto-inc"),
        secondary: options.flag("oltp-secondary"),
        index_on_k: true,
        engine: Some(engine),
        options: options.text("mysql-table-options").to_owned(),
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

/// The shape of the distribution of keys.
fn parameters(options: &Options, generation: Generation) -> Result<KeyParameters, CliError> {
    let [iterations, range, draws] = match generation.tests {
        Release::V04 => ["oltp-dist-iter", "oltp-dist-pct", "oltp-dist-res"],
        _ => ["rand-spec-iter", "rand-spec-pct", "rand-spec-res"],
    };
    let mut parameters = KeyParameters {
        iterations: options.within(iterations, 1, 10_000)?,
        popular_range: options.within(range, 1, 100)?,
        popular_draws: options.within(draws, 0, 99)?,
        ..KeyParameters::default()
    };
    if generation.tests != Release::V04 {
        parameters.pareto_h = options.real("rand-pareto-h");
        if !(parameters.pareto_h > 0.0 && parameters.pareto_h < 1.0) {
            return Err(CliError::usage(
                format!("--rand-pareto-h={} is out of range", parameters.pareto_h),
                "give a number between 0 and 1",
            ));
        }
    }
    if generation.is_recent() {
        parameters.zipfian_exponent = options.real("rand-zipfian-exp");
        if !(0.0..=MAX_ZIPFIAN_EXPONENT).contains(&parameters.zipfian_exponent) {
            return Err(CliError::usage(
                format!("--rand-zipfian-exp={} is out of range", parameters.zipfian_exponent),
                format!("give a number from 0 to {MAX_ZIPFIAN_EXPONENT}"),
            ));
        }
    }
    Ok(parameters)
}

fn unknown_test(name: &str) -> CliError {
    unsupported(
        &format!("the test {name:?}"),
        "its tests are oltp (0.4 and 0.5), 0.5's oltp_simple, select, insert, delete, update_index, \
         update_non_index and bulk_insert, and the oltp_*, select_random_* and bulk_insert tests of \
         1.0",
    )
}
