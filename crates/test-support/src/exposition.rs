//! OpenMetrics text, read as strictly as its specification permits.

use std::collections::{BTreeMap, BTreeSet};

/// Labels by name.
pub type Labels = BTreeMap<String, String>;

/// A family of figures as it was read.
#[derive(Clone, Debug, Default)]
pub struct ReadFamily {
    pub kind: String,
    pub unit: String,
    pub help: String,
    pub samples: Vec<(Labels, f64)>,
}

/// Families by name.
#[derive(Clone, Debug, Default)]
pub struct Exposed(pub BTreeMap<String, ReadFamily>);

impl Exposed {
    /// Reads all of a text.
    ///
    /// # Errors
    /// What is wrong with it, and in which line.
    pub fn read(text: &str) -> Result<Self, String> {
        let body = text.strip_suffix("# EOF\n").ok_or("it does not end with # EOF")?;
        let mut families = Self::default();
        let mut current = String::new();
        for (number, line) in body.split_inclusive('\n').enumerate() {
            let line = line.strip_suffix('\n').ok_or("a line does not end")?;
            let read = families.line(line, &mut current);
            read.map_err(|wrong| format!("line {}: {wrong}: {line}", number + 1))?;
        }
        families.check()?;
        Ok(families)
    }

    /// The figures of a family; none where it is not there.
    pub fn samples(&self, family: &str) -> &[(Labels, f64)] {
        self.0.get(family).map(|family| family.samples.as_slice()).unwrap_or_default()
    }

    /// The figure with all these labels, where there is one alone.
    pub fn value(&self, family: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let has = |found: &Labels| {
            labels.iter().all(|(name, value)| found.get(*name).is_some_and(|found| found == value))
        };
        let mut fitting = self.samples(family).iter().filter(|(found, _)| has(found));
        let value = fitting.next().map(|(_, value)| *value);
        value.filter(|_| fitting.next().is_none())
    }

    fn line(&mut self, line: &str, current: &mut String) -> Result<(), String> {
        if let Some(comment) = line.strip_prefix("# ") {
            let (word, rest) = comment.split_once(' ').ok_or("an unknown comment")?;
            let (name, said) = rest.split_once(' ').ok_or("nothing is said")?;
            if !is_name(name, true) {
                return Err("no name of a family".to_owned());
            }
            if name != current {
                if self.0.contains_key(name) {
                    return Err("a family is in two places".to_owned());
                }
                name.clone_into(current);
            }
            let family = self.0.entry(name.to_owned()).or_default();
            if !family.samples.is_empty() {
                return Err("said after its samples".to_owned());
            }
            let place = match word {
                "TYPE" => &mut family.kind,
                "UNIT" => &mut family.unit,
                "HELP" => &mut family.help,
                _ => return Err("an unknown comment".to_owned()),
            };
            if !place.is_empty() || said.is_empty() {
                return Err("said twice, or nothing".to_owned());
            }
            said.clone_into(place);
            return Ok(());
        }
        let end = line.find(['{', ' ']).ok_or("no sample")?;
        let (name, rest) = line.split_at(end);
        let family = self.0.get_mut(current.as_str()).ok_or("of no family")?;
        let suffix = match family.kind.as_str() {
            "counter" => "_total",
            "info" => "_info",
            "gauge" => "",
            _ => return Err("of an unknown type".to_owned()),
        };
        if name != format!("{current}{suffix}") {
            return Err(format!("not called {current}{suffix}"));
        }
        let (labels, rest) = match rest.strip_prefix('{') {
            Some(rest) => read_labels(rest)?,
            None => (Labels::new(), rest),
        };
        let value = rest.strip_prefix(' ').ok_or("no space before the value")?;
        let is_plain = |c: char| c.is_ascii_digit() || ".-+e".contains(c);
        if !["+Inf", "-Inf", "NaN"].contains(&value) && !value.chars().all(is_plain) {
            return Err("no number".to_owned());
        }
        let value: f64 = value.parse().map_err(|_| "no number")?;
        family.samples.push((labels, value));
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        for (name, family) in &self.0 {
            if !family.unit.is_empty() && !name.ends_with(&format!("_{}", family.unit)) {
                return Err(format!("{name} does not end in its unit {}", family.unit));
            }
            let mut known = BTreeSet::new();
            for (labels, value) in &family.samples {
                if !known.insert(labels) {
                    return Err(format!("{name} has two samples with {labels:?}"));
                }
                let fits = match family.kind.as_str() {
                    "counter" => *value >= 0.0,
                    "info" => *value == 1.0,
                    _ => true,
                };
                if !fits {
                    return Err(format!("{name} cannot be {value}"));
                }
            }
            if family.samples.is_empty() || family.help.is_empty() {
                return Err(format!("{name} has no samples or no help"));
            }
        }
        Ok(())
    }
}

fn is_name(name: &str, takes_colon: bool) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || takes_colon && c == ':';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(fits)
}

/// Labels, and what follows them.
fn read_labels(mut rest: &str) -> Result<(Labels, &str), String> {
    let mut labels = Labels::new();
    loop {
        let (name, after) = rest.split_once("=\"").ok_or("no label")?;
        if !is_name(name, false) || name.starts_with("__") {
            return Err(format!("no name of a label: {name}"));
        }
        let mut value = String::new();
        let mut characters = after.char_indices();
        let end = loop {
            match characters.next().ok_or("a label does not end")? {
                (at, '"') => break at + 1,
                (_, '\\') => value.push(match characters.next().map(|(_, escaped)| escaped) {
                    Some('\\') => '\\',
                    Some('"') => '"',
                    Some('n') => '\n',
                    _ => return Err("an unknown escape".to_owned()),
                }),
                (_, character) => value.push(character),
            }
        };
        if labels.insert(name.to_owned(), value).is_some() {
            return Err(format!("{name} is there twice"));
        }
        rest = &after[end..];
        if let Some(rest) = rest.strip_prefix('}') {
            return Ok((labels, rest));
        }
        rest = rest.strip_prefix(',').ok_or("no comma between labels")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_specification_does_not_permit_is_refused() {
        let good = "# HELP a_s A.\n# TYPE a_s counter\n# UNIT a_s s\na_s_total{b=\"\\\\\\\"\\n\"} 1\n# EOF\n";
        let read = Exposed::read(good).unwrap();
        assert_eq!(read.value("a_s", &[("b", "\\\"\n")]), Some(1.0));
        for (from, to) in [
            ("# EOF\n", ""),
            ("# EOF\n", "# EOF\n\n"),
            ("a_s_total{", "a_s{"),
            ("} 1", "} -1"),
            ("} 1", "} one"),
            ("} 1", "}  1"),
            ("} 1", "} 1\na_s_total{b=\"\\\\\\\"\\n\"} 2"),
            ("# UNIT a_s s", "# UNIT a_s ms"),
            ("# TYPE a_s counter", "# TYPE a_s thing"),
            ("\\n\"", "\\t\""),
            ("b=", "b-="),
            ("A.\n", "A.\n\n"),
        ] {
            assert!(good.contains(from));
            assert!(Exposed::read(&good.replace(from, to)).is_err(), "{to}");
        }
    }
}
