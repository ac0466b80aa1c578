//! The pages: which address shows what.

use crate::cache::Cache;
use crate::catalog::{Catalog, Entry};
use crate::events::{MOST_LISTENERS, events};
use crate::gate::page;
use crate::read::{self, Mark};
use crate::server::Ending;
use analyse::runs::{EarlierRuns, RunPoints, compare_runs, history};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::routing::get;
use hyper::{Response, StatusCode};
use report::site::{self, SiteRun};
use report::{RunName, Runs, RunsFormat};
use std::sync::Arc;
use tokio::sync::Semaphore;

#[derive(Clone)]
struct Site {
    catalog: Arc<Catalog>,
    cache: Cache,
    listeners: Arc<Semaphore>,
    ending: Ending,
}

type Page = Response<Body>;

pub(crate) fn router(catalog: Arc<Catalog>, ending: Ending) -> Router {
    let listeners = Arc::new(Semaphore::new(MOST_LISTENERS));
    let cache = catalog.cache.clone();
    let site = Site { catalog, cache, listeners, ending };
    Router::new()
        .route("/", get(list))
        .route("/events", get(list_events))
        .route("/runs/{id}", get(run))
        .route("/runs/{id}/events", get(run_events))
        .route("/runs/{id}/report", get(report))
        .route("/compare", get(compare))
        .route("/history", get(all_runs))
        .fallback(|| async { missing("There is no such page.") })
        .with_state(site)
}

fn ok(text: impl Into<Body>) -> Page {
    page(StatusCode::OK, text)
}

fn missing(said: &str) -> Page {
    page(StatusCode::NOT_FOUND, site::message_page("Not found", said))
}

fn no_such_run() -> Page {
    missing("There is no such run: its results file (*.weighin) may have been moved or removed.")
}

fn unavailable(title: &str, said: &str) -> Page {
    page(StatusCode::SERVICE_UNAVAILABLE, site::message_page(title, said))
}

fn runs(entries: &[Arc<Entry>]) -> Vec<SiteRun> {
    entries.iter().map(|entry| entry.run.clone()).collect()
}

async fn list(State(site): State<Site>) -> Page {
    match site.catalog.entries() {
        Ok(entries) => {
            let path = site.catalog.path().display().to_string();
            ok(site::list_page(&path, &runs(&entries)))
        }
        Err(trouble) => unavailable("No studies", &trouble),
    }
}

async fn list_events(State(site): State<Site>) -> Page {
    let catalog = Arc::clone(&site.catalog);
    listen(&site, move || catalog.list_part())
}

async fn run(State(site): State<Site>, Path(id): Path<String>) -> Page {
    let Some(entry) = site.catalog.entry(&id) else { return no_such_run() };
    ok(site::run_page(&entry.run, entry.so_far()))
}

async fn run_events(State(site): State<Site>, Path(id): Path<String>) -> Page {
    if site.catalog.entry(&id).is_none() {
        return no_such_run();
    }
    let catalog = Arc::clone(&site.catalog);
    let part = move || catalog.entry(&id).map(|entry| site::run_part(&entry.run, entry.so_far()));
    listen(&site, part)
}

fn listen(site: &Site, part: impl Fn() -> Option<String> + Send + 'static) -> Page {
    let heard = events(&site.listeners, site.catalog.changes(), site.ending.clone(), part);
    heard.unwrap_or_else(|| {
        unavailable("Too many pages", "Too many pages are open. Close some of them.")
    })
}

async fn report(State(site): State<Site>, Path(id): Path<String>) -> Page {
    let Some(entry) = site.catalog.entry(&id) else { return no_such_run() };
    let (mark, catalog) = (entry.mark, Arc::clone(&site.catalog));
    // Of a run that has ended no report is given that was made before its end.
    let what = format!("report {id} {}", entry.is_held);
    let make = move || read::report(&catalog.directory()?, &entry.name, catalog.limit);
    match site.cache.page(what, vec![mark], make).await {
        Ok(report) => ok(report),
        Err(why) => unavailable("No report", &why),
    }
}

async fn compare(State(site): State<Site>, RawQuery(query): RawQuery) -> Page {
    let query = query.unwrap_or_default();
    let field = |name: &str| {
        let mut fields = query.split('&').filter_map(|field| field.split_once('='));
        fields.find(|(field, _)| *field == name).and_then(|(_, id)| site.catalog.entry(id))
    };
    let (Some(old), Some(new)) = (field("old"), field("new")) else { return no_such_run() };
    // All runs that there are tell how much runs of the same differ.
    let all = site.catalog.entries().unwrap_or_default();
    let marks = all.iter().map(|entry| entry.mark).chain([old.mark, new.mark]).collect();
    let catalog = Arc::clone(&site.catalog);
    let what = format!("compare {} {}", old.run.id, new.run.id);
    let make = move || {
        let points = all.iter().filter_map(|entry| Some(entry.reading.as_ref()?.points.clone()));
        read::guarded(|| compared(&catalog, (&old, &new), points.collect()))
    };
    match site.cache.page(what, marks, make).await {
        Ok(page) => ok(page),
        Err(why) => unavailable("Not comparable", &why),
    }
}

fn compared(
    catalog: &Catalog,
    (old, new): (&Entry, &Entry),
    runs: Vec<RunPoints>,
) -> Result<Vec<u8>, String> {
    let directory = catalog.directory()?;
    let dataset = |entry: &Entry| read::dataset(&directory, &entry.name, catalog.limit);
    let (before, after) = (dataset(old)?, dataset(new)?);
    let earlier = EarlierRuns::from_points(runs, &after.study.name, RunPoints::began(&after));
    let budget = catalog.limit.times(2).budget();
    let too_long = |over| format!("{} and {}: to compare them {over}", old.run.file, new.run.file);
    let compare = || compare_runs(&before, &after, &earlier);
    let found = budget.bound(compare).map_err(too_long)?;
    if found.tests.iter().all(|test| test.results.is_empty()) {
        return Err(format!(
            "{} and {} have no result of the same test, target and level. Choose two runs of one study; \
             names of tests and targets must be the same in both.",
            old.run.file, new.run.file
        ));
    }
    let study = study::differences(&before.study, &after.study);
    let runs = Runs {
        old: RunName { file: &old.run.file, dataset: &before },
        new: RunName { file: &new.run.file, dataset: &after },
        found: &found,
        study: &study,
    };
    let page = budget.bound(|| report::render_runs(&runs, RunsFormat::Html)).map_err(too_long)?;
    Ok(page.into_bytes())
}

async fn all_runs(State(site): State<Site>) -> Page {
    let entries = match site.catalog.entries() {
        Ok(entries) => entries,
        Err(trouble) => return unavailable("No studies", &trouble),
    };
    let read: Vec<Arc<Entry>> =
        entries.into_iter().filter(|entry| entry.reading.is_some()).collect();
    if read.len() < 2 {
        return missing("A history is of at least two runs that can be read.");
    }
    let marks: Vec<Mark> = read.iter().map(|entry| entry.mark).collect();
    let limit = site.catalog.limit.times(read.len());
    let make = move || {
        read::guarded(|| {
            let points =
                read.iter().filter_map(|entry| Some(entry.reading.as_ref()?.points.clone()));
            let page = || report::render_history(&history(points.collect()), RunsFormat::Html);
            let page = limit.budget().bound(page);
            page.map(String::into_bytes).map_err(|over| format!("to make the history {over}"))
        })
    };
    match site.cache.page("history".to_owned(), marks, make).await {
        Ok(page) => ok(page),
        Err(why) => unavailable("No history", &why),
    }
}
