use serde::Serialize;

/// A load generator whose share of the load was not the one that it should have had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LopsidedLoad {
    /// Its number, from 1.
    pub generator: u32,
    /// How many there were.
    pub generators: u32,
    /// Transactions that succeeded in the measured phase over its connections.
    pub transactions: u64,
    /// How many would have been its share.
    pub fair: f64,
}
