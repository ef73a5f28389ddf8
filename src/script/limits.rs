//! Bounds of an evaluation: a template must not hang or exhaust its host.

use std::rc::Rc;

/// How far an evaluation may go. The defaults are far above what honest templates need.
#[derive(Clone)]
pub struct Limits {
    /// Steps: one for each instruction.
    pub steps: u64,
    /// Calls under way at once, written in the language.
    pub call_depth: usize,
    /// Calls from native code back into the language, nested.
    pub native_depth: usize,
    /// Bytes and elements that growing operations (`+`, `*`, `join`, `append`, `range` to list) may make in all.
    pub allocation: u64,
    /// Asked every 1,024 steps; `true` ends the evaluation.
    pub interrupted: Option<Rc<dyn Fn() -> bool>>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 2_000_000_000,
            call_depth: 10_000,
            native_depth: 100,
            allocation: 4_000_000_000,
            interrupted: None,
        }
    }
}
