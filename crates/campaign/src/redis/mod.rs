//! What a campaign asks of Redis and its kin besides the load.

pub(crate) mod counters;
pub(crate) mod facts;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod rights;

use target::client::redis::{RedisConnection, RedisError};

/// One section of the server's report on itself, or all of it for an empty name: name and value of
/// each line.
pub(crate) fn info(
    connection: &mut RedisConnection,
    section: &str,
) -> Result<Vec<(String, String)>, RedisError> {
    let answer = match section {
        "" => connection.command(&[b"INFO"])?,
        section => connection.command(&[b"INFO", section.as_bytes()])?,
    };
    Ok(report(&answer.text().unwrap_or_default()))
}

/// Name and value of each line of such a report.
pub(crate) fn report(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.trim_end().split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// One value out of such a report.
pub(crate) fn value<'a>(report: &'a [(String, String)], name: &str) -> Option<&'a str> {
    report.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
