//! The command line: run, print, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    haulout::cli::run(std::env::args_os())
}
