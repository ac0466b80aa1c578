use crate::keys::StorageKeys;
use crate::keys::value::applies_only_with;
use crate::problem::Problems;
use model::Oversubscription;

/// Fewest processors that all virtual machines may share: a tenth of every period. Below
/// that they would mostly wait for the next one.
const FEWEST: f64 = 0.1;

/// Why virtual machines can't share processors as asked.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum OversubscriptionError {
    /// The ratio is no number above 0.
    #[error("must be a number above 0")]
    Ratio,
    /// A virtual machine would have more than one processor.
    #[error(
        "leaves each virtual machine {} processors, and weighin drives it from one thread",
        rounded(*.each)
    )]
    MoreThanOne {
        /// Processors of each virtual machine.
        each: f64,
        /// Its virtual processors: the smallest ratio that does.
        vcpus: u32,
    },
    /// All together would have next to nothing.
    #[error(
        "leaves all virtual machines together {} of a processor, and the least is {FEWEST}",
        rounded(*.count)
    )]
    TooFew {
        /// Processors of all of them.
        count: f64,
    },
}

impl OversubscriptionError {
    /// What to ask for instead.
    fn remedy(&self) -> String {
        match self {
            Self::Ratio => "4 stands for four virtual processors to each processor".to_owned(),
            Self::MoreThanOne { vcpus, .. } => format!(
                "take {vcpus} or more, or more virtual machines with fewer virtual processors each"
            ),
            Self::TooFew { .. } => "take a lower number, or more virtual machines".to_owned(),
        }
    }
}

/// With two decimals, or four of what is smaller than these show.
fn rounded(value: f64) -> f64 {
    let digits = if value < 0.1 { 1e4 } else { 1e2 };
    (value * digits).round() / digits
}

/// Virtual machines that share processors: `vcpus` virtual ones of each, and `ratio` of them for each
/// processor.
///
/// # Errors
/// When that makes no sense, or is more than weighin can stand for.
fn oversubscription(
    vms: u32,
    vcpus: u32,
    ratio: f64,
) -> Result<Oversubscription, OversubscriptionError> {
    if !ratio.is_finite() || ratio <= 0.0 {
        return Err(OversubscriptionError::Ratio);
    }
    let shared = Oversubscription { vcpus, ratio };
    let each = shared.processors(1);
    if each > 1.0 {
        return Err(OversubscriptionError::MoreThanOne { each, vcpus });
    }
    match shared.processors(vms) {
        count if count < FEWEST => Err(OversubscriptionError::TooFew { count }),
        _ => Ok(shared),
    }
}

/// What a test says of it.
pub(super) fn of(
    table: &StorageKeys,
    vms: u32,
    problems: &mut Problems,
) -> Option<Oversubscription> {
    let vcpus = table.vcpus.value("vcpus", problems);
    let Some(ratio) = &table.cpu_oversubscription else {
        if let Some(at) = table.vcpus.place() {
            applies_only_with("vcpus", at, "cpu_oversubscription", "4", problems);
        }
        return None;
    };
    match oversubscription(vms, vcpus, *ratio.get_ref()) {
        Ok(shared) => Some(shared),
        Err(error) => {
            problems
                .add(ratio.span(), format!("{} {error}", problems.key("cpu_oversubscription")))
                .help(error.remedy());
            None
        }
    }
}
