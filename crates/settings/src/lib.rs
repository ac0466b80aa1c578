//! Which settings a study may give to a private server: by what name the server knows a setting,
//! and what the setting could do outside the server's own directory. Reads and runs nothing.

mod mariadb;
mod option_file;
mod options;
mod postgres;
mod redis;

pub use mariadb::KNOWN as MARIADB;
pub use option_file::{OptionLine, option_lines};
pub use options::{NameError, Options, Resolved};
pub use postgres::{KNOWN as POSTGRES, nearest as postgres_nearest};
pub use redis::{KNOWN as REDIS, line as redis_line};

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

/// Whether a text can be the name of a setting. A dot cannot be part of one: MariaDB takes
/// `x.datadir` for `datadir`.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// What is known of the settings of one system's servers.
#[derive(Debug)]
pub struct KnownSettings {
    /// Separates the words of a name.
    separator: char,
    /// What may stand before a name and is no part of it.
    prefixes: &'static [&'static str],
    /// Settings that weighin chooses itself, and why.
    decided: &'static [Rule],
    /// The same by the beginnings of names.
    decided_prefixes: &'static [Rule],
    /// Settings that could harm the host, and how.
    need_trust: &'static [Rule],
    /// The same by the beginnings of names.
    need_trust_prefixes: &'static [Rule],
    /// What is to be done with a setting by its value, where nothing is to be said by the name.
    judge_value: fn(name: &str, value: &str) -> Verdict,
    /// Settings whose values are passwords, or hold them.
    secrets: &'static [&'static str],
    /// The lines of an option file that say something, each with its number from 1.
    read_lines: fn(&[u8]) -> Vec<(usize, OptionLine)>,
    /// Groups of option files that servers of any version read.
    groups: &'static [&'static str],
    /// Settings whose lines in an option file add to one another.
    adding: &'static [&'static str],
    /// What makes a setting one that a server need not know, before its name.
    optional: &'static str,
    /// Settings that name a file of the server, which a private one keeps in its own directory.
    files: &'static [&'static str],
    /// Settings by which a copy of a server would go on with what the original does.
    of_originals: &'static [&'static str],
    cache: Option<Cache>,
}

/// The memory in which a server caches data.
#[derive(Debug)]
struct Cache {
    setting: &'static str,
    /// How many bytes a value is.
    bytes: fn(&str) -> Option<u64>,
}

impl KnownSettings {
    /// Of what has no settings.
    pub const NONE: Self = Self {
        separator: '_',
        prefixes: &[],
        decided: &[],
        decided_prefixes: &[],
        need_trust: &[],
        need_trust_prefixes: &[],
        judge_value: |_, value| by_path(value),
        secrets: &[],
        read_lines: option_lines,
        groups: &[],
        adding: &[],
        optional: "",
        files: &[],
        of_originals: &[],
        cache: None,
    };

    /// A setting's name in lower case, with the separator that the server's documentation uses.
    pub fn normal_name(&self, written: &str) -> String {
        written.to_ascii_lowercase().replace(['_', '-'], &self.separator.to_string())
    }

    /// What is to be done with a setting. The name may have any case and separators, and prefixes such
    /// as `loose_` where servers know those, but must not be abbreviated otherwise:
    /// [`Options::resolve`] gives the whole name.
    pub fn judge(&self, name: &str, value: &str) -> Verdict {
        let name = self.normal_name(name);
        let verdicts = self.forms(&name).map(|form| self.judge_form(form, value));
        verdicts.max_by_key(Verdict::severity).unwrap_or(Verdict::Allowed)
    }

    fn judge_form(&self, name: &str, value: &str) -> Verdict {
        let by = |whole, prefixes| find(whole, name).or_else(|| find_prefix(prefixes, name));
        if let Some(reason) = by(self.decided, self.decided_prefixes) {
            return Verdict::Decided(reason);
        }
        match by(self.need_trust, self.need_trust_prefixes) {
            Some(harm) => Verdict::NeedsTrust(harm),
            None => (self.judge_value)(name, value),
        }
    }

    /// A name, and what remains of it without each of the prefixes that it begins with: some names begin
    /// with one that is part of them.
    fn forms<'a>(&self, name: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::successors(Some(name), |name| {
            self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))
        })
    }

    /// Whether the value of a setting is a password, so that no message may show it, or of one that no server
    /// has but that is called like one.
    pub fn is_secret(&self, name: &str) -> bool {
        const ENDINGS: [&str; 5] = ["password", "passwd", "secret", "token", "credentials"];
        const NONE: [&str; 1] = ["disconnect_on_expired_password"];
        let is_called_so =
            |form: &str| !NONE.contains(&form) && ENDINGS.iter().any(|end| form.ends_with(end));
        self.forms(&self.normal_name(name))
            .any(|form| self.secrets.contains(&form) || is_called_so(form))
    }

    /// The lines of an option file that say something, each with its number from 1.
    pub fn lines(&self, content: &[u8]) -> Vec<(usize, OptionLine)> {
        (self.read_lines)(content)
    }

    /// Whether an option file's lines of a setting add to one another; else the last one counts.
    pub fn adds_up(&self, name: &str) -> bool {
        self.adding.contains(&name)
    }

    /// A name as one that a server need not know, where it can be told that.
    pub fn optional(&self, name: &str) -> String {
        format!("{}{name}", self.optional)
    }

    /// Whether servers read a group of an option file, whatever their version.
    pub fn has_group(&self, group: &str) -> bool {
        self.groups.contains(&group)
    }

    /// The version whose servers alone read a group of an option file: `8.0` of `mysqld-8.0`.
    pub fn version_of<'g>(&self, group: &'g str) -> Option<&'g str> {
        let (name, version) = group.rsplit_once('-')?;
        let is_version = version.starts_with(|c: char| c.is_ascii_digit());
        (self.has_group(name) && is_version).then_some(version)
    }

    /// Whether a setting names a file that a server writes in a directory of its own, unless the name
    /// leads elsewhere.
    pub fn names_own_file(&self, name: &str) -> bool {
        self.files.contains(&name)
    }

    /// Whether a copy of a server would replicate or run events by a setting, as the original does.
    pub fn is_of_originals(&self, name: &str) -> bool {
        self.forms(&self.normal_name(name)).any(|form| self.of_originals.contains(&form))
    }

    /// The setting of the memory in which a server caches data, and how many bytes these settings give
    /// it.
    pub fn cache_bytes(&self, settings: &BTreeMap<String, String>) -> Option<(String, u64)> {
        let Cache { setting: name, bytes } = self.cache.as_ref()?;
        let given = settings.get(*name).or_else(|| settings.get(&format!("loose_{name}")))?;
        Some(((*name).to_owned(), bytes(given)?))
    }
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

/// What is to be done with a setting of which only the value counts.
fn by_path(value: &str) -> Verdict {
    if is_path(value) { Verdict::NeedsTrust(PATH) } else { Verdict::Allowed }
}
