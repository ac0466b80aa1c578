use crate::problem::{Place, Problems};
use crate::test::refuse_keys;
use crate::trigger;
use crate::validate::{one_of, whole};
use crate::wire::{Maybe, TestTable};
use crate::{key_value, storage};
use model::bounds::{MAX_COUNT, MAX_ROWS, MAX_TABLES};
use model::{KeyDistribution, Oltp, OltpMix};
use toml::Spanned;

/// The workload of that name, if it can be run again and again on the same tables.
pub(crate) fn repeatable(name: &str) -> Option<OltpMix> {
    OltpMix::from_name(name).filter(|mix| OltpMix::REPEATABLE.contains(mix))
}

/// A named workload with the changes that a test makes to it.
pub(crate) fn workload(mix: OltpMix, table: &TestTable, problems: &mut Problems) -> Oltp {
    refuse_keys(mix.name(), key_value::keys(table), problems);
    refuse_keys(mix.name(), storage::keys(table), problems);
    refuse_keys(mix.name(), trigger::keys(table), problems);
    let mut oltp = Oltp::preset(mix);
    oltp.tables = whole("tables", &table.tables, 1, 1..=MAX_TABLES, problems);
    oltp.table_size = whole("table_size", &table.table_size, 10_000, 1..=MAX_ROWS, problems);
    oltp.range_size = whole("range_size", &table.range_size, 100, 1..=MAX_ROWS, problems);
    let names = KeyDistribution::ALL.map(KeyDistribution::name);
    let find = KeyDistribution::from_name;
    oltp.distribution =
        one_of("distribution", &table.distribution, names, find, problems).unwrap_or_default();
    let whole_transaction = oltp.transaction.explicit;
    let t = &mut oltp.transaction;
    let counts: [(&str, &Maybe<i64>, &mut u32); 8] = [
        ("point_selects", &table.point_selects, &mut t.point_selects),
        ("simple_ranges", &table.simple_ranges, &mut t.simple_ranges),
        ("sum_ranges", &table.sum_ranges, &mut t.sum_ranges),
        ("order_ranges", &table.order_ranges, &mut t.order_ranges),
        ("distinct_ranges", &table.distinct_ranges, &mut t.distinct_ranges),
        ("index_updates", &table.index_updates, &mut t.index_updates),
        ("non_index_updates", &table.non_index_updates, &mut t.non_index_updates),
        ("delete_inserts", &table.delete_inserts, &mut t.delete_inserts),
    ];
    for (key, written, count) in counts {
        *count = whole(key, written, *count, 0..=MAX_COUNT, problems);
    }
    if let Some(skip) = &table.skip_trx {
        if *skip.get_ref() || whole_transaction {
            t.explicit = !*skip.get_ref();
        } else {
            problems
                .add(skip.span(), format!("{} has no transaction to keep", mix.name()))
                .help("leave `skip_trx` out");
        }
    }
    if t.reads() + t.writes() + t.others() == 0 {
        problems
            .add(table.workload.as_ref().map_or(0..0, Spanned::span), "the transaction is empty")
            .help("raise one of the counts above 0");
    }
    oltp.points =
        whole("random_points", &table.random_points, oltp.points, 1..=MAX_COUNT, problems);
    oltp.ranges =
        whole("number_of_ranges", &table.number_of_ranges, oltp.ranges, 1..=MAX_COUNT, problems);
    oltp.delta = whole("delta", &table.delta, oltp.delta, 0..=MAX_COUNT, problems);
    oltp.prepared = table.prepared.as_ref().is_none_or(|prepared| *prepared.get_ref());
    oltp
}

/// The keys of this family of workloads alone, with their places where they are written.
pub(crate) fn keys(table: &TestTable) -> [(&'static str, Option<Place>); 16] {
    let place = |key: &Maybe<i64>| key.as_ref().map(Spanned::span);
    [
        ("tables", place(&table.tables)),
        ("table_size", place(&table.table_size)),
        ("range_size", place(&table.range_size)),
        ("point_selects", place(&table.point_selects)),
        ("simple_ranges", place(&table.simple_ranges)),
        ("sum_ranges", place(&table.sum_ranges)),
        ("order_ranges", place(&table.order_ranges)),
        ("distinct_ranges", place(&table.distinct_ranges)),
        ("index_updates", place(&table.index_updates)),
        ("non_index_updates", place(&table.non_index_updates)),
        ("delete_inserts", place(&table.delete_inserts)),
        ("skip_trx", table.skip_trx.as_ref().map(Spanned::span)),
        ("random_points", place(&table.random_points)),
        ("number_of_ranges", place(&table.number_of_ranges)),
        ("delta", place(&table.delta)),
        ("prepared", table.prepared.as_ref().map(Spanned::span)),
    ]
}
