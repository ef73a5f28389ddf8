//! Strings as Starlark and YAML have them here: bytes that are usually UTF-8, shared and immutable.

use crate::memory::Counted;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// What a string takes beside its bytes.
const OVERHEAD: usize = 64;

/// An immutable byte string that clones in constant time and is one pointer wide.
///
/// ytt's strings are bytes: `base64.decode` and `!!binary` give content that is not UTF-8,
/// and `len("é")` is 2.
#[derive(Clone)]
pub struct Str(Rc<Counted<Box<[u8]>>>);

impl Str {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if the bytes are UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text for people: bytes that are not UTF-8 become U+FFFD.
    pub fn to_text(&self) -> Cow<'_, str> {
        // The check alone is several times as fast as the search for what is wrong.
        match self.as_str() {
            Some(text) => text.into(),
            None => String::from_utf8_lossy(&self.0),
        }
    }
}

impl Default for Str {
    fn default() -> Str {
        Str::from(Vec::new())
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Str) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Str {}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Str) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Str) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl std::borrow::Borrow<[u8]> for Str {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Deref for Str {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Str {
        Str::from(text.as_bytes())
    }
}

impl From<String> for Str {
    fn from(text: String) -> Str {
        Str::from(text.into_bytes())
    }
}

impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Str {
        Str::from(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Str {
    fn from(bytes: Vec<u8>) -> Str {
        let held = bytes.len() + OVERHEAD;
        Str(Rc::new(Counted::new(bytes.into_boxed_slice(), held)))
    }
}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_text())
    }
}
