use crate::keys::OltpKeys;
use crate::keys::key::{Bounded, Key};
use crate::problem::{Place, Problems};
use model::bounds::MAX_COUNT;
use model::{Oltp, OltpMix};

/// A named workload, which is written `at`, with the changes that a test makes to it.
pub(crate) fn workload(mix: OltpMix, table: &OltpKeys, at: Place, problems: &mut Problems) -> Oltp {
    let mut oltp = Oltp::preset(mix);
    oltp.tables = table.tables.value("tables", problems);
    oltp.table_size = table.table_size.value("table_size", problems);
    oltp.range_size = table.range_size.value("range_size", problems);
    oltp.distribution = table.distribution.value("distribution", problems).unwrap_or_default();
    let whole_transaction = oltp.transaction.explicit;
    let t = &mut oltp.transaction;
    let counts: [(&str, &Key<Bounded<0, { MAX_COUNT as i64 }>>, &mut u32); 8] = [
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
        *count = written.value_or(key, *count, problems);
    }
    if let Some(at) = table.skip_trx.place() {
        if table.skip_trx.value() || whole_transaction {
            t.explicit = !table.skip_trx.value();
        } else {
            let notation = problems.notation;
            problems
                .add(at, format!("{} has no transaction to keep", mix.name()))
                .help(format!("leave {} out", notation.key("skip_trx")));
        }
    }
    if t.reads() + t.writes() + t.others() == 0 {
        problems.add(at, "the transaction is empty").help("raise one of the counts above 0");
    }
    oltp.points = table.random_points.value("random_points", problems);
    oltp.ranges = table.number_of_ranges.value("number_of_ranges", problems);
    oltp.delta = table.delta.value("delta", problems);
    oltp.prepared = table.prepared.value();
    oltp
}
