use crate::problem::{Place, Problems};
use crate::validate::{by_name, one_of, whole};
use crate::wire::{Maybe, OltpKeys};
use model::bounds::{MAX_COUNT, MAX_ROWS, MAX_TABLES};
use model::{KeyDistribution, Oltp, OltpMix};

/// A named workload, which is written `at`, with the changes that a test makes to it.
pub(crate) fn workload(mix: OltpMix, table: &OltpKeys, at: Place, problems: &mut Problems) -> Oltp {
    let mut oltp = Oltp::preset(mix);
    oltp.tables = whole("tables", &table.tables, 1, 1..=MAX_TABLES, problems);
    oltp.table_size = whole("table_size", &table.table_size, 10_000, 1..=MAX_ROWS, problems);
    oltp.range_size = whole("range_size", &table.range_size, 100, 1..=MAX_ROWS, problems);
    let all = by_name(KeyDistribution::ALL, KeyDistribution::name);
    oltp.distribution =
        one_of("distribution", &table.distribution, all, problems).unwrap_or_default();
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
            let notation = problems.notation;
            problems
                .add(skip.span(), format!("{} has no transaction to keep", mix.name()))
                .help(format!("leave {} out", notation.key("skip_trx")));
        }
    }
    if t.reads() + t.writes() + t.others() == 0 {
        problems.add(at, "the transaction is empty").help("raise one of the counts above 0");
    }
    oltp.points =
        whole("random_points", &table.random_points, oltp.points, 1..=MAX_COUNT, problems);
    oltp.ranges =
        whole("number_of_ranges", &table.number_of_ranges, oltp.ranges, 1..=MAX_COUNT, problems);
    oltp.delta = whole("delta", &table.delta, oltp.delta, 0..=MAX_ROWS, problems);
    oltp.prepared = table.prepared.as_ref().is_none_or(|prepared| *prepared.get_ref());
    oltp
}
