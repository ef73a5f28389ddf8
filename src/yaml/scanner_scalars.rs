//! The tokens that are scalars: plain, quoted and block.

use super::scanner::{Content, Fault, Kind, Scanner, Token};
use std::borrow::Cow;

type Result<T> = std::result::Result<T, Fault>;

/// Line breaks inside a scalar: one is folded into a space, or kept with those that follow it.
#[derive(Default)]
struct Breaks {
    first: &'static [u8],
    further: Vec<u8>,
}

impl Breaks {
    fn clear(&mut self) {
        self.first = b"";
        self.further.clear();
    }

    /// Appends what the breaks mean in a scalar that is folded.
    fn fold_into(&mut self, text: &mut Vec<u8>) {
        if self.first == b"\n" {
            if self.further.is_empty() {
                text.push(b' ');
            }
        } else {
            text.extend_from_slice(self.first);
        }
        text.extend_from_slice(&self.further);
        self.clear();
    }
}

/// Bytes that may end a run of a plain scalar: 1 anywhere, 2 in flow collections.
const PLAIN_STOPS: [u8; 256] = {
    let mut stops = [0; 256];
    let mut index = 0;
    let anywhere = b" \t\n\r\0:\xC2\xE2";
    while index < anywhere.len() {
        stops[anywhere[index] as usize] = 1;
        index += 1;
    }
    index = 0;
    let flow = b",?[]{}";
    while index < flow.len() {
        stops[flow[index] as usize] = 2;
        index += 1;
    }
    stops
};

fn scalar(line: u32, text: Cow<'_, [u8]>, plain: bool) -> Token<'_> {
    Token {
        kind: Kind::Scalar,
        line,
        content: Content::Scalar { text, plain },
    }
}

impl<'a> Scanner<'a> {
    /// What the break here stands for in a scalar.
    fn break_text(&self) -> &'static [u8] {
        match (self.break_width(self.pos), self.ahead(2)) {
            (0, _) => b"",
            (3, 0xA8) => "\u{2028}".as_bytes(),
            (3, _) => "\u{2029}".as_bytes(),
            _ => b"\n",
        }
    }

    /// Passes a run of a plain scalar up to a blank, a break or an indicator.
    fn pass_plain_run(&mut self) {
        let mask = if self.flow_level > 0 { 3 } else { 1 };
        let mut at = self.pos;
        while let Some(&byte) = self.text.get(at) {
            if PLAIN_STOPS[usize::from(byte)] & mask != 0 {
                let stop = match byte {
                    b':' => self.is_space_or_end(at + 1),
                    0xC2 | 0xE2 => self.break_width(at) > 0,
                    _ => true,
                };
                if stop {
                    break;
                }
            }
            at += 1;
        }
        self.advance_to(at);
    }

    /// A scalar without quotes, which may go on over several lines.
    pub(super) fn scan_plain(&mut self) -> Result<Token<'a>> {
        let text = self.text;
        let (line, start) = (self.line, self.pos);
        let indent = self.indent + 1;
        // The value is `text[start..end]` until lines have been folded.
        let mut end = start;
        let mut folded: Option<Vec<u8>> = None;
        let mut breaks = Breaks::default();
        let mut new_line = false;
        loop {
            if self.at_document_marker() || self.ahead(0) == b'#' {
                break;
            }
            let run = self.pos;
            self.pass_plain_run();
            if self.pos > run {
                if new_line {
                    let value = folded.get_or_insert_with(|| text[start..end].to_vec());
                    breaks.fold_into(value);
                    value.extend_from_slice(&text[run..self.pos]);
                } else if let Some(value) = &mut folded {
                    value.extend_from_slice(&text[end..self.pos]);
                }
                end = self.pos;
                new_line = false;
            }
            let before_blanks = self.pos;
            loop {
                if matches!(self.ahead(0), b' ' | b'\t') {
                    if new_line && self.column() < indent && self.ahead(0) == b'\t' {
                        return self.fault("found a tab character that violates indentation");
                    }
                    self.pos += 1;
                } else if self.break_width(self.pos) > 0 {
                    let meaning = self.break_text();
                    if new_line {
                        breaks.further.extend_from_slice(meaning);
                    } else {
                        breaks.first = meaning;
                        new_line = true;
                    }
                    self.pass_break();
                } else {
                    break;
                }
            }
            if self.pos == before_blanks || (self.flow_level == 0 && self.column() < indent) {
                break;
            }
        }
        if new_line {
            self.key_allowed = true;
        }
        Ok(scalar(
            line,
            folded.map_or(Cow::Borrowed(&text[start..end]), Cow::Owned),
            true,
        ))
    }

    /// A scalar in quotes.
    pub(super) fn scan_quoted(&mut self, quote: u8) -> Result<Token<'a>> {
        let text = self.text;
        let line = self.line;
        self.pos += 1;
        let start = self.pos;
        let mut at = start;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'\'' | b'"' if byte == quote => {
                    if quote == b'\'' && text.get(at + 1) == Some(&quote) {
                        break;
                    }
                    self.advance_to(at + 1);
                    return Ok(scalar(line, Cow::Borrowed(&text[start..at]), false));
                }
                b'\\' if quote == b'"' => break,
                b'\n' | b'\r' | 0 => break,
                0xC2 | 0xE2 if self.break_width(at) > 0 => break,
                _ => at += 1,
            }
        }
        let mut value = text[start..at].to_vec();
        // Blanks before a break do not count, so the general way takes over before them.
        while value
            .last()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t'))
        {
            value.pop();
        }
        self.advance_to(start + value.len());
        self.scan_quoted_rest(quote, &mut value)?;
        Ok(scalar(line, Cow::Owned(value), false))
    }

    /// The rest of a quoted scalar with its closing quote.
    fn scan_quoted_rest(&mut self, quote: u8, value: &mut Vec<u8>) -> Result<()> {
        let text = self.text;
        let mut breaks = Breaks::default();
        loop {
            if self.at_document_marker() {
                return self.fault("found unexpected document indicator");
            }
            if self.ahead(0) == 0 {
                return self.fault("found unexpected end of stream");
            }
            let mut new_line = false;
            while !self.is_space_or_end(self.pos) {
                let byte = self.ahead(0);
                if byte == quote {
                    if quote == b'"' || self.ahead(1) != quote {
                        break;
                    }
                    value.push(quote);
                    self.pos += 2;
                } else if byte == b'\\' && quote == b'"' {
                    if self.break_width(self.pos + 1) > 0 {
                        self.pos += 1;
                        self.pass_break();
                        new_line = true;
                        break;
                    }
                    self.escape(value)?;
                } else {
                    value.push(byte);
                    self.advance_to(self.pos + 1);
                }
            }
            if self.ahead(0) == quote {
                self.pos += 1;
                return Ok(());
            }
            let blanks = self.pos;
            loop {
                if matches!(self.ahead(0), b' ' | b'\t') {
                    self.pos += 1;
                } else if self.break_width(self.pos) > 0 {
                    let meaning = self.break_text();
                    if new_line {
                        breaks.further.extend_from_slice(meaning);
                    } else {
                        breaks.first = meaning;
                        new_line = true;
                    }
                    self.pass_break();
                } else {
                    break;
                }
            }
            if new_line {
                breaks.fold_into(value);
            } else {
                value.extend_from_slice(&text[blanks..self.pos]);
            }
        }
    }

    /// An escape sequence of a double-quoted scalar.
    fn escape(&mut self, value: &mut Vec<u8>) -> Result<()> {
        let (character, digits) = match self.ahead(1) {
            b'0' => ('\0', 0),
            b'a' => ('\x07', 0),
            b'b' => ('\x08', 0),
            b't' | b'\t' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\x0B', 0),
            b'f' => ('\x0C', 0),
            b'r' => ('\r', 0),
            b'e' => ('\x1B', 0),
            byte @ (b' ' | b'"' | b'\'' | b'\\') => (char::from(byte), 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{A0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => ('\0', 2),
            b'u' => ('\0', 4),
            b'U' => ('\0', 8),
            _ => return self.fault("found unknown escape character"),
        };
        self.pos += 2;
        let mut character = character;
        if digits > 0 {
            let mut code: u32 = 0;
            for offset in 0..digits {
                let Some(digit) = char::from(self.ahead(offset)).to_digit(16) else {
                    return self.fault("did not find expected hexdecimal number");
                };
                code = code << 4 | digit;
            }
            match char::from_u32(code) {
                Some(named) => character = named,
                None => return self.fault("found invalid Unicode character escape code"),
            }
            self.pos += digits;
        }
        value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// A literal (`|`) or folded (`>`) block.
    pub(super) fn scan_block(&mut self, literal: bool) -> Result<Token<'a>> {
        let text = self.text;
        let line = self.line;
        self.pos += 1;
        let (keep, strip, increment) = self.block_header()?;
        self.finish_line()?;
        let mut indent = match increment {
            0 => 0,
            _ => self.indent.max(0) + increment,
        };
        let mut value = Vec::new();
        let mut pending: &'static [u8] = b"";
        let mut breaks = Vec::new();
        let mut after_blank = false;
        self.pass_block_breaks(&mut indent, &mut breaks)?;
        while self.column() == indent && self.ahead(0) != 0 {
            let blank = matches!(self.ahead(0), b' ' | b'\t');
            if !literal && !after_blank && !blank && pending == b"\n" {
                if breaks.is_empty() {
                    value.push(b' ');
                }
            } else {
                value.extend_from_slice(pending);
            }
            value.append(&mut breaks);
            after_blank = blank;
            let end = self.line_end(self.pos);
            value.extend_from_slice(&text[self.pos..end]);
            self.advance_to(end);
            pending = self.break_text();
            self.pass_break();
            self.pass_block_breaks(&mut indent, &mut breaks)?;
        }
        if !strip {
            value.extend_from_slice(pending);
        }
        if keep {
            value.append(&mut breaks);
        }
        Ok(scalar(line, Cow::Owned(value), false))
    }

    /// `+` or `-`, and a digit, in either order: keep, strip, indentation.
    fn block_header(&mut self) -> Result<(bool, bool, isize)> {
        let (mut keep, mut strip, mut increment) = (false, false, 0);
        for _ in 0..2 {
            match self.ahead(0) {
                b'+' if !keep && !strip => keep = true,
                b'-' if !keep && !strip => strip = true,
                b'0' if increment == 0 => {
                    return self.fault("found an indentation indicator equal to 0");
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = isize::from(digit - b'0'),
                _ => break,
            }
            self.pos += 1;
        }
        Ok((keep, strip, increment))
    }

    /// Passes indentation and empty lines of a block, and settles its indentation (0 if not known) at the first.
    fn pass_block_breaks(&mut self, indent: &mut isize, breaks: &mut Vec<u8>) -> Result<()> {
        let mut widest = 0;
        loop {
            while (*indent == 0 || self.column() < *indent) && self.ahead(0) == b' ' {
                self.pos += 1;
            }
            widest = widest.max(self.column());
            if (*indent == 0 || self.column() < *indent) && self.ahead(0) == b'\t' {
                return self.fault("found a tab character where an indentation space is expected");
            }
            if self.break_width(self.pos) == 0 {
                break;
            }
            breaks.extend_from_slice(self.break_text());
            self.pass_break();
        }
        if *indent == 0 {
            *indent = widest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}
