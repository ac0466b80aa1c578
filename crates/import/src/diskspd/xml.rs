//! DiskSpd's XML.

use super::{Counted, Pattern, Run, date, rank};
use crate::figures::problem;
use crate::{Problem, Source, printed_number};
use model::FigureNumber;
use roxmltree::{Document, Node};

const FIRST: &str = "<Results>";
const LAST: &str = "</Results>";

pub(super) fn recognises(text: &str) -> bool {
    text.contains(FIRST) && text.contains("<TimeSpan>") && text.contains("<TestTimeSeconds>")
        || text.contains(FIRST) && text.contains("<Profile>") && text.contains("<TimeSpans>")
}

/// The time spans of all documents of a file: several runs may be in it, one after another, with what
/// else was printed between them.
pub(super) fn runs(source: &Source<'_>, problems: &mut Vec<Problem>) -> Vec<Run> {
    let mut runs = Vec::new();
    let (mut from, mut counted, mut line) = (0, 0, 1_u32);
    while let Some(at) = source.text[from..].find(FIRST).map(|at| from + at) {
        let lines = source.text[counted..at].matches('\n').count();
        line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        counted = at;
        let Some(end) = source.text[at..].find(LAST).map(|end| at + end + LAST.len()) else {
            problems.push(problem(source, line, "the document that begins here breaks off"));
            break;
        };
        match Document::parse(&source.text[at..end]) {
            Ok(document) => runs.extend(of_document(document.root_element())),
            Err(error) => {
                let wrong = line.saturating_add(error.pos().row).saturating_sub(1);
                let message = format!("the document that begins in line {line} is damaged here");
                problems.push(problem(source, wrong, message));
            }
        }
        from = end;
    }
    runs
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |node| node.has_tag_name(name))
}

fn at<'a, 'i>(node: Node<'a, 'i>, path: &[&'static str]) -> Option<Node<'a, 'i>> {
    path.iter().try_fold(node, |node, name| children(node, name).next())
}

fn text<'a>(node: Node<'a, '_>, path: &[&'static str]) -> Option<&'a str> {
    at(node, path)?.text().map(str::trim)
}

fn number(node: Node<'_, '_>, path: &[&'static str]) -> Option<FigureNumber> {
    printed_number(text(node, path)?)
}

fn whole<T: std::str::FromStr>(node: Node<'_, '_>, path: &[&'static str]) -> Option<T> {
    text(node, path)?.parse().ok()
}

fn of_document(results: Node<'_, '_>) -> Vec<Run> {
    let started_at = text(results, &["System", "RunTime"]).and_then(date);
    let profiles: Vec<Node<'_, '_>> = at(results, &["Profile", "TimeSpans"])
        .map(|spans| children(spans, "TimeSpan").collect())
        .unwrap_or_default();
    let spans = children(results, "TimeSpan").enumerate();
    spans
        .map(|(number, span)| {
            let mut run = of_span(span);
            // The date is that of the first.
            run.started_at = started_at.filter(|_| number == 0);
            if let Some(profile) = profiles.get(number) {
                told(*profile, &mut run);
            }
            run
        })
        .collect()
}

/// What it was told to do.
fn told(profile: Node<'_, '_>, run: &mut Run) {
    let positive = |count: &u32| *count > 0;
    let threads = whole(profile, &["ThreadCount"]).filter(positive);
    let requests = whole(profile, &["RequestCount"]).filter(positive);
    run.shared = threads.zip(requests);
    let Some(targets) = at(profile, &["Targets"]) else { return };
    for target in children(targets, "Target") {
        run.patterns.push(Pattern {
            block: whole(target, &["BlockSize"]),
            outstanding: whole(target, &["RequestCount"]),
            // Threads that all files share (-F) work on each of them.
            threads: threads.or_else(|| whole(target, &["ThreadsPerFile"])),
            random: Some(
                at(target, &["Random"]).is_some() || at(target, &["RandomRatio"]).is_some(),
            ),
            writes: whole(target, &["WriteRatio"]),
        });
    }
}

fn of_span(span: Node<'_, '_>) -> Run {
    let mut run = Run { seconds: number(span, &["TestTimeSeconds"]), ..Run::default() };
    run.cpu = number(span, &["CpuUtilization", "Average", "UsagePercent"]);
    for thread in children(span, "Thread") {
        for target in children(thread, "Target") {
            let counted =
                |bytes, ios| Counted { bytes: whole(target, &[bytes]), ios: whole(target, &[ios]) };
            let [reads, writes] =
                [counted("ReadBytes", "ReadCount"), counted("WriteBytes", "WriteCount")];
            let mut all = counted("BytesCount", "IOCount");
            if all.ios.is_none() {
                all.add(reads);
                all.add(writes);
            }
            for (own, counted) in run.counted.iter_mut().zip([all, reads, writes]) {
                own.add(counted);
            }
            run.file(text(target, &["Path"]).unwrap_or_default(), all);
        }
    }
    let Some(latency) = at(span, &["Latency"]) else { return run };
    let moments = [
        ("AverageTotalMilliseconds", "LatencyStdev", "TotalMilliseconds"),
        ("AverageReadMilliseconds", "ReadLatencyStdev", "ReadMilliseconds"),
        ("AverageWriteMilliseconds", "WriteLatencyStdev", "WriteMilliseconds"),
    ];
    for (own, (mean, deviation, percentile)) in run.latencies.iter_mut().zip(moments) {
        for (name, element) in [("latency_avg", mean), ("latency_stddev", deviation)] {
            own.extend(number(latency, &[element]).map(|value| (name.to_owned(), value)));
        }
        for bucket in children(latency, "Bucket") {
            let Some(name) = whole(bucket, &["Percentile"]).and_then(rank) else { continue };
            own.extend(number(bucket, &[percentile]).map(|value| (name, value)));
        }
    }
    run
}
