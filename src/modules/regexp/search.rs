//! Looking for a pattern: all ways at once, character by character, those with more right first. The time is at most
//! the product of text and program, whatever the pattern.

use super::pattern::Place;
use super::program::{Instruction, Program};
use crate::script::{Interp, Result};

/// How many steps are taken before they are counted.
const STRIDE: u64 = 4_096;

/// Where a match begins and ends; `None` for a group that took no part.
pub type Span = Option<(usize, usize)>;

/// A search in a text, with what it needs to remember.
pub struct Search<'a> {
    program: &'a Program,
    text: &'a [u8],
    now: Ways,
    next: Ways,
    follow: Follow,
}

/// Ways under way, by right; `saved` has the slots of each.
#[derive(Default)]
struct Ways {
    at: Vec<usize>,
    saved: Vec<Option<usize>>,
    /// For each instruction, when a way last came there.
    seen: Vec<u64>,
    /// The present time.
    time: u64,
}

impl Ways {
    fn clear(&mut self) {
        self.at.clear();
        self.saved.clear();
        self.time += 1;
    }

    /// True for the first way that comes to an instruction.
    fn visit(&mut self, at: usize) -> bool {
        match self.seen.get_mut(at) {
            Some(seen) if *seen != self.time => {
                *seen = self.time;
                true
            }
            _ => false,
        }
    }
}

/// What follows a way without passing a character.
struct Follow {
    tasks: Vec<Task>,
    /// What is remembered on the way: two places for each group.
    saved: Vec<Option<usize>>,
    steps: u64,
}

enum Task {
    To(usize),
    /// The way back: what was remembered before.
    Restore(usize, Option<usize>),
}

impl Follow {
    /// Adds to `ways` all that can be reached from an instruction at a place in the text.
    fn run(&mut self, program: &Program, text: &[u8], at: usize, from: usize, ways: &mut Ways) {
        self.tasks.push(Task::To(from));
        while let Some(task) = self.tasks.pop() {
            let mut next = match task {
                Task::To(next) => next,
                Task::Restore(slot, before) => {
                    self.save(slot, before);
                    continue;
                }
            };
            while ways.visit(next) {
                self.steps += 1;
                next = match program.instructions.get(next) {
                    Some(Instruction::Jump(to)) => *to,
                    Some(Instruction::Split(first, second)) => {
                        self.tasks.push(Task::To(*second));
                        *first
                    }
                    Some(Instruction::Save(slot)) => {
                        if let Some(before) = self.saved.get(*slot) {
                            self.tasks.push(Task::Restore(*slot, *before));
                            self.save(*slot, Some(at));
                        }
                        next + 1
                    }
                    Some(Instruction::Place(place)) if !is_at(*place, text, at) => break,
                    Some(Instruction::Place(_)) => next + 1,
                    _ => {
                        ways.at.push(next);
                        ways.saved.extend_from_slice(&self.saved);
                        break;
                    }
                };
            }
        }
    }

    fn save(&mut self, slot: usize, place: Option<usize>) {
        if let Some(saved) = self.saved.get_mut(slot) {
            *saved = place;
        }
    }
}

fn is_at(place: Place, text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let after = text.get(at);
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric());
    match place {
        Place::TextStart => before.is_none(),
        Place::TextEnd => after.is_none(),
        Place::LineStart => before.is_none_or(|&byte| byte == b'\n'),
        Place::LineEnd => after.is_none_or(|&byte| byte == b'\n'),
        Place::WordEdge => is_word(before) != is_word(after),
        Place::NoWordEdge => is_word(before) == is_word(after),
    }
}

impl<'a> Search<'a> {
    /// A search that remembers the first `groups` groups, the whole match being one.
    pub fn new(program: &'a Program, text: &'a [u8], groups: usize) -> Search<'a> {
        let ways = || Ways {
            seen: vec![0; program.instructions.len()],
            ..Ways::default()
        };
        Search {
            program,
            text,
            now: ways(),
            next: ways(),
            follow: Follow {
                tasks: Vec::new(),
                saved: vec![None; 2 * groups],
                steps: 0,
            },
        }
    }

    /// The first match from here on: what each group holds.
    ///
    /// # Errors
    /// A limit of the evaluation was reached.
    pub fn find(&mut self, interp: &mut Interp, from: usize) -> Result<Option<Vec<Span>>> {
        let (program, text) = (self.program, self.text);
        let slots = self.follow.saved.len();
        let mut found: Option<Vec<Option<usize>>> = None;
        let mut at = from;
        self.now.clear();
        loop {
            if found.is_none() {
                self.follow.saved.fill(None);
                self.follow.save(0, Some(at));
                self.follow.run(program, text, at, 0, &mut self.now);
            } else if self.now.at.is_empty() {
                break;
            }
            let (code, width) = decode(text.get(at..).unwrap_or_default());
            self.next.clear();
            for (way, &instruction) in self.now.at.iter().enumerate() {
                let passes = match program.instructions.get(instruction) {
                    Some(Instruction::Char(wanted)) => *wanted == code,
                    Some(Instruction::Set(set)) => set.contains(code),
                    _ => {
                        let saved = self.now.saved.get(way * slots..).unwrap_or_default();
                        let mut saved: Vec<_> = saved.iter().copied().take(slots).collect();
                        if let Some(end) = saved.get_mut(1) {
                            *end = Some(at);
                        }
                        found = Some(saved);
                        // Those after it have less right.
                        break;
                    }
                };
                if passes && width > 0 {
                    let saved = self.now.saved.iter().skip(way * slots);
                    for (slot, saved) in self.follow.saved.iter_mut().zip(saved) {
                        *slot = *saved;
                    }
                    self.follow
                        .run(program, text, at + width, instruction + 1, &mut self.next);
                }
            }
            self.follow.steps += 1 + self.now.at.len() as u64;
            if self.follow.steps >= STRIDE {
                interp.work(std::mem::take(&mut self.follow.steps))?;
            }
            if width == 0 || (found.is_some() && slots == 0) {
                break;
            }
            std::mem::swap(&mut self.now, &mut self.next);
            at += width;
        }
        let span = |pair: &[Option<usize>]| Some((pair.first().copied()??, pair.last().copied()??));
        Ok(found.map(|saved| saved.chunks(2).map(span).collect()))
    }
}

/// The first character and its length; U+FFFD and 1 for a byte that is no part of one, 0 at the end.
pub fn decode(text: &[u8]) -> (u32, usize) {
    match text.first() {
        None => (0, 0),
        Some(&byte) if byte < 0x80 => (byte.into(), 1),
        Some(_) => {
            let first = text.get(..text.len().min(4)).unwrap_or_default();
            let valid = first.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            match valid.chars().next() {
                Some(character) => (character.into(), character.len_utf8()),
                None => (char::REPLACEMENT_CHARACTER.into(), 1),
            }
        }
    }
}
