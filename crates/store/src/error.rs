/// What went wrong with a store; the display says where and how to mend it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(String);
