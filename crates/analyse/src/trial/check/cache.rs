//! Check 5: the caches were as declared.

use super::CheckResult;
use super::counted::growth;
use crate::study::{FITS_BELOW, has_first_data};
use findings::{CacheNotCold, CacheNotWarm, Evidence};
use model::{CacheState, LoadResult, Sampling, ServerFacts, Study, Test, Window, signal};

/// Share of what a cold server reads that must come from storage. The rest may be what it reads
/// twice, or what the operating system reads ahead.
const FROM_STORAGE: f64 = 0.5;
/// Share of the statements of a warm trial that may have waited for a page that was not in the
/// buffer pool.
const MISSES: f64 = 0.01;
/// A cold trial must have read its data from storage, a warm one must not have waited for pages.
/// `None` where nobody can tell: the server runs elsewhere, or the data does not fit
/// in its buffer pool, so that a warm trial reads too.
pub(super) fn results(
    study: &Study,
    test: Option<&Test>,
    (sampling, load): (&Sampling, &LoadResult),
    server: Option<&ServerFacts>,
) -> Option<Vec<CheckResult>> {
    let test = test?;
    let evidence = match test.cache {
        CacheState::Cold => not_cold(sampling)?,
        // The size of the data is known of the tables that were made first.
        CacheState::Warm if fits(server?)? && has_first_data(study, test) => {
            not_warm(sampling, load)?
        }
        CacheState::Warm => return None,
    };
    Some(evidence.map(CheckResult::suspect).into_iter().collect())
}

/// What a cold server asked for over the whole load, and how much of that came from storage.
fn not_cold(sampling: &Sampling) -> Option<Option<Evidence>> {
    let counters = (&sampling.before.as_ref()?.counters, &sampling.after.as_ref()?.counters);
    let asked_bytes = growth(counters, signal::DATA_READ)?;
    let storage_bytes = sampling.account.server_read_bytes?;
    let cold = asked_bytes > 0 && storage_bytes as f64 >= FROM_STORAGE * asked_bytes as f64;
    Some((!cold).then(|| CacheNotCold { asked_bytes, storage_bytes }.into()))
}

/// How many statements of the measured phase may have waited for a page.
fn not_warm(sampling: &Sampling, load: &LoadResult) -> Option<Option<Evidence>> {
    let counters = Window::for_load(load).counters(sampling)?;
    let pages_read = growth(counters, signal::CACHE_MISSES)?;
    let statements = load.measure.queries;
    let warm = pages_read as f64 <= MISSES * statements as f64;
    Some((!warm).then(|| CacheNotWarm { pages_read, statements }.into()))
}

fn fits(server: &ServerFacts) -> Option<bool> {
    let cache = server.cache_bytes?;
    Some((server.dataset_bytes? as f64) < FITS_BELOW * cache as f64)
}
