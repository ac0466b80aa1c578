use crate::system::Feature;
use crate::{Failure, FailureKind, KeyValue, Oltp, Storage, System, Transactions};
use serde::{Deserialize, Serialize};

/// What is run on a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// One of the sysbench OLTP family.
    Oltp(Oltp),
    /// Transactions of the user's own.
    Transactions(Transactions),
    /// Reads and writes of single keys.
    KeyValue(KeyValue),
    /// Reads and writes of blocks.
    Storage(Storage),
}

impl Workload {
    /// The name of the workload of single keys.
    pub const KEY_VALUE: &'static str = "key_value";

    /// Whether it can be run on targets of that kind.
    pub fn suits(&self, system: System) -> bool {
        system.has(self.feature())
    }

    /// What a target must be able to do for it.
    pub fn feature(&self) -> Feature {
        match self {
            Self::Oltp(_) => Feature::Transactions,
            Self::Transactions(_) => Feature::OwnTransactions,
            Self::KeyValue(_) => Feature::Keys,
            Self::Storage(_) => Feature::Blocks,
        }
    }

    /// What is to be run, where it is of the OLTP family.
    ///
    /// # Errors
    /// `NotPermitted` for another kind.
    pub fn oltp(&self) -> Result<&Oltp, Failure> {
        match self {
            Self::Oltp(oltp) => Ok(oltp),
            Self::Transactions(_) | Self::KeyValue(_) | Self::Storage(_) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!("{} is none of the OLTP family", self.name()),
                "choose one of the workloads that begin with oltp_",
            )),
        }
    }

    /// What is to be run, where these are the user's own transactions.
    pub fn transactions(&self) -> Option<&Transactions> {
        match self {
            Self::Transactions(transactions) => Some(transactions),
            Self::Oltp(_) | Self::KeyValue(_) | Self::Storage(_) => None,
        }
    }

    /// What is to be run, where it is on storage.
    pub fn storage(&self) -> Option<&Storage> {
        match self {
            Self::Storage(storage) => Some(storage),
            Self::Oltp(_) | Self::Transactions(_) | Self::KeyValue(_) => None,
        }
    }

    /// The rows of the tables, or the keys, that weighin makes for it.
    pub fn rows_made(&self) -> Option<u64> {
        match self {
            Self::Oltp(oltp) => Some(u64::from(oltp.tables) * u64::from(oltp.table_size)),
            Self::KeyValue(keys) => {
                Some(keys.keys.into()).filter(|_| keys.preload && keys.expiry.is_none())
            }
            Self::Transactions(_) | Self::Storage(_) => None,
        }
    }

    /// What is to be run, where it reads and writes single keys.
    pub fn key_value(&self) -> Option<&KeyValue> {
        match self {
            Self::KeyValue(keys) => Some(keys),
            Self::Oltp(_) | Self::Transactions(_) | Self::Storage(_) => None,
        }
    }

    /// The name that study files and reports use.
    pub fn name(&self) -> &str {
        match self {
            Self::Oltp(oltp) => oltp.mix.name(),
            Self::Transactions(_) => Transactions::NAME,
            Self::KeyValue(_) => Self::KEY_VALUE,
            Self::Storage(_) => Storage::NAME,
        }
    }
}
