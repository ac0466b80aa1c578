use crate::text;
use serde::{Deserialize, Serialize};

/// Why something could not be done, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of trouble.
    pub kind: FailureKind,
    /// What happened and where, in a sentence without a full stop. Never holds a secret.
    pub message: String,
    /// How to fix it, in a sentence without a full stop; empty where nothing sensible is known.
    pub remedy: String,
}

impl Failure {
    /// A failure of that kind. Message and remedy may hold what others said: they are cut where they
    /// are long, and what would steer a terminal is an escape ([`text::message`]).
    pub fn new(kind: FailureKind, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (message, remedy) = (message.into(), remedy.into());
        Self {
            kind,
            message: text::message(&message).into_owned(),
            remedy: text::message(&remedy).into_owned(),
        }
    }

    /// Whether it happened before there was any load, and so says nothing of what a load does.
    pub fn is_before_load(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::Unreachable
                | FailureKind::AccessDenied
                | FailureKind::MissingDatabase
                | FailureKind::MissingTables
                | FailureKind::ForeignTables
                | FailureKind::ForeignData
                | FailureKind::NotUp
                | FailureKind::MissingProgram
                | FailureKind::SandboxStart
                | FailureKind::Tls
                | FailureKind::NotOffered
                | FailureKind::NotPermitted
        )
    }

    /// That somebody asked to stop ([`crate::Stop`]): no trouble, and never recorded.
    pub fn stopped() -> Self {
        Self::new(FailureKind::Stopped, "stopped", "")
    }

    /// Not carried out to its end because the user did not want to wait for it.
    pub fn skipped() -> Self {
        Self::new(
            FailureKind::Skipped,
            "skipped by the user",
            "to measure it after all, go on with --retry-failed",
        )
    }

    /// Whether the server just has no such thing, which is an answer and no failed trial.
    pub fn is_not_offered(&self) -> bool {
        self.kind == FailureKind::NotOffered
    }

    /// Whether it is [`Self::stopped`].
    pub fn is_stop(&self) -> bool {
        self.kind == FailureKind::Stopped
    }
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Nothing answers at the address, or the host is unknown.
    Unreachable,
    /// Wrong user, password or rights.
    AccessDenied,
    /// The database does not exist.
    MissingDatabase,
    /// The test tables are missing, too small or of another shape.
    MissingTables,
    /// The database holds tables that are not weighin's.
    ForeignTables,
    /// A volume holds data that is not weighin's.
    ForeignData,
    /// The server allows fewer connections, or prepared statements, than the level needs.
    TooFewConnections,
    /// No space left, on the server's side or on weighin's.
    DiskFull,
    /// The server stopped or closed the connections in the middle.
    ServerLost,
    /// The machine of a target was lost in the middle: its connection ended, or it fell silent.
    HostLost,
    /// A volume failed, or was gone, in the middle.
    VolumeFailed,
    /// A replica does not apply what its primary writes.
    Replication,
    /// The instance of a target did not come up.
    NotUp,
    /// A program that is needed is not installed.
    MissingProgram,
    /// A private server could not be started.
    SandboxStart,
    /// TLS could not be set up.
    Tls,
    /// The server refused a statement.
    Statement,
    /// The server has no such thing: what was asked for is a choice that others may have.
    NotOffered,
    /// Unanswered in time.
    TimedOut,
    /// Not permitted on this machine, or not possible.
    NotPermitted,
    /// Nothing went wrong: somebody asked to stop.
    Stopped,
    /// Nothing went wrong: the user wanted to go on to the next trial.
    Skipped,
    /// Anything else.
    Other,
}
