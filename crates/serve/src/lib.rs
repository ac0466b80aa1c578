//! Pages over HTTP: the studies of a directory, and the figures of a run for programs that collect them.
//!
//! Nothing here writes a file. Who may come in is decided by a [`Door`]; what is behind it is read from
//! results files that other processes write meanwhile, or told by a run of this process.

mod cache;
mod catalog;
mod door;
mod events;
mod exposition;
mod figures;
mod gate;
mod patient;
mod places;
mod policy;
mod read;
mod server;
mod site;
mod token;

pub use door::{Door, DoorOptions, Pem};
pub use exposition::{Family, FamilyHead, FamilyKind, TextFormat};
pub use figures::{Answer, FigureListener, Figures};

use catalog::Catalog;
use files::Directory;
use model::{Failure, FailureKind, ReadLimit, Stop};
use rustix::time::{ClockId, clock_gettime};
use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The lowest priority that a thread can have: whatever is measured on this machine comes first.
const NICENESS: i32 = 19;

/// Shows the studies of a directory until it is stopped; reading one of them may take as much as the
/// limit says, and what is kept of all of them together as well. `listening` is told the address.
///
/// # Errors
/// When there is no such directory, or the address cannot be listened on.
pub fn serve_directory(
    path: &Path,
    limit: ReadLimit,
    door: Door,
    stop: &Stop,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), Failure> {
    // Without links from here on, and there.
    let directory = Directory::open(path).map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("cannot open the directory {}: {error}", path.display()),
            "name a directory that holds results files (*.weighin)",
        )
    })?;
    let catalog = Catalog::new(&directory, limit).map_err(|error| {
        let message = format!("cannot read the directory {}: {error}", path.display());
        Failure::new(FailureKind::Other, message, "name another directory")
    })?;
    let server = server::Server::bind(door)?;
    let reader = {
        let (catalog, stop) = (catalog.clone(), stop.clone());
        let reader = thread::Builder::new().name("catalog".to_owned());
        reader.spawn(move || catalog.keep(&stop)).map_err(|error| no_thread(&error))?
    };
    give_way();
    listening(server.address());
    server.run(|ending| site::router(catalog, ending), stop)?;
    // It looks at the stop between two files; a file that takes longer need not be waited for.
    if reader.is_finished() {
        // If it panicked, the panic hook has said so.
        let _ = reader.join();
    }
    Ok(())
}

fn no_thread(error: &std::io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("cannot start a thread: {error}"),
        "raise the limit of processes (ulimit -u)",
    )
}

/// Processor time of this thread so far: what its work costs others. That it had to wait for a processor, as one
/// that gives way does on a busy machine, costs them nothing.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Gives way to everything else on this machine; where that is not permitted, it still does little.
fn give_way() {
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
}
