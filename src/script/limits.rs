//! Bounds of an evaluation: a template must not hang or exhaust its host.

use std::rc::Rc;

/// How far an evaluation may go. The defaults are far above what honest templates need.
#[derive(Clone)]
pub struct Limits {
    /// Steps: one for each instruction, and for what takes as long within one.
    pub steps: u64,
    /// Calls under way at once, written in the language.
    pub call_depth: usize,
    /// Calls from native code back into the language, nested.
    pub native_depth: usize,
    /// Bytes that strings and values may hold at once.
    pub memory: usize,
    /// Nodes of what one file builds, those that stand in several places counted at each.
    pub nodes: usize,
    /// Bytes of all results together, about.
    pub output: usize,
    /// Asked every 1,024 steps; `true` ends the evaluation.
    pub interrupted: Option<Rc<dyn Fn() -> bool>>,
}

impl Limits {
    /// What a page allows: a template must not freeze it.
    pub fn page() -> Limits {
        Limits {
            steps: 200_000_000,
            call_depth: 5_000,
            native_depth: 50,
            memory: 128 << 20,
            nodes: 1_000_000,
            output: 64 << 20,
            interrupted: None,
        }
    }

    /// What a terminal allows.
    pub fn terminal() -> Limits {
        Limits {
            steps: 400_000_000,
            call_depth: 10_000,
            native_depth: 100,
            memory: 256 << 20,
            nodes: 5_000_000,
            output: 1 << 30,
            interrupted: None,
        }
    }
}

impl Default for Limits {
    /// Those of where the engine was built for.
    fn default() -> Limits {
        if cfg!(target_arch = "wasm32") {
            Limits::page()
        } else {
            Limits::terminal()
        }
    }
}
