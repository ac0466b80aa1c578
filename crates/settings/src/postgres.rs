//! Settings of PostgreSQL, by names with underscores.

use crate::{PATH, Verdict, is_path};

/// Settings whose values are passwords, or hold them.
pub(crate) const SECRETS: [&str; 1] = ["primary_conninfo"];

/// What is to be done with a setting.
pub(crate) fn judge(name: &str, value: &str) -> Verdict {
    if SECRETS.contains(&name) {
        return Verdict::Decided("weighin keeps no passwords in studies");
    }
    if is_path(value) { Verdict::NeedsTrust(PATH) } else { Verdict::Allowed }
}
