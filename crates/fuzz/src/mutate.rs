//! Mutations without a fuzzer, the same on every machine: for the tests.

use crate::Target;

/// Makes inputs from seeds.
pub struct Mutator {
    state: u64,
}

/// Numbers at which code breaks.
const EDGES: [&str; 12] = [
    "0",
    "-1",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999999",
    "1e308",
    "1e999",
    "-0.0",
    "nan",
    "0.1",
];

impl Mutator {
    /// Inputs that depend on this number alone.
    pub fn new(seed: u64) -> Self {
        Self { state: seed | 1 }
    }

    fn draw(&mut self) -> u64 {
        // Marsaglia's xorshift64*.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        ((self.draw() >> 33) as usize) % limit.max(1)
    }

    /// One of the seeds, changed in up to eight places.
    pub fn mutate(&mut self, target: &Target, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut data = match seeds.len() {
            0 => Vec::new(),
            many => seeds[self.below(many)].clone(),
        };
        let words = target.words();
        for _ in 0..=self.below(8) {
            self.change(&mut data, &words, seeds);
        }
        data.truncate(target.longest.max(seeds.iter().map(Vec::len).max().unwrap_or(0)));
        data
    }

    fn change(&mut self, data: &mut Vec<u8>, words: &[Vec<u8>], seeds: &[Vec<u8>]) {
        let at = self.below(data.len() + 1);
        let end = (at + 1 + self.below(16)).min(data.len());
        match self.below(10) {
            0 if at < data.len() => data[at] ^= 1 << self.below(8),
            1 if at < data.len() => data[at] = self.draw() as u8,
            2 => data.truncate(at),
            3 => drop(data.drain(at..end)),
            4 => {
                let piece = data[at..end].to_vec();
                data.splice(at..at, piece);
            }
            5 if !words.is_empty() => {
                let word = &words[self.below(words.len())];
                data.splice(at..end, word.iter().copied());
            }
            6 => {
                let edge = EDGES[self.below(EDGES.len())];
                data.splice(at..at, edge.bytes());
            }
            7 if !seeds.is_empty() => {
                let other = &seeds[self.below(seeds.len())];
                let from = self.below(other.len() + 1);
                let to = (from + self.below(200)).min(other.len());
                data.splice(at..end, other[from..to].iter().copied());
            }
            8 => self.number(data),
            _ => {
                let value = [0, 0x7F, 0x80, 0xFF, b'\n', b'"'][self.below(6)];
                data.splice(at..end, [value]);
            }
        }
    }

    /// Puts an edge in place of one of the numbers in a text.
    fn number(&mut self, data: &mut Vec<u8>) {
        let starts: Vec<usize> = (0..data.len())
            .filter(|&i| data[i].is_ascii_digit() && (i == 0 || !data[i - 1].is_ascii_digit()))
            .collect();
        if starts.is_empty() {
            return;
        }
        let start = starts[self.below(starts.len())];
        let length = data[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let edge = EDGES[self.below(EDGES.len())];
        data.splice(start..start + length, edge.bytes());
    }
}
