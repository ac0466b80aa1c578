//! Findings: what a reader should know, as values with their evidence.
//!
//! Each kind is a struct beside the analysis that finds it. It is registered once, in
//! [`all_findings`]; its words are in `report::words`.

mod subject;

pub use subject::{Severity, Subject, Validity};

use serde::Serialize;
use std::any::Any;
use std::mem::discriminant;

/// Something that a reader should know, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    pub subject: Subject,
    /// What was found, with the figures.
    pub evidence: Evidence,
}

impl Finding {
    /// A finding as severe as its kind says.
    pub(crate) fn new(subject: Subject, evidence: impl Into<Evidence>) -> Self {
        let evidence = evidence.into();
        Self { severity: evidence.kind().severity(), subject, evidence }
    }
}

/// A kind of finding.
pub trait FindingKind: Any {
    /// How much it matters, where it leaves the trials that it is about valid.
    fn severity(&self) -> Severity {
        Severity::Notice
    }

    /// The finding on a whole cell, for a kind that characterises the cell once all completed
    /// trials show it. `trials` are the findings of this kind on them.
    fn of_cell(&self, _trials: &[&Evidence]) -> Option<Evidence> {
        None
    }
}

/// Calls a macro with all kinds of findings, by the module that defines them: the one list of them.
/// Kinds marked `[own]` implement [`FindingKind`] themselves, the others take its defaults.
#[macro_export]
macro_rules! all_findings {
    ($then:ident) => {
        $then! {
            check::outcome => TrialFailed, NotOffered, LedgerUnbalanced, Errors, ConnectionsLost, FewTransactions, Overloaded;
            check::waits => Unanswered, LongWaits, IdleConnectionsLost[own];
            check::clock => ClockJumped;
            check::little => LittlesLaw;
            check::counters => CounterMismatch, CountersUnavailable[own];
            check::blocks => DeviceBytes;
            check::client => ClientBusy, LoadHostBusy;
            check::client_delay => ClientDelay;
            check::generators => UnevenLoad, UnevenStart, MadeWithout[own];
            check::evicted => KeysEvicted[own];
            check::cached_answers => AnswersCached[own];
            check::cut_short => WorkCutShort[own];
            check::host => Steal, OtherProcesses, HostSaturated[own], OthersNotSeen[own];
            check::throttling => Throttled, Overheated;
            check::cache => CacheNotCold, CacheNotWarm;
            check::answers => RowsMissing;
            check::steady => Drift, TooShortForTrend[own];
            check::backlog => DirtyPageBacklog[own];
            check::intervention => InterventionFailed, InterventionNotBegun, InterventionCutOff,
                WorkNotSeen;
            check::failover => WritesLost[own], NoWriteLost, WritesDiverged[own], RateNotBack[own],
                PauseBefore;
            check => CheckPassed[own];
            contents => TablesIntact[own], TablesChanged[own], DifferentData[own];
            audit => ArithmeticChecked[own];
            audit::contradiction => Contradiction;
            study => TrialsMissing[own], FewRepeats[own], ChecksNotMade, PairsLimited[own],
                DatasetAgainstMemory;
            extended => RepeatsAdded[own], MeasuredAnew[own], MeasuredLater[own],
                ConditionsChanged[own];
            curve => Peak, Decline;
            growth => Growth;
            law => ScalingLaw, NoScalingLaw;
            knee => LatencyKnee, LatencyGap;
            crossing => Crossover, AtHighestLevel, Dominates;
            compare => OverallResult, BetterAtLevels, EquivalentAtLevels, BelowNoiseFloor,
                UnresolvedAtLevels;
            floor => NoiseFloor;
            cross_check => CrossCheck[own], CrossCheckFailed[own];
            search => HighestLoad, HighestLoadsCompared;
            sustained => SustainedRate;
            repeats => RepeatsAlike[own];
            stalled => Stalled[own];
            placing => LevelsPlaced[own];
            until => RepeatsEnded[own];
            processors => VmProcessors;
            events::cost => EventCost;
            beside => BesideEachOther;
            advice => Advice;
            factor => FactorEffect;
            money => BreakEven, PriceStep, CostUnknown, CurrenciesDiffer;
        }
    };
}

macro_rules! defaults {
    ($kind:ident own) => {};
    ($kind:ident) => {
        impl FindingKind for kinds::$kind {}
    };
}

macro_rules! evidence {
    ($($($module:ident)::+ => $($kind:ident $([$own:ident])?),+;)*) => {
        /// All kinds of findings.
        pub(crate) mod kinds {
            $(pub use crate::$($module)::+::{$($kind),+};)*
        }

        /// What was found.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(rename_all = "snake_case", tag = "kind")]
        pub enum Evidence {
            $($($kind(kinds::$kind),)+)*
        }

        impl Evidence {
            /// What this finding has in common with those of other kinds.
            pub fn kind(&self) -> &dyn FindingKind {
                match self {
                    $($(Self::$kind(found) => found,)+)*
                }
            }
        }

        $($(
            defaults!($kind $($own)?);

            impl From<kinds::$kind> for Evidence {
                fn from(found: kinds::$kind) -> Self {
                    Self::$kind(found)
                }
            }
        )+)*
    };
}

all_findings!(evidence);

impl Evidence {
    /// The evidence, if it is of this kind.
    pub fn get<K: FindingKind>(&self) -> Option<&K> {
        let kind: &dyn Any = self.kind();
        kind.downcast_ref()
    }

    pub(crate) fn is_same_kind(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other)
    }
}
