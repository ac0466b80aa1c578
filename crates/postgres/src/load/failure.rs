//! What ended a load, in words.

use crate::client::{LOOK, login_failure, server_failure};
use crate::protocol::ServerError;
use engine::{LoadError, SessionError};
use model::Failure;
use system::{Login, server_load_failure};

/// Turns what ended a load early into a failure that says how to fix it.
pub fn load_failure(error: &LoadError, login: &Login) -> Failure {
    match error {
        LoadError::Session(SessionError::Login(reason)) => {
            if let Some(error) = reason.downcast_ref() {
                return login_failure(error, login.address(), login.credentials());
            }
            if let Some(failure) = reason.downcast_ref::<Failure>() {
                return failure.clone();
            }
        }
        LoadError::Session(SessionError::Prepare { statement, error }) => {
            let refusal = ServerError::of_state(&error.code, &error.message);
            return server_failure(&refusal, &format!("cannot prepare «{statement}»"));
        }
        _ => {}
    }
    server_load_failure(error, &login.address().endpoint, LOOK)
}
