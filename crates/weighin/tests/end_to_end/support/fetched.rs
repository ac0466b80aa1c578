//! Servers that scripts/servers fetches.

use std::path::PathBuf;

pub const MARIADB: &str = "mariadb-11.4.5";
pub const MYSQL: &str = "mysql-8.0.15";
pub const VALKEY: &str = "valkey-9.1.2";
pub const POSTGRESQL: &str = "postgresql-18.6";

/// Where scripts/servers has put a server.
pub fn fetched(name: &str) -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").expect("a home directory"));
    let cache = match std::env::var_os("WEIGHIN_TEST_SERVERS") {
        Some(cache) => PathBuf::from(cache),
        None if host::local::os::is_root() => "/var/cache/weighin-test-servers".into(),
        None => std::env::var_os("XDG_CACHE_HOME")
            .map_or_else(|| home().join(".cache"), PathBuf::from)
            .join("weighin-test-servers"),
    };
    let server = cache.join(name);
    assert!(server.is_dir(), "{} is missing: run scripts/servers first", server.display());
    server
}
