//! What an evaluation uses of its limits.

use super::super::collections::{Dict, ELEMENT, ITEM, List};
use super::super::error::{Error, Result};
use super::super::limits::Limits;
use super::super::value::Value;
use super::Interp;
use crate::memory;

/// After how many steps the limits are looked at.
pub(super) const PERIOD: u64 = 1024;

/// How many bytes are moved in the time that an instruction takes.
const BYTES_A_STEP: usize = 8;

/// How many characters are looked at in that time.
const CHARACTERS_A_STEP: usize = 2;

/// Steps for the search of a key.
const SEARCH: u64 = 4;

impl Interp {
    /// Prints a line.
    ///
    /// # Errors
    /// There are too many.
    pub fn print(&mut self, line: &str) -> Result<()> {
        self.keep(line.len())?;
        if let Some(printer) = &self.printer {
            printer(line);
        }
        Ok(())
    }

    /// Prints a line once, however often it is asked for.
    pub fn warn(&mut self, line: &'static str) {
        if self.warnings.contains(&line) {
            return;
        }
        self.warnings.push(line);
        if let Some(printer) = &self.printer {
            printer(line);
        }
    }

    /// The bounds.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Accounts for work that takes as long as so many instructions.
    ///
    /// # Errors
    /// The evaluation has taken too many steps.
    pub fn work(&mut self, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps >= self.check_at {
            self.check_limits()?;
        }
        Ok(())
    }

    /// Accounts for bytes about to be made or gone through: for the work, and whether there is room for them.
    ///
    /// # Errors
    /// There is not.
    pub fn charge(&mut self, bytes: usize) -> Result<()> {
        self.room(bytes)?;
        self.work((bytes / BYTES_A_STEP) as u64)
    }

    /// Accounts for going through a text character by character.
    ///
    /// # Errors
    /// The evaluation has taken too many steps.
    pub(in super::super) fn look_at(&mut self, text: &[u8]) -> Result<()> {
        self.work((text.len() / CHARACTERS_A_STEP) as u64)
    }

    /// Whether there is room for so many bytes beside those that are held.
    ///
    /// # Errors
    /// There is not.
    pub fn room(&self, bytes: usize) -> Result<()> {
        let held = memory::held().saturating_sub(self.held_before);
        if held.saturating_add(bytes) > self.limits.memory {
            return Err(Error::fatal(format!(
                "evaluation stopped: its values need more than {} bytes",
                self.limits.memory
            )));
        }
        Ok(())
    }

    /// Accounts for bytes that do not count themselves and stay until the end.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn keep(&mut self, bytes: usize) -> Result<()> {
        self.charge(bytes)?;
        self.kept.set(self.kept.bytes() + bytes);
        Ok(())
    }

    /// Accounts for elements about to be added to a list: when it is full it moves to a larger place.
    ///
    /// # Errors
    /// There is no room for them.
    pub(in super::super) fn extend(&mut self, list: &List, more: usize) -> Result<()> {
        if list.len() + more > list.capacity() {
            self.charge((list.len() + more) * ELEMENT)?;
        }
        Ok(())
    }

    /// Accounts for an item about to be set in a dict, and for the use of its key.
    ///
    /// # Errors
    /// There is no room for it.
    pub(in super::super) fn insert(&mut self, dict: &Dict, key: &Value) -> Result<()> {
        if dict.len() == dict.capacity() {
            self.charge((dict.len() + 1) * ITEM)?;
        }
        self.weigh(key)
    }

    /// Accounts for the use of a value as a key.
    ///
    /// # Errors
    /// The evaluation has taken too many steps.
    pub(in super::super) fn weigh(&mut self, key: &Value) -> Result<()> {
        let size = match key {
            Value::Str(text) => text.len() / BYTES_A_STEP,
            Value::Tuple(_) => key.key().map_or(0, |key| key.size as usize),
            _ => 0,
        };
        self.work(SEARCH + size as u64)
    }

    /// The elements of a value, if it can have any.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn elements(&mut self, value: &Value) -> Result<Option<Vec<Value>>> {
        let bytes = match value {
            Value::Host(host) => host.0.iterate_bytes(),
            Value::Str(_) => 0,
            _ => value.length().unwrap_or(0).saturating_mul(ELEMENT),
        };
        self.charge(bytes)?;
        Ok(value.try_iterate())
    }

    /// Appends a value's text to bytes: what `repr(x)` gives, or `str(x)`.
    ///
    /// # Errors
    /// The text is too long.
    pub(in super::super) fn write(
        &mut self,
        value: &Value,
        as_repr: bool,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let made;
        let text = match value {
            Value::Str(text) if !as_repr => text.as_bytes(),
            _ => {
                made = value.to_repr()?;
                self.work(made.len() as u64)?;
                made.as_bytes()
            }
        };
        self.work((text.len() / BYTES_A_STEP) as u64)?;
        self.room(out.len() + text.len())?;
        out.extend_from_slice(text);
        Ok(())
    }

    pub(super) fn check_limits(&mut self) -> Result<()> {
        self.check_at = self.steps.saturating_add(PERIOD);
        self.room(0)?;
        let interrupted = self.limits.interrupted.as_ref();
        Err(Error::fatal(if self.steps > self.limits.steps {
            format!("evaluation stopped: more than {} steps", self.limits.steps)
        } else if interrupted.is_some_and(|interrupted| interrupted()) {
            "evaluation stopped: interrupted".to_string()
        } else {
            return Ok(());
        }))
    }
}
