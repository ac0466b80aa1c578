/// The SplitMix64 generator (Steele, Lea and Flood 2014).
///
/// Written out here because a plan must come out the same in every later version of weighin,
/// which general libraries of random numbers don't promise.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    /// A stream of its own for each seed and name.
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a spreads the name over 64 bits; the first draw mixes it with the seed.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(Self(seed).draw() ^ hash)
    }

    /// The next 64 random bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is at least 1; all equally likely.
    fn below(&mut self, bound: u64) -> u64 {
        // Draws from the incomplete last run of `bound` values are thrown away.
        let usable = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.draw();
            if draw < usable {
                return draw % bound;
            }
        }
    }

    /// Puts the items into a random order, all orders equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // First outputs of the reference implementation for the seed 1234567.
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.draw(), 6_457_827_717_110_365_317);
        assert_eq!(random.draw(), 3_203_168_211_198_807_973);
        assert_eq!(random.draw(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn names_make_streams_of_their_own() {
        assert_ne!(SplitMix64::named(1, "a").draw(), SplitMix64::named(1, "b").draw());
        assert_ne!(SplitMix64::named(1, "a").draw(), SplitMix64::named(2, "a").draw());
    }

    #[test]
    fn every_order_of_three_comes_up_about_equally_often() {
        let mut random = SplitMix64::named(7, "orders");
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [1, 2, 3];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
