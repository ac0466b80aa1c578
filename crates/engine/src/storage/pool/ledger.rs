use model::Verified;
use workload::storage::{Flaw, UnitHeader, read_header, write_header};

/// What one virtual machine's load knows of the units of its data.
#[derive(Debug)]
pub(super) struct UnitLedger {
    vm: u32,
    /// The load that writes now: tells its units from those of earlier ones.
    load: u64,
    /// Bytes of a unit.
    unit: usize,
    /// Whether every unit was checksummed when the load began.
    checksummed: bool,
    /// By unit, how often this load has written it, modulo [`UNSURE`]; 0 for never.
    generations: Vec<u16>,
    pub(super) verified: Verified,
}

/// Marks a unit of which it is not known what it holds: a write to it failed or is under way, or
/// two were under way at once.
const UNSURE: u16 = 1 << 15;

impl UnitLedger {
    pub(super) fn new(vm: u32, load: u64, unit: usize, checksummed: bool, bytes: u64) -> Self {
        let units = usize::try_from(bytes).unwrap_or(usize::MAX) / unit.max(1);
        let verified = Verified::default();
        Self { vm, load, unit, checksummed, generations: vec![0; units], verified }
    }

    /// Seals what is to be written there. Until [`Self::written`] nothing is known of it.
    pub(super) fn write_header(&mut self, offset: u64, buffer: &mut [u8]) {
        let first = self.number(offset);
        for (index, unit) in buffer.chunks_exact_mut(self.unit).enumerate() {
            let Some(generation) = self.generations.get_mut(first + index) else { return };
            // From 1 on, and round again: 0 is for what this load never wrote.
            let next = (*generation & !UNSURE) % (UNSURE - 1) + 1;
            *generation = next | UNSURE;
            let offset = offset + (index * self.unit) as u64;
            let (vm, load) = (self.vm, self.load);
            write_header(unit, UnitHeader { vm, offset, load, generation: next.into() });
        }
    }

    /// What was checksummed is written, with no other write to the same place at the same time.
    pub(super) fn written(&mut self, offset: u64, bytes: u32) {
        let first = self.number(offset);
        let units = bytes as usize / self.unit;
        let Some(units) = self.generations.get_mut(first..first + units) else { return };
        units.iter_mut().for_each(|generation| *generation &= !UNSURE);
    }

    /// Compares what was read there, with no write to the same place at the same time, with what
    /// must be there.
    ///
    /// # Errors
    /// What is wrong with it, in words, for the first unit that is not as it must be.
    pub(super) fn check(&mut self, offset: u64, buffer: &[u8]) -> Result<(), String> {
        let first = self.number(offset);
        for (index, unit) in buffer.chunks_exact(self.unit).enumerate() {
            let expected = self.generations.get(first + index).copied().unwrap_or(UNSURE);
            if expected & UNSURE != 0 || expected == 0 && !self.checksummed {
                self.verified.unknown += 1;
                continue;
            }
            let place = offset + (index * self.unit) as u64;
            self.compare(place, unit, expected).map_err(|what| {
                format!("the block at byte {place} of virtual machine {}: {what}", self.vm)
            })?;
            self.verified.units += 1;
        }
        Ok(())
    }

    /// A read of so many bytes could not be compared with anything.
    pub(super) fn skip(&mut self, bytes: u32) {
        self.verified.unknown += u64::from(bytes) / self.unit as u64;
    }

    fn compare(&self, place: u64, unit: &[u8], expected: u16) -> Result<(), String> {
        let found = read_header(unit, self.vm, place).map_err(|flaw| match flaw {
            Flaw::NoChecksum => "nothing there that weighin wrote".to_owned(),
            Flaw::Checksum => "the content does not have its checksum".to_owned(),
            Flaw::Misplaced { vm, offset } => {
                format!("what was written to byte {offset} of virtual machine {vm} is there")
            }
        })?;
        let ours = found.load == self.load;
        match expected {
            0 if ours => Err(format!(
                "generation {} of this load is there, which has written nothing there",
                found.generation
            )),
            0 => Ok(()),
            _ if !ours => Err(format!(
                "expected generation {expected}, found what was there before this load"
            )),
            _ if found.generation != u32::from(expected) => {
                Err(format!("expected generation {expected}, found {}", found.generation))
            }
            _ => Ok(()),
        }
    }

    fn number(&self, offset: u64) -> usize {
        usize::try_from(offset).unwrap_or(usize::MAX) / self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: usize = 512;

    fn known(checksummed: bool) -> UnitLedger {
        UnitLedger::new(2, 77, UNIT, checksummed, 8 * UNIT as u64)
    }

    fn write(known: &mut UnitLedger, offset: u64) -> Vec<u8> {
        let mut buffer = vec![1; 2 * UNIT];
        known.write_header(offset, &mut buffer);
        known.written(offset, 2 * UNIT as u32);
        buffer
    }

    #[test]
    fn what_was_written_last_is_right_and_what_was_there_before_is_not() {
        let mut known = known(false);
        let old = write(&mut known, 1024);
        assert_eq!(known.check(1024, &old), Ok(()));
        let new = write(&mut known, 1024);
        assert_eq!(known.check(1024, &new), Ok(()));
        assert_eq!(known.verified.units, 4);
        let lost = known.check(1024, &old).unwrap_err();
        assert!(lost.ends_with("expected generation 2, found 1"), "{lost}");
        let elsewhere = write(&mut known, 0);
        let misplaced = known.check(1024, &elsewhere);
        assert_eq!(
            misplaced.unwrap_err().split(": ").nth(1),
            Some("what was written to byte 0 of virtual machine 2 is there")
        );
    }

    #[test]
    fn a_flipped_bit_is_found_in_words() {
        let mut known = known(false);
        let mut read = write(&mut known, 0);
        read[700] ^= 1;
        let error = known.check(0, &read).unwrap_err();
        assert_eq!(
            error,
            "the block at byte 512 of virtual machine 2: the content does not have its checksum"
        );
    }

    #[test]
    fn units_of_unknown_content_are_not_judged() {
        let mut known = known(false);
        assert_eq!(known.check(0, &[0; 2 * UNIT]), Ok(()));
        known.write_header(0, &mut [0; UNIT]);
        assert_eq!(known.check(0, &[0; UNIT]), Ok(()));
        known.skip(UNIT as u32);
        assert_eq!((known.verified.units, known.verified.unknown), (0, 4));
    }

    #[test]
    fn what_was_checksummed_before_the_load_must_still_be_whole() {
        let mut known = known(true);
        let mut unit = [7; UNIT];
        write_header(&mut unit, UnitHeader { vm: 2, offset: 512, load: 0, generation: 0 });
        assert_eq!(known.check(512, &unit), Ok(()));
        assert!(
            known.check(512, &[0; UNIT]).unwrap_err().ends_with("nothing there that weighin wrote")
        );
        write(&mut known, 512);
        let error = known.check(512, &unit).unwrap_err();
        assert!(error.ends_with("expected generation 1, found what was there before this load"));
    }
}
