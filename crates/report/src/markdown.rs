//! Tables and sentences, for pull requests and wikis.

use crate::tables::{self, Table};
use crate::{numbers, view, words};
use analyse::{Analysis, Severity, TestAnalysis};
use model::text;

/// The whole report.
pub(crate) fn page(analysis: &Analysis) -> String {
    let dataset = analysis.dataset;
    let study = &dataset.study;
    let mut blocks = vec![
        format!("# {}", escaped(study.question.as_deref().unwrap_or(&study.name))),
        format!(
            "Study {}, run {} of {}, {} weighin {}",
            escaped(&study.name),
            dataset.run.id,
            numbers::date(dataset.run.started_at),
            if view::imported(analysis) { "imported with" } else { "measured with" },
            escaped(&dataset.run.weighin_version),
        ),
        "## Recommendation".to_owned(),
    ];
    blocks.extend(words::scaled(analysis).map(|said| format!("**{}**", escaped(&said))));
    blocks.extend(words::nothing_ranked(analysis).map(|said| format!("**{}**", escaped(&said))));
    blocks.extend(recommendation(analysis));
    blocks.extend(findings(analysis));
    blocks.extend(summary(analysis));
    for test in &analysis.tests {
        blocks.extend(details(analysis, test));
    }
    if let Some(factors) = tables::factors(analysis) {
        blocks.push("## Factors".to_owned());
        blocks.push(table(&factors));
    }
    blocks.extend(money(analysis));
    if let Some(wrong) = tables::arithmetic(analysis) {
        blocks.push("## Contradictory figures".to_owned());
        blocks.push(table(&wrong));
    }
    blocks.extend(background(analysis));
    blocks.extend(environment(analysis));
    blocks.push("## Methods".to_owned());
    let method = |(subject, text): (&str, String)| format!("- **{subject}.** {}", escaped(&text));
    let limits = ("Limits", words::general_limits(analysis).join(" "));
    let methods = std::iter::once(limits).chain(words::methods(analysis));
    blocks.push(methods.map(method).collect::<Vec<_>>().join("\n"));
    if !study.source.is_empty() {
        blocks.push("## Study file".to_owned());
        blocks.push(fenced(&text::visible(&study.source)));
    }
    blocks.join("\n\n") + "\n"
}

/// What to choose in each test, what that rests on and what it does not hold for.
fn recommendation(analysis: &Analysis) -> Vec<String> {
    let judged: Vec<&TestAnalysis> =
        analysis.tests.iter().filter(|test| test.basis.is_some()).collect();
    let mut blocks = Vec::new();
    if let Some(standings) = tables::standings(analysis) {
        blocks.extend(words::first_places(analysis).map(|said| format!("**{}**", escaped(&said))));
        blocks.push(table(&standings));
        blocks.push(escaped(&words::standings(analysis)));
    }
    match judged.as_slice() {
        [only] => {
            let said = words::answer(analysis, only);
            blocks.push(format!("**{}**", escaped(&said.first())));
            blocks.extend(said.second().map(escaped));
            let figures = tables::decision(analysis, only);
            blocks.extend(figures.map(|(figures, _)| table(&figures)));
        }
        several => {
            let choice = |test: &&TestAnalysis| {
                let said = words::answer(analysis, test);
                format!("{}: {}", test.test, said.first())
            };
            blocks.extend(bullets(&several.iter().map(choice).collect::<Vec<String>>()));
        }
    }
    if analysis.tests.is_empty() {
        blocks.push(words::NO_TEST.to_owned());
    }
    blocks.extend(words::grounds(analysis).iter().map(|said| escaped(said)));
    blocks
}

/// The places in a test, how its targets compare, and what that does not hold for.
fn answer(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    let said = words::answer(analysis, test);
    let mut blocks = Vec::new();
    if analysis.tests.len() > 1 {
        blocks.extend(said.second().map(escaped));
    }
    blocks.extend(said.ranking.as_deref().map(escaped));
    blocks.extend(bullets(&said.conditions));
    let ranking = tables::ranking(analysis, test);
    if !ranking.rows.is_empty() {
        blocks.push(table(&ranking));
    }
    if !said.limits.is_empty() {
        blocks.push(escaped(&said.limits.join(" ")));
    }
    blocks
}

fn summary(analysis: &Analysis) -> Vec<String> {
    let Some((tests, targets)) = tables::summary(analysis) else { return Vec::new() };
    let mut blocks =
        vec!["## First and second places".to_owned(), escaped(&words::summary(analysis))];
    blocks.push(table(&tests));
    if !targets.rows.is_empty() {
        blocks.push(table(&targets));
    }
    blocks
}

/// The user's own transactions and their statements, where the test has such.
fn items(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    if test.items.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec!["### Transactions".to_owned()];
    blocks.push(table(&tables::transactions(analysis, test)));
    blocks.push(escaped(words::ITEMS));
    blocks.push("### Statements".to_owned());
    blocks.push(table(&tables::statements(analysis, test)));
    if let Some(plans) = tables::plans(analysis, test) {
        blocks.push(format!("### {}", words::PLANS_HEADING));
        blocks.push(table(&plans));
    }
    for (baseline, candidate) in view::item_pairs(test) {
        blocks.push(format!("### {}", escaped(&format!("{candidate} ÷ {baseline}, by name"))));
        blocks.push(table(&tables::item_ratios(test, &baseline, &candidate)));
    }
    blocks
}

fn details(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    let mut blocks = vec![format!("## {}", escaped(&test.test))];
    let studied = analysis.dataset.study.tests.iter().find(|studied| studied.name == test.test);
    blocks.extend(studied.map(|studied| format!("{}.", escaped(&words::workload(studied)))));
    if test.basis.is_some() {
        blocks.extend(answer(analysis, test));
    }
    if !test.figures.is_empty() {
        blocks.push(format!("### {}", words::figures_heading(analysis)));
        blocks.push(table(&tables::named(analysis, test)));
    }
    if tables::cells_add_to_named(analysis, test) {
        blocks.push(table(&tables::cells(analysis, test)));
    }
    let taken = tables::resources(analysis, test);
    if !taken.rows.is_empty() {
        blocks.push(format!("### {}", words::resources_heading(test)));
        blocks.push(table(&taken));
        let ratios = tables::resource_ratios(test);
        if !ratios.rows.is_empty() {
            blocks.push(table(&ratios));
        }
        blocks.push(escaped(&words::resources(test)));
    }
    if let Some(steps) = tables::failover_steps(analysis, test) {
        blocks.push("### What happened when".to_owned());
        blocks.push(table(&steps));
    }
    let load = tables::before_and_after(analysis, test);
    if !load.rows.is_empty() {
        blocks.push(format!("### {}", words::BEFORE_AND_AFTER_HEADING));
        blocks.push(table(&load));
        blocks.push(escaped(words::BEFORE_AND_AFTER));
    }
    blocks.extend(items(analysis, test));
    if !test.fleets.is_empty() {
        blocks.push("### Volumes".to_owned());
        blocks.push(table(&tables::fleet_volumes(analysis, test)));
        if let Some(hosts) = tables::fleet_hosts(analysis, test) {
            blocks.push("### Hosts with volumes".to_owned());
            blocks.push(table(&hosts));
        }
        blocks.push("### Virtual machines".to_owned());
        blocks.push(table(&tables::fleet_vms(analysis, test)));
        if let Some(processors) = tables::fleet_processors(analysis, test) {
            blocks.push("### Processors of the virtual machines".to_owned());
            blocks.push(table(&processors));
        }
    }
    let volumes = tables::volumes(analysis, test);
    if !volumes.is_empty() {
        blocks.push(format!("### {}", escaped(words::disks_heading(test))));
        blocks.extend(volumes.iter().map(table));
        blocks.push(escaped(&words::volumes(analysis, test)));
    }
    if let Some(found) = &test.search {
        let comparisons = tables::search_comparisons(found);
        if !comparisons.rows.is_empty() {
            blocks.push(table(&comparisons));
        }
        blocks.push(table(&tables::search_steps(analysis, test, found)));
    }
    if view::is_crowded(test) {
        if let Some(matrix) = tables::matrix(analysis, test) {
            blocks.push("### Who is ahead of whom".to_owned());
            blocks.push(escaped(&words::matrix(analysis, test)));
            blocks.push(table(&matrix));
        }
        if let Some((first, ratios)) = tables::against_first(analysis, test) {
            blocks.push(format!("### Every target against {}", escaped(&first)));
            blocks.push(escaped(&words::against_first(test, &first)));
            blocks.push(table(&ratios));
        }
    }
    for (baseline, candidate) in view::pairs(test) {
        blocks.push(format!("### {} ÷ {}", escaped(candidate), escaped(baseline)));
        blocks.push(table(&tables::ratios(test, baseline, candidate)));
    }
    blocks
}

/// What the targets cost; nothing where none has a price.
fn money(analysis: &Analysis) -> Vec<String> {
    let mut blocks = Vec::new();
    for test in &analysis.tests {
        if let Some(costs) = tables::costs(analysis, test) {
            blocks.push(format!("### {}", escaped(&test.test)));
            blocks.push(table(&costs));
        }
    }
    if let Some(break_evens) = tables::break_evens(analysis) {
        blocks.push("### Break-even".to_owned());
        blocks.push(table(&break_evens));
    }
    if !blocks.is_empty() {
        blocks.insert(0, "## Money".to_owned());
    }
    blocks
}

fn findings(analysis: &Analysis) -> Vec<String> {
    const ORDER: [Severity; 4] =
        [Severity::Severe, Severity::Warning, Severity::Notice, Severity::Passed];
    let mut blocks = vec!["## Findings".to_owned()];
    for severity in ORDER {
        let kinds = view::by_kind(analysis, severity);
        let sentences: Vec<String> = kinds
            .iter()
            .flat_map(|(_, findings)| {
                words::sentences(findings, |found| view::counted_in(analysis, found))
            })
            .collect();
        if let Some(list) = bullets(&sentences) {
            blocks.push(format!("### {}", words::severity(severity)));
            blocks.push(list);
        }
    }
    if analysis.findings.is_empty() {
        blocks.push("None.".to_owned());
    }
    blocks
}

/// What happened beside the load; nothing where nothing was seen.
fn background(analysis: &Analysis) -> Vec<String> {
    let Some(all) = tables::events(analysis) else { return Vec::new() };
    let mut blocks = vec![format!("## {}", tables::EVENTS)];
    blocks.extend(tables::event_costs(analysis).as_ref().map(table));
    blocks.push(table(&all));
    blocks
}

fn environment(analysis: &Analysis) -> Vec<String> {
    let mut blocks = vec!["## Environment".to_owned(), table(&tables::servers(analysis))];
    let differences = tables::differences(analysis);
    if !differences.is_empty() {
        blocks.push("### Settings that differ between targets".to_owned());
    }
    for group in &differences {
        blocks.push(format!("{}:", escaped(&group.heading)));
        blocks.push(table(&group.table));
    }
    if view::imported(analysis) {
        blocks.push("### Import".to_owned());
    } else {
        blocks.push("### Host and run".to_owned());
        blocks.push(table(&tables::host(analysis)));
    }
    if let Some(instances) = tables::instances(analysis) {
        blocks.push("### Instances".to_owned());
        blocks.extend(bullets(&words::instances::sentences(analysis.dataset)));
        blocks.push(table(&instances));
    }
    if let Some(hosts) = tables::target_hosts(analysis) {
        blocks.push("### Hosts of targets".to_owned());
        blocks.push(table(&hosts));
    }
    if let Some(hosts) = tables::load_hosts(analysis) {
        blocks.push("### Load hosts".to_owned());
        blocks.push(table(&hosts));
    }
    blocks.push(table(&tables::run(analysis)));
    if let Some(notes) = tables::notes(analysis) {
        blocks.push("### Notes".to_owned());
        blocks.push(table(&notes));
    }
    if let Some(superseded) = tables::superseded(analysis) {
        blocks.push("### Failed trials that were planned again".to_owned());
        blocks.push(table(&superseded));
    }
    blocks
}

pub(crate) fn bullets(sentences: &[String]) -> Option<String> {
    let lines: Vec<String> = sentences.iter().map(|s| format!("- {}", escaped(s))).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

pub(crate) fn table(table: &Table) -> String {
    let headings: Vec<String> =
        table.columns.iter().map(|column| escaped(&column.heading)).collect();
    let rules: Vec<&str> =
        table.columns.iter().map(|column| if column.numeric { "---:" } else { "---" }).collect();
    let mut lines = vec![line(&headings), line(&rules)];
    for row in &table.rows {
        let cells: Vec<String> = row
            .cells
            .iter()
            .map(|cell| match &cell.note {
                Some(note) => format!("{} ({})", escaped(&cell.text), escaped(note)),
                None => escaped(&cell.text),
            })
            .collect();
        lines.push(line(&cells));
    }
    lines.join("\n")
}

fn line<S: AsRef<str>>(cells: &[S]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |", cells.join(" | "))
}

/// Text that Markdown shows as it is, on one line: names and messages are not markup.
pub(crate) fn escaped(text: &str) -> String {
    model::deadline::look();
    let text = text::visible(text);
    let mut safe = String::with_capacity(text.len());
    if begins_a_block(&text) {
        safe.push('\\');
    }
    let list = list_mark(&text).unwrap_or(usize::MAX);
    for (at, c) in text.char_indices() {
        match c {
            // It would begin a list.
            '.' | ')' if at == list => safe.extend(['\\', c]),
            '\n' | '\t' => safe.push(' '),
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '~' | '\\' => {
                safe.extend(['\\', c]);
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Where the point is that makes a text an item of a list with numbers.
fn list_mark(text: &str) -> Option<usize> {
    let point = text.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0)?;
    let rest = text[point..].strip_prefix(['.', ')'])?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '\n'])).then_some(point)
}

/// Whether a text would be a heading, a list, a quotation or a rule where it
/// begins a line.
fn begins_a_block(text: &str) -> bool {
    let second = text.chars().nth(1);
    text.starts_with(['#', '>', '='])
        || text.starts_with(['-', '+']) && second.is_none_or(|c| [' ', '-', '\t'].contains(&c))
}

/// A block of code whose fence is longer than any run of backticks in it.
fn fenced(source: &str) -> String {
    let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}toml\n{}\n{fence}", source.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_markup() {
        assert_eq!(escaped("a|b *c* <i>\n`d`"), "a\\|b \\*c\\* &lt;i> \\`d\\`");
        assert_eq!(escaped("# big\u{1b}[1m"), "\\# big\\\\x1b\\[1m");
        assert_eq!([escaped("- a"), escaped("> b"), escaped("-5")], ["\\- a", "\\> b", "-5"]);
        assert_eq!([escaped("1. a"), escaped("1.5 s"), escaped("0")], ["1\\. a", "1.5 s", "0"]);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("x = 1\n"), "```toml\nx = 1\n```");
        assert!(fenced("````").starts_with("`````toml\n"));
    }
}
