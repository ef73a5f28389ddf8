//! How much memory strings and values hold: counted where they are made, taken off where they end.
//!
//! An evaluation is bounded by what is held at once, not by all it ever made: a loop that builds a text piece by
//! piece makes much and holds little. One thread runs one evaluation at a time.

use std::cell::Cell;
use std::ops::Deref;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Bytes that are held on this thread.
pub fn held() -> usize {
    HELD.get()
}

fn change(before: usize, after: usize) {
    HELD.set(HELD.get().wrapping_sub(before).wrapping_add(after));
}

/// Bytes that something holds as long as it lives.
#[derive(Debug)]
pub struct Held(Cell<usize>);

impl Held {
    /// So many bytes.
    pub fn new(bytes: usize) -> Held {
        change(0, bytes);
        Held(Cell::new(bytes))
    }

    /// How many.
    pub fn bytes(&self) -> usize {
        self.0.get()
    }

    /// The owner has grown or shrunk to so many bytes.
    pub fn set(&self, bytes: usize) {
        change(self.0.replace(bytes), bytes);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// The same where the number never changes.
#[derive(Debug)]
struct Fixed(usize);

impl Drop for Fixed {
    fn drop(&mut self) {
        change(self.0, 0);
    }
}

/// A value together with the bytes that it holds.
#[derive(Debug)]
pub struct Counted<T> {
    value: T,
    _held: Fixed,
}

impl<T> Counted<T> {
    /// A value of so many bytes.
    pub fn new(value: T, bytes: usize) -> Counted<T> {
        change(0, bytes);
        Counted {
            value,
            _held: Fixed(bytes),
        }
    }

    /// The value alone.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}
