//! Check 4: work on writes that the server put off.

use super::Doubt;
use super::window::{Window, growth, pair};
use crate::{Evidence, Validity};
use model::{LoadResult, Sampling, ServerFacts};

/// InnoDB's usual page size, for a server whose variables are not known.
const PAGE_BYTES: u64 = 16_384;
/// Share of what was changed in the measured phase whose writing may be left for later.
const PUT_OFF: f64 = 0.25;
/// Debts that grow by less than this are no burden that anybody would notice, in bytes.
const RELEVANT: u64 = 1 << 20;

/// Dirty pages and checkpoint age at both ends of the measured phase of a load that writes
/// (method R11). While they grow, part of the work that the load causes is done after it: a
/// longer trial would have shown it. `None` where the server's counters do not tell.
pub(super) fn doubt(
    sampling: &Sampling,
    load: &LoadResult,
    server: Option<&ServerFacts>,
) -> Option<Doubt> {
    let writes = &load.statements;
    if writes.insert + writes.update + writes.delete == 0 {
        return None;
    }
    let counters = Window::of(load).counters(sampling)?;
    let page = server
        .and_then(|server| server.variables.get("innodb_page_size")?.parse().ok())
        .unwrap_or(PAGE_BYTES);
    let bytes = |pages: u64| pages.saturating_mul(page);
    let (from, to) = pair(counters, "Innodb_buffer_pool_pages_dirty")?;
    let dirty_bytes = (bytes(from), bytes(to));
    let flushed_bytes = bytes(growth(counters, "Innodb_buffer_pool_pages_flushed")?);
    let checkpoint_age = pair(counters, "Innodb_checkpoint_age");
    let redo_bytes = growth(counters, "Innodb_os_log_written");

    let dirty_growth = dirty_bytes.1.saturating_sub(dirty_bytes.0);
    let age_growth = checkpoint_age.map_or(0, |(from, to)| to.saturating_sub(from));
    let growing = put_off(dirty_growth, dirty_growth.saturating_add(flushed_bytes))
        || redo_bytes.is_some_and(|redo| put_off(age_growth, redo));
    let evidence =
        Evidence::WriteDebt { dirty_bytes, flushed_bytes, checkpoint_age, redo_bytes, growing };
    Some(Doubt { validity: Validity::Valid, evidence })
}

fn put_off(growth: u64, caused: u64) -> bool {
    growth >= RELEVANT && growth as f64 > PUT_OFF * caused as f64
}
