use crate::problem::Problems;
use crate::validate::whole;
use crate::wire::{Maybe, TestTable};
use model::{Oltp, OltpMix};

/// Most statements of one kind in a transaction, and most values in one statement.
pub(crate) const MAX_COUNT: u32 = 10_000;

/// The workload of that name, if it can be run again and again on the same tables.
pub(crate) fn repeatable(name: &str) -> Option<OltpMix> {
    OltpMix::from_name(name).filter(|mix| OltpMix::REPEATABLE.contains(mix))
}

/// A named workload with the changes that a test makes to it.
pub(crate) fn workload(mix: OltpMix, table: &TestTable, problems: &mut Problems) -> Oltp {
    let mut oltp = Oltp::preset(mix);
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
            .add(
                table.workload.as_ref().map_or(0..0, toml::Spanned::span),
                "the transaction is empty",
            )
            .help("raise one of the counts above 0");
    }
    oltp.points =
        whole("random_points", &table.random_points, oltp.points, 1..=MAX_COUNT, problems);
    oltp.ranges =
        whole("number_of_ranges", &table.number_of_ranges, oltp.ranges, 1..=MAX_COUNT, problems);
    oltp.delta = whole("delta", &table.delta, oltp.delta, 0..=MAX_COUNT, problems);
    oltp.prepared = table.prepared.unwrap_or(true);
    oltp
}
