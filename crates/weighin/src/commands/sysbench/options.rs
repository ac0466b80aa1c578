use super::catalog::{self, Kind, Spec, Support};
use super::generation::Generation;
use super::unsupported;
use super::words::Words;
use crate::exit::CliError;
use std::collections::BTreeMap;

/// The options of a command line, checked: each is known, supported, and of its kind.
#[derive(Clone, Debug)]
pub(super) struct Options {
    values: BTreeMap<&'static str, String>,
}

impl Options {
    /// Checks every option that was given, and fills in the generation's defaults.
    pub(super) fn check(words: &Words, generation: Generation) -> Result<Self, CliError> {
        let mut values: BTreeMap<&'static str, String> =
            catalog::options(generation).map(|spec| (spec.name, spec.default.to_owned())).collect();
        for (name, value) in &words.options {
            let Some(spec) = catalog::options(generation).find(|spec| spec.name == name) else {
                return Err(unsupported(
                    &format!("--{name}"),
                    &format!(
                        "sysbench {} has no such option, or weighin does not have it: see weighin \
                         sysbench --help; another generation can be asked for with \
                         --weighin-compat=0.4, 0.5, 1.0 or 1.1",
                        generation.version()
                    ),
                ));
            };
            if value.is_none()
                && matches!(spec.kind, Kind::Number | Kind::Real)
                && let Some(error) = words.value_apart(Some(name))
            {
                return Err(error);
            }
            let value = checked(&spec, value.as_deref())?;
            if spec.support == Support::DefaultOnly && value != spec.default {
                let help = format!(
                    "leave it out{}",
                    if spec.default.is_empty() {
                        String::new()
                    } else {
                        format!(", or keep its default, {}", spec.default)
                    }
                );
                return Err(unsupported(&format!("--{name}={value}"), &help));
            }
            values.insert(spec.name, value);
        }
        Ok(Self { values })
    }

    /// The text of an option; empty where it has none, or the generation does not know it.
    pub(super) fn text(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// A whole number; 0 where the generation does not know the option.
    pub(super) fn number(&self, name: &str) -> u64 {
        // Checked when it was taken in.
        self.text(name).parse().unwrap_or(0)
    }

    /// A whole number in a range.
    pub(super) fn within(&self, name: &str, low: u32, high: u32) -> Result<u32, CliError> {
        let value = self.number(name);
        match u32::try_from(value) {
            Ok(number) if (low..=high).contains(&number) => Ok(number),
            _ => Err(out_of_range(name, value, low.into(), high.into())),
        }
    }

    /// A whole number that may be as large as `high`.
    pub(super) fn up_to(&self, name: &str, high: u64) -> Result<u64, CliError> {
        let value = self.number(name);
        if value <= high { Ok(value) } else { Err(out_of_range(name, value, 0, high)) }
    }

    /// A number; 0 where the generation does not know the option.
    pub(super) fn real(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }

    /// Whether a flag is on.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.text(name) == "on"
    }

    /// The texts of a list.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        self.text(name).split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
    }
}

fn out_of_range(name: &str, value: u64, low: u64, high: u64) -> CliError {
    CliError::usage(format!("--{name} must be from {low} to {high}, not {value}"), "")
}

/// A value in its usual form, if it is of its kind.
fn checked(spec: &Spec, value: Option<&str>) -> Result<String, CliError> {
    let name = spec.name;
    let wrong = |value: &str, need: &str| {
        CliError::usage(format!("--{name}={value} is not supported"), format!("give {need}"))
    };
    match (spec.kind, value) {
        (Kind::Flag, None) => Ok("on".to_owned()),
        (Kind::Flag, Some(text)) => match text.to_ascii_lowercase().as_str() {
            "on" | "true" | "yes" | "1" => Ok("on".to_owned()),
            "off" | "false" | "no" | "0" => Ok("off".to_owned()),
            _ => Err(wrong(text, "on or off")),
        },
        // So that a script that leaves a variable empty is not taken for something else.
        (Kind::Number | Kind::Real, None | Some("")) => Err(wrong("", "a number")),
        (Kind::Number, Some(text)) => match text.parse::<u64>() {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err(wrong(text, "a whole number from 0")),
        },
        (Kind::Real, Some(text)) => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(text.to_owned()),
            _ => Err(wrong(text, "a number")),
        },
        (Kind::Text | Kind::List, text) => Ok(text.unwrap_or_default().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], generation: Generation) -> Result<Options, CliError> {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        Options::check(&Words::parse(&words)?, generation)
    }

    #[test]
    fn each_generation_has_its_defaults() {
        let of = |generation| check(&[], generation).unwrap();
        assert_eq!(of(Generation::V04).number("max-requests"), 10_000);
        assert_eq!(of(Generation::V05).number("max-requests"), 10_000);
        assert_eq!(of(Generation::V10).number("events"), 0);
        assert_eq!(of(Generation::V10).number("time"), 10);
        assert_eq!(of(Generation::V10).text("rand-type"), "special");
        assert_eq!(of(Generation::V11).text("rand-type"), "uniform");
        assert_eq!(of(Generation::LEGACY).number("max-requests"), 0);
    }

    #[test]
    fn what_is_not_supported_is_named_in_the_error() {
        for generation in Generation::ALL {
            for spec in catalog::options(generation).filter(|s| s.support == Support::DefaultOnly) {
                let other = match spec.kind {
                    Kind::Flag => "on",
                    _ => "77",
                };
                let word = format!("--{}={other}", spec.name);
                let error = check(&[&word], generation).unwrap_err();
                assert!(error.message().contains(&word), "{}", error.message());
                let default = format!("--{}={}", spec.name, spec.default);
                assert!(check(&[&default], generation).is_ok(), "{default}");
            }
            let error = check(&["--no-such-thing=1"], generation).unwrap_err();
            assert!(error.message().contains("--no-such-thing"));
        }
    }

    #[test]
    fn values_must_be_of_their_kind() {
        for bad in
            ["--tables=x", "--tables=-1", "--tables", "--histogram=maybe", "--rand-pareto-h=a"]
        {
            assert!(check(&[bad], Generation::V10).is_err(), "{bad}");
        }
        let options = check(&["--histogram", "--skip_trx=0"], Generation::V10).unwrap();
        assert!(options.flag("histogram") && !options.flag("skip-trx"));
        assert!(options.within("threads", 2, 9).is_err());
    }
}
