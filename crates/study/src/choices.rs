//! The words that keys take.

use crate::failover::{LOSSES, SWITCHES};
use crate::key::Choices;
use crate::storage::ORDERS;
use crate::test::CACHE_STATES;
use crate::validate::by_name;
use model::{
    ArrivalProcess, Arrivals, BackgroundWork, BlockOrder, BuiltInChange, CacheState, ErrorAction,
    ErrorPolicy, FailoverCause, FileSystem, InstancePer, KeyDistribution, KeyOrder, KeyValue,
    PriceUnit, SearchOver,
};

/// For each key its type, what it is read into, its words, and its default.
macro_rules! choices {
    ($($key:ident: $value:ty = $all:expr, $default:expr;)*) => {$(
        pub(crate) struct $key;

        impl Choices for $key {
            type Value = $value;

            fn all() -> Vec<(&'static str, $value)> {
                $all.to_vec()
            }

            fn default() -> Option<$value> {
                $default
            }
        }
    )*};
}

choices! {
    CacheKey: CacheState = CACHE_STATES, Some(CacheState::Warm);
    ArrivalsKey: ArrivalProcess =
        by_name(ArrivalProcess::ALL, ArrivalProcess::name), Some(Arrivals::default().process);
    OnError: ErrorAction =
        by_name(ErrorAction::ALL, ErrorAction::name), Some(ErrorPolicy::default().other);
    OnConflict: ErrorAction =
        by_name(ErrorAction::ALL, ErrorAction::name), Some(ErrorPolicy::default().conflict);
    OnLostConnection: ErrorAction =
        by_name(ErrorAction::ON_LOSS, ErrorAction::name), Some(ErrorPolicy::default().connection);
    SearchKey: SearchOver = by_name(SearchOver::ALL, SearchOver::name), Some(SearchOver::default());
    BackgroundWorkKey: BackgroundWork = by_name(BackgroundWork::ALL, BackgroundWork::name), None;
    RowOrder: KeyDistribution =
        by_name(KeyDistribution::ALL, KeyDistribution::name), Some(KeyDistribution::default());
    KeyOrderKey: KeyOrder = by_name(KeyOrder::ALL, KeyOrder::name), Some(KeyValue::default().order);
    BlockOrderKey: BlockOrder = ORDERS, Some(BlockOrder::Random);
    SwitchKey: FailoverCause = SWITCHES, None;
    LossKey: FailoverCause = LOSSES, None;
    ChangeKey: BuiltInChange = by_name(BuiltInChange::ALL, BuiltInChange::name), None;
    PerUnit: PriceUnit = by_name(PriceUnit::ALL, PriceUnit::name), Some(PriceUnit::Month);
    FileSystemKey: FileSystem = by_name(FileSystem::ALL, FileSystem::name), Some(FileSystem::default());
    PerUse: InstancePer = by_name(InstancePer::ALL, InstancePer::name), Some(InstancePer::default());
}
