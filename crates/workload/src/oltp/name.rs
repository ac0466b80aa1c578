use super::Statement;

impl Statement {
    /// Names for results, in the order of [`Self::ALL`].
    const NAMES: [&'static str; Self::ALL.len()] = [
        "begin", "commit", "point_select", "pad_select", "simple_range", "sum_range",
        "order_range", "distinct_range", "index_update", "non_index_update", "delete", "insert",
        "insert_row", "random_points", "random_ranges", "bulk_insert",
    ];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_variants_in_their_order() {
        for (number, statement) in Statement::ALL.into_iter().enumerate() {
            assert_eq!(statement as usize, number);
            let mut name = String::new();
            for c in format!("{statement:?}").chars() {
                if c.is_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            }
            assert_eq!(Statement::NAMES[number], name);
        }
    }
}
