use super::Driver;
use crate::SqlLoad;
use model::{
    KeyDistribution, KeyParameters, Oltp, OltpDialect, OltpMix, OltpTransaction, TableSchema,
};
use workload::oltp::DEFAULT_ENGINE;

/// What sysbench is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// Make the tables.
    Prepare {
        /// Threads, of which each makes whole tables.
        threads: u32,
    },
    /// Run the load.
    Run(SqlLoad),
    /// Drop the tables.
    Cleanup,
}

/// Why sysbench 1.0 cannot run a workload; `None` when it can.
pub fn unsupported(workload: &Oltp) -> Option<&'static str> {
    let lists = matches!(workload.mix, OltpMix::RandomPoints | OltpMix::RandomRanges);
    let schema = &workload.schema;
    if workload.dialect != OltpDialect::Sysbench10 || schema.single_table.is_some() {
        Some("it is a workload of an older version")
    } else if workload.distribution == KeyDistribution::Zipfian {
        Some("it has no zipfian distribution")
    } else if lists && workload.tables != 1 {
        Some("it runs this workload on one table only")
    } else if tunable(workload.mix, &workload.transaction) != workload.transaction {
        Some("it cannot change this workload's transaction so")
    } else {
        None
    }
}

/// The mix's transaction with those counts taken over that its script has options for.
fn tunable(mix: OltpMix, wanted: &OltpTransaction) -> OltpTransaction {
    let preset = mix.transaction();
    let (reads, writes) = match mix {
        OltpMix::ReadWrite => (true, true),
        OltpMix::ReadOnly => (true, false),
        OltpMix::WriteOnly => (false, true),
        _ => return preset,
    };
    let read = if reads { wanted } else { &preset };
    let write = if writes { wanted } else { &preset };
    OltpTransaction {
        explicit: wanted.explicit,
        point_selects: read.point_selects,
        simple_ranges: read.simple_ranges,
        sum_ranges: read.sum_ranges,
        order_ranges: read.order_ranges,
        distinct_ranges: read.distinct_ranges,
        index_updates: write.index_updates,
        non_index_updates: write.non_index_updates,
        delete_inserts: write.delete_inserts,
        ..preset
    }
}

/// The arguments of sysbench 1.0 for a task, without those that say where the server is.
pub(super) fn arguments(driver: &Driver, workload: &Oltp, task: &Task) -> Vec<String> {
    let mut arguments = Arguments(Vec::new());
    arguments.option("tables", workload.tables);
    arguments.option("table-size", workload.table_size);
    arguments.schema(driver, &workload.schema);
    let command = match task {
        Task::Prepare { threads } => {
            arguments.option("threads", threads);
            "prepare"
        }
        Task::Cleanup => "cleanup",
        Task::Run(SqlLoad { clients, rate, duration, seed }) => {
            arguments.workload(workload);
            arguments.option("threads", clients);
            if let Some(rate) = rate {
                arguments.option("rate", rate);
            }
            // Its number of transactions would end the run as well, were it not zero.
            arguments.option("events", 0);
            arguments.option("time", duration.as_millis().div_ceil(1000));
            if let Some(seed) = seed {
                arguments.option("rand-seed", seed);
            }
            "run"
        }
    };
    arguments.0.extend([workload.mix.name().to_owned(), command.to_owned()]);
    arguments.0
}

struct Arguments(Vec<String>);

impl Arguments {
    fn option(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0.push(format!("--{name}={value}"));
    }

    fn flag(&mut self, name: &str, value: bool) {
        self.option(name, if value { "on" } else { "off" });
    }

    fn schema(&mut self, driver: &Driver, schema: &TableSchema) {
        self.flag("auto-inc", schema.auto_increment);
        self.flag("secondary", schema.secondary);
        self.flag("create-secondary", schema.index_on_k);
        if let Driver::Mysql { .. } = driver {
            let engine = schema.engine.as_deref().unwrap_or(DEFAULT_ENGINE);
            self.option("mysql-storage-engine", engine);
        }
    }

    fn workload(&mut self, workload: &Oltp) {
        let OltpTransaction {
            explicit,
            point_selects,
            simple_ranges,
            sum_ranges,
            order_ranges,
            distinct_ranges,
            index_updates,
            non_index_updates,
            delete_inserts,
            ..
        } = workload.transaction;
        // Scripts of single statements have these options too and ignore them.
        if workload.transaction != workload.mix.transaction() {
            self.flag("skip-trx", !explicit);
            self.option("point-selects", point_selects);
            self.option("simple-ranges", simple_ranges);
            self.option("sum-ranges", sum_ranges);
            self.option("order-ranges", order_ranges);
            self.option("distinct-ranges", distinct_ranges);
            self.option("index-updates", index_updates);
            self.option("non-index-updates", non_index_updates);
            self.option("delete-inserts", delete_inserts);
        }
        self.option("range-size", workload.range_size);
        match workload.mix {
            OltpMix::RandomPoints => self.option("random-points", workload.points),
            OltpMix::RandomRanges => {
                self.option("number-of-ranges", workload.ranges);
                self.option("delta", workload.delta);
            }
            _ => {}
        }
        self.option("db-ps-mode", if workload.prepared { "auto" } else { "disable" });
        self.option("rand-type", workload.distribution.name());
        let KeyParameters { iterations, popular_range, popular_draws, pareto_h, .. } =
            workload.keys;
        self.option("rand-spec-iter", iterations);
        self.option("rand-spec-pct", popular_range);
        self.option("rand-spec-res", popular_draws);
        self.option("rand-pareto-h", pareto_h);
        // The percentile that weighin compares.
        self.option("percentile", 95);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MYSQL: Driver = Driver::Mysql { compression: false };

    fn run(workload: &Oltp) -> String {
        let duration = Duration::from_millis(2500);
        let load = SqlLoad { clients: 16, rate: None, duration, seed: None };
        arguments(&MYSQL, workload, &Task::Run(load)).join(" ")
    }

    #[test]
    fn a_preset_is_named_with_its_tables() {
        let workload = Oltp { tables: 4, table_size: 7, ..Oltp::preset(OltpMix::ReadOnly) };
        let line = run(&workload);
        assert!(line.starts_with("--tables=4 --table-size=7 "), "{line}");
        assert!(line.contains(" --rand-type=special "), "{line}");
        assert!(line.contains(" --threads=16 --events=0 --time=3 "), "{line}");
        assert!(line.ends_with(" oltp_read_only run"), "{line}");
        assert!(!line.contains("--point-selects"), "{line}");
    }

    #[test]
    fn a_changed_transaction_is_spelled_out() {
        let mut workload = Oltp::preset(OltpMix::ReadWrite);
        workload.transaction.explicit = false;
        workload.transaction.order_ranges = 0;
        assert_eq!(unsupported(&workload), None);
        let line = run(&workload);
        assert!(line.contains("--skip-trx=on") && line.contains("--order-ranges=0"), "{line}");
    }

    #[test]
    fn an_open_loop_has_a_rate() {
        let duration = Duration::from_secs(1);
        let load = SqlLoad { clients: 4, rate: Some(250), duration, seed: Some(7) };
        let preset = Oltp::preset(OltpMix::PointSelect);
        let line = arguments(&MYSQL, &preset, &Task::Run(load)).join(" ");
        assert!(line.contains("--rate=250") && line.contains("--rand-seed=7"), "{line}");
    }

    #[test]
    fn what_sysbench_lacks_is_said() {
        let preset = Oltp::preset(OltpMix::ReadOnly);
        assert_eq!(unsupported(&preset), None);
        let zipfian = Oltp { distribution: KeyDistribution::Zipfian, ..preset.clone() };
        let older = Oltp { dialect: OltpDialect::Sysbench04, ..preset.clone() };
        let mut writing = preset;
        writing.transaction.index_updates = 1;
        let two = Oltp { tables: 2, ..Oltp::preset(OltpMix::RandomPoints) };
        for workload in [zipfian, older, writing, two] {
            assert!(unsupported(&workload).is_some(), "{workload:?}");
        }
    }
}
