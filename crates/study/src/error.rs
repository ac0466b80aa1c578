/// Why a study file is refused; its display is the whole message, with places and remedies.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StudyError(String);
