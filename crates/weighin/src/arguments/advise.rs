//! What `weighin advise` is asked.

use super::ReadArguments;
use super::bounds::{rate, some_time, whole};
use clap::Args;
use model::Slo;
use model::bounds::MAX_CLIENTS;
use std::path::PathBuf;
use std::time::Duration;

/// Most queries of a page.
const MAX_QUERIES: u32 = 1_000_000;
/// Most that a month may cost, in any currency.
const MAX_BUDGET: f64 = 1e12;

#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// A study file (its latest run) or a results file (*.weighin); the only results file here
    /// when left out
    pub(crate) study: Option<PathBuf>,
    /// Use only this test
    #[arg(long, value_name = "NAME")]
    pub(crate) test: Option<String>,
    /// Is it sufficient for so many clients, each waiting for its reply?
    #[arg(long, value_parser = whole(1..=MAX_CLIENTS))]
    pub(crate) clients: Option<u32>,
    /// Does it sustain so many transactions or operations per second?
    #[arg(long, value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// Do half of them take less than this, such as 5ms?
    #[arg(long, value_name = "BOUND", value_parser = p50)]
    pub(crate) p50: Option<Slo>,
    /// Do 95 % of them take less than this, such as 20ms?
    #[arg(long, value_name = "BOUND", value_parser = p95)]
    pub(crate) p95: Option<Slo>,
    /// Do 99 % of them take less than this, such as 50ms?
    #[arg(long, value_name = "BOUND", value_parser = p99)]
    pub(crate) p99: Option<Slo>,
    /// Do they take less than this on average, such as 10ms?
    #[arg(long, value_name = "BOUND", value_parser = mean)]
    pub(crate) mean: Option<Slo>,
    /// The share of statements that write, such as 60%: only tests within 5 points of it count
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) writes: Option<f64>,
    /// The highest cost per month, such as 500 or 500EUR
    #[arg(long, value_name = "AMOUNT", value_parser = budget)]
    pub(crate) budget: Option<(f64, Option<String>)>,
    /// Is a page complete in so much time, such as 5s? Its queries come one after another,
    /// each a transaction as slow as the 95th percentile
    #[arg(long, value_name = "TIME", value_parser = some_time, requires = "queries_per_page")]
    pub(crate) page: Option<Duration>,
    /// How many queries a page takes
    #[arg(long, value_name = "COUNT", requires = "page", value_parser = whole(1..=MAX_QUERIES))]
    pub(crate) queries_per_page: Option<u32>,
    /// Prices of targets in place of those of the study: a TOML or JSON file with a table for each, by
    /// its name, with the keys of `price`
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print instead, as a usage file of Infracost, what a target takes at that rate of what is charged by
    /// use, for the resource of a Terraform project that it is, such as a=aws_db_instance.main
    #[arg(long, value_name = "TARGET=RESOURCE", requires = "rate", value_parser = resource)]
    pub(crate) infracost: Vec<(String, String)>,
    /// Print the advice as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

fn p50(bound: &str) -> Result<Slo, String> {
    slo("p50", bound)
}

fn p95(bound: &str) -> Result<Slo, String> {
    slo("p95", bound)
}

fn p99(bound: &str) -> Result<Slo, String> {
    slo("p99", bound)
}

fn mean(bound: &str) -> Result<Slo, String> {
    slo("mean", bound)
}

fn slo(figure: &str, bound: &str) -> Result<Slo, String> {
    let needed = || "expected a duration, such as 20ms".to_owned();
    format!("{figure} < {bound}").parse().map_err(|_| needed())
}

fn resource(text: &str) -> Result<(String, String), String> {
    let named =
        text.rsplit_once('=').filter(|(target, address)| !target.is_empty() && !address.is_empty());
    let (target, address) =
        named.ok_or("expected TARGET=RESOURCE, such as a=aws_db_instance.main")?;
    Ok((target.to_owned(), address.to_owned()))
}

fn share(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').map(str::trim_end).unwrap_or(text);
    match percent.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("expected a percentage from 0 to 100, such as 60%".to_owned()),
    }
}

fn budget(text: &str) -> Result<(f64, Option<String>), String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let currency = &text[digits.len()..];
    let is_code = currency.len() == 3 && currency.chars().all(|c| c.is_ascii_uppercase());
    match digits.trim_end().parse::<f64>() {
        Ok(amount) if (0.0..=MAX_BUDGET).contains(&amount) && (is_code || currency.is_empty()) => {
            Ok((amount, is_code.then(|| currency.to_owned())))
        }
        _ => Err("expected an amount per month from 0 to 1000000000000, such as 500 or 500EUR"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_may_have_a_currency() {
        assert_eq!(budget("500"), Ok((500.0, None)));
        assert_eq!(budget("49.90 EUR"), Ok((49.9, Some("EUR".to_owned()))));
        for text in ["", "EUR", "-1", "500 euros", "500eur", "inf", "NaN", "1e300"] {
            assert!(budget(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_are_percentages() {
        assert_eq!((share("60%"), share("60")), (Ok(0.6), Ok(0.6)));
        assert!(share("160%").is_err() && share("x").is_err());
    }

    #[test]
    fn bounds_take_a_unit_and_nothing_else() {
        assert_eq!(p95("20ms").map(|slo| slo.to_string()), Ok("p95 < 20 ms".to_owned()));
        assert!(p95("20").is_err() && p95("= 20ms").is_err());
    }
}
