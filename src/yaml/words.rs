//! Strings of a text that were read before: documents say the same keys and kinds again and again.

use crate::bytestring::Str;

/// Longer strings are seldom said twice.
const LONGEST: usize = 32;

/// How many strings are remembered.
const SLOTS: usize = 512;

/// The last string of each slot. A string has one slot, so that a look takes the same time whatever a text holds.
#[derive(Default)]
pub(super) struct Words(Vec<Option<Str>>);

impl Words {
    /// The string of this text.
    pub(super) fn shared(&mut self, text: &[u8]) -> Str {
        let (Some(first), Some(last)) = (text.first(), text.last()) else {
            return Str::default();
        };
        if text.len() > LONGEST {
            return Str::from(text);
        }
        if self.0.is_empty() {
            self.0.resize(SLOTS, None);
        }
        let middle = text.get(text.len() / 2).unwrap_or(first);
        let mixed = text.len() * 7
            + usize::from(*first) * 31
            + usize::from(*middle) * 131
            + usize::from(*last) * 37;
        let Some(slot) = self.0.get_mut(mixed % SLOTS) else {
            return Str::from(text);
        };
        match slot {
            Some(known) if known.as_bytes() == text => known.clone(),
            _ => slot.insert(Str::from(text)).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_what_was_read() {
        let mut words = Words::default();
        let long = "x".repeat(100);
        for text in ["type", "", "tape", "type", &long, "t", "é"] {
            assert_eq!(words.shared(text.as_bytes()), *text);
            assert_eq!(words.shared(text.as_bytes()), *text);
        }
    }
}
