/// Study files to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// Two private servers that differ in one setting.
    HeadToHead,
    /// Transactions of the user's own, with their data.
    OwnWorkload,
    /// Order entry, derived from TPC-C, on two products.
    OrderEntry,
    /// One server in two versions.
    VersionUpgrade,
    /// May a server take over: replication, queries, schema changes, loads and failover.
    AcceptanceTest,
    /// A server of one's own against one in a cloud.
    MetalVsCloud,
    /// Latency of a server that has just started, on two kinds of disk.
    ColdCache,
    /// Redis on four set-ups of volume and instance, with prices.
    RedisVolumes,
    /// Reads and writes of many virtual machines on the volumes of a host.
    StorageCluster,
    /// Queries over whole tables, by the time that they take.
    AnalyticQueries,
    /// What is lost when a server is killed, and how long it is away.
    Failover,
    /// Replicas that catch up, with and without parallel replication.
    Replication,
    /// Two products with the same loads.
    PostgresOrMariaDb,
    /// What distance and encryption on the way to a server cost.
    NetworkPath,
}

impl Template {
    /// All templates, in the order in which help texts list them.
    pub const ALL: [Self; 14] = [
        Self::HeadToHead,
        Self::OwnWorkload,
        Self::OrderEntry,
        Self::VersionUpgrade,
        Self::AcceptanceTest,
        Self::MetalVsCloud,
        Self::ColdCache,
        Self::RedisVolumes,
        Self::StorageCluster,
        Self::AnalyticQueries,
        Self::Failover,
        Self::Replication,
        Self::PostgresOrMariaDb,
        Self::NetworkPath,
    ];

    /// The name that the command line gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::HeadToHead => "head-to-head",
            Self::OwnWorkload => "own-workload",
            Self::OrderEntry => "order-entry",
            Self::VersionUpgrade => "version-upgrade",
            Self::AcceptanceTest => "acceptance-test",
            Self::MetalVsCloud => "metal-vs-cloud",
            Self::ColdCache => "cold-cache",
            Self::RedisVolumes => "redis-volumes",
            Self::StorageCluster => "storage-cluster",
            Self::AnalyticQueries => "analytic-queries",
            Self::Failover => "failover",
            Self::Replication => "replication",
            Self::PostgresOrMariaDb => "postgres-or-mariadb",
            Self::NetworkPath => "network-path",
        }
    }

    /// What it compares or measures, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::HeadToHead => "two private servers that differ in one setting",
            Self::OwnWorkload => "transactions of your own: a small web shop, with its data",
            Self::OrderEntry => "order entry, derived from TPC-C, on two products",
            Self::VersionUpgrade => "one server in two versions",
            Self::AcceptanceTest => {
                "may a server take over: replication, queries, schema changes, loads and failover"
            }
            Self::MetalVsCloud => "a server of one's own against one in a cloud",
            Self::ColdCache => "latency of a server that has just started, on two kinds of disk",
            Self::RedisVolumes => "Redis on four set-ups of volume and instance, with prices",
            Self::StorageCluster => {
                "reads and writes of many virtual machines on the volumes of a host"
            }
            Self::AnalyticQueries => "queries over whole tables, by the time that they take",
            Self::Failover => "what is lost when a server is killed, and how long it is away",
            Self::Replication => "replicas that catch up, with and without parallel replication",
            Self::PostgresOrMariaDb => "two products with the same loads, both durable",
            Self::NetworkPath => "what distance and encryption on the way to a server cost",
        }
    }

    /// The template of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }
}

/// The text of a template: a valid study file that explains its keys.
pub fn template(kind: Template) -> &'static str {
    match kind {
        Template::HeadToHead => include_str!("../templates/head-to-head.toml"),
        Template::OwnWorkload => include_str!("../templates/own-workload.toml"),
        Template::OrderEntry => include_str!("../templates/order-entry.toml"),
        Template::VersionUpgrade => include_str!("../templates/version-upgrade.toml"),
        Template::AcceptanceTest => include_str!("../templates/acceptance-test.toml"),
        Template::MetalVsCloud => include_str!("../templates/metal-vs-cloud.toml"),
        Template::ColdCache => include_str!("../templates/cold-cache.toml"),
        Template::RedisVolumes => include_str!("../templates/redis-volumes.toml"),
        Template::StorageCluster => include_str!("../templates/storage-cluster.toml"),
        Template::AnalyticQueries => include_str!("../templates/analytic-queries.toml"),
        Template::Failover => include_str!("../templates/failover.toml"),
        Template::Replication => include_str!("../templates/replication.toml"),
        Template::PostgresOrMariaDb => include_str!("../templates/postgres-or-mariadb.toml"),
        Template::NetworkPath => include_str!("../templates/network-path.toml"),
    }
}

/// The files that the study of a template names, with their paths relative to it.
pub fn template_files(kind: Template) -> &'static [(&'static str, &'static str)] {
    match kind {
        Template::OwnWorkload => &[
            ("shop/schema.sql", include_str!("../templates/own-workload/schema.sql")),
            ("shop/browse.sql", include_str!("../templates/own-workload/browse.sql")),
            ("shop/account.sql", include_str!("../templates/own-workload/account.sql")),
            ("shop/checkout.sql", include_str!("../templates/own-workload/checkout.sql")),
        ],
        _ => &[],
    }
}

/// The study that `weighin demo` runs: about four minutes.
pub fn demo() -> &'static str {
    template(Template::HeadToHead)
}
