//! What fuzz targets call.

use super::system_user;

/// Reads a list of users.
pub fn read(bytes: &[u8]) {
    let _ = system_user::user_with_id(&String::from_utf8_lossy(bytes), 0);
}
