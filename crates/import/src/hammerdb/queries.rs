//! Query sets: TPROC-H.

use crate::figures::{Figures, problem, reckoned, trial};
use crate::{Aspect, Parsed, Source, printed_number};
use model::{Failure, FailureKind, FigureNumber, Level, Outcome, TrialEnd};
use std::collections::BTreeMap;

/// Comes once for each virtual user that has done its query sets.
const DONE: &str = " query set(s) in ";
const GEOMEAN: &str = "Geometric mean of query times returning rows ";
/// Of several virtual users at once, when the last one is done.
const ALL_DONE: &str = "ALL VIRTUAL USERS COMPLETE";

pub(super) fn recognises(text: &str) -> bool {
    text.lines().any(|line| is_done(said(line).1).is_some())
}

pub(super) fn parse(source: &Source<'_>, parsed: &mut Parsed) {
    let mut run = Run::default();
    for (number, line) in source.lines() {
        let (user, line) = said(line);
        // A user that goes on after its query sets is in the next run.
        let again = line.contains("Executing Query ")
            && run.users.get(&user).is_some_and(|user| user.done.is_some());
        if again || line.contains(ALL_DONE) {
            std::mem::take(&mut run).finish(source, parsed);
        }
        if run.take(number, user, line).is_none() {
            let message = format!("not understood: «{}»", line.trim());
            parsed.problems.push(problem(source, number, message));
        }
    }
    run.finish(source, parsed);
}

/// Whose line it is, and what it says: `Vuser 3:query 4 completed in 0.5 seconds`.
fn said(line: &str) -> (u32, &str) {
    let line = line.trim().trim_matches(['"', ',']);
    let user = |rest: &str| rest.split_once(':').map(|(user, _)| user.parse::<u32>());
    match line.find("Vuser ").map(|at| &line[at + "Vuser ".len()..]) {
        Some(rest) => match (user(rest), rest.split_once(':')) {
            (Some(Ok(user)), Some((_, said))) => (user, said),
            _ => (0, line),
        },
        // Results of a job name the user apart.
        None => (0, line),
    }
}

/// How many sets, and the seconds that they took.
fn is_done(line: &str) -> Option<(u64, FigureNumber)> {
    let (sets, seconds) = line.strip_prefix("Completed ")?.split_once(DONE)?;
    let seconds = seconds.trim_end().strip_suffix(" seconds")?;
    Some((sets.parse().ok()?, printed_number(seconds)?))
}

#[derive(Default)]
struct Run {
    users: BTreeMap<u32, User>,
    failed_queries: u32,
    failed_users: u32,
}

/// One virtual user: a stream of queries.
#[derive(Default)]
struct User {
    /// Seconds of each query, in its order, with its number and line.
    queries: Vec<(u32, FigureNumber, u32)>,
    /// Sets, seconds, and the line that says so.
    done: Option<(u64, FigureNumber, u32)>,
    geomean: Option<(FigureNumber, u32)>,
}

impl Run {
    /// `None` when a line of a result is not understood.
    fn take(&mut self, number: u32, user: u32, line: &str) -> Option<()> {
        if line.contains("Query Failed : ") {
            self.failed_queries += 1;
        } else if line == "FINISHED FAILED" {
            self.failed_users += 1;
        } else if let Some((sets, seconds)) = is_done(line) {
            let done = self.users.entry(user).or_default().done.replace((sets, seconds, number));
            if done.is_some() {
                // Whose it is cannot be told.
                return None;
            }
        } else if let Some(mean) = line.strip_prefix(GEOMEAN) {
            let (_, mean) = mean.split_once(" is ")?;
            let mean = printed_number(mean.trim())?;
            self.users.entry(user).or_default().geomean = Some((mean, number));
        } else if let Some((query, rest)) =
            line.strip_prefix("query ").and_then(|rest| rest.split_once(" completed in "))
        {
            let seconds = printed_number(rest.trim_end().strip_suffix(" seconds")?)?;
            let query = query.parse().ok()?;
            self.users.entry(user).or_default().queries.push((query, seconds, number));
        }
        Some(())
    }

    fn finish(self, source: &Source<'_>, parsed: &mut Parsed) {
        let done: Vec<&User> = self.users.values().filter(|user| user.done.is_some()).collect();
        let longest = done
            .iter()
            .filter_map(|user| user.done)
            .max_by(|(_, one, _), (_, other, _)| one.value.total_cmp(&other.value));
        let Some((_, seconds, line)) = longest else { return };
        let mut figures = Figures::default();
        figures.number("elapsed", seconds, "s", line);
        let sets: u64 = done.iter().filter_map(|user| user.done).map(|(sets, ..)| sets).sum();
        let exact = |value: f64| FigureNumber { value, resolution: 0.0 };
        figures.number("query_sets", exact(sets as f64), "", line);
        let queries: usize = done.iter().map(|user| user.queries.len()).sum();
        if queries > 0 {
            figures.number("queries", exact(queries as f64), "", line);
            if seconds.value > 0.0 {
                let rate = queries as f64 / seconds.value;
                let rate = reckoned(rate, rate * seconds.resolution / seconds.value);
                figures.noted("queries_per_s", rate, "1/s", "queries ÷ the longest user's time", 0);
            }
        }
        if let [user] = done.as_slice() {
            if let Some((mean, line)) = user.geomean {
                figures.number("query_time_geomean", mean, "s", line);
            }
            for (query, seconds, line) in &user.queries {
                figures.number(&format!("query{query}_elapsed"), *seconds, "s", *line);
            }
        } else if let Some(mean) = geomean(&done) {
            let note = "of the users' geometric means";
            figures.noted("query_time_geomean", mean, "s", note, 0);
        }
        let unfinished = self.users.len() - done.len();
        let end = match (self.failed_queries, self.failed_users as usize + unfinished) {
            (0, 0) => {
                TrialEnd::Completed(Box::new(Outcome::printed(source.file, "HammerDB", figures.0)))
            }
            (queries, users) => TrialEnd::Failed(Failure::new(
                FailureKind::Other,
                format!("{queries} queries failed, and {users} virtual users did not finish"),
                "",
            )),
        };
        let level = match self.users.contains_key(&0) {
            true => Level::NONE,
            false => Level::clients(done.len() as u32),
        };
        let mut trial = trial(source, "hammerdb", level, end);
        trial.load.push((Aspect::Work, "TPROC-H".to_owned()));
        parsed.trials.push(trial);
    }
}

/// The geometric mean of those of several users; absent where one has none, or has done more sets than
/// another, so that they do not weigh the same.
fn geomean(users: &[&User]) -> Option<FigureNumber> {
    let sets = |user: &&User| user.done.map(|(sets, ..)| sets);
    if users.windows(2).any(|two| sets(&two[0]) != sets(&two[1])) {
        return None;
    }
    let mut logs = 0.0;
    let mut relative: f64 = 0.0;
    for user in users {
        let (mean, _) = user.geomean.filter(|(mean, _)| mean.value > 0.0)?;
        logs += mean.value.ln();
        relative = relative.max(mean.resolution / mean.value);
    }
    let mean = (logs / users.len() as f64).exp();
    Some(reckoned(mean, mean * relative))
}
