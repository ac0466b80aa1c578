//! The options of each generation: one table, from which command lines are checked and help is
//! printed.

use super::generation::{Generation, Release};
use model::OltpMix;

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole number from 0.
    Number,
    /// A number.
    Real,
    /// `on` or `off`; on where no value is given.
    Flag,
    /// Any text.
    Text,
    /// Texts, separated by commas.
    List,
}

/// Where help shows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    General,
    Random,
    Log,
    Latency,
    Database,
    Mysql,
    Pgsql,
    /// Those of tests.
    Test,
    /// Those that the original does not have.
    Own,
}

/// How far an option is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    /// In full.
    Full,
    /// Only its default, which says that it is not wanted; any other value is an error.
    DefaultOnly,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// Name without `--`, with hyphens.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The value when it is not given; empty for none.
    pub(super) default: &'static str,
    pub(super) support: Support,
    /// Whether it is an option of the tests' scripts, which are shown with underscores.
    pub(super) of_script: bool,
    /// What it does, in a few words.
    pub(super) help: &'static str,
}

impl Spec {
    /// Where help shows it.
    pub(super) fn section(&self) -> Section {
        const OF_OLDER_TESTS: [&str; 7] = [
            "mysql-table-engine",
            "mysql-engine-trx",
            "mysql-table-options",
            "myisam-max-rows",
            "random-points",
            "number-of-ranges",
            "random-ranges-delta",
        ];
        let begins = |start| self.name.starts_with(start);
        match self.name {
            "verbosity" => Section::Log,
            "percentile" | "histogram" => Section::Latency,
            name if OF_OLDER_TESTS.contains(&name) => Section::Test,
            _ if self.of_script || begins("oltp-") => Section::Test,
            _ if begins("rand-") => Section::Random,
            _ if begins("db-") => Section::Database,
            _ if begins("mysql-") => Section::Mysql,
            _ if begins("pgsql-") => Section::Pgsql,
            _ if begins("weighin-") => Section::Own,
            _ => Section::General,
        }
    }

    /// Whether a test of 1.0 has it: some have options that others do not know.
    pub(super) fn is_of(&self, mix: OltpMix) -> bool {
        match self.name {
            "random-points" => mix == OltpMix::RandomPoints,
            "number-of-ranges" | "delta" => mix == OltpMix::RandomRanges,
            _ => true,
        }
    }
}

const fn full(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Spec {
    Spec { name, kind, default, support: Support::Full, of_script: false, help }
}

const fn only(name: &'static str, kind: Kind, default: &'static str) -> Spec {
    Spec { name, kind, default, support: Support::DefaultOnly, of_script: false, help: "" }
}

const fn script(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Spec {
    Spec { of_script: true, ..full(name, kind, default, help) }
}

use Kind::{Flag, List, Number, Real, Text};

/// Options that all generations have.
const COMMON: [Spec; 34] = [
    full("report-interval", Number, "0", "seconds between interim lines, 0 for none"),
    full("report-checkpoints", List, "", "seconds after which to report everything and count anew"),
    full(
        "forced-shutdown",
        Text,
        "off",
        "seconds, or % of the time limit, to wait for replies after it; 5% where no value is given",
    ),
    only("debug", Flag, "off"),
    full("percentile", Number, "95", "which percentile of the latency to print"),
    full("mysql-host", List, "localhost", "servers; localhost means the Unix socket"),
    full("mysql-port", List, "3306", "their ports: each host is taken to have all of them"),
    full("mysql-socket", List, "", "Unix sockets to use in place of hosts and ports"),
    full("mysql-user", Text, "sbtest", "account"),
    full("mysql-password", Text, "", "its password; better in WEIGHIN_SYSBENCH_PASSWORD"),
    full("mysql-db", Text, "sbtest", "database"),
    full("mysql-ssl", Flag, "off", "whether to encrypt; the certificate is not checked"),
    full("mysql-dry-run", Flag, "off", "measure the client alone, against no server"),
    full("pgsql-host", Text, "localhost", "server, or the directory of its Unix socket"),
    full("pgsql-port", Number, "5432", "its port"),
    full("pgsql-user", Text, "sbtest", "account"),
    full("pgsql-password", Text, "", "its password; better in WEIGHIN_SYSBENCH_PASSWORD"),
    full("pgsql-db", Text, "sbtest", "database"),
    full("db-driver", Text, "mysql", "mysql or pgsql"),
    full("db-ps-mode", Text, "auto", "auto prepares statements, disable sends text"),
    full("test", Text, "", "name of the test, or path of its script"),
    full("help", Flag, "off", "print this"),
    full("version", Flag, "off", "print the version that is imitated"),
    full("weighin-compat", Text, "", "generation to imitate: 0.4, 0.5, 1.0 or 1.1"),
    full("weighin-percentiles", List, "", "more percentiles to print, such as 50,99,99.9"),
    full("weighin-workers", Number, "0", "threads that drive the connections, 0 to choose"),
    full(
        "weighin-get-server-public-key",
        Flag,
        "off",
        "without TLS, encrypt the password with whichever key the server sends",
    ),
    full("weighin-server-public-key", Text, "", "PEM file with the one key that may do so"),
    full(
        "weighin-allow-cleartext",
        Flag,
        "off",
        "give servers that are not verified the password as it is, if they ask for it",
    ),
    full("weighin-statements", Flag, "off", "print the latencies of each kind of statement"),
    only("mysql-debug", Flag, "off"),
    full(
        "mysql-compression",
        Flag,
        "off",
        "whether to compress what goes to servers and comes from them",
    ),
    full("config-file", Text, "", "file of further options, one NAME=VALUE a line"),
    full("verbosity", Number, "3", "0 to 5: below 3 no figures, below 2 no warnings"),
];

/// What the programs of 0.4 and 0.5 have.
const OLDER: [Spec; 3] = [
    full("num-threads", Number, "1", "connections"),
    full("max-requests", Number, "10000", "end after so many events, 0 for no limit"),
    full("max-time", Number, "0", "end after so many seconds, 0 for no limit"),
];

/// What the tests of 0.4 and the scripts of 0.5 have.
const OLDER_TESTS: [Spec; 18] = [
    full("mysql-table-engine", Text, "innodb", "storage engine of the tables"),
    full("mysql-engine-trx", Text, "auto", "whether the engine has transactions"),
    only("myisam-max-rows", Number, "1000000"),
    full("oltp-table-size", Number, "10000", "rows of a table"),
    full("oltp-range-size", Number, "100", "rows of a range"),
    full("oltp-point-selects", Number, "10", "point selects in a transaction"),
    full("oltp-simple-ranges", Number, "1", "range selects in a transaction"),
    full("oltp-sum-ranges", Number, "1", "sums over ranges in a transaction"),
    full("oltp-order-ranges", Number, "1", "sorted ranges in a transaction"),
    full("oltp-distinct-ranges", Number, "1", "distinct ranges in a transaction"),
    full("oltp-index-updates", Number, "1", "updates of k in a transaction"),
    full("oltp-non-index-updates", Number, "1", "updates of c in a transaction"),
    full("oltp-delete-inserts", Number, "1", "deletes with inserts in a transaction"),
    full("oltp-range-selects", Flag, "on", "whether to run range selects"),
    full("oltp-auto-inc", Flag, "on", "whether the server numbers new rows"),
    full("oltp-read-only", Flag, "off", "leave out what writes"),
    full("oltp-write-only", Flag, "off", "leave out what reads"),
    full("oltp-skip-trx", Flag, "off", "leave out BEGIN and COMMIT"),
];

/// What only 0.4 has.
const ONLY_04: [Spec; 22] = [
    only("tx-rate", Number, "0"),
    only("thread-stack-size", Text, "32K"),
    only("validate", Flag, "off"),
    only("tx-jitter", Number, "0"),
    full("init-rng", Flag, "off", "seed from the clock"),
    full("seed-rng", Number, "0", "seed of the random numbers"),
    only("mysql-create-options", Text, ""),
    full("oltp-test-mode", Text, "complex", "complex, simple or nontrx"),
    full(
        "oltp-reconnect-mode",
        Text,
        "session",
        "session, or transaction: a connection for each event",
    ),
    only("oltp-sp-name", Text, ""),
    full("oltp-nontrx-mode", Text, "select", "select, update_key, update_nokey, insert, delete"),
    only("oltp-connect-delay", Number, "10000"),
    only("oltp-user-delay-min", Number, "0"),
    only("oltp-user-delay-max", Number, "0"),
    full("oltp-table-name", Text, "sbtest", "name of the table"),
    full("oltp-dist-type", Text, "special", "uniform, gaussian or special"),
    full("oltp-dist-iter", Number, "12", "uniform draws that make up a gaussian one"),
    full("oltp-dist-pct", Number, "1", "popular part of the keys, in percent"),
    full(
        "oltp-dist-res",
        Number,
        "75",
        "share of share of share of share of draws that hit it, in percent",
    ),
    only("oltp-point-select-mysql-handler", Flag, "off"),
    only("oltp-point-select-all-cols", Flag, "off"),
    full("oltp-secondary", Flag, "off", "an ordinary index on id"),
];

/// How keys are drawn, in 0.5 and 1.0.
const RANDOM: [Spec; 6] = [
    full("rand-type", Text, "special", "uniform, gaussian, special, pareto or zipfian"),
    full("rand-spec-iter", Number, "12", "uniform draws that make up a gaussian one"),
    full("rand-spec-pct", Number, "1", "popular part of the keys, in percent"),
    full(
        "rand-spec-res",
        Number,
        "75",
        "share of share of share of share of draws that hit it, in percent",
    ),
    full("rand-seed", Number, "0", "seed of the random numbers, 0 for none"),
    full("rand-pareto-h", Real, "0.2", "shape of pareto, between 0 and 1"),
];

/// What the program of 0.5 has.
const ONLY_05: [Spec; 6] = [
    full("tx-rate", Number, "0", "events per second that arrive, 0 for as many as can be done"),
    only("thread-stack-size", Text, "64K"),
    full("rand-init", Flag, "off", "seed from the clock"),
    full("validate", Flag, "off", "changes nothing for these tests"),
    IGNORED_ERRORS,
    only("db-debug", Flag, "off"),
];

const IGNORED_ERRORS: Spec = full(
    "mysql-ignore-errors",
    List,
    "1213,1020,1205",
    "errors after which a transaction starts over; none, or all",
);

/// What the scripts of 0.5 have.
const SCRIPTS_05: [Spec; 7] = [
    full("oltp-tables-count", Number, "1", "number of tables"),
    full("oltp-secondary", Flag, "off", "an ordinary index on id"),
    full("oltp-dist-type", Text, "", "old name of --rand-type"),
    full("random-points", Number, "10", "values in a list"),
    full("number-of-ranges", Number, "10", "ranges in a statement"),
    full("random-ranges-delta", Number, "5", "width of a range of select_random_ranges"),
    full("mysql-table-options", Text, "", "end of CREATE TABLE"),
];

/// What the programs of 1.0 and 1.1 have.
const RECENT: [Spec; 14] = [
    only("thread-stack-size", Text, "64K"),
    full("thread-init-timeout", Number, "30", "seconds in which all threads must be connected"),
    full("threads", Number, "1", "connections"),
    full("events", Number, "0", "end after so many events, 0 for no limit"),
    full("time", Number, "10", "end after so many seconds, 0 for no limit"),
    full("warmup-time", Number, "0", "seconds of load that do not count"),
    full("rate", Number, "0", "events per second that arrive, 0 for as many as can be done"),
    full("validate", Flag, "off", "changes nothing for these tests"),
    full("histogram", Flag, "off", "print the distribution of latencies"),
    full("rand-zipfian-exp", Real, "0.8", "exponent of zipfian"),
    only("mysql-ssl-cipher", Text, ""),
    IGNORED_ERRORS,
    only("db-debug", Flag, "off"),
    only("luajit-cmd", Text, ""),
];

/// Names that 1.0 took over from 0.5, with a warning.
const OLD_NAMES_IN_10: [Spec; 4] = [
    full("num-threads", Number, "1", "old name of --threads"),
    full("max-requests", Number, "0", "old name of --events"),
    full("max-time", Number, "0", "old name of --time"),
    full("tx-rate", Number, "0", "old name of --rate"),
];

/// What the scripts of 1.0 and 1.1 have.
const RECENT_SCRIPTS: [Spec; 21] = [
    script("tables", Number, "1", "number of tables"),
    script("table-size", Number, "10000", "rows of a table"),
    script("range-size", Number, "100", "rows of a range"),
    script("point-selects", Number, "10", "point selects in a transaction"),
    script("simple-ranges", Number, "1", "range selects in a transaction"),
    script("sum-ranges", Number, "1", "sums over ranges in a transaction"),
    script("order-ranges", Number, "1", "sorted ranges in a transaction"),
    script("distinct-ranges", Number, "1", "distinct ranges in a transaction"),
    script("index-updates", Number, "1", "updates of k in a transaction"),
    script("non-index-updates", Number, "1", "updates of c in a transaction"),
    script("delete-inserts", Number, "1", "deletes with inserts in a transaction"),
    script("range-selects", Flag, "on", "whether to run range selects"),
    script("skip-trx", Flag, "off", "leave out BEGIN and COMMIT"),
    script("auto-inc", Flag, "on", "whether the server numbers new rows"),
    script("secondary", Flag, "off", "an ordinary index on id"),
    script("create-secondary", Flag, "on", "whether k has an index"),
    script("mysql-storage-engine", Text, "innodb", "storage engine of the tables"),
    only("pgsql-variant", Text, ""),
    script("random-points", Number, "10", "values in the list of select_random_points"),
    script("number-of-ranges", Number, "10", "ranges in select_random_ranges"),
    script("delta", Number, "5", "width of a range of select_random_ranges"),
];

/// What only the program of 1.1 has.
const ONLY_11: [Spec; 1] = [full(
    "pgsql-sslmode",
    Text,
    "prefer",
    "disable, allow, prefer, require, verify-ca or verify-full",
)];

/// What the scripts of 1.1 have beside those of 1.0.
const SCRIPTS_11: [Spec; 2] = [
    script("create-table-options", Text, "", "end of CREATE TABLE"),
    script("reconnect", Number, "0", "make a new connection after so many events, 0 for never"),
];

/// All options of a generation.
pub(super) fn options(generation: Generation) -> impl Iterator<Item = Spec> {
    let program: [&'static [Spec]; 3] = match generation.program {
        Release::V04 => [&OLDER, &[], &[]],
        Release::V05 => [&OLDER, &RANDOM, &ONLY_05],
        Release::V10 => [&RECENT, &RANDOM, &OLD_NAMES_IN_10],
        Release::V11 => [&RECENT, &RANDOM, &ONLY_11],
    };
    let tests: [&'static [Spec]; 2] = match generation.tests {
        Release::V04 => [&OLDER_TESTS, &ONLY_04],
        Release::V05 => [&OLDER_TESTS, &SCRIPTS_05],
        Release::V10 => [&RECENT_SCRIPTS, &[]],
        Release::V11 => [&RECENT_SCRIPTS, &SCRIPTS_11],
    };
    let all = COMMON.iter().chain(program.into_iter().flatten()).chain(tests.into_iter().flatten());
    all.map(move |&spec| Spec { default: default_of(&spec, generation.program), ..spec })
}

/// The value of an option that was not given: releases differ in a few.
fn default_of(spec: &Spec, program: Release) -> &'static str {
    match (spec.name, program) {
        ("rand-type", Release::V11) => "uniform",
        ("verbosity", Release::V04) => "4",
        _ => spec.default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_generation_has_an_option_twice() {
        for generation in Generation::ALL {
            let mut seen = HashSet::new();
            assert!(options(generation).all(|spec| seen.insert(spec.name)), "{generation:?}");
        }
    }
}
