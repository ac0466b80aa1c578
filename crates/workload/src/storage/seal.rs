//! What a verified block carries: a checksum, its place and its generation.
//!
//! The unit of verification is the largest size of up to 4 KiB that divides every block of the
//! workload: any block consists of whole units, each of them sealed on its own, so that blocks of
//! different sizes can read what the others wrote.

use model::Storage;

/// Bytes of a unit that the seal takes; the rest is content, which the checksum covers.
pub const HEADER: usize = 32;
/// The first bytes of every sealed unit.
const MAGIC: [u8; 4] = *b"wgh1";
/// Largest unit.
const LARGEST: u32 = 4096;

/// What a unit says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
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
    /// It was never sealed, or its beginning is overwritten.
    Unsealed,
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
pub fn unit(storage: &Storage) -> usize {
    let divisor = storage.blocks.iter().fold(LARGEST, |unit, share| gcd(unit, share.bytes));
    divisor as usize
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Seals a unit whose content is in place from byte [`HEADER`] on. Shorter buffers are left alone.
pub fn seal(unit: &mut [u8], seal: Seal) {
    let Some((header, _)) = unit.split_first_chunk_mut::<HEADER>() else { return };
    header[..4].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&seal.vm.to_le_bytes());
    header[12..16].copy_from_slice(&seal.generation.to_le_bytes());
    header[16..24].copy_from_slice(&seal.offset.to_le_bytes());
    header[24..32].copy_from_slice(&seal.load.to_le_bytes());
    let checksum = crc32fast::hash(&unit[8..]);
    unit[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// Reads the seal of a unit that should be of that virtual machine and place.
///
/// # Errors
/// When it is not whole, or not from there.
pub fn unseal(unit: &[u8], vm: u32, offset: u64) -> Result<Seal, Flaw> {
    let Some((header, _)) = unit.split_first_chunk::<HEADER>() else { return Err(Flaw::Unsealed) };
    if header[..4] != MAGIC {
        return Err(Flaw::Unsealed);
    }
    if word(header, 4) != crc32fast::hash(&unit[8..]) {
        return Err(Flaw::Checksum);
    }
    let found = Seal {
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
        fn a_seal_is_read_back_and_every_changed_bit_is_noticed(
            vm: u32, offset: u64, load: u64, generation: u32, at in 0usize..512 * 8,
        ) {
            let mut bytes = [0x5a; 512];
            let written = Seal { vm, offset, load, generation };
            seal(&mut bytes, written);
            prop_assert_eq!(unseal(&bytes, vm, offset), Ok(written));
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert!(unseal(&bytes, vm, offset).is_err());
        }
    }

    #[test]
    fn a_unit_from_elsewhere_says_from_where() {
        let mut bytes = [0; 4096];
        seal(&mut bytes, Seal { vm: 3, offset: 8192, load: 1, generation: 2 });
        assert_eq!(unseal(&bytes, 3, 4096), Err(Flaw::Misplaced { vm: 3, offset: 8192 }));
        assert_eq!(unseal(&bytes, 4, 8192), Err(Flaw::Misplaced { vm: 3, offset: 8192 }));
        assert_eq!(unseal(&[0; 4096], 3, 8192), Err(Flaw::Unsealed));
    }
}
