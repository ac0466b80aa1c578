//! Every kind of finding, each a file or a part of one: its figures, how severe it is, and how it reads.

use crate::kind::AnyKind;
use serde::Serialize;

macro_rules! kinds {
    ($($module:ident => $($kind:ident),+ $(| $($part:ident),+)?;)*) => {
        $(
            pub(crate) mod $module;
            pub use $module::{$($kind,)+ $($($part),+)?};
        )*

        /// What was found.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(rename_all = "snake_case", tag = "kind")]
        pub enum Evidence {
            $($($kind($kind),)+)*
        }

        impl Evidence {
            /// What this finding has in common with those of other kinds.
            pub(crate) fn kind(&self) -> &dyn AnyKind {
                match self {
                    $($(Self::$kind(found) => found,)+)*
                }
            }
        }

        $($(
            impl From<$kind> for Evidence {
                fn from(found: $kind) -> Self {
                    Self::$kind(found)
                }
            }
        )+)*
    };
}

// The kinds in each file, and after the bar what their figures consist of.
kinds! {
    advice => Advice | Span, Choice;
    arithmetic => Contradiction, ArithmeticChecked | Identity, Source, Prefix, Term, Origin;
    background => EventCost, InterventionFailed, InterventionNotBegun, InterventionCutOff, WorkNotSeen | EventKind, Change, Changed;
    burst => BurstEnds | BurstCause;
    profile => RateNotServed;
    caches => CacheNotCold, CacheNotWarm, KeysEvicted, AnswersCached, DatasetAgainstMemory;
    client => ClientBusy, LoadHostBusy, UnevenStart, MadeWithout, ClientDelay, UnevenLoad | StartSpread;
    config => ConfigChanged | ChangedSetting;
    counters => CounterMismatch, CountersUnavailable, DeviceBytes;
    cross_check => CrossCheck, CrossCheckFailed;
    crossing => Crossover, AtHighestLevel, Dominates;
    curve => Peak, Decline;
    data_drift => DataDrifted, DataKept, DriftsDiffer | DriftedTable, DriftOfTarget;
    debt => SteadyStart, NotLevel, DebtsNotTold, DebtChanged, LoadingLeftDebt;
    duet => LoadedAtOnce, LoadedAlone, ProcessorsHeldUnevenly;
    errors => Errors, FewTransactions, LedgerUnbalanced;
    extended => RepeatsAdded, MeasuredAnew, MeasuredLater, ConditionsChanged | ConditionChange;
    factors => FactorEffect | HoldsFor, PairEffect, LevelEffect;
    failover => WritesLost, NoWriteLost, WritesDiverged, RateNotBack, PauseBefore;
    floor => NoiseFloor, BelowNoiseFloor;
    host => Steal, OtherProcesses, OthersNotSeen, HostSaturated, Throttled, Overheated | NamedShare, ThrottledProcess;
    interference => BesideEachOther;
    items => Decides, BoundMissed | ItemName;
    knee => LatencyKnee, LatencyGap | GapAt;
    little => LittlesLaw;
    money => BreakEven, PriceStep, CostUnknown, CurrenciesDiffer | CostGap, Outcome;
    outages => ConnectionsLost, Overloaded;
    own_data => InvariantBroken, InvariantsHold, AnswersDiffer, AnswersAlike;
    pairs => OverallResult, BetterAtLevels, EquivalentAtLevels, UnresolvedAtLevels | Verdict;
    path => RoundTrips, DelayMissed, PathCost;
    placing => LevelsPlaced | PlacedLevel, PlacedAround, PlacementEnd;
    products => ProductsCompared | ComparedProduct;
    repeats => RepeatsAlike, RatiosLast, IndependenceAssumed, BlocksInCommon | LastingPair;
    run => TrialFailed, NotOffered, TrialsMissing, FewRepeats, CheckPassed, ChecksNotMade, PairsLimited | Check;
    scaling => Growth, ScalingLaw, NoScalingLaw | FittedLaw, NoLaw;
    search => HighestLoad, HighestLoadsCompared | SearchOutcome;
    stalled => Stalled;
    steady => Drift, TooShortForTrend, DirtyPageBacklog | SteadyFigure;
    sustained => SustainedRate;
    tables => RowsMissing, TablesIntact, TablesChanged, DifferentData;
    until => RepeatsEnded | LevelRepeats, RepeatsEnd;
    vm_processors => VmProcessors;
    waits => Unanswered, LongWaits, IdleConnectionsLost, ClockJumped;
    why => WhySlower, EndOfRise | Resource, PartOfTime, AtLimit, Cause, Rise, UsedUp;
    work => WorkCutShort, NothingSent;
}
