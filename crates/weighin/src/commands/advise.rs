use super::{Outcome, print};
use crate::Exit;
use crate::arguments::AdviseArguments;
use crate::exit::CliError;
use crate::messages::{print_json, print_styled};
use crate::{prices, stores};
use analyse::capacity::{Budget, Page, Question, TestAnswers, answers, use_at_rate};
use analyse::{Analysis, TestAnalysis};
use serde_json::json;
use std::io::IsTerminal;

/// Version of what `--json` prints.
const FORMAT_VERSION: u32 = 1;
/// Width of lines where they go to no terminal.
const WIDTH: usize = 100;

/// Recommends targets, and answers questions of capacity.
pub(crate) fn advise(arguments: &AdviseArguments) -> Outcome {
    let results = stores::find(arguments.study.as_deref())?;
    let mut dataset = stores::dataset(&results, arguments.reading)?;
    prices::apply(&mut dataset, arguments.prices.as_deref())?;
    let way = analyse::analyse_without_laws_within;
    let (analysis, _) = stores::analysis_by(way, &results, &dataset, arguments.reading)?;
    let tests = tests(&analysis, arguments.test.as_deref())?;
    let question = question(arguments);
    if let (Some(rate), false) = (question.rate, arguments.infracost.is_empty()) {
        print(&usage_file(&analysis, &tests, rate, &arguments.infracost)?)?;
        return Ok(Exit::Done);
    }
    let page = if question == Question::default() {
        rules(&analysis, &tests, arguments.json)
    } else {
        let mut given = answers(&analysis, &question);
        given.retain(|answers| tests.iter().any(|test| test.test == answers.test));
        answered(&analysis, &question, &given, arguments.json)
    };
    match arguments.json {
        true => print_json(&page)?,
        false => print_styled(&page)?,
    }
    Ok(Exit::Done)
}

/// What targets take at a rate, as a usage file.
fn usage_file(
    analysis: &Analysis<'_>,
    tests: &[&TestAnalysis],
    rate: f64,
    resources: &[(String, String)],
) -> Result<String, CliError> {
    let [test] = tests else {
        let names: Vec<&str> = tests.iter().map(|test| test.test.as_str()).collect();
        let help = format!("say which with --test: {}", names.join(", "));
        return Err(CliError::usage("a usage file is of one test, and there are several", help));
    };
    let used = |(target, address): &(String, String)| {
        let of = report::UsageOf::from_address(address).ok_or_else(|| {
            let types = report::UsageOf::TYPES.map(|(name, _)| name).join(", ");
            let message = format!("{address} is of no type whose usage is measured");
            CliError::usage(message, format!("a resource is one of {types}"))
        })?;
        let used = use_at_rate(analysis, test, target, rate).ok_or_else(|| {
            let message = format!("no throughput of `{target}` was measured in {}", test.test);
            CliError::usage(message, "name a target of the study")
        })?;
        Ok((target.clone(), address.clone(), of, used))
    };
    let all = resources.iter().map(used).collect::<Result<Vec<_>, CliError>>()?;
    Ok(report::usage_file(rate, &all))
}

/// The test of that name, or all of them.
fn tests<'a>(
    analysis: &'a Analysis<'_>,
    name: Option<&str>,
) -> Result<Vec<&'a TestAnalysis>, CliError> {
    let named = |test: &&TestAnalysis| name.is_none_or(|name| test.test == name);
    let tests: Vec<&TestAnalysis> = analysis.tests.iter().filter(named).collect();
    if !tests.is_empty() {
        return Ok(tests);
    }
    let known: Vec<&str> = analysis.tests.iter().map(|test| test.test.as_str()).collect();
    Err(match name {
        Some(name) if !known.is_empty() => CliError::usage(
            format!("the study has no test `{name}`"),
            format!("it has: {}", known.join(", ")),
        ),
        _ => CliError::usage("the study has no tests", "advice takes results of at least one test"),
    })
}

fn question(arguments: &AdviseArguments) -> Question {
    let AdviseArguments { p50, p95, p99, mean, .. } = arguments;
    let page = arguments.page.zip(arguments.queries_per_page);
    let budget = arguments.budget.clone();
    Question {
        clients: arguments.clients,
        rate: arguments.rate,
        latency: [mean, p50, p95, p99].into_iter().filter_map(|bound| *bound).collect(),
        writes: arguments.writes,
        budget: budget.map(|(amount, currency)| Budget { amount, currency }),
        page: page.map(|(budget, queries)| Page { budget_ms: budget.as_secs_f64() * 1e3, queries }),
    }
}

fn rules(analysis: &Analysis<'_>, tests: &[&TestAnalysis], as_json: bool) -> String {
    if !as_json {
        let (width, colour) = terminal();
        return report::terminal_rules(tests, analysis, width, colour);
    }
    let of_test = |test: &&TestAnalysis| json!({ "test": test.test, "advice": test.advice, "crossovers": test.crossovers });
    let tests: Vec<serde_json::Value> = tests.iter().map(of_test).collect();
    document("weighin-rules", json!({ "tests": tests }))
}

fn answered(
    analysis: &Analysis<'_>,
    question: &Question,
    given: &[TestAnswers],
    as_json: bool,
) -> String {
    if !as_json {
        return report::terminal_answers(given, question, analysis, terminal());
    }
    document("weighin-answers", json!({ "question": question, "tests": given }))
}

fn document(format: &str, mut content: serde_json::Value) -> String {
    content["format"] = json!(format);
    content["format_version"] = json!(FORMAT_VERSION);
    format!("{content:#}\n")
}

/// How wide lines may be, and whether they may have colours.
fn terminal() -> (usize, bool) {
    let terminal = std::io::stdout().is_terminal();
    let width = if terminal { crate::messages::terminal_width() } else { WIDTH };
    (width.min(WIDTH), terminal)
}
