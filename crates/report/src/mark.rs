//! How a file is known to be a report of weighin's.

use crate::Format;
use crate::formats::hlog;

/// What the head of an HTML report says made it.
pub(crate) const GENERATOR: &str = "weighin";
/// What a chart of its own says on its second line.
pub(crate) const CHART: &str = "<metadata>Made by weighin</metadata>";
/// What the first text chunk of a chart holds that is a PNG: a keyword of the format, and who made it.
pub const PNG_MARK: &[u8] = b"Software\0weighin";
/// What JUnit's documents of weighin's begin with, after the declaration of XML.
pub(crate) const SUITES: &str = "<testsuites name=\"weighin gate\"";
/// What OpenMetrics texts of weighin's begin with.
pub(crate) const FIRST_METRIC: &str = "# TYPE weighin_gate_outcome stateset";
/// What every PNG begins with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Where the second chunk begins: the first one of a PNG always has the same length.
pub const SECOND_CHUNK: usize = 33;
/// A report shows within so many bytes that it is one.
const BEGINNING: usize = 16 << 10;

/// The format of the report that these bytes are, or are the beginning of; `None` where weighin did
/// not make them.
pub fn recognise(bytes: &[u8]) -> Option<Format> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING)]);
    let mut lines = text.lines();
    let first = lines.next()?;
    let generator = format!("<meta name=\"generator\" content=\"{GENERATOR}\">");
    if first.starts_with("<!DOCTYPE html>") && text.contains(&generator) {
        return Some(Format::Html);
    }
    if first == "{" && lines.clone().next()?.trim() == "\"format\": \"weighin-report\"," {
        return Some(Format::Json);
    }
    if first.starts_with("format_version,study,run,test,target,") {
        return Some(Format::Csv);
    }
    if first.starts_with(hlog::MADE_BY) && lines.clone().next()? == hlog::VERSION {
        return Some(Format::Hlog);
    }
    // The title, and under it which study and run it is of and what it was measured with.
    let subtitle = lines.find(|line| line.starts_with("Study "))?;
    (first.starts_with("# ") && subtitle.contains(" with weighin ")).then_some(Format::Markdown)
}

/// Whether weighin made these bytes, or what they are the beginning of: a report, a chart, or what it
/// says of two or more runs.
pub fn is_own(bytes: &[u8]) -> bool {
    const JSON: [&str; 3] = ["comparison", "gate", "history"];
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(BEGINNING)]);
    let mut lines = text.lines();
    let (first, second) = (lines.next().unwrap_or(""), lines.next().unwrap_or("").trim());
    let is_json = || JSON.iter().any(|of| second == format!("\"format\": \"weighin-{of}\","));
    recognise(bytes).is_some()
        || is_own_png(bytes)
        || (first.starts_with("<svg ") && second == CHART)
        || (first == "{" && is_json())
        || (first.starts_with("<?xml") && second.starts_with(SUITES))
        || first == FIRST_METRIC
        || names_runs(&text)
}

/// Whether it is a PNG whose second chunk is a text that says so.
fn is_own_png(bytes: &[u8]) -> bool {
    // A chunk begins with its length and the name of its kind.
    let text = bytes.get(SECOND_CHUNK + 4..).unwrap_or_default();
    bytes.starts_with(PNG) && text.starts_with(&[b"tEXt", PNG_MARK].concat())
}

/// Whether a text for people names two or more runs under its title, as weighin does.
fn names_runs(text: &str) -> bool {
    let below = text.lines().filter(|line| !line.trim().is_empty()).nth(1).unwrap_or("").trim();
    let runs = ["- Old: ", "- Baseline: ", "- Runs: "];
    runs.iter().any(|run| below.starts_with(run)) && below.contains("(study ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_files_are_no_reports() {
        for text in [
            "",
            "<!DOCTYPE html><html><head><title>weighin</title></head></html>",
            "# Notes\n\nStudy this before the exam.\n",
            "{\n  \"format\": \"other\"\n}\n",
            "study,author,year\n",
            "[study]\nname = \"weighin\"\n",
        ] {
            assert_eq!(recognise(text.as_bytes()), None, "{text}");
        }
    }
}
