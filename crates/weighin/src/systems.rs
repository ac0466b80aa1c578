//! The kinds of servers and devices that weighin knows.

/// Makes them known; to be called before anything else.
pub fn register() {
    system::register([&mysql::SYSTEM, &postgres::SYSTEM, &redis::SYSTEM, &volume::SYSTEM]);
    study::complete_urls_by(system::completed_url);
}
