//! What the sessions of an account begin with. In some states a load measures something else than it says.

use crate::client::Connection;
use model::{Failure, FailureKind, Oltp};
use std::collections::BTreeMap;

const NAMES: [&str; 3] = ["autocommit", "completion_type", "sql_select_limit"];

/// Refuses sessions in which transactions are not committed when a load says so, or reads give fewer rows
/// than there are. The connection must be of the account that the load logs in with: the server's
/// `init_connect` counts for it too.
///
/// # Errors
/// `NotPermitted`, with the variable and how to set it.
pub(super) fn refuse_unfit(control: &mut Connection, oltp: Option<&Oltp>) -> Result<(), Failure> {
    let variables = variables(control)?;
    let text = |name: &str| variables.get(name).map(String::as_str);
    let endpoint = control.endpoint();
    let refuse = |said: String, remedy: &str| {
        Err(Failure::new(
            FailureKind::NotPermitted,
            said,
            format!("{remedy}, and look for it in init_connect"),
        ))
    };
    if matches!(text("autocommit"), Some("OFF" | "0")) {
        return refuse(
            format!(
                "sessions at {endpoint} begin with autocommit off: what a load writes outside of a \
                 transaction would never be committed"
            ),
            "SET GLOBAL autocommit = 1 for the time of the study",
        );
    }
    if let Some(value) = text("completion_type").filter(|value| !matches!(*value, "NO_CHAIN" | "0"))
    {
        return refuse(
            format!(
                "at {endpoint} a COMMIT does more than commit (completion_type = {value}): it opens the \
                 next transaction or ends the session"
            ),
            "SET GLOBAL completion_type = NO_CHAIN for the time of the study",
        );
    }
    let range = oltp.map_or(0, |oltp| u64::from(oltp.range_size));
    let limit = text("sql_select_limit").and_then(|value| value.parse::<u64>().ok());
    if let Some(limit) = limit.filter(|&limit| limit < range) {
        return refuse(
            format!(
                "sessions at {endpoint} get {limit} rows of an answer at most (sql_select_limit), and \
                 ranges of the load have {range}"
            ),
            "SET GLOBAL sql_select_limit = DEFAULT for the time of the study",
        );
    }
    Ok(())
}

fn variables(control: &mut Connection) -> Result<BTreeMap<String, String>, Failure> {
    let sql = format!("SHOW SESSION VARIABLES WHERE Variable_name IN ('{}')", NAMES.join("','"));
    super::facts::variables_by(control, &sql)
}
