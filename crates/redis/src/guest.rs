//! An account on a Redis server for a tool that shows its password in the process list.

use crate::client::{RedisConnection, RedisError};
use host::random_hex;
use model::{Failure, FailureKind};
use system::client::Secret;

/// Name of the account. It is always the same, so that one that was left behind is taken over.
const NAME: &str = "weighin-guest";
/// What a load of single keys and its login take.
const COMMANDS: [&str; 7] = ["+get", "+set", "+setex", "+psetex", "+select", "+hello", "+ping"];

/// An account with a password of its own that may only read and write keys of one prefix. It is
/// gone when this is dropped. It exists in the server's memory alone.
///
/// Should weighin be killed, the account stays until the server restarts or the next guest is
/// admitted; nobody knows its password then, but for who read the process list meanwhile.
#[derive(Debug)]
pub struct Guest<'c> {
    connection: &'c mut RedisConnection,
    password: Secret,
}

impl<'c> Guest<'c> {
    /// Makes the account.
    ///
    /// # Errors
    /// `NotPermitted` when the server has no accounts (before version 6), or this one may make
    /// none.
    pub fn admit(connection: &'c mut RedisConnection, key_prefix: &str) -> Result<Self, Failure> {
        let token = random_hex(16).map_err(|error| {
            Failure::new(FailureKind::Other, format!("no random numbers can be had: {error}"), "")
        })?;
        let (password, keys) = (format!(">{token}"), format!("~{key_prefix}*"));
        let mut command = vec!["ACL", "SETUSER", NAME, "reset", "on", &password, &keys];
        command.extend(COMMANDS);
        let command: Vec<&[u8]> = command.into_iter().map(str::as_bytes).collect();
        match connection.command(&command) {
            Ok(_) => Ok(Self { connection, password: Secret::new(token) }),
            Err(RedisError::Server(line)) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!(
                    "another tool cannot be given an account at {}: {line}",
                    connection.endpoint()
                ),
                "let weighin's account run ACL SETUSER and ACL DELUSER (the tool shows its \
                 password in the process list, so it cannot be given weighin's)",
            )),
            Err(error) => Err(error.failure("cannot make an account for another tool")),
        }
    }

    /// Its name.
    pub fn user(&self) -> &'static str {
        NAME
    }

    /// Its password.
    pub fn password(&self) -> &Secret {
        &self.password
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        // Where the server is gone, so is the account.
        let _ = self.connection.last_command(&[b"ACL", b"DELUSER", NAME.as_bytes()]);
    }
}
