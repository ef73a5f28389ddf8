//! Files as a whole: how they find each other, how they are evaluated together, and libraries that templates evaluate.
//!
//! ```text
//! tree -> loader (one file) -> execution (all of a library) -> instance (`@ytt:library`)
//! ```

pub mod execution;
mod instance;
mod loader;
pub mod tree;

pub use execution::{Evaluation, Execution};
pub use tree::{Folder, Input};

use crate::diagnostic::{Diagnostic, Report};
use crate::script::Error;
use std::cell::RefCell;
use std::rc::Rc;

/// How templates are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Refuse plain scalars that could be taken for more than one type.
    pub strict: bool,
    /// Leave comments alone that are neither `#@` nor `#!`.
    pub ignore_unknown_comments: bool,
    /// Let later keys of a map replace earlier ones.
    pub implicit_map_key_overrides: bool,
}

/// Where a file looks for others.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder that it is in.
    pub current: Rc<Folder>,
    /// The folder that paths from `/` start at.
    pub root: Rc<Folder>,
}

/// What all parts of a render share.
#[derive(Debug, Default)]
pub struct Session {
    /// Files under evaluation, outermost first: what loads itself is told, not tried for ever.
    loading: RefCell<Vec<Rc<Input>>>,
    /// Reports that became messages of outer errors.
    failures: RefCell<Vec<Report>>,
}

impl Session {
    /// The error that a report becomes for the program that caused it.
    fn to_error(&self, report: Report) -> Error {
        let error = Error::new(report.text());
        self.failures.borrow_mut().push(report);
        error
    }

    /// A report whose diagnostics are those of the innermost report that its text holds, if any.
    fn with_cause(&self, report: Report) -> Report {
        let failures = self.failures.borrow();
        // Layout indents the lines of an inner report, but each stands there as it was.
        let holds = |failure: &&Report| {
            let mut lines = failure
                .text()
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty());
            lines.all(|line| report.text().contains(line))
        };
        let Some(cause) = failures.iter().find(holds) else {
            return report;
        };
        let mut diagnostics: Vec<Diagnostic> = cause.diagnostics().to_vec();
        if diagnostics
            .iter()
            .all(|diagnostic| diagnostic.origin.source().is_none())
        {
            // The cause has no place of its own: the place that led to it is better than none.
            for (diagnostic, outer) in diagnostics.iter_mut().zip(report.diagnostics()) {
                diagnostic.origin = outer.origin.clone();
            }
        }
        Report::with_diagnostics(report.text(), diagnostics)
    }
}
