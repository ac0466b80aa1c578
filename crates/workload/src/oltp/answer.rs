use super::{Statement, Step};

impl Step {
    /// How many rows the answer must have at least, on a table that holds the rows 1 to
    /// `table_size` without a gap; 0 where that says nothing, because the statement gives none, or
    /// as many as depends on what is in them.
    ///
    /// ```
    /// use workload::oltp::{Statement, Step};
    /// let range =
    ///     |first| Step { statement: Statement::SimpleRange, table: 1, first, second: first + 99 };
    /// assert_eq!(range(7).rows_due(1_000), 100);
    /// assert_eq!(range(951).rows_due(1_000), 50, "the table ends with row 1000");
    /// ```
    #[inline]
    pub fn rows_due(&self, table_size: u32) -> u64 {
        match self.statement {
            Statement::PointSelect | Statement::PadSelect => 1,
            Statement::SimpleRange | Statement::OrderRange => {
                let last = self.second.min(i64::from(table_size));
                u64::try_from(last - self.first + 1).unwrap_or(0)
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(statement: Statement, first: i64, second: i64) -> u64 {
        Step { statement, table: 1, first, second }.rows_due(1_000)
    }

    #[test]
    fn a_row_is_one_and_a_range_ends_with_the_table() {
        assert_eq!(due(Statement::PointSelect, 7, 106), 1);
        assert_eq!(due(Statement::SimpleRange, 7, 106), 100);
        assert_eq!(due(Statement::OrderRange, 951, 1_050), 50);
        assert_eq!(due(Statement::SimpleRange, 1_000, 1_099), 1);
    }

    #[test]
    fn sums_distinct_values_and_writes_are_not_judged() {
        for statement in [Statement::SumRange, Statement::DistinctRange, Statement::IndexUpdate] {
            assert_eq!(due(statement, 1, 100), 0);
        }
    }
}
