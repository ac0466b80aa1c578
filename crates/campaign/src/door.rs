use crate::storage::Volumes;
use crate::{Control, Login};

/// The way into a target, for a load.
#[derive(Debug)]
pub enum Door<'a> {
    /// A server: how clients log in, and a connection for everything but the load.
    Server(&'a Login, &'a mut Control),
    /// Volumes, which have no server; their data must have been filled for the load.
    Volumes(&'a Volumes),
}
