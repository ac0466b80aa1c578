//! Check 6: nothing held the processors back.

use super::Doubt;
use crate::{Evidence, Held, Validity};
use model::{Sampling, Throttling};

/// Share of periods in which a process was held back that is no more than a notice: a burst at the
/// start of a load.
const NOTICE: f64 = 0.05;

/// Server and load generator against the limits of their control groups, and processors against
/// heat. A limit on the server may be what the study is about; it is in the results all the same,
/// and whoever compares targets must know of it. What holds virtual machines to their processors is
/// not among these: it is in a group of its own, whose account is in the load.
pub(super) fn doubts(sampling: &Sampling) -> Vec<Doubt> {
    let account = &sampling.account;
    let of = |held: Held, throttling: Option<Throttling>| {
        let throttling = throttling.filter(|limit| limit.throttled > 0)?;
        let share = throttling.share();
        let validity = if share > NOTICE { Validity::Suspect } else { Validity::Valid };
        Some(Doubt { validity, evidence: Evidence::Throttled { held, share } })
    };
    let hot = account.thermal_events.filter(|&events| events > 0).map(|events| Doubt {
        validity: Validity::Suspect,
        evidence: Evidence::Overheated { events },
    });
    of(Held::Server, account.server_throttling)
        .into_iter()
        .chain(of(Held::Client, account.client_throttling))
        .chain(hot)
        .collect()
}
