//! Results files that somebody has changed.

use super::{KIB, MIB};
use crate::Target;
use crate::input::Input;
use crate::seeds::store::files;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use store::Store;
use tempfile::NamedTempFile;

/// A results file with bytes changed: what can still be read is analysed and reported.
pub(super) const BYTES: Target = Target {
    name: "store",
    run,
    seeds: || {
        let whole = [vec![0], vec![1], vec![2], vec![3]];
        let patched =
            (0..32_u8).map(|place| vec![place & 3, place, place << 3, 0, 0, 8, 0xFF, place, 0x7F]);
        whole.into_iter().chain(patched).collect()
    },
    mutations: 40,
    longest: KIB,
    memory: 400 * MIB,
    words: &[],
};

/// Byte 0: which file, and whether it is reported. Then patches: four bytes of place, one of
/// length, the bytes.
fn run(data: &[u8]) {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let files = FILES.get_or_init(files);
    let mut input = Input::new(data);
    let flags = input.byte();
    let mut bytes = files[usize::from(flags >> 1) % files.len()].clone();
    while !input.is_empty() {
        let place = usize::from(input.u16()) << 16 | usize::from(input.u16());
        let length = 1 + usize::from(input.byte() & 15);
        let patch = input.bytes(length);
        let place = place % bytes.len();
        let end = bytes.len().min(place + patch.len());
        bytes[place..end].copy_from_slice(&patch[..end - place]);
    }
    // In memory where that can be had: there are many of them.
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let file = NamedTempFile::new_in(directory).and_then(|mut file| {
        file.write_all(&bytes)?;
        Ok(file)
    });
    let file = file.unwrap_or_else(|error| panic!("no room for the store: {error}"));
    match Store::open(file.path()).and_then(|store| store.dataset()) {
        Ok(dataset) if flags & 1 == 0 => super::rendered(&dataset),
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert_eq!(fs::read(file.path()).ok(), Some(bytes), "reading has changed the file");
}
