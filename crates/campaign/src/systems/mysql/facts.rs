use model::{Failure, ServerFacts};
use std::collections::BTreeMap;
use target::client::Connection;

/// Reads what a server says of itself.
pub(super) fn server_facts(control: &mut Connection) -> Result<ServerFacts, Failure> {
    Ok(ServerFacts {
        version: control.server_version().to_owned(),
        variables: variables(control)?,
        ..ServerFacts::default()
    })
}

/// Reads all server variables.
pub(super) fn variables(control: &mut Connection) -> Result<BTreeMap<String, String>, Failure> {
    let endpoint = control.endpoint().clone();
    let rows = control
        .query("SHOW GLOBAL VARIABLES")
        .map_err(|e| e.failure(&format!("cannot read the variables of {endpoint}")))?
        .rows;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut fields = row.into_iter();
            let name = fields.next()??;
            let value = fields.next()?.unwrap_or_default();
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Some((text(name), text(value)))
        })
        .collect())
}
