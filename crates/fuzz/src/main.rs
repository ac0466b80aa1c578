//! The program that libFuzzer drives: the target is named by the variable `FUZZ_TARGET`. With a
//! directory in `FUZZ_SEEDS` it writes there what each target starts from, and ends.
#![no_main]

use fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs, io, process};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fuzz_target!(
    init: {
        if let Some(directory) = env::var_os("FUZZ_SEEDS") {
            end_with(write_seeds(Path::new(&directory)));
        }
        let name = env::var("FUZZ_TARGET").unwrap_or_default();
        let target = Target::by_name(&name);
        TARGET.get_or_init(|| target.unwrap_or_else(|| panic!("FUZZ_TARGET={name} is not a target")));
    },
    |data: &[u8]| {
        if let Some(target) = TARGET.get() {
            target.check(data);
        }
    }
);

#[allow(clippy::exit, reason = "libFuzzer's main function would go on")]
fn end_with(outcome: io::Result<()>) -> ! {
    if let Err(error) = &outcome {
        eprintln!("cannot write the seeds: {error}");
    }
    process::exit(i32::from(outcome.is_err()))
}

/// Writes for each target a directory of its seeds, a dictionary, and options of libFuzzer.
fn write_seeds(directory: &Path) -> io::Result<()> {
    for target in TARGETS {
        let own = directory.join(target.name);
        fs::create_dir_all(&own)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(own.join(format!("seed-{number:03}")), seed)?;
        }
        let dictionary = directory.join(target.name).with_extension("dict");
        fs::write(&dictionary, target.dictionary)?;
        let mut options = format!("-max_len={}\n", target.longest);
        // An empty one is refused.
        if !target.dictionary.is_empty() {
            options.push_str(&format!("-dict={}\n", dictionary.display()));
        }
        fs::write(directory.join(target.name).with_extension("options"), options)?;
    }
    Ok(())
}
