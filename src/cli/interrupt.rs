//! Ctrl-C, and whatever else asks the program to end, while files are being written: the writing stops between two files
//! and takes back what it had written beside their places; only then does the program end, by that signal. A second
//! signal ends it at once.

use crate::diagnostic::Report;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The signal that came, or 0.
static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Held while files are written; signals wait until it is dropped.
pub struct Writing(Vec<SigId>);

impl Writing {
    /// From now on signals wait. Where they cannot be made to, they end the program as ever.
    pub fn begin() -> Writing {
        let again = Arc::new(AtomicBool::new(false));
        let mut registered = Vec::new();
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // In this order: the first signal only arms what a second one meets.
            registered.extend(flag::register_conditional_default(signal, again.clone()));
            registered.extend(flag::register(signal, again.clone()));
            let number = usize::try_from(signal).unwrap_or_default();
            registered.extend(flag::register_usize(signal, CAME.clone(), number));
        }
        Writing(registered)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        for id in self.0.drain(..) {
            low_level::unregister(id);
        }
        let came = CAME.swap(0, Ordering::SeqCst);
        if let Some(signal) = i32::try_from(came).ok().filter(|signal| *signal != 0) {
            // That it cannot be done leaves the error that `check` gave.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// Asked before each file.
///
/// # Errors
/// A signal came.
pub fn check() -> Result<(), Report> {
    match CAME.load(Ordering::SeqCst) {
        0 => Ok(()),
        _ => Err(Report::new("Interrupted")),
    }
}
