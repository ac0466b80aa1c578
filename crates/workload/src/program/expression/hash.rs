//! Hashes and permutations that give the same numbers as pgbench's.

/// FNV-1a over the eight bytes of a number.
pub(super) fn fnv1a(value: i64, seed: i64) -> i64 {
    let basis = 0xcbf2_9ce4_8422_2325_u64 ^ seed as u64;
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    value.to_le_bytes().iter().fold(basis, step) as i64
}

/// `MurmurHash2`, 64 bits, of a number.
pub(super) fn murmur2(value: i64, seed: i64) -> i64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    const SHIFT: u32 = 47;
    let mut key = (value as u64).wrapping_mul(FACTOR);
    key = (key ^ (key >> SHIFT)).wrapping_mul(FACTOR);
    let mut hash = seed as u64 ^ FACTOR.wrapping_mul(8);
    hash = (hash ^ key).wrapping_mul(FACTOR);
    hash = (hash ^ (hash >> SHIFT)).wrapping_mul(FACTOR);
    (hash ^ (hash >> SHIFT)) as i64
}

/// The place of a number in a permutation of those below `size`, which is positive.
pub(super) fn permute(value: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let size = size as u64;
    let mut random = Xoroshiro::new(seed as u64);
    let mut value = value as u64 % size;
    // Modulo the largest power of two that is not above the size.
    let bits = size.ilog2();
    let mask = (1 << bits) - 1;
    let scramble = |value: u64, random: &mut Xoroshiro| {
        let factor = (random.next() & mask) | 1;
        let flip = random.next() & mask;
        if value > mask {
            return value;
        }
        let value = (value.wrapping_mul(factor) ^ flip) & mask;
        ((value << 1) & mask) | (value >> (bits - 1))
    };
    for _ in 0..6 {
        value = scramble(value, &mut random);
        value = size - 1 - scramble(size - 1 - value, &mut random);
        value = (value + random.up_to(size - 1)) % size;
    }
    value as i64
}

/// xoroshiro128**, seeded by splitmix64.
struct Xoroshiro(u64, u64);

impl Xoroshiro {
    fn new(mut seed: u64) -> Self {
        let mut split = || {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let value = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            value ^ (value >> 31)
        };
        Self(split(), split())
    }

    fn next(&mut self) -> u64 {
        let (first, second) = (self.0, self.1 ^ self.0);
        self.0 = first.rotate_left(24) ^ second ^ (second << 16);
        self.1 = second.rotate_left(37);
        first.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
    }

    /// Uniform in `0..=most`; `most` is positive.
    fn up_to(&mut self, most: u64) -> u64 {
        let shift = most.leading_zeros();
        loop {
            let value = self.next() >> shift;
            if value <= most {
                return value;
            }
        }
    }
}
