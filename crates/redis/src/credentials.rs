//! With which password to log in to Redis.

use system::client::{LoginEnvironment, UsualLogin, UsualPassword};

/// Where Redis's own clients look for a password.
const VARIABLE: &str = "REDISCLI_AUTH";

/// The password of `REDISCLI_AUTH`, as with the server's own client, and none where that is not set.
pub fn usual_login(environment: &LoginEnvironment<'_>) -> UsualLogin {
    let value = (environment.variable)(VARIABLE).filter(|value| !value.is_empty());
    let password = value.map(|_| UsualPassword::Variable(VARIABLE.to_owned()));
    UsualLogin { password, ..UsualLogin::default() }
}
