use crosscheck::pgbench::Pgbench;
use crosscheck::sysbench::Sysbench;

/// What runs the same load: sysbench its own family, pgbench its own scripts.
#[derive(Clone, Debug)]
pub enum SqlTool {
    Sysbench(Sysbench),
    Pgbench(Pgbench),
}

impl SqlTool {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Sysbench(sysbench) => sysbench.name(),
            Self::Pgbench(pgbench) => pgbench.name(),
        }
    }
}
