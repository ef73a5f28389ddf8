//! Bytes to tokens.
//!
//! The tokens and the rules by which they come about are libyaml's, since ytt's reader descends from it: indentation
//! becomes block start and end tokens, and a `:` turns what stood before it on its line into a key after the fact. So
//! tokens wait in a queue until it is certain that no key token will be put before them. Tokens borrow from the text
//! wherever its bytes are their value.

use super::ParseError;
use std::borrow::Cow;
use std::collections::VecDeque;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
}

/// What a token carries beside its kind.
#[derive(Debug)]
pub(super) enum Content<'a> {
    None,
    /// The name of an alias or an anchor.
    Name(&'a [u8]),
    /// A tag, or the two parts of a tag directive.
    Tag {
        handle: &'a [u8],
        suffix: Cow<'a, [u8]>,
    },
    /// The numbers of a version directive.
    Version(u8, u8),
    /// A scalar, and whether it stood without quotes and not as a block.
    Scalar {
        text: Cow<'a, [u8]>,
        plain: bool,
    },
}

#[derive(Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    /// The line it starts on, counted from 0.
    pub line: u32,
    pub content: Content<'a>,
}

/// Why scanning or parsing stopped.
#[derive(Debug)]
pub(super) struct Fault {
    /// The line, counted from 0 in the text with its document marker.
    pub line: u32,
    pub phase: Phase,
    pub problem: Cow<'static, str>,
}

/// Who found the fault; go-yaml's messages count lines differently by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The scanner, which counts from 1.
    Scan,
    /// The parser, which counts from 0.
    Parse,
    /// What gives nodes a meaning, which names no line.
    Compose,
    /// A limit of this program, which names the true line.
    Limit,
}

impl Fault {
    /// The error that the caller sees; `implied` if the text is read as if a line with a document marker came first.
    pub(super) fn into_error(self, implied: bool) -> ParseError {
        let shift = u32::from(implied);
        let line = (self.line + 1).saturating_sub(shift).max(1);
        let counted = match self.phase {
            Phase::Scan if self.line > 0 => Some(self.line + 1),
            Phase::Parse if self.line > 0 => Some(self.line),
            Phase::Limit => Some(line + shift),
            _ => None,
        };
        let problem = self.problem;
        let message = match counted {
            // Where ytt counts to line 0 it crashes.
            Some(counted) => format!(
                "yaml: line {}: {problem}",
                counted.saturating_sub(shift).max(1)
            ),
            None => format!("yaml: {problem}"),
        };
        ParseError {
            message,
            line: Some(line),
        }
    }
}

/// What may yet turn out to be a key, one for each level of flow collections.
#[derive(Clone, Copy, Default)]
struct Candidate {
    possible: bool,
    required: bool,
    /// The number of its first token, counted from the start of the text.
    token: usize,
    pos: usize,
    line: u32,
    column: isize,
}

/// Cuts a text into tokens, on demand.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a [u8],
    pub(super) pos: usize,
    pub(super) line: u32,
    line_start: usize,
    /// Bytes since the start of the line that continue a character.
    continuations: usize,
    queue: VecDeque<Token<'a>>,
    /// Tokens taken from the queue so far.
    taken: usize,
    /// True if the head of the queue is certain.
    ready: bool,
    pub(super) indent: isize,
    outer_indents: Vec<isize>,
    pub(super) flow_level: usize,
    candidates: Vec<Candidate>,
    /// No candidate before this one is possible.
    first_candidate: usize,
    pub(super) key_allowed: bool,
    comments: Vec<(u32, &'a [u8])>,
}

type Result<T> = std::result::Result<T, Fault>;

impl<'a> Scanner<'a> {
    /// Reads the text; with `implied` as if a line with a document marker came before it.
    pub(super) fn new(text: &'a [u8], implied: bool) -> Scanner<'a> {
        let mut queue = VecDeque::with_capacity(16);
        if implied {
            queue.push_back(Token {
                kind: Kind::DocumentStart,
                line: 0,
                content: Content::None,
            });
        }
        Scanner {
            text,
            pos: 0,
            line: u32::from(implied),
            line_start: 0,
            continuations: 0,
            queue,
            taken: 0,
            ready: false,
            indent: -1,
            outer_indents: Vec::new(),
            flow_level: 0,
            candidates: vec![Candidate::default()],
            first_candidate: 0,
            key_allowed: true,
            comments: Vec::new(),
        }
    }

    /// The kind and the line of the next token.
    pub(super) fn peek(&mut self) -> Result<(Kind, u32)> {
        loop {
            if let Some(head) = self.queue.front() {
                let seen = (head.kind, head.line);
                if self.ready {
                    return Ok(seen);
                }
                self.expire_candidates()?;
                let undecided = self
                    .candidates
                    .get(self.first_candidate)
                    .is_some_and(|candidate| candidate.possible && candidate.token == self.taken);
                if !undecided {
                    self.ready = true;
                    return Ok(seen);
                }
            }
            self.fetch()?;
        }
    }

    /// Takes the token that was peeked at.
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        self.ready = false;
        self.taken += 1;
        self.queue.pop_front()
    }

    /// Drops the token that was peeked at, and peeks at the next.
    pub(super) fn next(&mut self) -> Result<(Kind, u32)> {
        self.take();
        self.peek()
    }

    /// The comments since the last call, each with its line counted from 0.
    pub(super) fn take_comments(&mut self) -> Vec<(u32, &'a [u8])> {
        std::mem::take(&mut self.comments)
    }

    pub(super) fn fault<T>(&self, problem: &'static str) -> Result<T> {
        Err(Fault {
            line: self.line,
            phase: Phase::Scan,
            problem: Cow::Borrowed(problem),
        })
    }

    /// The byte so many places ahead; 0 at the end, which the text itself cannot hold.
    pub(super) fn ahead(&self, offset: usize) -> u8 {
        self.text.get(self.pos + offset).copied().unwrap_or(0)
    }

    /// The width of the line break at an offset of the text; 0 if there is none.
    pub(super) fn break_width(&self, at: usize) -> usize {
        match self.text.get(at..).unwrap_or_default() {
            [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
            _ => 0,
        }
    }

    /// True at a blank, a line break and the end.
    pub(super) fn is_space_or_end(&self, at: usize) -> bool {
        match self.text.get(at) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0) => true,
            Some(0xC2 | 0xE2) => self.break_width(at) > 0,
            Some(_) => false,
        }
    }

    /// Where the line ends that holds this offset: at a break or at the end of the text.
    pub(super) fn line_end(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(byte) = self.text.get(at) {
            match byte {
                b'\n' | b'\r' | 0 => break,
                0xC2 | 0xE2 if self.break_width(at) > 0 => break,
                _ => at += 1,
            }
        }
        at
    }

    /// Moves on within the line.
    pub(super) fn advance_to(&mut self, pos: usize) {
        let passed = self.text.get(self.pos..pos).unwrap_or_default();
        self.continuations += passed.iter().filter(|&&byte| byte & 0xC0 == 0x80).count();
        self.pos = pos;
    }

    /// Passes a line break, if there is one.
    pub(super) fn pass_break(&mut self) {
        let width = self.break_width(self.pos);
        if width > 0 {
            self.pos += width;
            self.line += 1;
            self.line_start = self.pos;
            self.continuations = 0;
        }
    }

    /// The column in characters, counted from 0.
    pub(super) fn column(&self) -> isize {
        (self.pos - self.line_start - self.continuations).cast_signed()
    }

    /// True at `---` or `...` at the start of a line with white space or the end after it.
    pub(super) fn at_document_marker(&self) -> bool {
        self.pos == self.line_start
            && matches!(
                self.text.get(self.pos..),
                Some([b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..])
            )
            && self.is_space_or_end(self.pos + 3)
    }

    fn push(&mut self, kind: Kind, line: u32, content: Content<'a>) {
        self.queue.push_back(Token {
            kind,
            line,
            content,
        });
    }

    /// Puts the next token into the queue, with the block starts and ends that it implies.
    fn fetch(&mut self) -> Result<()> {
        self.pass_blanks_and_comments();
        self.expire_candidates()?;
        self.close_blocks(self.column());
        let first = self.ahead(0);
        let spaced = self.is_space_or_end(self.pos + 1);
        match first {
            0 => self.fetch_end(),
            b'%' if self.pos == self.line_start => self.fetch_directive(),
            b'-' | b'.' if self.at_document_marker() => self.fetch_document_marker(first),
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if spaced => self.fetch_block_entry(),
            b'?' if spaced || self.flow_level > 0 => self.fetch_key(),
            b':' if spaced || self.flow_level > 0 => self.fetch_value(),
            b'*' => self.fetch_inline(|scanner| scanner.scan_anchor(Kind::Alias)),
            b'&' => self.fetch_inline(|scanner| scanner.scan_anchor(Kind::Anchor)),
            b'!' => self.fetch_inline(Scanner::scan_tag),
            b'|' | b'>' if self.flow_level == 0 => self.fetch_block_scalar(first == b'|'),
            b'\'' | b'"' => self.fetch_inline(|scanner| scanner.scan_quoted(first)),
            b' ' | b'\t' | b'\n' | b'\r' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => {
                self.fault("found character that cannot start any token")
            }
            _ => self.fetch_inline(Scanner::scan_plain),
        }
    }

    fn pass_blanks_and_comments(&mut self) {
        loop {
            // A tab may stand between tokens, but not where a line's indentation is still open.
            let tabs = self.flow_level > 0 || !self.key_allowed;
            while self.ahead(0) == b' ' || (tabs && self.ahead(0) == b'\t') {
                self.pos += 1;
            }
            if self.ahead(0) == b'#' {
                let end = self.line_end(self.pos);
                let text = self.text.get(self.pos + 1..end).unwrap_or_default();
                self.comments.push((self.line, text));
                self.advance_to(end);
            }
            if self.break_width(self.pos) == 0 {
                return;
            }
            self.pass_break();
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// Gives up the candidates that began on an earlier line or more than 1,024 characters ago. Outer ones began
    /// before inner ones, so the first that may stay ends the search.
    fn expire_candidates(&mut self) -> Result<()> {
        while let Some(candidate) = self.candidates.get(self.first_candidate) {
            if candidate.possible {
                let passed = self.text.get(candidate.pos..self.pos).unwrap_or_default();
                let expired = candidate.line < self.line
                    || (passed.len() > 1024
                        && passed.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() > 1024);
                if !expired {
                    break;
                }
                if candidate.required {
                    return self.fault("could not find expected ':'");
                }
                self.candidates[self.first_candidate].possible = false;
            }
            self.first_candidate += 1;
        }
        Ok(())
    }

    /// Remembers that a key may begin here.
    fn save_candidate(&mut self) -> Result<()> {
        if !self.key_allowed {
            return Ok(());
        }
        self.drop_candidate()?;
        let column = self.column();
        let candidate = Candidate {
            possible: true,
            required: self.flow_level == 0 && self.indent == column,
            token: self.taken + self.queue.len(),
            pos: self.pos,
            line: self.line,
            column,
        };
        let top = self.candidates.len().saturating_sub(1);
        if let Some(slot) = self.candidates.get_mut(top) {
            *slot = candidate;
            self.first_candidate = self.first_candidate.min(top);
        }
        Ok(())
    }

    /// Forgets the candidate of the current level.
    fn drop_candidate(&mut self) -> Result<()> {
        match self.candidates.last_mut() {
            Some(candidate) if candidate.possible && candidate.required => {
                self.fault("could not find expected ':'")
            }
            Some(candidate) => {
                candidate.possible = false;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Begins a block collection if the column is right of the current one; at `place` of the queue or at its end.
    fn open_block(&mut self, column: isize, place: Option<usize>, kind: Kind, line: u32) {
        if self.flow_level > 0 || self.indent >= column {
            return;
        }
        self.outer_indents.push(self.indent);
        self.indent = column;
        let place = place.unwrap_or(self.queue.len()).min(self.queue.len());
        self.queue.insert(
            place,
            Token {
                kind,
                line,
                content: Content::None,
            },
        );
    }

    /// Ends the block collections right of the column.
    fn close_blocks(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(Kind::BlockEnd, self.line, Content::None);
            self.indent = self.outer_indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_end(&mut self) -> Result<()> {
        if self.pos > self.line_start {
            self.line += 1;
            self.line_start = self.pos;
            self.continuations = 0;
        }
        self.close_blocks(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        self.push(Kind::StreamEnd, self.line, Content::None);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<()> {
        self.close_blocks(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        let token = self.scan_directive()?;
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_document_marker(&mut self, first: u8) -> Result<()> {
        self.close_blocks(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        let kind = if first == b'-' {
            Kind::DocumentStart
        } else {
            Kind::DocumentEnd
        };
        self.push(kind, self.line, Content::None);
        self.pos += 3;
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind) -> Result<()> {
        self.save_candidate()?;
        self.candidates.push(Candidate::default());
        self.flow_level += 1;
        self.fetch_indicator(kind, true);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind) -> Result<()> {
        self.drop_candidate()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.candidates.pop();
        }
        self.fetch_indicator(kind, false);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<()> {
        self.drop_candidate()?;
        self.fetch_indicator(Kind::FlowEntry, true);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return self.fault("block sequence entries are not allowed in this context");
            }
            self.open_block(self.column(), None, Kind::BlockSequenceStart, self.line);
        }
        self.drop_candidate()?;
        self.fetch_indicator(Kind::BlockEntry, true);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return self.fault("mapping keys are not allowed in this context");
            }
            self.open_block(self.column(), None, Kind::BlockMappingStart, self.line);
        }
        self.drop_candidate()?;
        self.fetch_indicator(Kind::Key, self.flow_level == 0);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<()> {
        let candidate = self.candidates.last().copied().unwrap_or_default();
        let key_allowed = if candidate.possible {
            let place = candidate
                .token
                .saturating_sub(self.taken)
                .min(self.queue.len());
            self.queue.insert(
                place,
                Token {
                    kind: Kind::Key,
                    line: candidate.line,
                    content: Content::None,
                },
            );
            self.open_block(
                candidate.column,
                Some(place),
                Kind::BlockMappingStart,
                candidate.line,
            );
            self.drop_used_candidate();
            false
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    return self.fault("mapping values are not allowed in this context");
                }
                self.open_block(self.column(), None, Kind::BlockMappingStart, self.line);
            }
            self.flow_level == 0
        };
        self.fetch_indicator(Kind::Value, key_allowed);
        Ok(())
    }

    fn drop_used_candidate(&mut self) {
        if let Some(candidate) = self.candidates.last_mut() {
            candidate.possible = false;
        }
    }

    /// A token of one character.
    fn fetch_indicator(&mut self, kind: Kind, key_allowed: bool) {
        self.key_allowed = key_allowed;
        self.push(kind, self.line, Content::None);
        self.pos += 1;
    }

    /// A token that may be a key, or begin one.
    fn fetch_inline(&mut self, scan: impl FnOnce(&mut Self) -> Result<Token<'a>>) -> Result<()> {
        self.save_candidate()?;
        self.key_allowed = false;
        let token = scan(self)?;
        self.queue.push_back(token);
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<()> {
        self.drop_candidate()?;
        self.key_allowed = true;
        let token = self.scan_block(literal)?;
        self.queue.push_back(token);
        Ok(())
    }
}
