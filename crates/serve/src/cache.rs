//! Pages that take work, kept until what they are made of has changed: each is made by one at a time,
//! for all who ask for it meanwhile.

use crate::processor_time;
use crate::read::Mark;
use hyper::body::Bytes;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::spawn_blocking;

/// Bytes of all pages that are kept; the one that was not asked for for longest goes first.
const MOST_BYTES: usize = 64 << 20;
/// So many times the processor time that making a page took it is given again although something has
/// changed.
const SHARE: u32 = 50;

/// A page that was made.
#[derive(Clone)]
struct Made {
    of: Vec<Mark>,
    page: Result<Bytes, String>,
    at: Instant,
    /// Processor time.
    took: Duration,
}

type Place = Arc<AsyncMutex<Option<Made>>>;

#[derive(Default)]
struct Kept {
    places: HashMap<String, (Place, Instant, usize)>,
}

/// Pages by what they are.
#[derive(Clone, Default)]
pub(crate) struct Cache {
    kept: Arc<Mutex<Kept>>,
    /// Held while a page is made: each may take as much memory as reading its files may.
    making: Arc<Mutex<()>>,
}

impl Cache {
    /// The page `what`, made of files with these marks.
    ///
    /// # Errors
    /// What making it said.
    pub(crate) async fn page(
        &self,
        what: String,
        of: Vec<Mark>,
        make: impl FnOnce() -> Result<Vec<u8>, String> + Send + 'static,
    ) -> Result<Bytes, String> {
        let place = self.place(&what);
        let mut made = place.lock_owned().await;
        if let Some(made) = made.as_ref().filter(|made| made.is_good_for(&of)) {
            return made.page.clone();
        }
        let cache = self.clone();
        // Made to its end, also where who asked is gone: the place stays locked meanwhile.
        let making = spawn_blocking(move || {
            let one_at_a_time = Arc::clone(&cache.making);
            let _turn = one_at_a_time.lock().unwrap_or_else(PoisonError::into_inner);
            let began = processor_time();
            let page = make().map(Bytes::from);
            let took = processor_time().saturating_sub(began);
            cache.grew(&what, page.as_ref().map_or(0, Bytes::len));
            *made = Some(Made { of, page: page.clone(), at: Instant::now(), took });
            page
        });
        making.await.unwrap_or_else(|_| Err("weighin is ending".to_owned()))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of what was made of other files than those that are there.
    pub(crate) fn keep_only(&self, there: &HashSet<(i64, i64)>) {
        self.kept().places.retain(|_, (place, ..)| {
            let Ok(made) = place.try_lock() else { return true };
            made.as_ref()
                .is_none_or(|made| made.of.iter().all(|mark| there.contains(&mark.identity())))
        });
    }

    fn place(&self, what: &str) -> Place {
        let mut kept = self.kept();
        let new = || (Place::default(), Instant::now(), 0);
        let (place, asked, _) = kept.places.entry(what.to_owned()).or_insert_with(new);
        *asked = Instant::now();
        Arc::clone(place)
    }

    /// Notes the size of a page, and lets go of others where there are too many.
    fn grew(&self, what: &str, bytes: usize) {
        let mut kept = self.kept();
        if let Some((_, _, size)) = kept.places.get_mut(what) {
            *size = bytes;
        }
        while kept.places.values().map(|(_, _, size)| size + 1024).sum::<usize>() > MOST_BYTES {
            let others = kept.places.iter().filter(|(name, _)| *name != what);
            let oldest = others.min_by_key(|(_, (_, asked, _))| *asked);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            kept.places.remove(&oldest);
        }
    }
}

impl Made {
    fn is_good_for(&self, of: &[Mark]) -> bool {
        let is_same = self.of == of && self.page.is_ok();
        let have_grown = self.of.len() == of.len()
            && self.of.iter().zip(of).all(|(old, new)| old.is_same_file(new));
        is_same || (have_grown && self.at.elapsed() < self.took * SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_page_is_made_once_for_all_who_ask_and_anew_when_something_has_changed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (cache, times) = (Cache::default(), Arc::new(AtomicUsize::new(0)));
            let ask = |mark: Mark| {
                let (cache, times) = (cache.clone(), Arc::clone(&times));
                tokio::spawn(async move {
                    let make = move || {
                        std::thread::sleep(Duration::from_millis(1));
                        Ok(format!("{}", times.fetch_add(1, Ordering::SeqCst)).into_bytes())
                    };
                    cache.page("report".to_owned(), vec![mark], make).await.unwrap()
                })
            };
            let asked: Vec<_> = (0..100).map(|_| ask(Mark::default())).collect();
            for one in asked {
                assert_eq!(one.await.unwrap(), "0");
            }
            let mut changed = Mark::default();
            changed.modified_ms = 1;
            while ask(changed).await.unwrap() == "0" {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(ask(changed).await.unwrap(), "1");
        });
    }

    #[test]
    fn pages_of_files_that_are_gone_are_let_go_of() {
        let cache = Cache::default();
        let files = [("stays", vec![1]), ("goes", vec![1, 2])];
        for (page, of) in files {
            let of = of.into_iter().map(Mark::of_file).collect();
            let place = cache.place(page);
            let (page, at) = (Ok(Bytes::new()), Instant::now());
            *place.try_lock().unwrap() = Some(Made { of, page, at, took: Duration::ZERO });
        }
        cache.keep_only(&[1, 3].map(|number| Mark::of_file(number).identity()).into());
        assert_eq!(cache.kept().places.keys().collect::<Vec<_>>(), ["stays"]);
    }

    #[test]
    fn the_pages_that_were_asked_for_first_go_first() {
        let cache = Cache::default();
        for page in 0..10 {
            drop(cache.place(&page.to_string()));
            cache.grew(&page.to_string(), MOST_BYTES / 4);
        }
        let mut left: Vec<String> = cache.kept().places.keys().cloned().collect();
        left.sort_unstable();
        assert_eq!(left, ["7", "8", "9"]);
    }
}
