//! The tokens that name something: directives, anchors, aliases and tags.

use super::scanner::{Content, Fault, Kind, Scanner, Token};
use std::borrow::Cow;

type Result<T> = std::result::Result<T, Fault>;

impl<'a> Scanner<'a> {
    /// `%YAML 1.1` or `%TAG !e! tag:example.com,2024:`, to the end of the line.
    pub(super) fn scan_directive(&mut self) -> Result<Token<'a>> {
        let line = self.line;
        self.pos += 1;
        let name = self.word();
        if name.is_empty() {
            return self.fault("could not find expected directive name");
        }
        if !self.is_space_or_end(self.pos) {
            return self.fault("found unexpected non-alphabetical character");
        }
        self.pass_blanks();
        let (kind, content) = match name {
            b"YAML" => {
                let major = self.version_number()?;
                if self.ahead(0) != b'.' {
                    return self.fault("did not find expected digit or '.' character");
                }
                self.pos += 1;
                (
                    Kind::VersionDirective,
                    Content::Version(major, self.version_number()?),
                )
            }
            b"TAG" => {
                let handle = self.tag_handle(true)?;
                if !matches!(self.ahead(0), b' ' | b'\t') {
                    return self.fault("did not find expected whitespace");
                }
                self.pass_blanks();
                let suffix = self.tag_uri(self.pos, false)?;
                if !self.is_space_or_end(self.pos) {
                    return self.fault("did not find expected whitespace or line break");
                }
                (Kind::TagDirective, Content::Tag { handle, suffix })
            }
            _ => return self.fault("found unknown directive name"),
        };
        self.finish_line()?;
        Ok(Token {
            kind,
            line,
            content,
        })
    }

    /// Passes blanks, a comment that nobody keeps, and the break.
    pub(super) fn finish_line(&mut self) -> Result<()> {
        self.pass_blanks();
        if self.ahead(0) == b'#' {
            self.advance_to(self.line_end(self.pos));
        }
        if self.pos < self.line_end(self.pos) {
            return self.fault("did not find expected comment or line break");
        }
        self.pass_break();
        Ok(())
    }

    pub(super) fn pass_blanks(&mut self) {
        while matches!(self.ahead(0), b' ' | b'\t') {
            self.pos += 1;
        }
    }

    /// Letters, digits, `_` and `-`.
    fn word(&mut self) -> &'a [u8] {
        let text = self.text;
        let start = self.pos;
        while self.ahead(0).is_ascii_alphanumeric() || matches!(self.ahead(0), b'_' | b'-') {
            self.pos += 1;
        }
        text.get(start..self.pos).unwrap_or_default()
    }

    fn version_number(&mut self) -> Result<u8> {
        let mut number = 0;
        let mut length = 0;
        while self.ahead(0).is_ascii_digit() {
            length += 1;
            if length > 2 {
                return self.fault("found extremely long version number");
            }
            number = number * 10 + (self.ahead(0) - b'0');
            self.pos += 1;
        }
        if length == 0 {
            return self.fault("did not find expected version number");
        }
        Ok(number)
    }

    /// `&name` or `*name`.
    pub(super) fn scan_anchor(&mut self, kind: Kind) -> Result<Token<'a>> {
        let line = self.line;
        self.pos += 1;
        let name = self.word();
        let ended = self.is_space_or_end(self.pos)
            || matches!(
                self.ahead(0),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if name.is_empty() || !ended {
            return self.fault("did not find expected alphabetic or numeric character");
        }
        Ok(Token {
            kind,
            line,
            content: Content::Name(name),
        })
    }

    /// `!<uri>`, `!handle!suffix`, `!suffix` or `!`. A tag without a handle is whole as it stands.
    pub(super) fn scan_tag(&mut self) -> Result<Token<'a>> {
        let line = self.line;
        let content = if self.ahead(1) == b'<' {
            self.pos += 2;
            let suffix = self.tag_uri(self.pos, false)?;
            if self.ahead(0) != b'>' {
                return self.fault("did not find the expected '>'");
            }
            self.pos += 1;
            Content::Tag {
                handle: b"",
                suffix,
            }
        } else {
            let start = self.pos;
            let handle = self.tag_handle(false)?;
            if handle.len() > 1 && handle.ends_with(b"!") {
                Content::Tag {
                    handle,
                    suffix: self.tag_uri(self.pos, false)?,
                }
            } else {
                let suffix = self.tag_uri(start + 1, true)?;
                if suffix.is_empty() {
                    Content::Tag {
                        handle: b"",
                        suffix: Cow::Borrowed(b"!"),
                    }
                } else {
                    Content::Tag {
                        handle: b"!",
                        suffix,
                    }
                }
            }
        };
        if !self.is_space_or_end(self.pos) {
            return self.fault("did not find expected whitespace or line break");
        }
        Ok(Token {
            kind: Kind::Tag,
            line,
            content,
        })
    }

    /// `!`, `!!` or `!word!`; outside directives also `!word`.
    fn tag_handle(&mut self, directive: bool) -> Result<&'a [u8]> {
        let text = self.text;
        let start = self.pos;
        if self.ahead(0) != b'!' {
            return self.fault("did not find expected '!'");
        }
        self.pos += 1;
        let word = self.word();
        if self.ahead(0) == b'!' {
            self.pos += 1;
        } else if directive && !word.is_empty() {
            return self.fault("did not find expected '!'");
        }
        Ok(text.get(start..self.pos).unwrap_or_default())
    }

    /// The characters of a URI, `%XX` decoded, from an offset at or before here on.
    fn tag_uri(&mut self, start: usize, may_be_empty: bool) -> Result<Cow<'a, [u8]>> {
        let text = self.text;
        let mut decoded: Option<Vec<u8>> = None;
        loop {
            match self.ahead(0) {
                b'0'..=b'9'
                | b'A'..=b'Z'
                | b'a'..=b'z'
                | b'_'
                | b'-'
                | b';'
                | b'/'
                | b'?'
                | b':'
                | b'@'
                | b'&'
                | b'='
                | b'+'
                | b'$'
                | b','
                | b'.'
                | b'!'
                | b'~'
                | b'*'
                | b'\''
                | b'('
                | b')'
                | b'['
                | b']' => {
                    if let Some(decoded) = &mut decoded {
                        decoded.push(text[self.pos]);
                    }
                    self.pos += 1;
                }
                b'%' => {
                    let so_far = text.get(start..self.pos).unwrap_or_default();
                    let mut bytes = decoded.take().unwrap_or_else(|| so_far.to_vec());
                    self.uri_escape(&mut bytes)?;
                    decoded = Some(bytes);
                }
                _ => break,
            }
        }
        let plain = text.get(start..self.pos).unwrap_or_default();
        if plain.is_empty() && !may_be_empty {
            return self.fault("did not find expected tag URI");
        }
        Ok(decoded.map_or(Cow::Borrowed(plain), Cow::Owned))
    }

    /// One character as `%XX` for each of its bytes.
    fn uri_escape(&mut self, decoded: &mut Vec<u8>) -> Result<()> {
        let mut left = None;
        while left != Some(0) {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let octet = match (self.ahead(0), digit(self.ahead(1)), digit(self.ahead(2))) {
                (b'%', Some(high), Some(low)) => (high << 4 | low) as u8,
                _ => return self.fault("did not find URI escaped octet"),
            };
            left = Some(match left {
                None => match octet {
                    0..0x80 => 0,
                    0xC0..0xE0 => 1,
                    0xE0..0xF0 => 2,
                    0xF0..0xF8 => 3,
                    _ => return self.fault("found an incorrect leading UTF-8 octet"),
                },
                Some(_) if octet & 0xC0 != 0x80 => {
                    return self.fault("found an incorrect trailing UTF-8 octet");
                }
                Some(left) => left - 1,
            });
            decoded.push(octet);
            self.pos += 3;
        }
        Ok(())
    }
}
