//! Figures as text for programs that collect them: OpenMetrics 1.0, and the older text format of
//! Prometheus for those that do not ask for it.

use model::text;
use std::fmt::Write;

/// How figures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The text format 0.0.4.
    Prometheus,
}

/// What the figures of a family are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// Only grows; its samples end in `_total`.
    Counter,
    Gauge,
    /// Says something in its labels; its value is 1, its sample ends in `_info`.
    Info,
}

/// What a family of figures is called, and what it says.
#[derive(Debug)]
pub struct FamilyHead {
    /// Ends in its unit where it has one; without `_total` and `_info`.
    pub name: &'static str,
    pub kind: FamilyKind,
    /// Such as `seconds`; empty for plain numbers.
    pub unit: &'static str,
    /// A sentence without line breaks, quotes and backslashes.
    pub help: &'static str,
    pub labels: &'static [&'static str],
}

impl FamilyHead {
    /// What its samples are called.
    pub fn sample_name(&self) -> String {
        let suffix = match self.kind {
            FamilyKind::Counter => "_total",
            FamilyKind::Gauge => "",
            FamilyKind::Info => "_info",
        };
        format!("{}{suffix}", self.name)
    }
}

/// Figures of one kind, told apart by labels.
#[derive(Debug)]
pub struct Family {
    head: &'static FamilyHead,
    samples: Vec<(Vec<String>, f64)>,
}

impl Family {
    pub fn new(head: &'static FamilyHead) -> Self {
        Self { head, samples: Vec::new() }
    }

    /// Adds a figure; its labels in the order of the head, no two figures with the same.
    pub fn add(&mut self, labels: &[&str], value: f64) {
        debug_assert_eq!(labels.len(), self.head.labels.len(), "{}", self.head.name);
        // What steers a terminal steers nothing where these are looked at.
        let labels = labels.iter().map(|label| text::line(label).into_owned()).collect();
        self.samples.push((labels, value));
    }
}

impl TextFormat {
    /// What a request's `Accept` asks for: OpenMetrics only where it is named, and preferred.
    pub fn asked(accept: &str) -> Self {
        let (mut open, mut plain) = (0.0_f64, 0.0_f64);
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let (mut quality, mut is_known) = (1.0, true);
            for (name, value) in parts.filter_map(|part| part.split_once('=')) {
                let value = value.trim_matches('"');
                match name.to_ascii_lowercase().as_str() {
                    "q" => quality = value.parse::<f64>().unwrap_or(0.0).clamp(0.0, 1.0),
                    "version" => is_known = matches!(value, "1.0.0" | "0.0.1" | "0.0.4"),
                    _ => {}
                }
            }
            match kind.as_str() {
                "application/openmetrics-text" if is_known => open = open.max(quality),
                "text/plain" | "text/*" if is_known => plain = plain.max(quality),
                _ => {}
            }
        }
        if open > 0.0 && open >= plain { Self::OpenMetrics } else { Self::Prometheus }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// All of some families; those without figures are left out.
    pub fn write(self, families: &[Family]) -> String {
        let mut out = String::new();
        for family in families.iter().filter(|family| !family.samples.is_empty()) {
            self.write_family(family, &mut out);
        }
        if self == Self::OpenMetrics {
            out.push_str("# EOF\n");
        }
        out
    }

    fn write_family(self, Family { head, samples }: &Family, out: &mut String) {
        let sample_name = head.sample_name();
        // The older format knows no information, and no name but that of the samples.
        let (name, kind) = match (self, head.kind) {
            (Self::OpenMetrics, FamilyKind::Counter) => (head.name, "counter"),
            (Self::OpenMetrics, FamilyKind::Info) => (head.name, "info"),
            (Self::Prometheus, FamilyKind::Counter) => (sample_name.as_str(), "counter"),
            (Self::Prometheus, FamilyKind::Info) => (sample_name.as_str(), "gauge"),
            (_, FamilyKind::Gauge) => (head.name, "gauge"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "# HELP {name} {}\n# TYPE {name} {kind}", head.help);
        if self == Self::OpenMetrics && !head.unit.is_empty() {
            let _ = writeln!(out, "# UNIT {name} {}", head.unit);
        }
        for (values, value) in samples {
            out.push_str(&sample_name);
            for (place, (label, value)) in head.labels.iter().zip(values).enumerate() {
                let before = if place == 0 { '{' } else { ',' };
                let _ = write!(out, "{before}{label}=\"{}\"", escaped(value));
            }
            out.push_str(if head.labels.is_empty() { " " } else { "} " });
            let _ = match *value {
                value if value == f64::INFINITY => writeln!(out, "+Inf"),
                value if value == f64::NEG_INFINITY => writeln!(out, "-Inf"),
                value => writeln!(out, "{value}"),
            };
        }
    }
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    static RUN: FamilyHead = FamilyHead {
        name: "a_run",
        kind: FamilyKind::Info,
        unit: "",
        help: "A run.",
        labels: &["study"],
    };
    static TOOK: FamilyHead = FamilyHead {
        name: "a_time_seconds",
        kind: FamilyKind::Counter,
        unit: "seconds",
        help: "Time.",
        labels: &["of", "by"],
    };
    static EMPTY: FamilyHead = FamilyHead {
        name: "a_gauge",
        kind: FamilyKind::Gauge,
        unit: "",
        help: "Nothing.",
        labels: &[],
    };

    #[test]
    fn both_formats_are_written_with_labels_escaped() {
        let mut families = [&RUN, &TOOK, &EMPTY].map(Family::new);
        families[0].add(&["a \"b\" \\ c\nd\u{1b}[2J"], 1.0);
        families[1].add(&["x", ""], 1.5);
        families[1].add(&["y", "é"], f64::INFINITY);
        let open = TextFormat::OpenMetrics.write(&families);
        let label =
            text::line("a \"b\" \\ c\nd\u{1b}[2J").replace('\\', "\\\\").replace('"', "\\\"");
        assert!(!label.contains(['\n', '\u{1b}']), "{label}");
        assert_eq!(
            open,
            format!(
                "# HELP a_run A run.\n# TYPE a_run info\na_run_info{{study=\"{label}\"}} 1\n\
                 # HELP a_time_seconds Time.\n# TYPE a_time_seconds counter\n\
                 # UNIT a_time_seconds seconds\na_time_seconds_total{{of=\"x\",by=\"\"}} 1.5\n\
                 a_time_seconds_total{{of=\"y\",by=\"é\"}} +Inf\n# EOF\n"
            )
        );
        let older = TextFormat::Prometheus.write(&families);
        assert!(older.contains("# TYPE a_run_info gauge\n"), "{older}");
        assert!(older.contains("# TYPE a_time_seconds_total counter\n"), "{older}");
        assert!(!older.contains("# UNIT") && !older.contains("# EOF"), "{older}");
    }

    #[test]
    fn openmetrics_is_given_to_whom_asks_for_it() {
        let prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;\
                          version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        let newer = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                     text/plain;version=1.0.0;escaping=allow-utf-8;q=0.5,*/*;q=0.2";
        for open in [
            prometheus,
            newer,
            "application/openmetrics-text",
            "Application/OpenMetrics-Text; version=\"1.0.0\"; charset=utf-8",
        ] {
            assert_eq!(TextFormat::asked(open), TextFormat::OpenMetrics, "{open}");
        }
        for older in [
            "",
            "*/*",
            "text/html,*/*;q=0.8",
            "text/plain;version=0.0.4",
            "application/openmetrics-text;version=2.0.0",
            "application/openmetrics-text;q=0",
            "application/openmetrics-text;q=0.2,text/plain;q=0.8",
            "application/openmetrics-text;q=\u{1b}",
        ] {
            assert_eq!(TextFormat::asked(older), TextFormat::Prometheus, "{older}");
        }
    }
}
