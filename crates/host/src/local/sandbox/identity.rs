//! By what a file is known again.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file as it is as long as nobody changes it or puts another in its place: device, number, size, and
/// when it was changed last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity([u64; 5]);

impl Identity {
    /// # Errors
    /// When there is no such file.
    pub(super) fn for_file(file: &Path) -> io::Result<Self> {
        let facts = file.metadata()?;
        let changed = [facts.ctime(), facts.ctime_nsec()].map(i64::cast_unsigned);
        Ok(Self([facts.dev(), facts.ino(), facts.size(), changed[0], changed[1]]))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_program_in_the_place_of_another_is_another() {
        let place = tempfile::tempdir().unwrap();
        let (program, new) = (place.path().join("mariadbd"), place.path().join("new"));
        fs::write(&program, "10.11.6").unwrap();
        let first = Identity::for_file(&program).unwrap();
        assert_eq!(Identity::for_file(&program).unwrap(), first);
        fs::write(&new, "10.11.6").unwrap();
        fs::rename(&new, &program).unwrap();
        assert_ne!(Identity::for_file(&program).unwrap(), first);
        assert!(Identity::for_file(&new).is_err());
    }
}
