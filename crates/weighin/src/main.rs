//! The program weighin. All of it is in the library of the same name, so that other crates of the
//! workspace can test what is in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    weighin::run()
}
