//! How far the server's clock is from that of the machine that makes the load.

use super::Server;
use host::Host;
use std::time::Instant;
use system::Diagnostics;

/// How often the server is asked; the quickest answer says most.
const TIMES: usize = 5;

/// Milliseconds beyond what the way to the server leaves uncertain that are worth a word.
const TOLERATED: f64 = 500.0;

/// Asks the server for its time; the half of a round trip is uncertain.
pub(super) fn check(server: &mut Server<'_>, load_host: &dyn Host, found: &mut Diagnostics) {
    let mut best: Option<(f64, f64)> = None;
    for _ in 0..TIMES {
        let (here, asked) = (load_host.time(), Instant::now());
        let sql = "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
        let there = server.value(sql).and_then(|there| there.parse::<f64>().ok());
        let Some(there) = there else { return };
        let round_trip = asked.elapsed().as_secs_f64() * 1e3;
        let offset = there / 1e3 - (here.0 as f64 + round_trip / 2.0);
        if best.is_none_or(|(least, _)| round_trip < least) {
            best = Some((round_trip, offset));
        }
    }
    let Some((round_trip, offset)) = best else { return };
    let uncertain = round_trip / 2.0;
    if offset.abs() - uncertain <= TOLERATED {
        return;
    }
    let direction = if offset < 0.0 { "behind" } else { "ahead of" };
    found.warn(
        format!(
            "the server's clock is {:.1} s (± {:.1} ms) {direction} that of the machine that makes the \
             load: times of its logs do not match those of the results",
            offset.abs() / 1e3,
            uncertain.max(1.0)
        ),
        "let NTP keep both clocks (chronyc tracking, timedatectl)",
    );
}
