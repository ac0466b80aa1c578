use crate::{Keys, Stream};
use model::Oltp;

/// Ten groups of eleven digits.
pub(super) const C_TEMPLATE: &[u8; C_LENGTH] = b"###########-###########-###########-\
###########-###########-###########-###########-###########-###########-###########";
/// Five groups of eleven digits.
pub(super) const PAD_TEMPLATE: &[u8; PAD_LENGTH] =
    b"###########-###########-###########-###########-###########";

/// Length of a value of column `c`, in bytes.
pub const C_LENGTH: usize = 119;
/// Length of a value of column `pad`, in bytes.
pub const PAD_LENGTH: usize = 59;

/// The rows that a test table starts with, in order of `id`.
///
/// `k` has the distribution that the workload draws its keys with, as in sysbench.
#[derive(Clone, Debug)]
pub struct RowSource {
    keys: Keys,
    stream: Stream,
    next_id: u32,
    last_id: u32,
}

impl RowSource {
    /// The rows `from..=to` of a table (rows and tables count from 1). The same rows come out
    /// however a table is cut into ranges only if the cuts are the same: each range has a
    /// stream of its own, so that ranges can be made in parallel.
    pub fn new(workload: &Oltp, seed: u64, table: u32, from: u32, to: u32) -> Self {
        let number = (u64::from(table) << 32) | u64::from(from);
        Self {
            keys: Keys::new(workload.distribution, 1, workload.table_size),
            stream: Stream::new(seed, "rows", number),
            next_id: from,
            last_id: to,
        }
    }

    /// Appends one row as the fields `id k c pad`, each preceded by the matching separator of
    /// `around` (before `id`, `k`, `c`, `pad`) and the row followed by its last part. Returns
    /// false, and appends nothing, when there are no more rows.
    pub fn append(&mut self, around: [&str; 5], out: &mut Vec<u8>) -> bool {
        if self.next_id > self.last_id {
            return false;
        }
        out.extend_from_slice(around[0].as_bytes());
        append_number(self.next_id, out);
        out.extend_from_slice(around[1].as_bytes());
        append_number(self.keys.draw(&mut self.stream), out);
        out.extend_from_slice(around[2].as_bytes());
        append_digits(&mut self.stream, C_TEMPLATE, out);
        out.extend_from_slice(around[3].as_bytes());
        append_digits(&mut self.stream, PAD_TEMPLATE, out);
        out.extend_from_slice(around[4].as_bytes());
        self.next_id += 1;
        true
    }
}

fn append_digits(stream: &mut Stream, template: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + template.len(), 0);
    stream.fill(template, &mut out[start..]);
}

fn append_number(number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{KeyDistribution, OltpMix};

    #[test]
    fn rows_have_consecutive_ids_and_values_of_sysbenchs_shape() {
        let workload = Oltp {
            mix: OltpMix::ReadWrite,
            tables: 1,
            table_size: 1_000,
            range_size: 100,
            distribution: KeyDistribution::Uniform,
        };
        let mut rows = RowSource::new(&workload, 1, 1, 9, 11);
        let mut out = Vec::new();
        while rows.append(["", ",", ",", ",", "\n"], &mut out) {}
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
        assert_eq!(lines.iter().map(|l| l[0]).collect::<Vec<_>>(), ["9", "10", "11"]);
        for line in lines {
            assert!((1..=1_000).contains(&line[1].parse::<u32>().unwrap()));
            assert_eq!((line[2].len(), line[3].len()), (119, 59));
            assert_eq!(line[2].split('-').map(str::len).collect::<Vec<_>>(), [11; 10]);
            assert_eq!(line[3].split('-').map(str::len).collect::<Vec<_>>(), [11; 5]);
        }
    }
}
