use super::options::Script;

/// Scripts with the transactions of pgbench, for its tables: their names and texts.
const BUILTIN: [(&str, &str); 3] = [
    ("tpcb-like", include_str!("builtin/tpcb-like.sql")),
    ("simple-update", include_str!("builtin/simple-update.sql")),
    ("select-only", include_str!("builtin/select-only.sql")),
];

/// The names of the scripts that are built in.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// A script that is built in, by its name. All of them use the variable `scale`: how many branches the
/// tables have.
pub fn builtin(name: &str) -> Option<Script> {
    let (name, text) = BUILTIN.iter().find(|(one, _)| *one == name)?;
    let (name, text) = ((*name).to_owned(), (*text).to_owned());
    Some(Script { name, file: None, text, weight: 1 })
}
