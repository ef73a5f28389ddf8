//! Tables that no input can make slow.
//!
//! Hashes are folded multiplications under a seed of the process: faster than the standard library's, and nobody who
//! writes a template can choose keys that meet. No table's order ever reaches a result.

use foldhash::fast::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::LazyLock;

/// Values by key. Only asked, never gone through.
pub type Map<K, V> = std::collections::HashMap<K, V, RandomState>;

/// Values that were seen.
pub type Set<K> = std::collections::HashSet<K, RandomState>;

/// Values by key, in the order in which they came.
pub type OrderedMap<K, V> = indexmap::IndexMap<K, V, RandomState>;

/// The hash of a value, the same throughout a process.
pub fn of<T: Hash + ?Sized>(value: &T) -> u64 {
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    STATE.hash_one(value)
}
