//! What generic code needs to know of each kind of target. All else that weighin knows of a system
//! stands in the system's own crate.

use crate::durability::kept;
use crate::{
    BackgroundWork, DurabilitySetting, Kept, Placeholder, Promise, ProxyProgram, SqlSyntax,
};
use serde::{Deserialize, Serialize};
use settings::KnownSettings;
use std::collections::BTreeMap;

/// A family of targets: servers that speak one protocol, or no server at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// MariaDB and MySQL.
    #[default]
    Mysql,
    /// PostgreSQL.
    Postgres,
    /// Redis, Valkey and KeyDB.
    Redis,
    /// Files and devices, which weighin reads and writes itself.
    Storage,
    /// Not known: its results were imported.
    Unknown,
}

/// What is true of all targets of one system.
#[derive(Debug)]
pub struct SystemFacts {
    /// What a target is called whose product is not known.
    pub name: &'static str,
    /// The servers of this system; none where there is no server.
    pub products: &'static [&'static str],
    /// What a target is, after `which is`.
    pub described: &'static str,
    /// What a study calls it in `kind`, the most usual first.
    pub kinds: &'static [Kind],
    /// How its servers are addressed; absent where there is no server.
    pub url: Option<UrlFacts>,
    /// How its statements are written, where it takes SQL.
    pub sql: Option<&'static SqlSyntax>,
    /// What can be done with it, and which products can.
    pub features: &'static [(Feature, &'static [&'static str])],
    /// Background work that it can be told to do.
    pub background_work: &'static [BackgroundWork],
    /// The workload whose data `weighin prepare` makes.
    pub usual_workload: &'static str,
    /// What is known of its settings.
    pub settings: &'static KnownSettings,
    /// Settings that weighin chooses for the members of a group.
    pub group_settings: &'static [&'static str],
    /// Settings by which it is told what survives a crash.
    pub durability: &'static [DurabilitySetting],
    /// Codes of errors by which a server refuses a connection because it has as many as it allows.
    pub no_connection_left: &'static [&'static str],
    /// The program that shares its sessions among clients, where weighin starts one.
    pub pooler: Option<ProxyProgram>,
    /// The product behind a version that a server told.
    product: fn(version: &str) -> Option<&str>,
}

/// A value of `kind`.
#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    /// The program of a private server, where it is not whichever of the system's is there.
    pub program: Option<&'static str>,
}

/// How servers of a system are addressed and logged in to.
#[derive(Debug, PartialEq, Eq)]
pub struct UrlFacts {
    /// The most usual first.
    pub schemes: &'static [&'static str],
    /// Schemes of others for the same servers.
    pub aliases: &'static [SchemeAlias],
    pub default_port: u16,
    pub database: DatabaseFacts,
    /// A URL with all that it may have.
    pub example: &'static str,
    /// A URL as short as it gets.
    pub short_example: &'static str,
    /// Where the password is for which a study names no source.
    pub usual_password: UsualPassword,
    /// Whether every login without TLS sends the password as it is.
    pub reveals_password: bool,
    /// What its URLs may say after `?` besides `socket`.
    pub query: Option<&'static QueryFacts>,
}

/// The parameters that URLs of a server have.
#[derive(Debug, PartialEq, Eq)]
pub struct QueryFacts {
    /// A host; one that begins with a slash is the directory of a socket, whose name begins so and ends with
    /// the port.
    pub host: &'static str,
    pub socket_name: &'static str,
    /// How the connection is encrypted, in these words.
    pub tls: &'static str,
    pub tls_words: &'static [(&'static str, UrlTls)],
    /// The file of certificates to verify the server's with.
    pub certificates: &'static str,
    /// What stands in its place for those of the operating system.
    pub usual_certificates: &'static str,
    /// A name under which the user's own files have the rest, and the password.
    pub service: &'static str,
    /// By which methods the server may ask who logs in.
    pub auth: &'static str,
}

/// What a word of a URL says of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlTls {
    Off,
    /// Whichever the server lets one in by, the first of them first.
    Allowed,
    Preferred,
    Unverified,
    /// The certificate is checked, and whose it is not.
    Chain,
    Verified,
}

/// Where the clients of a server look for the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsualPassword {
    /// Option files; which one it is in most often.
    OptionFile(&'static str),
    Variable(&'static str),
}

impl UrlFacts {
    pub fn scheme(&self) -> &'static str {
        self.schemes[0]
    }
}

/// A scheme that other programs take, and weighin does not.
#[derive(Debug, PartialEq, Eq)]
pub struct SchemeAlias {
    pub scheme: &'static str,
    /// The servers that it names, where it is not for all of the system.
    pub servers: Option<&'static str>,
    /// Whether it asks for encryption.
    pub encrypted: bool,
}

/// What stands after the host in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFacts {
    /// The name of a database, which must be there.
    Name,
    /// A number, 0 where it is absent.
    Number,
}

/// What some systems can do and others cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Workloads of the OLTP family.
    Transactions,
    /// Transactions of the user's own SQL.
    OwnTransactions,
    /// The workload of single keys.
    Keys,
    /// The workload of blocks.
    Blocks,
    /// SQL whose time is taken, or that runs beside a load.
    Statements,
    /// Replicas, failover and catch-up.
    Groups,
    /// Connections whose messages are compressed.
    Compression,
    /// RSA keys that encrypt passwords.
    PasswordKeys,
    /// Temporary files of queries.
    TemporaryFiles,
    /// Partitions of a table, each of which is made as a table of its own.
    Partitions,
    /// Option files of servers, which a private server takes its settings from.
    OptionFiles,
    /// Data directories of which a private server gets a copy.
    DataDirectories,
}

const MYSQL: &[&str] = &["MariaDB", "MySQL"];
const POSTGRES: &[&str] = &["PostgreSQL"];
const REDIS: &[&str] = &["Redis", "Valkey", "KeyDB"];
const NO_SERVER: &[&str] = &[];

static MYSQL_FACTS: SystemFacts = SystemFacts {
    name: "MariaDB",
    products: MYSQL,
    described: "MariaDB or MySQL",
    kinds: &[Kind { name: "mariadb", program: None }, Kind { name: "mysql", program: None }],
    url: Some(UrlFacts {
        schemes: &["mysql", "mariadb"],
        aliases: &[],
        default_port: 3306,
        database: DatabaseFacts::Name,
        example: "mysql://user@host:3306/database",
        short_example: "mysql://user@host/database",
        usual_password: UsualPassword::OptionFile("~/.my.cnf"),
        reveals_password: false,
        query: None,
    }),
    sql: Some(&SqlSyntax {
        placeholder: Placeholder::QuestionMark,
        backslash_escapes: true,
        backticks: true,
        dollar_quotes: false,
        hash_comments: true,
        nested_comments: false,
        folds_names: false,
        pipelines: false,
    }),
    features: &[
        (Feature::Transactions, MYSQL),
        (Feature::OwnTransactions, MYSQL),
        (Feature::Statements, MYSQL),
        (Feature::Groups, MYSQL),
        (Feature::Compression, MYSQL),
        (Feature::PasswordKeys, &["MySQL"]),
        (Feature::TemporaryFiles, &["MariaDB"]),
        (Feature::OptionFiles, MYSQL),
        (Feature::DataDirectories, MYSQL),
    ],
    background_work: &[],
    usual_workload: "oltp_read_write",
    settings: &settings::MARIADB,
    group_settings: &[
        "server_id", "log_bin", "skip_log_bin", "skip_slave_start", "skip_replica_start",
    ],
    durability: &[
        DurabilitySetting {
            promise: Promise::CommitsOnDisk,
            name: "innodb_flush_log_at_trx_commit",
            kept_with: &["1", "3"],
        },
        DurabilitySetting {
            promise: Promise::WholePages,
            name: "innodb_doublewrite",
            kept_with: &["on", "1", "detect_and_recover"],
        },
    ],
    no_connection_left: &["1040", "1203", "1226"],
    pooler: None,
    product: |version| (!version.is_empty() && !version.contains("MariaDB")).then_some("MySQL"),
};

/// As libpq has them.
static POSTGRES_QUERY: QueryFacts = QueryFacts {
    host: "host",
    socket_name: ".s.PGSQL.",
    tls: "sslmode",
    tls_words: &[
        ("disable", UrlTls::Off),
        ("allow", UrlTls::Allowed),
        ("prefer", UrlTls::Preferred),
        ("require", UrlTls::Unverified),
        ("verify-ca", UrlTls::Chain),
        ("verify-full", UrlTls::Verified),
    ],
    certificates: "sslrootcert",
    usual_certificates: "system",
    service: "service",
    auth: "require_auth",
};
static POSTGRES_FACTS: SystemFacts = SystemFacts {
    name: "PostgreSQL",
    products: POSTGRES,
    described: "PostgreSQL",
    kinds: &[Kind { name: "postgresql", program: None }, Kind { name: "postgres", program: None }],
    url: Some(UrlFacts {
        schemes: &["postgresql", "postgres"],
        aliases: &[SchemeAlias { scheme: "pgsql", servers: None, encrypted: false }],
        default_port: 5432,
        database: DatabaseFacts::Name,
        example: "postgresql://user@host:5432/database",
        short_example: "postgresql://user@host/database",
        usual_password: UsualPassword::OptionFile("~/.pgpass"),
        reveals_password: false,
        query: Some(&POSTGRES_QUERY),
    }),
    sql: Some(&SqlSyntax::STANDARD),
    features: &[
        (Feature::Transactions, POSTGRES),
        (Feature::OwnTransactions, POSTGRES),
        (Feature::Statements, POSTGRES),
        (Feature::Groups, POSTGRES),
        (Feature::TemporaryFiles, POSTGRES),
        (Feature::Partitions, POSTGRES),
    ],
    background_work: &[],
    usual_workload: "oltp_read_write",
    settings: &settings::POSTGRES,
    group_settings: &[
        "cluster_name",
        "hot_standby",
        "primary_conninfo",
        "primary_slot_name",
        "recovery_target_timeline",
        "synchronous_standby_names",
    ],
    durability: &[
        DurabilitySetting { promise: Promise::CommitsOnDisk, name: "fsync", kept_with: &["on"] },
        DurabilitySetting {
            promise: Promise::CommitsOnDisk,
            name: "synchronous_commit",
            kept_with: &["on", "local", "remote_write", "remote_apply"],
        },
        DurabilitySetting {
            promise: Promise::WholePages,
            name: "full_page_writes",
            kept_with: &["on"],
        },
    ],
    no_connection_left: &["53300"],
    pooler: Some(ProxyProgram::PgBouncer),
    product: |_| None,
};

static REDIS_FACTS: SystemFacts = SystemFacts {
    name: "Redis",
    products: REDIS,
    described: "Redis",
    kinds: &[
        Kind { name: "redis", program: None },
        Kind { name: "valkey", program: Some("valkey-server") },
        Kind { name: "keydb", program: Some("keydb-server") },
    ],
    url: Some(UrlFacts {
        schemes: &["redis"],
        aliases: &[
            SchemeAlias { scheme: "rediss", servers: None, encrypted: true },
            SchemeAlias { scheme: "valkey", servers: Some("Valkey and KeyDB"), encrypted: false },
            SchemeAlias { scheme: "keydb", servers: Some("Valkey and KeyDB"), encrypted: false },
            SchemeAlias { scheme: "valkeys", servers: Some("Valkey"), encrypted: true },
        ],
        default_port: 6379,
        database: DatabaseFacts::Number,
        example: "redis://user@host:6379/0",
        short_example: "redis://host",
        usual_password: UsualPassword::Variable("REDISCLI_AUTH"),
        reveals_password: true,
        query: None,
    }),
    sql: None,
    features: &[(Feature::Keys, REDIS), (Feature::OptionFiles, REDIS)],
    background_work: &BackgroundWork::ALL,
    usual_workload: "key_value",
    settings: &settings::REDIS,
    group_settings: &[],
    durability: &[
        DurabilitySetting {
            promise: Promise::CommitsOnDisk,
            name: "appendonly",
            kept_with: &["yes"],
        },
        DurabilitySetting {
            promise: Promise::CommitsOnDisk,
            name: "appendfsync",
            kept_with: &["always"],
        },
    ],
    // It says so in words alone.
    no_connection_left: &[],
    pooler: None,
    // The others have their names in front of their versions.
    product: |version| version.split_once(' ').map(|(name, _)| name),
};

static STORAGE_FACTS: SystemFacts = SystemFacts {
    name: "storage",
    described: "storage without a server",
    kinds: &[Kind { name: "storage", program: None }],
    features: &[(Feature::Blocks, NO_SERVER)],
    usual_workload: "storage",
    ..UNKNOWN
};

static UNKNOWN_FACTS: SystemFacts = UNKNOWN;

const UNKNOWN: SystemFacts = SystemFacts {
    name: "not known",
    products: NO_SERVER,
    described: "an unknown server",
    kinds: &[],
    url: None,
    sql: None,
    features: &[(Feature::Transactions, NO_SERVER)],
    background_work: &[],
    usual_workload: "oltp_read_write",
    settings: &KnownSettings::NONE,
    group_settings: &[],
    durability: &[],
    no_connection_left: &[],
    pooler: None,
    product: |_| None,
};

/// Servers that weighin does not measure, by the schemes of their URLs.
pub const UNSUPPORTED_SCHEMES: &[(&str, &str)] = &[
    ("mongodb", "MongoDB"),
    ("mongodb+srv", "MongoDB"),
    ("memcache", "Memcached"),
    ("memcached", "Memcached"),
    ("sqlserver", "SQL Server"),
    ("mssql", "SQL Server"),
    ("oracle", "Oracle Database"),
];

impl System {
    /// Those that a study can name.
    pub const KNOWN: [Self; 4] = [Self::Mysql, Self::Postgres, Self::Redis, Self::Storage];

    pub const fn facts(self) -> &'static SystemFacts {
        match self {
            Self::Mysql => &MYSQL_FACTS,
            Self::Postgres => &POSTGRES_FACTS,
            Self::Redis => &REDIS_FACTS,
            Self::Storage => &STORAGE_FACTS,
            Self::Unknown => &UNKNOWN_FACTS,
        }
    }

    /// Whether some target of this system can do that.
    pub fn has(self, feature: Feature) -> bool {
        self.facts().features.iter().any(|(one, _)| *one == feature)
    }

    /// The kinds of targets, in the words of a study, with their systems.
    pub fn kinds() -> impl Iterator<Item = (&'static Kind, Self)> {
        Self::KNOWN
            .into_iter()
            .flat_map(|system| system.facts().kinds.iter().map(move |kind| (kind, system)))
    }

    /// How servers are addressed, with their systems.
    pub fn urls() -> impl Iterator<Item = (&'static UrlFacts, Self)> {
        Self::KNOWN.into_iter().filter_map(|system| Some((system.facts().url.as_ref()?, system)))
    }

    pub fn has_server(self) -> bool {
        self.facts().url.is_some()
    }

    /// The variable that holds a password for which a study names no source.
    pub fn password_variable(self) -> Option<&'static str> {
        match self.facts().url.as_ref()?.usual_password {
            UsualPassword::Variable(name) => Some(name),
            UsualPassword::OptionFile(_) => None,
        }
    }

    /// The URL of a server, to be shown; of the usual system where this one has no servers.
    pub fn url_example(self) -> &'static str {
        let own = self.facts().url.as_ref();
        own.or(Self::default().facts().url.as_ref()).map_or("", |url| url.short_example)
    }

    /// Which promises a server with these variables keeps.
    pub fn durability(self, variables: &BTreeMap<String, String>) -> Vec<Kept> {
        kept(self.facts().durability, variables)
    }

    /// The name of a target whose server told this version.
    pub fn product(self, version: &str) -> String {
        let facts = self.facts();
        (facts.product)(version).unwrap_or(facts.name).to_owned()
    }
}

impl Feature {
    /// The servers that have it, such as `MariaDB and MySQL`.
    pub fn products(self) -> String {
        let features = System::KNOWN.into_iter().flat_map(|system| system.facts().features);
        let those = features.filter(|(feature, _)| *feature == self);
        listed(those.flat_map(|(_, products)| *products).copied(), "and")
    }

    /// The kinds of targets that have it, such as `mariadb or mysql`.
    pub fn kinds(self) -> String {
        let those = System::kinds().filter(|(_, system)| system.has(self));
        listed(those.map(|(kind, _)| kind.name), "or")
    }
}

/// `a, b or c`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>, joined_by: &str) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("{} {joined_by} {last}", before.join(", "))
        }
        _ => names.concat(),
    }
}

impl std::fmt::Display for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.facts().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_systems_share_a_kind_or_a_scheme() {
        let mut kinds = BTreeSet::new();
        assert!(System::kinds().all(|(kind, _)| kinds.insert(kind.name)));
        let mut schemes: BTreeSet<&str> =
            UNSUPPORTED_SCHEMES.iter().map(|(scheme, _)| *scheme).collect();
        for (url, _) in System::urls() {
            let aliases = url.aliases.iter().map(|alias| &alias.scheme);
            assert!(url.schemes.iter().chain(aliases).all(|scheme| schemes.insert(scheme)));
            assert!(url.example.starts_with(&format!("{}://", url.scheme())));
        }
    }

    #[test]
    fn products_are_told_by_versions() {
        assert_eq!(System::Mysql.product("10.11.6-MariaDB"), "MariaDB");
        assert_eq!(System::Mysql.product("8.4.2"), "MySQL");
        assert_eq!(System::Mysql.product(""), "MariaDB");
        assert_eq!(System::Redis.product("Valkey 8.0.1"), "Valkey");
        assert_eq!(System::Redis.product("7.0.15"), "Redis");
    }

    #[test]
    fn products_and_kinds_read_as_a_sentence() {
        assert_eq!(Feature::Groups.products(), "MariaDB, MySQL and PostgreSQL");
        assert_eq!(Feature::Keys.kinds(), "redis, valkey or keydb");
        assert_eq!(Feature::Blocks.products(), "");
    }
}
