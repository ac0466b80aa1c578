//! fio's results: JSON, text, and lines of fields.

mod cut_short;
mod direction;
mod moments;
mod printed;
mod snapshots;
mod terse;
mod text;
mod together;

use crate::figures::{self, Figures, plural, problem};
use crate::json::{Json, documents, without_stray_lines};
use crate::{Aspect, Format, ImportedTrial, Knob, Parsed, Source};
use direction::Direction;
use model::{Failure, FailureKind, Latencies, Level, Outcome, TrialEnd, UnixMillis};
use std::collections::BTreeMap;

/// What fio prints with `--output-format=json` or `json+`, whatever text stands before, between
/// or within the documents; where there is none, its text, or the fields of `--minimal`.
///
/// A group of jobs of one name that ran together is a trial, and so is each job of another name.
/// Their level is the number of I/O operations that they keep outstanding.
#[derive(Clone, Copy, Debug)]
pub struct Fio;

impl Format for Fio {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn description(&self) -> &'static str {
        "what fio prints: JSON (json and json+), text, or fields (--minimal)"
    }

    fn recognises(&self, text: &str) -> bool {
        is_json(text) || terse::recognises(text) || text::recognises(text)
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        if !is_json(source.text) && terse::recognises(source.text) {
            return terse::parse(&source);
        }
        if !is_json(source.text) && text::recognises(source.text) {
            return text::parse(&source);
        }
        let mut parsed = Parsed::default();
        let (text, stray) = without_stray_lines(source.text);
        for (line, stray) in stray {
            let message = format!("a message within the JSON, left out: «{}»", stray.trim());
            parsed.problems.push(problem(&source, line, message));
        }
        let mut found = Vec::new();
        for document in documents(&text, source.budget) {
            match document {
                Ok(document) => found.push(document),
                Err((line, message)) => parsed.problems.push(problem(&source, line, message)),
            }
        }
        let signals = cut_short::signals(source.text, &found);
        let mut all = Vec::new();
        for ((line, document), before) in snapshots::last_of_each(found) {
            let stopped = signals.contains(&line);
            let runs = runs(document);
            if runs.is_empty() {
                let message = "the document has no jobs, and no client_stats";
                parsed.problems.push(problem(&source, line, message));
            }
            if before > 0 {
                let reports = plural(before, "report");
                let message = format!("{reports} of the same run before this one, left out");
                parsed.notes.push(problem(&source, line, message));
            }
            all.extend(runs.into_iter().map(|run| Run { stopped, ..run }));
        }
        let runs = all;
        // The file names the test; its jobs only where there are several.
        let alone = runs.iter().all(|run| run.name == runs[0].name);
        for run in runs.iter().take_while(|_| source.budget.charge(0).is_ok()) {
            parsed.trials.push(run.trial(&source, alone));
        }
        parsed
    }
}

fn is_json(text: &str) -> bool {
    text.contains("\"fio version\"")
}

/// Jobs of one name and group.
struct Run<'a> {
    name: String,
    version: String,
    /// When all jobs were over.
    finished_at: Option<UnixMillis>,
    jobs: Vec<Json<'a>>,
    /// What fio tells of all machines together, where several ran the jobs.
    together: Option<Json<'a>>,
    /// Whether a signal ended it.
    stopped: bool,
    /// Options that all jobs of the document have.
    options: BTreeMap<String, Json<'a>>,
}

fn runs(document: Json<'_>) -> Vec<Run<'_>> {
    let members = document.members();
    let version = members.get("fio version").and_then(|json| json.text()).unwrap_or_default();
    let finished_at = members.get("timestamp_ms").and_then(|json| json.whole()).map(UnixMillis);
    let options = members.get("global options").map(|json| json.members()).unwrap_or_default();
    let mut runs: Vec<(u64, Run<'_>)> = Vec::new();
    let (of_all, each): (Vec<Json<'_>>, Vec<Json<'_>>) =
        entries(&members).into_iter().partition(|entry| name_of(*entry) == ALL_CLIENTS);
    // What all machines did together is the sum of the others, where these are there.
    let (together, entries) = if each.is_empty() { (vec![], of_all) } else { (of_all, each) };
    for job in entries {
        let name = name_of(job);
        let group = job.at(&["groupid"]).and_then(Json::whole).unwrap_or(0);
        let same = runs.iter_mut().find(|(of, run)| *of == group && run.name == name);
        match same {
            Some((_, run)) => run.jobs.push(job),
            None => {
                let (version, options) = (version.clone(), options.clone());
                let jobs = vec![job];
                let (together, stopped) = (None, false);
                let run = Run { name, version, finished_at, jobs, together, stopped, options };
                runs.push((group, run));
            }
        }
    }
    if let [(_, run)] = &mut runs[..] {
        run.together = together.first().copied().filter(|_| run.jobs.len() > 1);
    }
    runs.into_iter().map(|(_, run)| run).collect()
}

/// The name of the entry that is the sum of those of all machines.
const ALL_CLIENTS: &str = "All clients";

/// The jobs of a document, on this machine or on those of `--client`.
fn entries<'a>(members: &BTreeMap<String, Json<'a>>) -> Vec<Json<'a>> {
    let of = |name: &str| members.get(name).map(|jobs| jobs.elements()).unwrap_or_default();
    let mut entries = of("jobs");
    entries.extend(of("client_stats"));
    entries
}

fn name_of(entry: Json<'_>) -> String {
    entry.at(&["jobname"]).and_then(Json::text).unwrap_or_default()
}

/// Engines that wait for each operation, whatever depth they are given.
const SYNCHRONOUS: [&str; 6] = ["psync", "sync", "vsync", "pvsync", "pvsync2", "mmap"];

/// What fio takes where no size of blocks is given.
const DEFAULT_BLOCK: u64 = 4096;

/// `4k`, `1M` or `4096`, in powers of 1024 as fio takes them unless told otherwise.
fn bytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[end..].to_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    text[..end].parse::<u64>().ok()?.checked_mul(1 << shift)
}

impl Run<'_> {
    /// An option of the jobs, or else of all jobs of the document.
    fn option(&self, name: &str) -> Option<String> {
        let own = self.jobs[0].at(&["job options", name]);
        own.or(self.options.get(name).copied()).and_then(Json::text)
    }

    /// I/O operations outstanding; options that are not printed have the value that fio gives
    /// them.
    fn outstanding(&self) -> u32 {
        let whole = |name: &str| self.option(name).and_then(|text| text.parse::<u32>().ok());
        let engine = self.option("ioengine").unwrap_or_else(|| "psync".to_owned());
        let waits = SYNCHRONOUS.contains(&engine.as_str());
        let depth = if waits { 1 } else { whole("iodepth").unwrap_or(1) };
        let entries = u32::try_from(self.jobs.len()).unwrap_or(u32::MAX);
        // Jobs that are reported as a group have one entry; the others one each.
        let grouped = whole("numjobs").filter(|jobs| entries == 1 && *jobs > 0);
        depth.saturating_mul(grouped.unwrap_or(entries))
    }

    /// Options that paths often name.
    fn said(&self) -> Vec<(Knob, u64)> {
        let whole = |name: &str| self.option(name)?.parse::<u64>().ok();
        let block = self.option("bs").and_then(|text| bytes(&text)).unwrap_or(DEFAULT_BLOCK);
        let jobs = whole("numjobs").map(|jobs| (Knob::Jobs, jobs));
        let depth = whole("iodepth").map(|depth| (Knob::Depth, depth));
        jobs.into_iter().chain(depth).chain([(Knob::BlockSize, block)]).collect()
    }

    /// The options by which the same name of a job stands for different loads.
    fn load(&self) -> Vec<(Aspect, String)> {
        const OPTIONS: [(Aspect, &[&str]); 4] = [
            (Aspect::Work, &["rw", "readwrite", "rwmixread", "rwmixwrite", "fsync", "fdatasync"]),
            (Aspect::Data, &["size", "filesize"]),
            (Aspect::Size, &["bs", "blocksize", "bsrange", "bssplit"]),
            (Aspect::Clients, &["ioengine", "direct", "numjobs", "iodepth"]),
        ];
        let said = OPTIONS.map(|(aspect, names)| {
            let options =
                names.iter().filter_map(|name| Some(format!("{name}={}", self.option(name)?)));
            (aspect, options.collect::<Vec<_>>().join(" "))
        });
        said.into_iter().filter(|(_, said)| !said.is_empty()).collect()
    }

    fn trial(&self, source: &Source<'_>, alone: bool) -> ImportedTrial {
        let outstanding = self.outstanding();
        let end = self.failure(source).map_or_else(
            || TrialEnd::Completed(Box::new(self.outcome(source))),
            |reason| TrialEnd::Failed(Failure::new(FailureKind::Other, reason, "")),
        );
        let mut trial = figures::trial(source, "fio", Level::queue_depth(outstanding), end);
        if !alone {
            trial.part.clone_from(&self.name);
        }
        trial.said = self.said();
        trial.load = self.load();
        trial.started_at = self.began();
        trial.finished_at = self.finished_at;
        trial
    }

    /// What went wrong, in fio's words where they stand in the file.
    fn failure(&self, source: &Source<'_>) -> Option<String> {
        let error = |job: &Json<'_>| job.at(&["error"]).and_then(|error| error.number());
        let code = self.jobs.iter().filter_map(error).find(|code| code.value != 0.0);
        let idle = self.directions().is_empty();
        let (what, mark) = match code {
            Some(code) => {
                (format!("ended with error {}", code.value), format!("err={}/", code.value))
            }
            None if idle => ("did no I/O".to_owned(), "fio: ".to_owned()),
            None => {
                let reason = self.cut_short()?;
                return Some(format!("fio's job {} {reason}", self.name));
            }
        };
        let said = source.text.lines().find_map(|line| {
            let (_, said) = line.split_once(&mark)?;
            Some(said.split_once("error=").map_or(said, |(_, error)| error).trim().to_owned())
        });
        let said = said.map(|said| format!(" ({said})")).unwrap_or_default();
        Some(format!("fio's job {} {what}{said}", self.name))
    }

    fn directions(&self) -> Vec<Direction<'_>> {
        let of = |names: &[&'static str]| -> Vec<Direction<'_>> {
            let names = names.iter();
            names.filter_map(|name| Direction::from_jobs(name, &self.jobs, self.together)).collect()
        };
        let each = of(&["read", "write", "trim"]);
        // All together, as `unified_rw_reporting` has it in place of the others or beside them.
        if each.is_empty() { of(&["mixed"]) } else { each }
    }

    fn outcome(&self, source: &Source<'_>) -> Outcome {
        let mut figures = Figures::default();
        let directions = self.directions();
        together::figures(&directions, &self.jobs, &mut figures);
        let mut all = Some(Latencies::new());
        for direction in &directions {
            direction.figures(directions.len() == 1, &mut figures);
            match (&mut all, direction.latencies()) {
                (Some(all), Some(own)) => all.merge(&own),
                (all, _) => *all = None,
            }
        }
        if directions.len() > 1 {
            let parts: Vec<Json<'_>> = directions.iter().flat_map(Direction::parts).collect();
            direction::moments(parts.into_iter(), "", &mut figures);
            if let Some(all) = &all {
                figures.percentiles(all);
            }
        }
        direction::bounds(&mut figures);
        let tool = self.version.replacen('-', " ", 1);
        Outcome { latencies: all, ..Outcome::printed(source.file, tool, figures.0) }
    }
}
