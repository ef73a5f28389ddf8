//! A pattern as instructions.

use super::pattern::{self, Node, Place};
use super::set::Set;
use std::rc::Rc;

/// How long a program may be; each step of a search may look at all of it.
const MOST_INSTRUCTIONS: usize = 1_000_000;

/// An instruction of a search that follows several ways at once.
pub enum Instruction {
    /// Passes this character.
    Char(u32),
    /// Passes one of these characters.
    Set(Rc<Set>),
    /// Goes on if the place is one of these.
    Place(Place),
    /// Remembers where it is.
    Save(usize),
    /// Goes on there.
    Jump(usize),
    /// Goes on there, and with less right there.
    Split(usize, usize),
    /// The pattern fits.
    Match,
}

/// A program that looks for a pattern.
pub struct Program {
    pub instructions: Vec<Instruction>,
    /// The names of the groups, the whole first; empty for one without.
    pub names: Vec<String>,
}

impl Program {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// ``error parsing regexp: WHAT: `PART` ``
    pub fn compile(pattern: &[u8]) -> Result<Program, String> {
        let parsed = pattern::parse(pattern)?;
        let mut program = Program {
            instructions: Vec::new(),
            names: parsed.names,
        };
        let fits = program.add(&parsed.node) && program.push(Instruction::Match).is_some();
        match fits {
            true => Ok(program),
            false => Err(format!(
                "error parsing regexp: expression too large: `{}`",
                String::from_utf8_lossy(pattern)
            )),
        }
    }

    /// Appends an instruction, and tells where it is; `None` if there are too many.
    fn push(&mut self, instruction: Instruction) -> Option<usize> {
        let at = self.instructions.len();
        (at < MOST_INSTRUCTIONS).then(|| {
            self.instructions.push(instruction);
            at
        })
    }

    fn here(&self) -> usize {
        self.instructions.len()
    }

    /// Appends the instructions of a part of the pattern; false if there are too many.
    fn add(&mut self, node: &Node) -> bool {
        match node {
            Node::Empty => true,
            Node::Char(code) => self.push(Instruction::Char(*code)).is_some(),
            Node::Set(set) => self.push(Instruction::Set(set.clone())).is_some(),
            Node::Place(place) => self.push(Instruction::Place(*place)).is_some(),
            Node::Capture(number, node) => {
                self.push(Instruction::Save(number * 2)).is_some()
                    && self.add(node)
                    && self.push(Instruction::Save(number * 2 + 1)).is_some()
            }
            Node::Concat(nodes) => nodes.iter().all(|node| self.add(node)),
            Node::Alternate(nodes) => self.alternate(nodes),
            Node::Repeat(node, least, most, greedy) => self.repeat(node, *least, *most, *greedy),
        }
    }

    fn alternate(&mut self, nodes: &[Node]) -> bool {
        let Some((last, others)) = nodes.split_last() else {
            return true;
        };
        let mut ends = Vec::new();
        for node in others {
            let Some(split) = self.push(Instruction::Match) else {
                return false;
            };
            if !self.add(node) {
                return false;
            }
            let Some(end) = self.push(Instruction::Match) else {
                return false;
            };
            ends.push(end);
            self.set(split, Instruction::Split(split + 1, self.here()));
        }
        let fits = self.add(last);
        for end in ends {
            self.set(end, Instruction::Jump(self.here()));
        }
        fits
    }

    /// So often as must be, then so often as can be: a loop, or one within the other.
    fn repeat(&mut self, node: &Node, least: u32, most: Option<u32>, greedy: bool) -> bool {
        // Of what has no end the last that must be is the loop.
        let copies = match most {
            None => least.saturating_sub(1),
            Some(_) => least,
        };
        for _ in 0..copies {
            if !self.add(node) {
                return false;
            }
        }
        let choices = most.map_or(u32::from(least == 0), |most| most.saturating_sub(least));
        let mut splits = Vec::new();
        for _ in 0..choices {
            let Some(split) = self.push(Instruction::Match) else {
                return false;
            };
            splits.push(split);
            if !self.choice_body(node, most.is_none(), greedy) {
                return false;
            }
        }
        if choices == 0 && most.is_none() && !self.choice_body(node, true, greedy) {
            return false;
        }
        for split in splits {
            self.split(split, split + 1, self.here(), greedy);
        }
        true
    }

    /// Once, or again and again.
    fn choice_body(&mut self, node: &Node, again: bool, greedy: bool) -> bool {
        let start = self.here();
        if !self.add(node) {
            return false;
        }
        if !again {
            return true;
        }
        let Some(split) = self.push(Instruction::Match) else {
            return false;
        };
        self.split(split, start, split + 1, greedy);
        true
    }

    fn split(&mut self, at: usize, into: usize, past: usize, greedy: bool) {
        self.set(
            at,
            match greedy {
                true => Instruction::Split(into, past),
                false => Instruction::Split(past, into),
            },
        );
    }

    fn set(&mut self, at: usize, instruction: Instruction) {
        if let Some(place) = self.instructions.get_mut(at) {
            *place = instruction;
        }
    }
}
