//! Statements against transactions, as the workload has it.

use super::{Count, OwnFigures, count, term};
use findings::{Identity, Origin};
use model::{FigureNumber, LoadResult, OltpTransaction, Workload};

pub(super) fn check(own: &mut OwnFigures<'_>, workload: &Workload, load: &LoadResult) {
    let counts = &load.requests;
    own.part(("found", counts.found), ("gets", counts.count_of("get")));
    let ledger = load.ledger;
    // An operation that fails, or is tried again, has any number of statements.
    if ledger.failed + ledger.timed_out > 0 || !load.errors.is_empty() {
        return;
    }
    match workload {
        Workload::Oltp(oltp) => {
            for (each, counted) in oltp_counts(&oltp.transaction, load) {
                per_transaction(own, load, each, counted);
            }
        }
        Workload::KeyValue(workload) => {
            let counted = ("gets and sets", counts.count_of("get") + counts.count_of("set"));
            per_transaction(own, load, ("pipeline", workload.pipeline.into()), counted);
        }
        // A script's branches may take any number of them.
        Workload::Transactions(_) => {}
        // Reads and writes that failed are not told apart from syncs that did.
        Workload::Storage(_) => {}
    }
    if !load.by_statement.is_empty() {
        // Their latencies have those as well that waited for long and were not answered in the phase.
        let answered = load.by_statement.iter().map(|named| named.ok).sum();
        own.sum(
            &[("statements of all kinds that were answered", answered)],
            ("measure.queries", load.measure.queries),
        );
    }
}

fn per_transaction(own: &mut OwnFigures<'_>, load: &LoadResult, each: Count, counted: Count) {
    let each_term = || {
        let number = FigureNumber { value: each.1 as f64, resolution: 0.0 };
        term(each.0, number, "", Origin::Study)
    };
    let terms = || vec![count(&("ledger.ok", load.ledger.ok)), each_term()];
    let follows = load.ledger.ok.saturating_mul(each.1);
    own.exact(Identity::StatementsPerTransaction, terms, follows, counted);
}

/// How many statements of each kind a transaction has, and how many there were.
fn oltp_counts(transaction: &OltpTransaction, load: &LoadResult) -> [(Count, Count); 7] {
    let counted = |name| load.requests.count_of(name);
    let OltpTransaction {
        index_updates,
        non_index_updates,
        delete_inserts,
        deletes,
        inserts,
        bulk_inserts,
        ..
    } = *transaction;
    let edge = u64::from(transaction.explicit);
    let each = |name: &'static str, each: u32| (name, u64::from(each));
    [
        (each("selects each", transaction.reads()), ("selects", counted("select"))),
        (
            each("inserts each", delete_inserts + inserts + bulk_inserts),
            ("inserts", counted("insert")),
        ),
        (each("updates each", index_updates + non_index_updates), ("updates", counted("update"))),
        (each("deletes each", delete_inserts + deletes), ("deletes", counted("delete"))),
        (("begins each", edge), ("begins", counted("begin"))),
        (("commits each", edge), ("commits", counted("commit"))),
        (("rollbacks each", 0), ("rollbacks", counted("rollback"))),
    ]
}
