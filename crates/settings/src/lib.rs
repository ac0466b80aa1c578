//! Which settings a study may give to a private server: by what name the server knows a setting,
//! and what the setting could do outside the server's own directory. Reads and runs nothing.

mod mariadb;
mod option_file;
mod options;
mod postgres;
mod redis;

pub use option_file::{OptionLine, option_lines, redis_lines};
pub use options::{NameError, Options, Resolved};
pub use postgres::nearest as postgres_nearest;
pub use redis::line as redis_line;

use model::System;
use std::collections::BTreeMap;

/// What is to be done with a setting of a private server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is given to the server.
    Allowed,
    /// Weighin chooses it itself, for this reason; no study may set it.
    Decided(&'static str),
    /// It could do this to the host. It is given to the server only where the study says
    /// `trusted = true`.
    NeedsTrust(&'static str),
}

impl Verdict {
    fn severity(&self) -> u8 {
        match self {
            Self::Allowed => 0,
            Self::NeedsTrust(_) => 1,
            Self::Decided(_) => 2,
        }
    }
}

/// A group of settings: why they are refused, and their names.
type Rule = (&'static str, &'static [&'static str]);

/// Why a value that is a path needs trust.
const PATH: &str = "its value is a path, which may lead out of the server's own directory";

/// A setting's name in lower case, with the separator that the server's documentation uses: `_` for
/// MariaDB, `-` for Redis.
pub fn normal_name(system: System, written: &str) -> String {
    let separator = system.facts().setting_separator.to_string();
    written.to_ascii_lowercase().replace(['_', '-'], &separator)
}

/// Whether a text can be the name of a setting. A dot cannot be part of one: MariaDB takes
/// `x.datadir` for `datadir`.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// What is to be done with a setting. The name may have any case and separators. For MariaDB it may
/// have prefixes such as `loose_`, but must not be abbreviated otherwise: [`Options::resolve`] gives
/// the whole name.
pub fn judge(system: System, name: &str, value: &str) -> Verdict {
    let name = normal_name(system, name);
    match system {
        System::Redis => redis::judge(&name, value),
        System::Postgres => postgres::judge(&name, value),
        System::Mysql | System::Storage | System::Unknown => {
            let verdicts = options::forms(&name).map(|form| mariadb::judge(form, value));
            verdicts.max_by_key(Verdict::severity).unwrap_or(Verdict::Allowed)
        }
    }
}

/// Whether the value of a setting is a password, so that no message may show it.
pub fn is_secret(system: System, name: &str) -> bool {
    let name = normal_name(system, name);
    match system {
        System::Redis => redis::SECRETS.contains(&name.as_str()),
        System::Postgres => postgres::SECRETS.contains(&name.as_str()),
        System::Mysql | System::Storage | System::Unknown => {
            options::forms(&name).any(|form| mariadb::SECRETS.contains(&form))
        }
    }
}

/// Whether servers read a group of an option file, whatever their version.
pub fn is_of_servers(group: &str) -> bool {
    mariadb::GROUPS.contains(&group)
}

/// Whether only servers of one version read a group of an option file, such as `mysqld-8.0`.
pub fn is_of_one_version(group: &str) -> bool {
    let version = |(name, version): (&str, &str)| {
        is_of_servers(name) && version.starts_with(|c: char| c.is_ascii_digit())
    };
    group.rsplit_once('-').is_some_and(version)
}

/// Whether a setting names a file that a server writes in a directory of its own, unless the name leads
/// elsewhere.
pub fn names_own_file(system: System, name: &str) -> bool {
    system != System::Redis && mariadb::FILES.contains(&name)
}

/// The setting of the memory in which a server caches data, and how many bytes these settings give it.
pub fn cache_bytes(system: System, settings: &BTreeMap<String, String>) -> Option<(String, u64)> {
    let name = match system {
        System::Redis => return None,
        System::Postgres => {
            let given = settings.get(postgres::CACHE)?;
            return Some((postgres::CACHE.to_owned(), postgres::bytes(given)?));
        }
        System::Mysql | System::Storage | System::Unknown => mariadb::CACHE,
    };
    let given = settings.get(name).or_else(|| settings.get(&format!("loose_{name}")))?;
    Some((name.to_owned(), mariadb::bytes(given)?))
}

fn find(rules: &[Rule], name: &str) -> Option<&'static str> {
    rules.iter().find(|(_, names)| names.contains(&name)).map(|(reason, _)| *reason)
}

/// The same of the beginnings of names.
fn find_prefix(rules: &[Rule], name: &str) -> Option<&'static str> {
    let begins = |names: &[&str]| names.iter().any(|prefix| name.starts_with(prefix));
    rules.iter().find(|(_, names)| begins(names)).map(|(reason, _)| *reason)
}

/// Whether a server could take a value, or a part of one that is a list, for a path out of the
/// directory that it works in.
fn is_path(value: &str) -> bool {
    let leads_out = |part: &str| part.starts_with('~') || matches!(part, "." | "..");
    value.contains(['/', '\\']) || value.split([';', ',', ':', '=', ' ', '"', '\'']).any(leads_out)
}
