//! The characters of a TOML text, and the scalars in it.

use crate::script::Value;
use crate::script::format::quote;

/// What is wrong, and in which line; a text without an end is told a line too high, as BurntSushi/toml does.
pub struct Fault {
    pub line: usize,
    pub message: String,
}

/// A place in a text.
pub struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    /// From 1.
    pub line: usize,
}

pub type Result<T> = std::result::Result<T, Fault>;

impl<'a> Cursor<'a> {
    pub fn new(text: &'a [u8]) -> Cursor<'a> {
        Cursor {
            text,
            at: 0,
            line: 1,
        }
    }

    /// The fault here.
    pub fn fault<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Fault {
            line: self.line,
            message: message.into(),
        })
    }

    /// The fault that `found` is where it is; the end of the text is in the line before.
    pub fn fault_at<T>(&self, found: Option<char>, message: impl Into<String>) -> Result<T> {
        Err(Fault {
            line: self.line - usize::from(found.is_none()),
            message: message.into(),
        })
    }

    /// A fault that the end of a line is.
    pub fn fault_before<T>(&self, message: &str) -> Result<T> {
        self.fault_at(None, message)
    }

    /// The next character, which stays; `None` at the end.
    pub fn peek(&self) -> Result<Option<char>> {
        let rest = self.rest();
        let Some(&byte) = rest.first() else {
            return Ok(None);
        };
        let line = self.line + usize::from(byte == b'\n');
        let fault = |message| Err(Fault { line, message });
        let first = rest
            .get(..rest.len().min(4))
            .and_then(|bytes| bytes.utf8_chunks().next())
            .and_then(|chunk| chunk.valid().chars().next());
        match first {
            None | Some(char::REPLACEMENT_CHARACTER) => {
                fault(format!("invalid UTF-8 byte: 0x{byte:02x}"))
            }
            Some('\t' | '\n') => Ok(first),
            Some('\r') if rest.starts_with(b"\r\n") => Ok(first),
            Some(control @ ('\0'..='\u{1f}' | '\u{7f}')) => fault(format!(
                "TOML files cannot contain control characters: '0x{:02x}'",
                u32::from(control)
            )),
            first => Ok(first),
        }
    }

    /// The next character, which is passed.
    pub fn next(&mut self) -> Result<Option<char>> {
        let next = self.peek()?;
        if let Some(character) = next {
            self.at += character.len_utf8();
            self.line += usize::from(character == '\n');
        }
        Ok(next)
    }

    /// Passes a character if it is this one.
    pub fn accept(&mut self, wanted: char) -> Result<bool> {
        let found = self.peek()? == Some(wanted);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    /// Passes characters, and gives them.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> Result<&'a str> {
        let start = self.at;
        while self.peek()?.is_some_and(&wanted) {
            self.next()?;
        }
        Ok(self.since(start))
    }

    /// Passes blanks.
    pub fn skip_blanks(&mut self) -> Result<()> {
        self.take_while(is_blank).map(|_| ())
    }

    /// Passes a comment, whose `#` is passed.
    pub fn skip_comment(&mut self) -> Result<()> {
        self.take_while(|character| !is_line_end(character))
            .map(|_| ())
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What was passed since; every character of it was looked at.
    fn since(&self, start: usize) -> &'a str {
        self.between(start, self.at)
    }

    fn between(&self, start: usize, end: usize) -> &'a str {
        let bytes = self.text.get(start..end).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// A string on one line, its opening quote passed.
    pub fn string(&mut self, mark: char) -> Result<String> {
        let start = self.at;
        loop {
            let before = self.at;
            match self.next()? {
                None => return self.fault_at(None, no_end(mark, 1)),
                Some('\n' | '\r') => return self.fault_before("strings cannot contain newlines"),
                Some('\\') if mark == '"' => self.escape(start)?,
                Some(character) if character == mark => {
                    let raw = self.between(start, before);
                    return match mark {
                        '"' => self.unescape(raw),
                        _ => Ok(raw.to_owned()),
                    };
                }
                Some(_) => {}
            }
        }
    }

    /// A string on several lines, its opening quotes passed; `line` is where its key stands.
    fn long_string(&mut self, mark: char, line: usize) -> Result<String> {
        let start = self.at;
        loop {
            let before = self.at;
            match self.next()? {
                None => return self.fault_at(None, no_end(mark, 3)),
                Some('\\') if mark == '"' => {
                    if !self.peek()?.is_some_and(is_line_end) {
                        self.escape(start)?;
                    }
                }
                Some(character) if character == mark => {
                    let marks = 1 + self.take_while(|next| next == mark)?.len();
                    match marks {
                        1 | 2 => {}
                        // Up to two belong to the text.
                        3..=5 => {
                            let raw = self.between(start, before + marks - 3);
                            return match mark {
                                '"' => {
                                    let joined = join_lines(raw).ok_or_else(|| Fault {
                                        line,
                                        message: "invalid escape: '\\ '".to_owned(),
                                    })?;
                                    self.unescape(without_first_line_end(&joined))
                                }
                                _ => Ok(without_first_line_end(raw).to_owned()),
                            };
                        }
                        _ => return self.fault(format!("unexpected {}", end_marks(mark, 6))),
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Passes an escape, its backslash passed.
    fn escape(&mut self, start: usize) -> Result<()> {
        let (digits, word, letter) = match self.next()? {
            Some('b' | 't' | 'n' | 'f' | 'r' | '"' | ' ' | '\t' | '\\') => return Ok(()),
            Some('u') => (4, "four", 'u'),
            Some('U') => (8, "eight", 'U'),
            found => {
                let shown = found.unwrap_or('\0');
                return self.fault_at(found, format!("invalid escape in string '\\{shown}'"));
            }
        };
        for _ in 0..digits {
            let found = self.next()?;
            if !found.is_some_and(|digit| digit.is_ascii_hexdigit()) {
                let so_far = quoted(self.since(start));
                return self.fault_at(
                    found,
                    format!(
                        "expected {word} hexadecimal digits after '\\{letter}', but got {so_far} instead"
                    ),
                );
            }
        }
        Ok(())
    }

    /// The text that escapes stand for; their form was looked at.
    fn unescape(&self, raw: &str) -> Result<String> {
        let mut text = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = rest.find('\\') {
            text.push_str(rest.get(..at).unwrap_or_default());
            let mut after = rest.get(at + 1..).unwrap_or_default().chars();
            let letter = after.next().unwrap_or_default();
            rest = after.as_str();
            match letter {
                'b' => text.push('\u{8}'),
                't' => text.push('\t'),
                'n' => text.push('\n'),
                'f' => text.push('\u{c}'),
                'r' => text.push('\r'),
                ' ' | '\t' => return self.fault(format!("invalid escape: '\\{letter}'")),
                'u' | 'U' => {
                    let length = if letter == 'u' { 4 } else { 8 };
                    let digits = rest.get(..length).unwrap_or_default();
                    rest = rest.get(length..).unwrap_or_default();
                    match u32::from_str_radix(digits, 16)
                        .ok()
                        .and_then(char::from_u32)
                    {
                        Some(character) => text.push(character),
                        None => {
                            return self.fault(format!(
                                "Escaped character '\\u{digits}' is not valid UTF-8."
                            ));
                        }
                    }
                }
                other => text.push(other),
            }
        }
        text.push_str(rest);
        Ok(text)
    }

    /// A value that is neither array nor table; `key_line` is where its key stands.
    pub fn scalar(&mut self, key_line: usize) -> Result<Value> {
        self.skip_blanks()?;
        let start = self.at;
        match self.next()? {
            Some(mark @ ('"' | '\'')) => {
                if self.rest().starts_with(&[mark as u8; 2]) {
                    self.next()?;
                    self.next()?;
                    return self.long_string(mark, key_line).map(Value::from);
                }
                self.string(mark).map(Value::from)
            }
            Some('.') => self.fault("floats must start with a digit, not '.'"),
            Some('+' | '-') => self.signed(start),
            Some(digit) if digit.is_ascii_digit() => self.number_or_date(start, digit),
            Some('i') if self.rest().starts_with(b"nf") => self.not_finite(start),
            Some('n') if self.rest().starts_with(b"an") => self.not_finite(start),
            Some(letter) if letter.is_alphabetic() => {
                // The first letter of what might have been `inf` or `nan` is not told.
                let begun = matches!(
                    (letter, self.rest().first()),
                    ('i', Some(b'n')) | ('n', Some(b'a'))
                );
                let told = if begun { self.at } else { start };
                self.take_while(char::is_alphabetic)?;
                match self.since(told) {
                    "true" => Ok(Value::Bool(true)),
                    "false" => Ok(Value::Bool(false)),
                    word => {
                        self.fault(format!("expected value but found {} instead", quoted(word)))
                    }
                }
            }
            None => self.fault_at(None, "unexpected EOF; expected value"),
            Some(found) => self.fault(format!(
                "expected value but found {} instead",
                quoted_char(Some(found))
            )),
        }
    }

    /// `inf` and `nan`, the first letter passed.
    fn not_finite(&mut self, start: usize) -> Result<Value> {
        self.next()?;
        self.next()?;
        self.float(start)
    }

    /// A number after its sign.
    fn signed(&mut self, start: usize) -> Result<Value> {
        let found = self.next()?;
        match found {
            Some(first @ ('i' | 'n')) => {
                let rest = if first == 'i' { ['n', 'f'] } else { ['a', 'n'] };
                for letter in rest {
                    if !self.accept(letter)? {
                        return self.fault(format!("invalid float: '{}'", self.since(start)));
                    }
                }
                self.float(start)
            }
            Some('.') => self.fault("floats must start with a digit, not '.'"),
            Some(digit) if digit.is_ascii_digit() => {
                if let (Some(base @ ('b' | 'o' | 'x')), '0') = (self.peek()?, digit) {
                    return self.fault(format!(
                        "cannot use sign with non-decimal numbers: '{}{base}'",
                        self.since(start)
                    ));
                }
                self.decimal(start)
            }
            _ => self.fault_at(
                found,
                format!("expected a digit but got {}", quoted_char(found)),
            ),
        }
    }

    /// Digits, and perhaps what makes them a float.
    fn decimal(&mut self, start: usize) -> Result<Value> {
        self.take_while(|next| next.is_ascii_digit() || next == '_')?;
        match self.peek()? {
            Some('.' | 'e' | 'E') => {
                self.take_while(|next| next.is_ascii_digit() || "_.-+eE".contains(next))?;
                self.float(start)
            }
            _ => self.integer(start),
        }
    }

    fn number_or_date(&mut self, start: usize, first: char) -> Result<Value> {
        let base = match (first, self.peek()?) {
            ('0', Some('b')) => Some((2, "a binary")),
            ('0', Some('o')) => Some((8, "an octal")),
            ('0', Some('x')) => Some((16, "a hexidecimal")),
            _ => None,
        };
        if let Some((radix, name)) = base {
            self.next()?;
            let next = self.peek()?;
            if !next.is_some_and(|digit| digit.is_digit(radix)) {
                return self.fault(format!(
                    "not {name} number: '{}{}'",
                    self.since(start),
                    next.unwrap_or('\0')
                ));
            }
            self.take_while(|next| next.is_digit(radix) || next == '_')?;
            return self.integer(start);
        }
        self.take_while(|next| next.is_ascii_digit())?;
        // Every date begins with more than one digit.
        match self.peek()? {
            Some('-' | ':') if self.at > start + 1 || first != '0' => {
                self.take_while(|next| next.is_ascii_digit() || "-:Tt .Zz+".contains(next))?;
                self.date(self.since(start).trim())
            }
            _ => self.decimal(start),
        }
    }

    fn integer(&self, start: usize) -> Result<Value> {
        let text = self.since(start);
        let fault = |why| self.fault(format!("Invalid integer {}: {why}", quoted(text)));
        if !underscores_are_within(text) {
            return fault("underscores must be surrounded by digits");
        }
        if has_leading_zero(text) {
            return fault("cannot have leading zeroes");
        }
        let digits = text.replace('_', "");
        let (radix, figures) = match digits.get(..2) {
            Some("0b") => (2, digits.get(2..)),
            Some("0o") => (8, digits.get(2..)),
            Some("0x") => (16, digits.get(2..)),
            _ => (10, Some(&*digits)),
        };
        match i64::from_str_radix(figures.unwrap_or_default(), radix) {
            Ok(value) => Ok(Value::Int(value)),
            Err(_) => self.fault(format!("{text} is out of range for int64")),
        }
    }

    fn float(&self, start: usize) -> Result<Value> {
        let text = self.since(start);
        let fault = |why| self.fault(format!("Invalid float {}: {why}", quoted(text)));
        let word = text.trim_start_matches(['+', '-']);
        if matches!(word, "inf" | "nan") {
            return Ok(Value::Float(match (word, text.starts_with('-')) {
                ("nan", _) => f64::NAN,
                (_, false) => f64::INFINITY,
                (_, true) => f64::NEG_INFINITY,
            }));
        }
        let mut parts = text.split(['.', 'e', 'E']).filter(|part| !part.is_empty());
        if !parts.clone().all(underscores_are_within) {
            return fault("underscores must be surrounded by digits");
        }
        if parts.next().is_some_and(has_leading_zero) {
            return fault("cannot have leading zeroes");
        }
        let after_point = |part: &str| part.starts_with(|next: char| next.is_ascii_digit());
        if !text.split('.').skip(1).all(after_point) {
            return fault("'.' must be followed by one or more digits");
        }
        match text.replace('_', "").parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Value::Float(value)),
            Ok(_) => self.fault(format!("{text} is out of range for float64")),
            Err(_) => self.fault(format!("Invalid float value: {}", quoted(text))),
        }
    }

    /// ytt has no value for a date, and crashes; here it is told.
    fn date(&self, text: &str) -> Result<Value> {
        let normal = text.replace('z', "Z").replace(['t', ' '], "T");
        if !is_date(&normal) {
            return self.fault(format!("Invalid TOML Datetime: {}.", quoted(&normal)));
        }
        self.fault(format!(
            "dates and times are not supported, but found {text} (hint: put it in quotes)"
        ))
    }
}

pub fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

pub fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

/// `"text"`, as messages show it.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    quote(text.as_bytes(), &mut quoted);
    quoted
}

/// `'c'`, as messages show it; the end of the text is a null character.
pub fn quoted_char(character: Option<char>) -> String {
    let character = character.unwrap_or_default();
    match character {
        '\'' => r"'\''".to_owned(),
        '"' => "'\"'".to_owned(),
        other => {
            let text = quoted(other.encode_utf8(&mut [0; 4]));
            format!("'{}'", text.trim_matches('"'))
        }
    }
}

fn end_marks(mark: char, count: usize) -> String {
    let other = if mark == '"' { '\'' } else { '"' };
    format!("{other}{}{other}", mark.to_string().repeat(count))
}

fn no_end(mark: char, count: usize) -> String {
    format!("unexpected EOF; expected {}", end_marks(mark, count))
}

fn without_first_line_end(text: &str) -> &str {
    text.strip_prefix('\n')
        .or_else(|| text.strip_prefix("\r\n"))
        .unwrap_or(text)
}

/// Takes out each backslash at the end of a line with all blanks and line ends after it, and makes line ends `\n`;
/// `None` if blanks, but no line end follow such a backslash.
fn join_lines(text: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '\r' => {}
            '\\' => {
                let after = rest.as_str();
                let next = after.trim_start_matches([' ', '\t', '\r']);
                if next.starts_with('\n') {
                    rest = after.trim_start_matches([' ', '\t', '\r', '\n']).chars();
                } else if next.is_empty() {
                    return None;
                } else {
                    joined.push('\\');
                    joined.extend(rest.next());
                }
            }
            other => joined.push(other),
        }
    }
    Some(joined)
}

/// Whether each underscore has digits on both sides.
fn underscores_are_within(text: &str) -> bool {
    let mut after_digit = false;
    for character in text.chars() {
        if character == '_' && !after_digit {
            return false;
        }
        after_digit = character.is_ascii_hexdigit();
    }
    after_digit
}

fn has_leading_zero(text: &str) -> bool {
    match text.as_bytes() {
        [b'0', next, ..] => !matches!(next, b'b' | b'o' | b'x'),
        [b'+' | b'-', b'0', _, ..] => true,
        _ => false,
    }
}

/// `YYYY-MM-DD`, `hh:mm:ss`, both with a `T`, and with an offset.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (Some(date), Some(time)),
        None if text.contains(':') => (None, Some(text)),
        None => (Some(text), None),
    };
    let clock = |time: &str| {
        let (time, offset) = match time.find(['Z', '+', '-']) {
            Some(at) if date.is_some() => time.split_at(at),
            _ => (time, ""),
        };
        let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let offset_fits = match offset {
            "" | "Z" => true,
            offset => numbers(offset.get(1..).unwrap_or_default(), ':', [2, 2])
                .is_some_and(|[hours, minutes]| hours < 24 && minutes < 60),
        };
        offset_fits
            && !fraction.is_empty()
            && fraction.bytes().all(|byte| byte.is_ascii_digit())
            && numbers(whole, ':', [2, 2, 2])
                .is_some_and(|[hours, minutes, seconds]| hours < 24 && minutes < 60 && seconds < 60)
    };
    date.is_none_or(is_day) && time.is_none_or(clock)
}

fn is_day(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Numbers of so many digits each, and a mark between them.
fn numbers<const N: usize>(text: &str, mark: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(mark);
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}
