//! Reports of a run that is still going on (`--status-interval`): each has all of the run so far.

use crate::json::Json;

/// What a document says of how far its run is.
#[derive(Clone, Debug, PartialEq)]
struct Progress {
    /// Names of the jobs, with what they are run with.
    jobs: Vec<String>,
    /// When the jobs began, in milliseconds since 1970; 0 where that is not said.
    began: Vec<u64>,
    /// When it was printed, likewise.
    printed: u64,
    /// The longest that a job has run, in milliseconds.
    runtime: u64,
    /// What each direction of each job has done.
    done: Vec<u64>,
}

/// Directions of a job's reads and writes, where they are told together as well.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

impl Progress {
    fn from_document(document: Json<'_>) -> Self {
        let members = document.members();
        let whole = |name: &str| members.get(name).and_then(|json| json.whole());
        let printed = whole("timestamp_ms")
            .or_else(|| whole("timestamp").and_then(|seconds| seconds.checked_mul(1000)));
        let mut progress = Self {
            jobs: Vec::new(),
            began: Vec::new(),
            printed: printed.unwrap_or(0),
            runtime: 0,
            done: Vec::new(),
        };
        for job in super::entries(&members) {
            let members = job.members();
            let as_printed = |name: &str| members.get(name).map_or("", |json| json.as_printed());
            let names = ["jobname", "groupid", "hostname", "job options"].map(as_printed);
            progress.jobs.push(names.join(" "));
            progress
                .began
                .push(members.get("job_start").and_then(|json| json.whole()).unwrap_or(0));
            for direction in DIRECTIONS.iter().filter_map(|name| members.get(*name)) {
                let whole = |name: &str| direction.at(&[name]).and_then(Json::whole).unwrap_or(0);
                progress.runtime = progress.runtime.max(whole("runtime"));
                progress.done.push(whole("io_bytes"));
                progress.done.push(whole("total_ios"));
            }
        }
        progress
    }

    /// Whether this is a later report of the same run: it has done no less, and it began before the
    /// other was printed.
    fn goes_on(&self, other: &Self) -> bool {
        let no_less = self.runtime >= other.runtime
            && self.done.len() == other.done.len()
            && self.done.iter().zip(&other.done).all(|(now, then)| now >= then);
        if self.jobs != other.jobs || !no_less {
            return false;
        }
        if self == other {
            return true;
        }
        if self.began.iter().zip(&other.began).any(|(now, then)| now != then && *then > 0) {
            return false;
        }
        if self.printed > 0 && other.printed > 0 {
            let began = self.printed.saturating_sub(self.runtime);
            return self.printed >= other.printed
                && began < other.printed.saturating_sub(other.runtime / 2);
        }
        // Runs for a time are as long as one another, and those for a size do as much.
        self.runtime > other.runtime && self.done != other.done
    }
}

/// The last report of each run, each with how many came before it.
pub(super) fn last_of_each<'a>(documents: Vec<(u32, Json<'a>)>) -> Vec<((u32, Json<'a>), usize)> {
    let mut kept: Vec<((u32, Json<'a>), usize, Progress)> = Vec::new();
    for document in documents {
        let progress = Progress::from_document(document.1);
        match kept.last_mut().filter(|(.., last)| progress.goes_on(last)) {
            Some((last, before, known)) => {
                (*last, *known) = (document, progress);
                *before += 1;
            }
            None => kept.push((document, 0, progress)),
        }
    }
    kept.into_iter().map(|(document, before, _)| (document, before)).collect()
}
