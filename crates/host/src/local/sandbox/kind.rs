//! What has to be known of the servers of a system to start and end private ones of them.

use model::{ProxyProgram, System};
use std::sync::OnceLock;

static PROGRAM_PREFIXES: OnceLock<Vec<&'static str>> = OnceLock::new();

/// By what the programs of the servers that are started here are known, once: guardians are told all of
/// them, for a sandbox that an earlier run left may be of any kind.
pub(super) fn note_programs<'k>(kinds: impl Iterator<Item = &'k KindFacts>) {
    PROGRAM_PREFIXES
        .get_or_init(|| kinds.flat_map(|kind| kind.program_prefixes).copied().collect());
}

/// What the names of these programs begin with.
pub(super) fn program_prefixes() -> &'static [&'static str] {
    PROGRAM_PREFIXES.get().map_or(&[], Vec::as_slice)
}

/// What differs between kinds of private servers before one of them is made.
#[derive(Debug)]
pub struct KindFacts {
    pub system: System,
    /// Which program before a server it is, where it is no server itself.
    pub proxy: Option<ProxyProgram>,
    /// The account of weighin on a private server, and the database that its data is in; none, and an
    /// empty name, where the system has no such thing.
    pub login: (Option<&'static str>, &'static str),
    /// The account of servers that replicate from one.
    pub replication_user: Option<&'static str>,
    /// The account of the operating system that packages make for the server.
    pub account: &'static str,
    /// Whether root runs an installed server as that account, and not as root.
    pub runs_as_account: bool,
    /// What the names of its programs begin with, where servers overwrite the arguments by which their
    /// processes are known otherwise. A program whose name ends with `-cli` is a client all the same.
    pub program_prefixes: &'static [&'static str],
    pub log_words: LogWords,
    /// A setting, and the directory of a distribution, that messages take as examples.
    pub setting_example: &'static str,
    pub base_example: &'static str,
}

/// How servers of a kind say in their logs what goes wrong, besides the words of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogWords {
    pub disk_full: &'static [&'static str],
    pub unknown_setting: &'static [&'static str],
    /// Marks lines that tell of errors.
    pub error: &'static [&'static str],
}
