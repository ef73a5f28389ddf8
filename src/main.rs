//! The command line: run, print, exit.

use std::process::ExitCode;

/// That of the statically linked program: with musl's own a render takes half as long again.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    haulout::cli::run(std::env::args_os())
}
