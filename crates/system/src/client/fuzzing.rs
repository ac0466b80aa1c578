//! What fuzz targets call.

use super::credentials::user_with_id;

/// Reads a list of users.
pub fn read(bytes: &[u8]) {
    let _ = user_with_id(&String::from_utf8_lossy(bytes), 0);
}
