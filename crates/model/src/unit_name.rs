use crate::Workload;
use serde::{Serialize, Serializer};
use std::fmt;

/// What something that is counted is called. It displays and serialises as the plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitName {
    /// Of one: `transaction`.
    pub one: &'static str,
    /// Of several and of none: `transactions`.
    pub many: &'static str,
}

impl UnitName {
    /// What a client of SQL does before it goes on to the next.
    pub const TRANSACTION: Self = Self::new("transaction", "transactions");
    /// What a client of a key-value store does: as many commands as it sends together.
    pub const OPERATION: Self = Self::new("operation", "operations");
    /// A read or a write of a block.
    pub const IO: Self = Self::new("IO", "IOs");
    /// What other tools call either.
    pub const REQUEST: Self = Self::new("request", "requests");
    /// A connection that runs one operation after another.
    pub const CLIENT: Self = Self::new("client", "clients");
    /// A statement of SQL.
    pub const QUERY: Self = Self::new("query", "queries");
    /// A new order of TPC-C, which is told from its other transactions.
    pub const NEW_ORDER: Self = Self::new("new order", "new orders");
    /// A command of a key-value store.
    pub const COMMAND: Self = Self::new("command", "commands");

    const fn new(one: &'static str, many: &'static str) -> Self {
        Self { one, many }
    }

    /// The form for so many of them.
    pub fn for_count(self, number: u64) -> &'static str {
        if number == 1 { self.one } else { self.many }
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.many)
    }
}

impl Serialize for UnitName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.many)
    }
}

impl Workload {
    /// What one of its operations is called: what a client does before it goes on to the next, what
    /// throughput counts, and latency is the time of.
    pub fn operation(&self) -> UnitName {
        match self {
            Self::Oltp(_) | Self::Transactions(_) => UnitName::TRANSACTION,
            Self::KeyValue(_) => UnitName::OPERATION,
            Self::Storage(_) => UnitName::IO,
        }
    }

    /// What an operation is made of.
    pub fn statement(&self) -> UnitName {
        match self {
            Self::Oltp(_) | Self::Transactions(_) => UnitName::QUERY,
            Self::KeyValue(_) => UnitName::COMMAND,
            Self::Storage(_) => UnitName::IO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyValue;

    #[test]
    fn a_name_has_the_form_of_its_number() {
        assert_eq!(
            [0, 1, 2].map(|n| UnitName::QUERY.for_count(n)),
            ["queries", "query", "queries"]
        );
        assert_eq!(UnitName::IO.to_string(), "IOs");
    }

    #[test]
    fn pipelines_of_commands_are_no_transactions() {
        let workload = Workload::KeyValue(KeyValue::default());
        assert_eq!(
            (workload.operation(), workload.statement()),
            (UnitName::OPERATION, UnitName::COMMAND)
        );
    }
}
