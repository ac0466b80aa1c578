//! iostat's JSON (`-o JSON`).

use super::columns::disk;
use super::report::{Report, time_of_day};
use crate::figures::problem;
use crate::json::{Json, documents};
use crate::{Problem, Source};
use model::CpuShares;

const FIRST: &str = "\"sysstat\"";

pub(super) fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains(FIRST) && text.contains("\"disk_device\"")
}

/// The reports that have disks. A log that was broken off in the middle has those before it.
pub(super) fn reports(source: &Source<'_>, problems: &mut Vec<Problem>) -> Vec<Report> {
    let mut reports = Vec::new();
    let whole = closed(source.text);
    // With -y there is no report since boot, and an empty line in its place.
    let has_boot = !source.text.contains("[\n\n");
    for document in documents(&whole, source.budget) {
        match document {
            Ok((line, json)) => {
                let hosts = json.at(&["sysstat", "hosts"]).map(Json::elements).unwrap_or_default();
                for host in hosts {
                    let own = host.at(&["statistics"]).map(Json::elements).unwrap_or_default();
                    for (at, report) in own.into_iter().enumerate() {
                        reports.extend(read(source, line, has_boot && at == 0, report, problems));
                    }
                }
            }
            Err((line, message)) => problems.push(problem(source, line, message)),
        }
    }
    reports
}

/// A log that ended with iostat itself lacks its last brackets: it is cut at the last whole report,
/// and closed.
fn closed(text: &str) -> std::borrow::Cow<'_, str> {
    let whole = text.trim_end().ends_with("]\n}}") || text.trim_end().ends_with("}}");
    match text.rfind("\n\t\t\t\t}").filter(|_| !whole) {
        Some(at) => format!("{}\n\t\t\t\t}}]}}]}}}}\n", &text[..at]).into(),
        None => text.into(),
    }
}

fn read(
    source: &Source<'_>,
    line: u32,
    first: bool,
    json: Json<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Report> {
    let time_of_day = json.at(&["timestamp"]).and_then(Json::text).and_then(|t| time_of_day(&t));
    let mut disks = Vec::new();
    for one in json.at(&["disk"]).map(Json::elements).unwrap_or_default() {
        let members = one.members();
        let number = |name: &str| {
            // The text has %util, the JSON util; others have the same names.
            members.get(name.trim_start_matches('%'))?.number().map(|number| number.value)
        };
        let device = members.get("disk_device").and_then(|name| name.text()).unwrap_or_default();
        if ["r/s", "w/s", "%util"].iter().any(|needed| number(needed).is_none()) {
            let message = format!("{device} lacks r/s, w/s or util: iostat ran without -x");
            problems.push(problem(source, line, message));
            return None;
        }
        disks.push(disk(&device, &number));
    }
    let cpu = json.at(&["avg-cpu"]).map(|cpu| {
        let share = |name: &str| {
            cpu.at(&[name]).and_then(Json::number).map_or(0.0, |number| number.value / 100.0)
        };
        CpuShares {
            user: share("user") + share("nice"),
            system: share("system"),
            iowait: share("iowait"),
            steal: share("steal"),
            idle: share("idle"),
        }
    });
    let cpu = cpu.unwrap_or_default();
    (!disks.is_empty()).then_some(Report { line, time_of_day, since_boot: first, cpu, disks })
}
