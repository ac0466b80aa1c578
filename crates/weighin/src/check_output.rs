//! What `weighin check` prints.

use crate::exit::CliError;
use crate::progress::LONGEST_VERSION;
use campaign::{Examined, Preflight};
use model::{Price, Study, text};
use report::numbers::{bytes, count, counted, duration, money};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use system::{DataPlan, Diagnostic, Severity};

/// Version of the JSON below; raised when a field changes its meaning or goes away.
const FORMAT: u32 = 1;
/// Columns of the word that begins a line, and the gap behind it.
const MARGIN: usize = 9;
/// The narrowest and the widest text that still reads well, in columns.
const WIDTHS: (usize, usize) = (40, 100);
/// Of data that will be replaced, as much is named.
const MOST_NAMED: usize = 4;

/// What was found of a study before it runs, for programs. Described in docs/check.md.
#[derive(Debug, Serialize)]
pub(crate) struct CheckOutput<'a> {
    format: u32,
    /// Whether the study can run, as far as that can be told beforehand.
    can_run: bool,
    /// Most severe first.
    diagnostics: &'a [Diagnostic],
    targets: Vec<TargetOutput<'a>>,
    trials: usize,
    /// Of the whole study, about.
    seconds: f64,
    /// Of these, before the first trial where no data is there.
    set_up_seconds: f64,
    /// What the targets cost while the study runs, by currency.
    cost: BTreeMap<&'a str, f64>,
}

/// What is said of a study whatever was found of its targets.
#[derive(Debug, Default)]
pub(crate) struct Told<'a> {
    pub(crate) lines: Vec<String>,
    /// The targets of which these lines say how large their tables are.
    pub(crate) tables_of: Vec<&'a str>,
}

/// A target that was looked at.
#[derive(Debug, Serialize)]
struct TargetOutput<'a> {
    name: &'a str,
    /// Whether nothing was found on it that keeps the study from running.
    ok: bool,
    system: String,
    version: Option<&'a str>,
    /// What a run would make first; null where that is not known or nothing is needed.
    data: Option<&'a DataPlan>,
    /// What was found on its volumes, by path.
    found: BTreeMap<String, &'a str>,
    /// What it costs while the study runs; null where that is not known.
    cost: Option<f64>,
    #[serde(skip)]
    makes_data: bool,
}

impl<'a> CheckOutput<'a> {
    pub(crate) fn new(
        preflight: &'a Preflight<'a>,
        study: &'a Study,
        trials: usize,
        total: Duration,
    ) -> Self {
        let diagnostics = preflight.diagnostics();
        let hours = total.as_secs_f64() / 3600.0;
        let targets = preflight.targets().iter();
        let targets: Vec<_> =
            targets.map(|examined| TargetOutput::new(examined, diagnostics, hours)).collect();
        let mut cost = BTreeMap::new();
        for (target, seen) in preflight.targets().iter().zip(&targets) {
            if let (Some(price), Some(amount)) = (&target.target.price, seen.cost) {
                *cost.entry(price.currency.as_str()).or_default() += amount;
            }
        }
        Self {
            format: FORMAT,
            can_run: preflight.can_run(),
            diagnostics,
            targets,
            trials,
            seconds: total.as_secs_f64(),
            set_up_seconds: study::estimate_set_up(study).as_secs_f64(),
            cost,
        }
    }

    pub(crate) fn json(&self) -> Result<String, CliError> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| {
            CliError::unavailable(format!("what was found cannot be written as JSON: {error}"), "")
        })
    }

    /// For people: most severe first, whether the study can run last. Lines are broken where a width is
    /// given.
    pub(crate) fn text(&self, told: &Told<'_>, width: Option<usize>, colour: bool) -> String {
        let width = width.map(|width| width.clamp(WIDTHS.0, WIDTHS.1));
        let mut page = Page { text: String::new(), width, colour };
        for (one, targets) in together(self.diagnostics) {
            let whose = match targets.as_slice() {
                [] => String::new(),
                names => format!("{}: ", names.join(", ")),
            };
            page.paragraph(one.severity.name(), &format!("{whose}{}", one.message));
            if !one.remedy.is_empty() {
                page.paragraph("", &format!("= help: {}", one.remedy));
            }
        }
        for target in self.targets.iter().filter(|target| target.ok) {
            page.paragraph("ok", &target.said());
        }
        page.text.push('\n');
        let own = [self.time(), self.space(told), self.money()];
        own.iter().flatten().chain(&told.lines).for_each(|line| page.line(line));
        page.line(&self.verdict());
        page.text
    }

    fn time(&self) -> Option<String> {
        let (all, set_up) = (seconds(self.seconds), seconds(self.set_up_seconds));
        let before = match self.targets.iter().any(|target| target.makes_data) {
            true if set_up >= Duration::from_secs(1) => {
                format!(", of which {} pass before the first", duration(set_up))
            }
            _ => String::new(),
        };
        Some(format!("{}, about {}{before}.", counted(self.trials, "trial"), duration(all)))
    }

    fn space(&self, told: &Told<'_>) -> Option<String> {
        let others = self.targets.iter().filter(|one| !told.tables_of.contains(&one.name));
        let data = others.filter_map(|target| {
            target.data.filter(|data| data.bytes > 0).map(|data| (target.name, data.bytes))
        });
        let data: Vec<(&str, u64)> = data.collect();
        let (_, first) = data.first()?;
        Some(match data.iter().all(|(_, of)| of == first) && data.len() > 1 {
            true => format!("Data: about {} on each target.", bytes(*first)),
            false => {
                let each: Vec<String> =
                    data.iter().map(|(name, of)| format!("{} on {name}", bytes(*of))).collect();
                format!("Data: about {}.", each.join(", "))
            }
        })
    }

    fn money(&self) -> Option<String> {
        if self.cost.is_empty() {
            return None;
        }
        let sums: Vec<String> =
            self.cost.iter().map(|(currency, sum)| format!("{} {currency}", money(*sum))).collect();
        let each = self.targets.iter().filter_map(|target| Some((target.name, target.cost?)));
        let each: Vec<String> =
            each.map(|(name, cost)| format!("{name} {}", money(cost))).collect();
        Some(format!(
            "At their prices the targets cost about {} in that time ({}), without what is paid for \
             each request.",
            sums.join(" and "),
            each.join(", ")
        ))
    }

    fn verdict(&self) -> String {
        let number =
            |wanted: Severity| self.diagnostics.iter().filter(|one| one.severity == wanted).count();
        let (errors, warnings) = (number(Severity::Error), number(Severity::Warning));
        match (errors, warnings) {
            (0, 0) => "The study can run.".to_owned(),
            (0, some) => format!("The study can run, with {}.", counted(some, "warning")),
            (some, _) => format!("The study cannot run: {}.", counted(some, "error")),
        }
    }
}

impl<'a> TargetOutput<'a> {
    fn new(examined: &'a Examined, diagnostics: &[Diagnostic], hours: f64) -> Self {
        let name = examined.target.name.as_str();
        let is_error = |one: &Diagnostic| {
            one.severity == Severity::Error && one.target.as_deref() == Some(name)
        };
        let version = examined.facts.as_ref().map(|facts| facts.version.as_str());
        let data = examined.data.as_ref();
        let gigabytes = data.map(|data| data.bytes as f64 / 1e9);
        let cost = examined.target.price.as_ref().and_then(|price| price.fixed_monthly(gigabytes));
        let found = examined.found.iter();
        Self {
            name,
            ok: !diagnostics.iter().any(is_error) && examined.facts.is_some(),
            system: examined.target.system.product(version.unwrap_or_default()),
            version,
            data,
            found: found.map(|(path, what)| (path.display().to_string(), what.as_str())).collect(),
            cost: cost.map(|monthly| monthly / Price::MONTH_HOURS * hours),
            makes_data: data.is_some_and(|data| data.to_make() > 0),
        }
    }

    fn said(&self) -> String {
        let version = text::excerpt(self.version.unwrap_or_default(), LONGEST_VERSION);
        // Some versions begin with the name.
        let system =
            if version.starts_with(&self.system) { "" } else { &format!("{} ", self.system) };
        let mut said = format!("{}: {system}{version}", self.name);
        for (path, found) in &self.found {
            let _ = write!(said, "; {path}: {found}");
        }
        if let Some(data) = self.data {
            said = said + "; " + &plan(data);
        }
        said
    }
}

/// What a run would make first, in words.
fn plan(data: &DataPlan) -> String {
    let noun = data.noun;
    let number = |n: usize| match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}s", count(n as u64)),
    };
    let mut parts = Vec::new();
    if data.to_make() == 0 {
        let foreign = match data.foreign {
            0 => String::new(),
            some => format!(", {} of them made by others and used as they are", count(some as u64)),
        };
        return format!("all {noun}s are there{foreign}");
    }
    if data.keep > 0 {
        parts.push(format!("{} stay", number(data.keep)));
    }
    if !data.replace.is_empty() {
        let named: Vec<&str> = data.replace.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = if data.replace.len() > MOST_NAMED { ", …" } else { "" };
        parts.push(format!(
            "{} that weighin made will be dropped and made anew: {}{more}",
            number(data.replace.len()),
            named.join(", ")
        ));
    }
    if data.make > 0 {
        parts.push(format!("{} will be made", number(data.make)));
    }
    parts.join("; ")
}

/// What was found of several targets alike is said once, with their names.
fn together(diagnostics: &[Diagnostic]) -> Vec<(&Diagnostic, Vec<&str>)> {
    let mut said: Vec<(&Diagnostic, Vec<&str>)> = Vec::new();
    for one in diagnostics {
        let alike = |(other, targets): &&mut (&Diagnostic, Vec<&str>)| {
            let same = other.message == one.message && other.remedy == one.remedy;
            same && other.severity == one.severity && !targets.is_empty()
        };
        match (said.iter_mut().find(alike), &one.target) {
            (Some((_, targets)), Some(name)) => targets.push(name),
            _ => said.push((one, one.target.iter().map(String::as_str).collect())),
        }
    }
    said
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Text with a margin that says what kind of thing stands beside it.
struct Page {
    text: String,
    /// Columns; lines are not broken where absent.
    width: Option<usize>,
    colour: bool,
}

impl Page {
    fn line(&mut self, said: &str) {
        self.broken("", 0, said);
    }

    fn paragraph(&mut self, margin: &str, said: &str) {
        let style = match margin {
            "error" => "31",
            "warning" => "33",
            _ => "",
        };
        let padded = format!("{margin:<MARGIN$}");
        let styled = match self.colour && !style.is_empty() {
            true => format!("\u{1b}[{style}m{padded}\u{1b}[0m"),
            false => padded,
        };
        self.broken(&styled, MARGIN, said);
    }

    /// Breaks at spaces.
    fn broken(&mut self, margin: &str, indent: usize, said: &str) {
        let said = text::visible(said);
        let mut filled = 0;
        self.text.push_str(margin);
        let Some(width) = self.width else {
            self.text.push_str(&text::indented(&said, &" ".repeat(indent)));
            self.text.push('\n');
            return;
        };
        for word in said.split([' ', '\n']) {
            let length = word.chars().count();
            if filled > 0 && indent + filled + 1 + length > width {
                self.text.push('\n');
                self.text.push_str(&" ".repeat(indent));
                filled = 0;
            }
            if filled > 0 {
                self.text.push(' ');
                filled += 1;
            }
            self.text.push_str(word);
            filled += length;
        }
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(severity: Severity, target: Option<&str>, message: &str) -> Diagnostic {
        Diagnostic {
            severity,
            target: target.map(str::to_owned),
            kind: None,
            message: message.to_owned(),
            remedy: "do this instead of that, and see whether it helps".to_owned(),
        }
    }

    #[test]
    fn what_was_found_reads_well_on_a_narrow_terminal() {
        let long = "a message that is longer than one line of the terminal has columns";
        let found = [
            diagnostic(Severity::Error, Some("one"), long),
            diagnostic(Severity::Error, Some("two"), long),
            diagnostic(Severity::Note, None, "a note"),
        ];
        let output = CheckOutput {
            format: FORMAT,
            can_run: false,
            diagnostics: &found,
            targets: Vec::new(),
            trials: 2,
            seconds: 60.0,
            set_up_seconds: 2.0,
            cost: BTreeMap::from([("EUR", 1.5)]),
        };
        let told = Told { lines: vec!["one: disk space.".to_owned()], tables_of: Vec::new() };
        let text = output.text(&told, Some(50), false);
        let begins = "error    one, two: a message that is longer than\n         one line of the";
        assert!(text.starts_with(begins), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
        assert!(text.contains("note     a note\n         = help: do this"), "{text}");
        let ends = "one: disk space.\nThe study cannot run: 2 errors.\n";
        assert!(text.ends_with(ends), "nothing follows the verdict: {text}");
        assert!(text.contains("about 1.50\u{a0}EUR") || text.contains("about 1.50 EUR"), "{text}");
        assert!(
            output.text(&told, None, true).starts_with("\u{1b}[31merror    \u{1b}[0mone, two: ")
        );
    }

    const PAGE: &str = include_str!("../../../docs/check.md");

    #[test]
    fn every_field_of_the_json_is_described() {
        let found = [diagnostic(Severity::Warning, Some("one"), "m")];
        let data = DataPlan::default();
        let target = TargetOutput {
            name: "one",
            ok: true,
            system: "MariaDB".to_owned(),
            version: None,
            data: Some(&data),
            found: BTreeMap::new(),
            cost: None,
            makes_data: false,
        };
        let output = CheckOutput {
            format: FORMAT,
            can_run: true,
            diagnostics: &found,
            targets: vec![target],
            trials: 1,
            seconds: 1.0,
            set_up_seconds: 1.0,
            cost: BTreeMap::new(),
        };
        let json: serde_json::Value = serde_json::from_str(&output.json().unwrap()).unwrap();
        let keys = |value: &serde_json::Value, before: &str| -> Vec<String> {
            let object = value.as_object().unwrap();
            object.keys().map(|key| format!("`{before}{key}")).collect()
        };
        let all = [
            keys(&json, ""),
            keys(&json["diagnostics"][0], "diagnostics[]."),
            keys(&json["targets"][0], "targets[]."),
            keys(&json["targets"][0]["data"], "targets[].data."),
        ];
        for field in all.iter().flatten() {
            assert!(PAGE.contains(field), "docs/check.md lacks {field}`");
        }
    }
}
