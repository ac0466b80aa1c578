//! What a campaign asks of MariaDB and MySQL besides the load.

pub(crate) mod counters;
pub(crate) mod facts;
pub(crate) mod limits;
