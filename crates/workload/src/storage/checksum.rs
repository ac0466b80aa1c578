//! What a verified block carries: a checksum, its place and its generation.
//!
//! The unit of verification is the largest size of up to 4 KiB that divides every block of the
//! workload: any block consists of whole units, each of them checksummed on its own, so that blocks
//! of different sizes can read what the others wrote.

use model::Storage;

/// Bytes of a unit that the header takes; the rest is content, which the checksum covers.
pub const HEADER: usize = 32;
/// The first bytes of every checksummed unit.
const MAGIC: [u8; 4] = *b"wgh1";
/// Largest unit.
const LARGEST: u32 = 4096;

/// What a unit says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitHeader {
    /// The number of the virtual machine that it belongs to.
    pub vm: u32,
    /// Where in the data of that virtual machine it is, in bytes.
    pub offset: u64,
    /// Which load wrote it; 0 for filling before all loads.
    pub load: u64,
    /// How often that load had written it.
    pub generation: u32,
}

/// Why a unit is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It was never checksummed, or its beginning is overwritten.
    NoChecksum,
    /// Its content does not have the checksum that it carries.
    Checksum,
    /// It belongs to another place.
    Misplaced {
        /// The virtual machine that it says.
        vm: u32,
        /// The place that it says.
        offset: u64,
    },
}

/// The size of a workload's units, in bytes.
///
/// ```
/// // Blocks of 16 KiB and of 1.5 KiB consist of units of 512 bytes.
/// let block = |bytes| model::BlockShare { bytes, weight: 1 };
/// let storage =
///     model::Storage { blocks: vec![block(16 << 10), block(1536)], ..model::Storage::default() };
/// assert_eq!(workload::storage::unit(&storage), 512);
/// ```
pub fn unit(storage: &Storage) -> usize {
    let divisor = storage.blocks.iter().fold(LARGEST, |unit, share| gcd(unit, share.bytes));
    divisor as usize
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Writes the header of a unit whose content is in place from byte [`HEADER`] on. Shorter buffers
/// are left alone.
///
/// ```
/// use workload::storage::{Flaw, UnitHeader, read_header, write_header};
/// let header = UnitHeader { vm: 3, offset: 8192, load: 1, generation: 2 };
/// let mut unit = [0; 4096];
/// write_header(&mut unit, header);
/// assert_eq!(read_header(&unit, 3, 8192), Ok(header));
/// assert_eq!(read_header(&unit, 3, 4096), Err(Flaw::Misplaced { vm: 3, offset: 8192 }));
/// unit[4095] ^= 1;
/// assert_eq!(read_header(&unit, 3, 8192), Err(Flaw::Checksum));
/// ```
pub fn write_header(unit: &mut [u8], written: UnitHeader) {
    let Some((header, _)) = unit.split_first_chunk_mut::<HEADER>() else { return };
    header[..4].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&written.vm.to_le_bytes());
    header[12..16].copy_from_slice(&written.generation.to_le_bytes());
    header[16..24].copy_from_slice(&written.offset.to_le_bytes());
    header[24..32].copy_from_slice(&written.load.to_le_bytes());
    let checksum = crc32fast::hash(&unit[8..]);
    unit[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// Reads the header of a unit that should be of that virtual machine and place.
///
/// # Errors
/// When it is not whole, or not from there.
pub fn read_header(unit: &[u8], vm: u32, offset: u64) -> Result<UnitHeader, Flaw> {
    let Some((header, _)) = unit.split_first_chunk::<HEADER>() else {
        return Err(Flaw::NoChecksum);
    };
    if header[..4] != MAGIC {
        return Err(Flaw::NoChecksum);
    }
    if word(header, 4) != crc32fast::hash(&unit[8..]) {
        return Err(Flaw::Checksum);
    }
    let found = UnitHeader {
        vm: word(header, 8),
        generation: word(header, 12),
        offset: long(header, 16),
        load: long(header, 24),
    };
    if (found.vm, found.offset) != (vm, offset) {
        return Err(Flaw::Misplaced { vm: found.vm, offset: found.offset });
    }
    Ok(found)
}

fn word(header: &[u8; HEADER], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&header[at..at + 4]);
    u32::from_le_bytes(bytes)
}

fn long(header: &[u8; HEADER], at: usize) -> u64 {
    u64::from(word(header, at)) | u64::from(word(header, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_header_is_read_back_and_every_changed_bit_is_noticed(
            vm: u32, offset: u64, load: u64, generation: u32, at in 0usize..512 * 8,
        ) {
            let mut bytes = [0x5a; 512];
            let written = UnitHeader { vm, offset, load, generation };
            write_header(&mut bytes, written);
            prop_assert_eq!(read_header(&bytes, vm, offset), Ok(written));
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert!(read_header(&bytes, vm, offset).is_err());
        }
    }

    #[test]
    fn a_unit_from_elsewhere_says_from_where() {
        let mut bytes = [0; 4096];
        write_header(&mut bytes, UnitHeader { vm: 3, offset: 8192, load: 1, generation: 2 });
        assert_eq!(read_header(&bytes, 3, 4096), Err(Flaw::Misplaced { vm: 3, offset: 8192 }));
        assert_eq!(read_header(&bytes, 4, 8192), Err(Flaw::Misplaced { vm: 3, offset: 8192 }));
        assert_eq!(read_header(&[0; 4096], 3, 8192), Err(Flaw::NoChecksum));
    }
}
