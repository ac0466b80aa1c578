//! The words that keys take.

use crate::keys::key::Choices;
use crate::keys::value::by_name;
use model::{
    AnswerBy, ArrivalProcess, Arrivals, BackgroundWork, BlockOrder, BuiltInChange, CacheState,
    ErrorAction, ErrorPolicy, FailoverCause, FileSystem, InstancePer, KeyDistribution, KeyOrder,
    KeyValue, OltpMix, PriceUnit, Restore, SearchOver, Storage, Transactions, Workload,
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
    AnswerByKey: AnswerBy = answers_by(), None;
    CacheKey: CacheState = CACHE_STATES, Some(CacheState::Warm);
    ArrivalsKey: ArrivalProcess =
        by_name(ArrivalProcess::ALL, ArrivalProcess::name), Some(Arrivals::default().process);
    RestoreKey: Restore = by_name(Restore::ALL, Restore::name), Some(Restore::default());
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

/// Values that `answer_by` takes.
fn answers_by() -> Vec<(&'static str, AnswerBy)> {
    AnswerBy::all().map(|by| (by.name(), by)).collect()
}

/// Values that `switch` takes.
pub(crate) const SWITCHES: [(&str, FailoverCause); 1] = [("planned", FailoverCause::Switchover)];

/// Values that `loss` takes.
pub(crate) const LOSSES: [(&str, FailoverCause); 3] = [
    ("kill", FailoverCause::Kill),
    ("hang", FailoverCause::Hang),
    ("network", FailoverCause::Network),
];

/// Values that `order` takes.
pub(crate) const ORDERS: [(&str, BlockOrder); 2] =
    [("random", BlockOrder::Random), ("sequential", BlockOrder::Sequential)];

/// Values that `cache` takes.
pub(crate) const CACHE_STATES: [(&str, CacheState); 2] =
    [("warm", CacheState::Warm), ("cold", CacheState::Cold)];

/// The workloads that are none of the OLTP family.
const OTHERS: [&str; 3] = [Transactions::NAME, Workload::KEY_VALUE, Storage::NAME];

/// All workloads that `workload` takes.
pub(crate) fn workload_names() -> [&'static str; OltpMix::REPEATABLE.len() + OTHERS.len()] {
    let family = OltpMix::REPEATABLE.len();
    std::array::from_fn(|index| match OltpMix::REPEATABLE.get(index) {
        Some(mix) => mix.name(),
        None => OTHERS[index - family],
    })
}
