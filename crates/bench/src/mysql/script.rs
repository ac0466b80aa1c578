//! A script of one point select against the built-in workload of the same statement.

use super::arena::{Arena, table_arguments};
use crate::arguments::{Arguments, Transport};
use crate::markdown::{Figure, Table};
use crate::pair::{Pair, alternate};
use crate::reading::Reading;
use crate::runner::Say;
use anyhow::Context;
use model::Oltp;
use report::numbers::count;

/// How the tables are that both read: one, of which all rows are as likely as any other.
const TABLES: u32 = 1;

/// Runs all levels; `say` is given the text as it comes about.
pub(super) fn run(arena: &Arena<'_>, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let table = Table {
        title: "A script of one point select, against oltp_point_select itself".to_owned(),
        other: "built in",
        levels: &["clients"],
        figures: Figure::of_servers("transactions", "query"),
    };
    say(&table.heading())?;
    let tables = Oltp { tables: TABLES, ..arena.tables(arguments.table_size) };
    let script = format!(
        "\\set id random(1, {})\nSELECT c FROM sbtest1 WHERE id = :id;\n",
        arguments.table_size
    );
    let file = arena.file("point.sql");
    std::fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    for clients in &arguments.clients {
        let mut built_in = table_arguments(&tables);
        built_in
            .extend(["--workload=oltp_point_select", "--distribution=uniform"].map(str::to_owned));
        let script = vec![format!("--script={}", file.display())];
        let load = |own: &[String]| -> anyhow::Result<Reading> {
            let level = [
                format!("--clients={clients}"),
                format!("--duration={}s", arguments.seconds_of(*clients)),
                "--json".to_owned(),
            ];
            let all = [own, &level].concat();
            Reading::of_weighin(&arena.weighin("load", Transport::Tcp, &all)?)
        };
        let cell: Vec<Pair<Reading>> =
            alternate(arguments.pairs, || load(&script), || load(&built_in))?;
        say(&table.row(&[count((*clients).into())], &cell))?;
    }
    Ok(())
}
