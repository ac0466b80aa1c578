use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A named random stream: xoshiro256++ seeded from the study's seed, a name and a number.
///
/// Every purpose has a stream of its own, so that drawing more for one purpose changes nothing
/// for another, and client 7 draws the same whether or not there is a client 8.
///
/// ```
/// use workload::Stream;
/// let first = |purpose, client| Stream::new(7, purpose, client).bits();
/// assert_eq!(first("keys", 3), first("keys", 3));
/// assert_ne!(first("keys", 3), first("keys", 4));
/// assert_ne!(first("keys", 3), first("rows", 3));
/// ```
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of that purpose and number.
    pub fn new(seed: u64, purpose: &str, number: u64) -> Self {
        // FNV-1a over all that names the stream. seed_from_u64 then spreads it over the state.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let bytes = seed.to_le_bytes().into_iter().chain(purpose.bytes());
        for byte in bytes.chain(number.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(Xoshiro256PlusPlus::seed_from_u64(hash))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `low..=high`; needs `low <= high`.
    #[inline]
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        debug_assert!(low <= high);
        let span = u64::from(high - low) + 1;
        // Multiply-shift: the bias is below 2^-32 of a slot and saves a division.
        low + ((u128::from(self.bits()) * u128::from(span)) >> 64) as u32
    }

    /// Uniform in `0..bound`; needs `bound > 0`.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        debug_assert!(bound > 0);
        // Multiply-shift, as above: the bias is below bound ÷ 2^64 of a slot.
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Replaces every `#` of a template by a random decimal digit and copies the rest.
    ///
    /// # Panics
    /// When `out` and `template` differ in length.
    ///
    /// ```
    /// let mut out = [0; 7];
    /// workload::Stream::new(7, "rows", 1).fill(b"###-###", &mut out);
    /// assert!(out.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'));
    /// assert_eq!(out[3], b'-');
    /// ```
    pub fn fill(&mut self, template: &[u8], out: &mut [u8]) {
        out.copy_from_slice(template);
        // 64 bits carry 16 digits with a bias below 10^-3 of a digit's share per draw.
        let (mut bits, mut left) = (0, 0);
        for byte in out.iter_mut().filter(|byte| **byte == b'#') {
            if left == 0 {
                (bits, left) = (self.bits(), 16);
            }
            let product = u128::from(bits) * 10;
            *byte = b'0' + (product >> 64) as u8;
            bits = product as u64;
            left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_number_and_repeat_exactly() {
        let first = |seed, purpose, number| Stream::new(seed, purpose, number).bits();
        assert_eq!(first(1, "keys", 0), first(1, "keys", 0));
        assert_ne!(first(1, "keys", 0), first(2, "keys", 0));
        assert_ne!(first(1, "keys", 0), first(1, "keys", 1));
        assert_ne!(first(1, "keys", 0), first(1, "rows", 0));
    }

    #[test]
    fn the_stream_never_changes_between_versions() {
        let mut stream = Stream::new(7, "keys", 3);
        assert_eq!(
            [stream.bits(), stream.bits()],
            [11_361_695_412_200_812_093, 10_961_642_934_220_218_725]
        );
    }

    #[test]
    fn between_reaches_both_ends_evenly() {
        let mut stream = Stream::new(1, "test", 0);
        let mut seen = [0u32; 10];
        (0..100_000).for_each(|_| seen[stream.between(5, 14) as usize - 5] += 1);
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
    }

    #[test]
    fn filled_digits_are_uniform_and_the_rest_is_kept() {
        let mut stream = Stream::new(1, "test", 0);
        let template = b"##########-##########-##########";
        let mut seen = [0u32; 10];
        let mut out = [0; 32];
        for _ in 0..10_000 {
            stream.fill(template, &mut out);
            assert_eq!((out[10], out[21]), (b'-', b'-'));
            out.iter().filter(|b| **b != b'-').for_each(|b| seen[usize::from(b - b'0')] += 1);
        }
        assert!(seen.iter().all(|&n| (29_300..30_700).contains(&n)), "{seen:?}");
    }
}
