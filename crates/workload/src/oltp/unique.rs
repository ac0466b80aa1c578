/// Numbers that no client draws twice, without the clients knowing of each other: each permutes
/// its own share of the natural numbers.
#[derive(Clone, Debug)]
pub(crate) struct Unique {
    next: u32,
    stride: u32,
    offset: u32,
}

/// A prime above every table size, so that its multiples visit every row once.
const PRIME: u64 = 2_147_483_647;

impl Unique {
    /// The numbers of client `client` of `clients`; another `offset` gives another order.
    pub(crate) fn new(client: u32, clients: u32, offset: u32) -> Self {
        Self { next: client, stride: clients.max(1), offset }
    }

    fn index(&mut self) -> u32 {
        let index = self.next;
        self.next = index.wrapping_add(self.stride);
        index
    }

    /// A number from the whole range of 32 bits; none repeats before all clients together have
    /// drawn 2^32.
    pub(crate) fn number(&mut self) -> i32 {
        // Each step can be undone, so different indices give different numbers.
        let mut x = self.index().wrapping_add(self.offset);
        x = (x ^ (x >> 16)).wrapping_mul(0x7feb_352d);
        x = (x ^ (x >> 15)).wrapping_mul(0x846c_a68b);
        (x ^ (x >> 16)) as i32
    }

    /// A row number from 1 to `rows`; none repeats before all clients together have drawn `rows`.
    pub(crate) fn row(&mut self, rows: u32) -> u32 {
        let rows = u64::from(rows.max(1));
        1 + (u64::from(self.index()) * PRIME % rows) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn clients_never_share_a_number() {
        let mut seen = HashSet::new();
        for client in 0..7 {
            let mut unique = Unique::new(client, 7, 99);
            assert!((0..10_000).all(|_| seen.insert(unique.number())));
        }
    }

    #[test]
    fn all_rows_come_once_before_any_comes_twice() {
        let mut clients: Vec<Unique> = (0..4).map(|client| Unique::new(client, 4, 0)).collect();
        let seen: HashSet<u32> = (0..250)
            .flat_map(|_| clients.iter_mut().map(|u| u.row(1_000)).collect::<Vec<_>>())
            .collect();
        assert_eq!(seen, (1..=1_000).collect());
    }
}
