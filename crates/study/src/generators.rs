//! How many processes make the load of a test.

use crate::problem::Problems;
use crate::validate::whole;
use crate::wire::ServerKeys;
use model::{Level, Load};
use toml::Spanned;

/// The load generators of a test with these levels: every one of them needs a client.
pub(crate) fn load_generators(
    server: &ServerKeys,
    levels: &[Level],
    problems: &mut Problems,
) -> u32 {
    let most = Load::MOST_LOAD_GENERATORS;
    let count = whole("load_generators", &server.load_generators, 1, 1..=most, problems);
    let fewest = levels.iter().map(|level| level.clients).min();
    if let (Some(at), Some(clients)) =
        (server.load_generators.as_ref().map(Spanned::span), fewest.filter(|&few| few < count))
    {
        problems
            .add(
                at,
                format!(
                    "{count} load generators cannot share a level of {clients} {}",
                    if clients == 1 { "client" } else { "clients" }
                ),
            )
            .help(format!("every generator needs a client: begin with {count} clients, or more"));
    }
    count
}
