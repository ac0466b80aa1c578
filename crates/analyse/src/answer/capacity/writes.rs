//! Whether a test has the mix of statements that is asked about.

use super::judged::Judged;
use super::question::{Answer, Reason};
use model::Workload;

/// By how much the share of writing statements may differ from the one that is asked about.
const TOLERANCE: f64 = 0.05;
/// The dust of binary fractions: 0.55 − 0.5 is no more than 0.05.
const ROUNDING: f64 = 1e-9;

/// A yes where the share is within 5 points, else not known: a test says nothing of other mixes.
pub(super) fn judged(workload: Option<&Workload>, wanted: f64) -> Judged {
    let Some(share) = workload.and_then(share) else {
        return Judged::unknown(Reason::WritesUnknown);
    };
    let fits = (share - wanted).abs() <= TOLERANCE + ROUNDING;
    Judged {
        answer: if fits { Answer::Yes } else { Answer::Unknown },
        reason: Reason::WritesMeasured { share },
        grounds: Vec::new(),
    }
}

/// Of the statements that read or write the share that write, from 0 to 1; `BEGIN` and `COMMIT` do
/// neither. `None` where results do not say.
fn share(workload: &Workload) -> Option<f64> {
    let (writes, reads) = match workload {
        Workload::Oltp(oltp) => (oltp.transaction.writes(), oltp.transaction.reads()),
        // What a script's branches come to is not known beforehand.
        Workload::Transactions(_) => return None,
        Workload::KeyValue(keys) => keys.sets_to_gets,
        Workload::Storage(storage) => {
            let reads = u32::from(storage.read_percent);
            (100_u32.saturating_sub(reads), reads)
        }
    };
    let (writes, all) = (f64::from(writes), f64::from(writes) + f64::from(reads));
    (all > 0.0).then(|| writes / all)
}
