//! The workload `transactions`: scripts of the user's own.

use crate::keys::TransactionsKeys;
use crate::keys::transactions::{RETRY, SetKey, TransactionTable};
use crate::keys::value::{TakenNames, name, one_of};
use crate::problem::names::{choices, nearest};
use crate::problem::{Place, Problems};
use crate::read::data_file::BUILT_IN;
use crate::read::script_file;
use crate::read::tests::table::TestTable;
use crate::read::tests::{built_in, own_data, script_column};
use model::bounds::{MAX_SCRIPT_STATEMENTS, MAX_TRANSACTIONS};
use model::{Script, ScriptTransaction, SetValue, Slo, SqlSyntax, Transactions, text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use workload::own;
use workload::program::Parts;
use workload::script::{self, Parsed, ScriptError};

/// The transactions of a test.
pub(crate) fn workload(
    keys: &TransactionsKeys,
    table: &TestTable,
    problems: &mut Problems,
) -> Option<Transactions> {
    built_in::check(keys, problems);
    let built_in = match &keys.built_in {
        Some(written) => Some((built_in::keys(written, problems)?, written.span())),
        None => None,
    };
    let Some(Chosen { tables, places }) = chosen(keys, built_in.as_ref()) else {
        let help =
            "add [[test.transaction]] with script = \"checkout.sql\", or sql = \"SELECT ...\"";
        problems.missing(table.workload_place(), "this test has no transaction", help);
        return None;
    };
    if tables.len() > MAX_TRANSACTIONS {
        let message = format!("{} transactions are more than {MAX_TRANSACTIONS}", tables.len());
        problems.add(table.at.clone(), message).help("write several tests");
        return None;
    }
    let mut set = BTreeMap::new();
    if let Some((own, _)) = &built_in {
        set.extend(self::set(own, problems));
        built_in::check_partitions(own, keys, problems);
    }
    set.extend(self::set(keys, problems));
    let mut names = TakenNames::new("transaction");
    let of_tables = tables.iter().map(|one| transaction(one, tables.len(), &mut names, problems));
    let transactions: Vec<_> = of_tables.collect();
    let transactions: Vec<ScriptTransaction> = transactions.into_iter().collect::<Option<_>>()?;
    let mut data = own_data::data(keys, &set, problems);
    if let Some((own, at)) = &built_in {
        // Its places are in a text that is no part of the study.
        let mut inner = problems.elsewhere();
        let own = own_data::data(own, &set, &mut inner);
        problems.take(inner, at);
        data.invariants.splice(..0, own.invariants);
        (data.setup, data.load) = (own.setup, own.load);
    }
    let mut own = Transactions {
        transactions,
        set,
        prepared: keys.prepared.value(),
        writes: keys.writes.value(),
        change_data: false,
        data,
    };
    if let Err(error) = script_column::read(&mut own, problems) {
        not_read(&own, &places, &error, problems);
        return None;
    }
    let facts = script_facts(&own, &places, problems)?;
    own.change_data = facts.change_data;
    if let (false, Some(undo)) = (own.change_data, &keys.undo) {
        problems
            .add(undo.span(), "`undo` undoes what scripts change, and these only read")
            .help("leave it out");
    }
    check_set(keys, built_in.as_ref().map(|(whole, _)| whole), facts.reads, problems);
    Some(own)
}

/// Notes variables in `set` that neither scripts nor what makes the data read.
fn check_set(
    keys: &TransactionsKeys,
    built_in: Option<&TransactionsKeys>,
    mut known: BTreeSet<String>,
    problems: &mut Problems,
) {
    known.extend(own_data::variables(keys));
    known.extend(
        built_in.iter().flat_map(|own| own.set.iter().flatten()).map(|(name, _)| name.clone()),
    );
    let known = || known.iter().map(String::as_str);
    for (written, value) in keys.set.iter().flatten() {
        if known().any(|one| one == written) {
            continue;
        }
        let near = nearest(written, known())
            .map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        let message = match &keys.built_in {
            Some(name) => format!("`{}` has no variable `{written}`{near}", name.get_ref()),
            None => format!("no script reads the variable `{written}`{near}"),
        };
        let help = match (built_in, known().next()) {
            (_, None) => "leave it out: the scripts read no variable".to_owned(),
            (Some(own), _) => {
                let names = own.set.iter().flatten().map(|(name, _)| name.as_str());
                format!("`set` takes {}", choices(names))
            }
            (None, _) => {
                format!("name one that the scripts read, {}, or leave it out", choices(known()))
            }
        };
        problems.add(value.span(), message).help(help);
    }
}

/// The transactions of a test, and where the study has their scripts.
struct Chosen<'k> {
    tables: &'k [Spanned<TransactionTable>],
    places: Vec<Place>,
}

/// Those that the test has; otherwise those of the workload that it names.
fn chosen<'k>(
    keys: &'k TransactionsKeys,
    built_in: Option<&'k (TransactionsKeys, Place)>,
) -> Option<Chosen<'k>> {
    let of = |keys: &'k TransactionsKeys| {
        keys.transaction.as_deref().filter(|tables| !tables.is_empty())
    };
    if let Some(tables) = of(keys) {
        return Some(Chosen { tables, places: tables.iter().map(script_place).collect() });
    }
    let (keys, at) = built_in?;
    let tables = of(keys)?;
    Some(Chosen { tables, places: vec![at.clone(); tables.len()] })
}

/// Where a script is named, or stands.
fn script_place(table: &Spanned<TransactionTable>) -> Place {
    let keys = table.get_ref();
    let sql = keys.sql.as_ref().map(Spanned::span);
    keys.script.as_ref().map(Spanned::span).or(sql).unwrap_or_else(|| table.span())
}

/// What the scripts of a test tell of themselves.
#[derive(Default)]
struct ScriptFacts {
    /// Whether they change data, as far as they tell.
    change_data: bool,
    /// The variables that they read.
    reads: BTreeSet<String>,
}

/// What is in the scripts; `None` where one cannot be read.
fn script_facts(
    own: &Transactions,
    places: &[Place],
    problems: &mut Problems,
) -> Option<ScriptFacts> {
    let syntaxes = match problems.syntaxes.as_slice() {
        [] => vec![SqlSyntax::STANDARD],
        some => some.to_vec(),
    };
    let mut facts = ScriptFacts::default();
    for syntax in syntaxes {
        let parsed = own::parse(own, syntax).and_then(|parsed| {
            facts.reads.extend(parsed.reads().iter().cloned());
            without_values(parsed)
        });
        let parts = match parsed {
            Ok(parts) => parts,
            Err(error) => {
                not_read(own, places, &error, problems);
                return None;
            }
        };
        if parts.statements.is_empty() {
            let at = places.first().cloned().unwrap_or_default();
            problems
                .add(at, "the scripts have no statement")
                .help("a script has SQL: SELECT name FROM customer WHERE id = :id;");
            return None;
        }
        if parts.statements.len() > MAX_SCRIPT_STATEMENTS {
            let count = parts.statements.len();
            let message = format!("{count} statements are more than {MAX_SCRIPT_STATEMENTS}");
            let at = places.first().cloned().unwrap_or_default();
            problems.add(at, message).help("write several tests");
            return None;
        }
        facts.change_data |= own::changes_data(&parts.statements);
    }
    Some(facts)
}

/// The parts of scripts but for the values that a query gives, which the server answers later.
fn without_values(parsed: Parsed) -> Result<Parts, ScriptError> {
    parsed.with_values(|_| Ok(Arc::default()))
}

/// Notes what is wrong with a script, and where in it.
fn not_read(own: &Transactions, places: &[Place], error: &ScriptError, problems: &mut Problems) {
    let scripts = own.transactions.iter().zip(places);
    let is_its = |script: &Script| text::line(&script.origin) == error.script;
    let found = scripts.clone().find(|(one, _)| is_its(&one.script)).or(scripts.clone().next());
    let Some((transaction, at)) = found else { return };
    let message = format!("the script of `{}` cannot be run", transaction.name);
    problems.add(at.clone(), message).inside(error.to_string());
}

fn set(keys: &TransactionsKeys, problems: &mut Problems) -> BTreeMap<String, SetValue> {
    let mut set = BTreeMap::new();
    for (name, written) in keys.set.iter().flatten() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            problems
                .add(written.span(), format!("`{name}` is no name of a variable"))
                .help("a name has letters, digits and _");
        }
        let value = match written.get_ref() {
            SetKey::Integer(number) => SetValue::Integer(*number),
            SetKey::Double(number) => SetValue::Double(*number),
            SetKey::Text(text) => SetValue::Text(text.clone()),
        };
        set.insert(name.clone(), value);
    }
    set
}

fn transaction(
    table: &Spanned<TransactionTable>,
    of: usize,
    names: &mut TakenNames,
    problems: &mut Problems,
) -> Option<ScriptTransaction> {
    let keys = table.get_ref();
    let script = script(table, problems);
    let named = keys.name.as_ref().map(|written| (written.get_ref().clone(), written.span()));
    let named = named.or_else(|| {
        let written = keys.script.as_ref()?;
        let stem = written.get_ref().strip_prefix(BUILT_IN);
        let stem = stem.map(|name| name.rsplit('/').next().unwrap_or(name).to_owned());
        let stem =
            stem.or_else(|| Some(Path::new(written.get_ref()).file_stem()?.to_str()?.to_owned()))?;
        Some((stem, written.span()))
    });
    // One alone needs no name to be told from others.
    let named = named.or_else(|| (of == 1).then(|| ("sql".to_owned(), table.span())));
    let name = match named {
        Some((written, at)) => {
            names.take(Some((&written, at.clone())), problems);
            name(&written, at, "transaction", problems)
        }
        None => {
            let help = "add a line like name = \"checkout\"";
            problems.missing(table.span(), "this transaction has no name", help);
            None
        }
    };
    let slo = keys.slo.as_ref().and_then(|written| {
        let slo = written.get_ref().parse::<Slo>();
        if let Err(error) = &slo {
            problems.add(written.span(), format!("`slo`: {error}"));
        }
        slo.ok()
    });
    let think_time = keys.think_time.value("think_time", problems).filter(|time| !time.is_zero());
    let weight = keys.weight.value("weight", problems);
    let retry = one_of("retry", &keys.retry, &[(RETRY, true)], problems).unwrap_or(false);
    Some(ScriptTransaction { name: name?, script: script?, weight, think_time, slo, retry })
}

fn script(table: &Spanned<TransactionTable>, problems: &mut Problems) -> Option<Script> {
    let keys = table.get_ref();
    match (&keys.script, &keys.sql) {
        (Some(script), Some(sql)) => {
            problems
                .add(sql.span(), "a transaction has a `script` or `sql`, and not both")
                .other(script.span(), "the script")
                .help("leave out either");
            None
        }
        (None, None) => {
            let help = "add script = \"checkout.sql\", or sql = \"SELECT ...\"";
            problems.missing(table.span(), "this transaction has no script", help);
            None
        }
        (Some(written), None) => match written.get_ref().strip_prefix(BUILT_IN) {
            Some(name) => built_in_script(name, written.span(), problems),
            None => {
                let origin = written.get_ref().clone();
                let text = script_file::read(written.get_ref(), written.span(), problems)?;
                Some(Script { origin, text, columns: vec![] })
            }
        },
        (None, Some(sql)) => {
            let texts = sql.get_ref().all();
            if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
                problems
                    .add(sql.span(), "`sql` holds an empty statement, or none")
                    .help("write it like sql = \"SELECT COUNT(*) FROM orders\"");
                return None;
            }
            Some(Script { origin: origin_of(table), text: joined(&texts), columns: vec![] })
        }
    }
}

/// What messages call inline SQL.
fn origin_of(table: &Spanned<TransactionTable>) -> String {
    let name = table.get_ref().name.as_ref();
    name.map_or_else(|| "sql".to_owned(), |name| format!("the sql of {}", name.get_ref()))
}

/// Statements as a script has them: each ends with a semicolon, and begins on a line of its own.
fn joined(texts: &[&str]) -> String {
    let mut script = String::new();
    for text in texts {
        let text = text.trim_end();
        script.push_str(text);
        if !text.ends_with(';') && !is_command(text) {
            script.push(';');
        }
        script.push('\n');
    }
    script
}

/// Whether the last line of a text is one of the script's own commands, which no semicolon ends.
fn is_command(text: &str) -> bool {
    text.lines().last().is_some_and(|line| line.trim_start().starts_with('\\'))
}

fn built_in_script(name: &str, at: Place, problems: &mut Problems) -> Option<Script> {
    let Some(script) = script::builtin(name) else {
        let names = || script::builtin_names();
        let near = nearest(name, names())
            .map_or(String::new(), |near| format!(": did you mean `{BUILT_IN}{near}`?"));
        problems
            .add(at, format!("there is no built-in script `{name}`{near}"))
            .help(format!("there are {}", choices(names())));
        return None;
    };
    let origin = format!("{BUILT_IN}{name}");
    Some(Script { origin, text: script.text, columns: vec![] })
}
