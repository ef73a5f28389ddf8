//! In-process times: the engine alone, files in memory. For each folder named a line: `BEST MEDIAN` in milliseconds.
//!
//! `benches/bench.mjs` runs it and makes a table of what it says.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

use haulout::files::File;
use haulout::render::{Request, render};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long one folder is measured, and how often at least.
const BUDGET: Duration = Duration::from_millis(1500);
const LEAST: usize = 5;

fn files(folder: &Path) -> Vec<File> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        File::new(name.clone(), name, std::fs::read(path).unwrap())
    };
    paths.into_iter().map(read).collect()
}

fn main() {
    for folder in std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
    {
        let request = Request {
            files: files(Path::new(&folder)),
            ..Request::default()
        };
        let begin = Instant::now();
        let mut times: Vec<f64> = Vec::new();
        while times.len() < LEAST || (begin.elapsed() < BUDGET && times.len() < 1000) {
            let start = Instant::now();
            let output = render(&request).unwrap();
            std::hint::black_box(haulout::yaml::print(&output.documents));
            drop(output);
            times.push(start.elapsed().as_secs_f64() * 1000.0);
        }
        times.sort_by(f64::total_cmp);
        println!("{:.3} {:.3}", times[0], times[times.len() / 2]);
    }
}
