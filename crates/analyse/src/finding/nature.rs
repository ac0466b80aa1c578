//! What kinds of evidence have in common.

use super::Evidence;

impl Evidence {
    /// Whether it lies in the nature of a cell rather than of one of its trials, so that it is
    /// said once where all trials show it.
    pub(crate) fn is_of_cell(&self) -> bool {
        matches!(
            self,
            Self::CountersUnavailable | Self::HostSaturated { .. } | Self::TooShortForTrend { .. }
        )
    }

    /// Whether the reader must be warned although the trial is as good as any.
    pub(crate) fn is_warning(&self) -> bool {
        matches!(self, Self::WriteDebt { growing: true, .. } | Self::KeysEvicted(_))
    }
}
