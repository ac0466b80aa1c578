//! Histograms as they are kept: encoded, so that they take as much memory as they have contents, where
//! counters take as much as their longest latency is long.

use crate::grain::Grain;
use crate::{DIGITS, HIGHEST_NS, LOWEST_NS, LatencyDecodeError};

/// What an encoding of version 2 without compression begins with.
const COOKIE: [u8; 4] = [0x1c, 0x84, 0x93, 0x13];
/// Where the contents begin.
const CONTENTS_AT: usize = 40;
/// The most values that a histogram can hold, so that histograms can be added up without overflow.
const MAX_VALUES: u64 = 1 << 53;
/// The most counters that one can have.
const MAX_COUNTERS: i64 = 1 << 32;

fn refused<T>(why: &str) -> Result<T, LatencyDecodeError> {
    Err(LatencyDecodeError(why.to_owned()))
}

/// An encoding that was checked: its counts belong to counters that it has, and can be added up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding<'a> {
    pub(crate) grain: Grain,
    pub(crate) digits: u32,
    contents: &'a [u8],
    /// Of all counters together.
    values: u64,
    /// The last counter that counts anything.
    last: Option<usize>,
    /// Whether nothing says the same in fewer bytes.
    is_shortest: bool,
    /// The encoding without what comes after its contents.
    pub(crate) bytes: &'a [u8],
}

impl<'a> Encoding<'a> {
    /// Allocates nothing, whatever the bytes say.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, LatencyDecodeError> {
        let Some((head, rest)) = bytes.split_at_checked(CONTENTS_AT) else {
            return refused("it is shorter than it says");
        };
        let word = |at: usize| head[at..at + 4].iter().fold(0, |n, byte| n << 8 | u32::from(*byte));
        let long = |at: usize| u64::from(word(at)) << 32 | u64::from(word(at + 4));
        if head[..4] != COOKIE {
            return refused("it does not begin as one");
        }
        if word(8) != 0 || f64::from_bits(long(32)) != 1.0 {
            return refused("it is shifted or scaled");
        }
        let (digits, lowest, highest) = (word(12), long(16), long(24));
        let grain = Grain::new(lowest, digits).filter(|_| highest / 2 >= lowest);
        let Some(grain) = grain else { return refused("its bounds are none") };
        let Some(contents) = rest.get(..word(4) as usize) else {
            return refused("it is shorter than it says");
        };
        let bytes = &bytes[..CONTENTS_AT + contents.len()];
        let is_shortest = !contents.is_empty();
        let encoding = Self { grain, digits, contents, values: 0, last: None, is_shortest, bytes };
        encoding.checked(grain.counters(highest))
    }

    fn checked(mut self, counters: usize) -> Result<Self, LatencyDecodeError> {
        let (mut rest, mut at) = (self.contents, 0_usize);
        // Whether the counters before count nothing.
        let mut is_gap = false;
        while !rest.is_empty() {
            let Some((count, after)) = number(rest) else { return refused("it is cut off") };
            rest = after;
            self.is_shortest &= count > 0 || !(is_gap || count == -1);
            is_gap = count <= 0;
            let Ok(count) = u64::try_from(count) else {
                if count < -MAX_COUNTERS {
                    return refused("it skips more than there is");
                }
                at = at.saturating_add(count.unsigned_abs() as usize);
                continue;
            };
            if at >= counters {
                return refused("it is longer than its bounds");
            }
            if count > 0 {
                self.last = Some(at);
            }
            at += 1;
            self.values = self.values.saturating_add(count);
            if self.values > MAX_VALUES {
                return refused("it has more values than can be counted");
            }
        }
        self.is_shortest &= !is_gap || self.contents == [0];
        Ok(self)
    }

    /// The counters that count anything, ascending, with what they count.
    pub(crate) fn counts(&self) -> Counts<'a> {
        Counts { rest: self.contents, at: 0 }
    }

    /// The largest value; 0 where there is none.
    pub(crate) fn largest(&self) -> u64 {
        self.last.map_or(0, |index| self.grain.highest(index))
    }
}

/// Counters with their counts.
#[derive(Clone, Debug)]
pub(crate) struct Counts<'a> {
    rest: &'a [u8],
    at: usize,
}

impl Iterator for Counts<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        while let Some((count, rest)) = number(self.rest) {
            self.rest = rest;
            let at = self.at;
            match u64::try_from(count) {
                Ok(count) => {
                    self.at += 1;
                    if count > 0 {
                        return Some((at, count));
                    }
                }
                Err(_) => self.at = at.saturating_add(count.unsigned_abs() as usize),
            }
        }
        None
    }
}

/// The number that bytes begin with: of values or, below zero, of counters that are skipped.
fn number(bytes: &[u8]) -> Option<(i64, &[u8])> {
    // Most counts and gaps are small.
    if let [byte @ ..0x80, rest @ ..] = bytes {
        return Some((i64::from(byte >> 1) ^ -i64::from(byte & 1), rest));
    }
    // Seven bits a byte, lowest first; the ninth byte has eight.
    let last = bytes.iter().take(8).position(|byte| byte & 0x80 == 0).unwrap_or(8);
    let (number, rest) = bytes.split_at_checked(last + 1)?;
    let bits = |byte: u8, place| u64::from(if place < 8 { byte & 0x7f } else { byte });
    let encoded = number
        .iter()
        .enumerate()
        .fold(0, |value, (place, byte)| value | bits(*byte, place) << (7 * place));
    Some(((encoded >> 1) as i64 ^ -((encoded & 1) as i64), rest))
}

fn write(number: i64, bytes: &mut Vec<u8>) {
    let mut rest = (number << 1 ^ number >> 63) as u64;
    for _ in 0..8 {
        if rest < 0x80 {
            bytes.push(rest as u8);
            return;
        }
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// The contents of a distribution at the grain that all of them have here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    counts: Box<[u8]>,
    values: u64,
}

impl Contents {
    /// Those of an encoding, where its counters are the same and it says nothing in more bytes than it takes.
    pub(crate) fn as_encoded(encoding: &Encoding<'_>) -> Option<Self> {
        let is_same = encoding.grain == GRAIN && encoding.largest() <= HIGHEST_NS;
        let own = || Self { counts: encoding.contents.into(), values: encoding.values };
        (is_same && encoding.is_shortest).then(own)
    }

    /// Of values in nanoseconds with how often each was recorded, ascending.
    pub(crate) fn from_values(values: impl Iterator<Item = (u64, u64)>) -> Self {
        let (mut bytes, mut next, mut all) = (Vec::new(), 0, 0_u64);
        let mut last: Option<(usize, u64)> = None;
        let mut put = |(index, count): (usize, u64)| {
            match index - next {
                0 => {}
                1 => write(0, &mut bytes),
                gap => write(-(gap as i64), &mut bytes),
            }
            write(i64::try_from(count).unwrap_or(i64::MAX), &mut bytes);
            next = index + 1;
        };
        for (value, count) in values {
            all = all.saturating_add(count);
            let index = GRAIN.index(value.min(HIGHEST_NS));
            match &mut last {
                Some((same, counted)) if *same == index => *counted = counted.saturating_add(count),
                _ => {
                    last.replace((index, count)).into_iter().for_each(&mut put);
                }
            }
        }
        last.into_iter().for_each(&mut put);
        if bytes.is_empty() {
            write(0, &mut bytes);
        }
        Self { counts: bytes.into(), values: all }
    }

    pub(crate) fn values(&self) -> u64 {
        self.values
    }

    pub(crate) fn counts(&self) -> Counts<'_> {
        Counts { rest: &self.counts, at: 0 }
    }

    /// How much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.counts.len()
    }

    /// The encoding, with counters up to an hour.
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(CONTENTS_AT + self.counts.len());
        bytes.extend(COOKIE);
        bytes.extend((self.counts.len() as u32).to_be_bytes());
        bytes.extend(0_u32.to_be_bytes());
        bytes.extend(u32::from(DIGITS).to_be_bytes());
        bytes.extend(LOWEST_NS.to_be_bytes());
        bytes.extend(HIGHEST_NS.to_be_bytes());
        bytes.extend(1_f64.to_be_bytes());
        bytes.extend(&self.counts);
        bytes
    }

    /// The value at a share of all values, in nanoseconds, as the library counts it.
    pub(crate) fn quantile(&self, quantile: f64) -> u64 {
        let wanted = ((quantile.min(1.0) * self.values as f64).ceil() as u64).max(1);
        let (mut reached, mut value) = (0_u64, 0);
        for (index, count) in self.counts() {
            reached = reached.saturating_add(count);
            let of = if quantile == 0.0 { Grain::lowest } else { Grain::highest };
            value = of(GRAIN, index);
            if reached >= wanted {
                break;
            }
        }
        value
    }
}

/// That of all distributions here.
pub(crate) const GRAIN: Grain =
    Grain::new(LOWEST_NS, DIGITS as u32).expect("the bounds are constants that fit");
