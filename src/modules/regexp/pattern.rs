//! Go's syntax of regular expressions (RE2's, as `regexp/syntax` reads it), with its errors.

use super::set::Set;
use std::rc::Rc;

/// How often a thing may be repeated by counts, those within each other multiplied.
const MOST_REPEATS: u32 = 1_000;

/// How deep a pattern may be.
const MOST_HEIGHT: usize = 1_000;

/// A part of a pattern.
pub enum Node {
    /// Nothing.
    Empty,
    /// A character.
    Char(u32),
    /// One of several characters.
    Set(Rc<Set>),
    /// A place between characters.
    Place(Place),
    /// A group that is remembered, by its number.
    Capture(usize, Box<Node>),
    /// One after the other.
    Concat(Vec<Node>),
    /// The first that fits.
    Alternate(Vec<Node>),
    /// Several times: at least, at most, and whether as often as can be.
    Repeat(Box<Node>, u32, Option<u32>, bool),
}

/// A place between characters.
#[derive(Clone, Copy)]
pub enum Place {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordEdge,
    NoWordEdge,
}

/// A pattern that was read.
pub struct Pattern {
    pub node: Node,
    /// The names of the groups; the first is the whole, groups without a name have an empty one.
    pub names: Vec<String>,
}

/// Reads a pattern.
///
/// # Errors
/// ``error parsing regexp: WHAT: `PART` ``, in Go's words.
pub fn parse(pattern: &[u8]) -> Result<Pattern, String> {
    let chunk = pattern.utf8_chunks().next();
    let text = chunk.as_ref().map_or("", |chunk| chunk.valid());
    let parser = Parser {
        text,
        at: 0,
        invalid: pattern.get(text.len()..).unwrap_or_default(),
        flags: Flags::default(),
        groups: Vec::new(),
        group: Group::default(),
        names: vec![String::new()],
    };
    parser.run().map_err(|fault| {
        let Fault(what, part) = fault;
        format!("error parsing regexp: {what}: `{part}`")
    })
}

/// What is wrong, and the part of the pattern.
struct Fault(&'static str, String);

type Parsed<T> = Result<T, Fault>;

#[derive(Clone, Copy, Default)]
struct Flags {
    fold_case: bool,
    many_lines: bool,
    dot_is_all: bool,
    lazy: bool,
}

/// An item, how deep it is, and how often its parts are repeated.
struct Item {
    node: Node,
    height: usize,
    repeats: u32,
}

/// What stands between parentheses, or is the whole pattern.
#[derive(Default)]
struct Group {
    capture: Option<usize>,
    /// The flags from before it.
    flags: Flags,
    alternatives: Vec<Item>,
    items: Vec<Item>,
}

struct Parser<'a> {
    /// The pattern as far as it is UTF-8.
    text: &'a str,
    at: usize,
    /// What follows that.
    invalid: &'a [u8],
    flags: Flags,
    /// Those around the one that is read.
    groups: Vec<Group>,
    group: Group,
    names: Vec<String>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn fault<T>(&self, what: &'static str, part: &str) -> Parsed<T> {
        Err(Fault(what, part.to_owned()))
    }

    /// The next character, which is passed; `None` at the end.
    fn next(&mut self) -> Parsed<Option<char>> {
        let next = self.rest().chars().next();
        match next {
            Some(character) => self.at += character.len_utf8(),
            None if !self.invalid.is_empty() => {
                let part = String::from_utf8_lossy(self.invalid);
                return self.fault("invalid UTF-8", &part);
            }
            None => {}
        }
        Ok(next)
    }

    fn accept(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn run(mut self) -> Parsed<Pattern> {
        let mut last_repeat = None;
        loop {
            let start = self.at;
            let Some(next) = self.next()? else {
                break;
            };
            let repeat = match next {
                '*' => Some((0, None)),
                '+' => Some((1, None)),
                '?' => Some((0, Some(1))),
                '{' => self.counts(start)?,
                _ => None,
            };
            if let Some((least, most)) = repeat {
                self.repeat(start, last_repeat, least, most, next == '{')?;
                last_repeat = Some(start);
                continue;
            }
            last_repeat = None;
            match next {
                '(' if self.rest().starts_with('?') => self.perl_group(start)?,
                '(' => self.open(Some(String::new())),
                '|' => {
                    let alternative = self.concat();
                    self.group.alternatives.push(alternative);
                }
                ')' => self.close()?,
                '^' if self.flags.many_lines => self.place(Place::LineStart),
                '^' => self.place(Place::TextStart),
                '$' if self.flags.many_lines => self.place(Place::LineEnd),
                '$' => self.place(Place::TextEnd),
                '.' if self.flags.dot_is_all => self.set(Set::default().negated()),
                '.' => self.set(Set::of(&[('\n', '\n')]).negated()),
                '[' => {
                    let set = self.class(start)?;
                    self.set(set);
                }
                '\\' => self.escaped(start)?,
                other => self.literal(other.into()),
            }
        }
        if !self.groups.is_empty() {
            return self.fault("missing closing )", self.text);
        }
        let whole = self.alternate();
        self.check_height(whole.height)?;
        Ok(Pattern {
            node: whole.node,
            names: self.names,
        })
    }

    fn push(&mut self, node: Node) {
        self.group.items.push(Item {
            node,
            height: 1,
            repeats: 1,
        });
    }

    fn place(&mut self, place: Place) {
        self.push(Node::Place(place));
    }

    fn set(&mut self, set: Set) {
        self.push(Node::Set(Rc::new(set)));
    }

    fn literal(&mut self, code: u32) {
        match self.flags.fold_case {
            true => self.set(Set::code(code).folded()),
            false => self.push(Node::Char(code)),
        }
    }

    /// `{2}`, `{2,}` or `{2,3}`, the brace passed; `None` if it is none of these, but a character.
    fn counts(&mut self, start: usize) -> Parsed<Option<(u32, Option<u32>)>> {
        let after_brace = self.at;
        let counts = self.read_counts();
        let Some((least, most)) = counts else {
            self.at = after_brace;
            return Ok(None);
        };
        let too_many = |count: u32| count > MOST_REPEATS;
        if too_many(least) || most.is_some_and(|most| too_many(most) || most < least) {
            return self.fault("invalid repeat count", self.since(start));
        }
        Ok(Some((least, most)))
    }

    fn read_counts(&mut self) -> Option<(u32, Option<u32>)> {
        let least = self.number()?;
        let most = match self.accept(",") {
            false => Some(least),
            true if self.rest().starts_with('}') => None,
            true => Some(self.number()?),
        };
        self.accept("}").then_some((least, most))
    }

    /// Digits without a leading zero; a very large number is some large number.
    fn number(&mut self) -> Option<u32> {
        let digits = self.rest();
        let end = digits
            .find(|next: char| !next.is_ascii_digit())
            .unwrap_or(digits.len());
        let digits = digits.get(..end).filter(|digits| !digits.is_empty())?;
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        self.at += end;
        Some(digits.parse().unwrap_or(u32::MAX))
    }

    /// Repeats the last item; the operator began at `start`, one right before it at `last`.
    fn repeat(
        &mut self,
        start: usize,
        last: Option<usize>,
        least: u32,
        most: Option<u32>,
        counted: bool,
    ) -> Parsed<()> {
        let lazy = self.accept("?") != self.flags.lazy;
        if let Some(last) = last {
            return self.fault("invalid nested repetition operator", self.since(last));
        }
        let Some(item) = self.group.items.pop() else {
            return self.fault("missing argument to repetition operator", self.since(start));
        };
        let repeats = match (counted, most) {
            (true, Some(most)) => item.repeats.saturating_mul(most),
            (true, None) => item.repeats.saturating_mul(least.max(1)),
            (false, _) => item.repeats,
        };
        if repeats > MOST_REPEATS {
            return self.fault("invalid repeat count", self.since(start));
        }
        self.group.items.push(Item {
            node: Node::Repeat(Box::new(item.node), least, most, !lazy),
            height: item.height + 1,
            repeats,
        });
        self.check_height(item.height + 1)
    }

    fn check_height(&self, height: usize) -> Parsed<()> {
        match height > MOST_HEIGHT {
            true => self.fault("expression nests too deeply", self.text),
            false => Ok(()),
        }
    }

    /// Opens a group; one with a name, even an empty one, is remembered.
    fn open(&mut self, name: Option<String>) {
        let capture = name.map(|name| {
            self.names.push(name);
            self.names.len() - 1
        });
        let group = Group {
            capture,
            flags: self.flags,
            ..Group::default()
        };
        self.groups.push(std::mem::replace(&mut self.group, group));
    }

    fn close(&mut self) -> Parsed<()> {
        let Some(outer) = self.groups.pop() else {
            return self.fault("unexpected )", self.text);
        };
        let mut item = self.alternate();
        let group = std::mem::replace(&mut self.group, outer);
        if let Some(number) = group.capture {
            item.node = Node::Capture(number, Box::new(item.node));
            item.height += 1;
        }
        self.flags = group.flags;
        let height = item.height;
        self.group.items.push(item);
        self.check_height(height)
    }

    /// The items since the last `|`, as one.
    fn concat(&mut self) -> Item {
        joined(std::mem::take(&mut self.group.items), Node::Concat)
    }

    /// The alternatives of the group, as one.
    fn alternate(&mut self) -> Item {
        let last = self.concat();
        let mut alternatives = std::mem::take(&mut self.group.alternatives);
        alternatives.push(last);
        joined(alternatives, Node::Alternate)
    }

    /// `(?...`: a name, flags, or a group that is not remembered.
    fn perl_group(&mut self, start: usize) -> Parsed<()> {
        let whole = self.text.get(start..).unwrap_or_default();
        let name = match (whole.strip_prefix("(?P<"), whole.strip_prefix("(?<")) {
            (Some(name), _) | (_, Some(name)) if !name.is_empty() => Some(name),
            _ => None,
        };
        if let Some(name) = name {
            let Some(end) = name.find('>') else {
                self.at = self.text.len();
                if !self.invalid.is_empty() {
                    self.next()?;
                }
                return self.fault("invalid named capture", whole);
            };
            self.at = self.text.len() - name.len() + end + 1;
            let name = name.get(..end).unwrap_or_default();
            let is_word = |next: char| next == '_' || next.is_ascii_alphanumeric();
            if name.is_empty() || !name.chars().all(is_word) {
                return self.fault("invalid named capture", self.since(start));
            }
            self.open(Some(name.to_owned()));
            return Ok(());
        }
        self.accept("?");
        let mut flags = self.flags;
        let (mut on, mut seen) = (true, false);
        while let Some(next) = self.next()? {
            match next {
                'i' => flags.fold_case = on,
                'm' => flags.many_lines = on,
                's' => flags.dot_is_all = on,
                'U' => flags.lazy = on,
                '-' if on => {
                    (on, seen) = (false, false);
                    continue;
                }
                ':' | ')' if on || seen => {
                    if next == ':' {
                        self.open(None);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
            seen = true;
        }
        self.fault("invalid or unsupported Perl syntax", self.since(start))
    }

    /// What a backslash begins, which is passed.
    fn escaped(&mut self, start: usize) -> Parsed<()> {
        let next = self.rest().chars().next();
        let place = match next {
            Some('A') => Some(Place::TextStart),
            Some('z') => Some(Place::TextEnd),
            Some('b') => Some(Place::WordEdge),
            Some('B') => Some(Place::NoWordEdge),
            _ => None,
        };
        if let Some(place) = place {
            self.at += 1;
            self.place(place);
            return Ok(());
        }
        if self.accept("Q") {
            while !self.accept("\\E") {
                match self.next()? {
                    Some(character) => self.literal(character.into()),
                    None => break,
                }
            }
            return Ok(());
        }
        if let Some(set) = self.escaped_class(start)? {
            self.set(set);
            return Ok(());
        }
        let code = self.escape(start)?;
        self.literal(code);
        Ok(())
    }

    /// `\d`, `\pL` and the like, the backslash passed.
    fn escaped_class(&mut self, start: usize) -> Parsed<Option<Set>> {
        let letter = self.rest().chars().next().unwrap_or_default();
        if matches!(letter, 'p' | 'P') {
            self.at += 1;
            return self.unicode_class(start, letter == 'P').map(Some);
        }
        let set = match letter.to_ascii_lowercase() {
            'd' => Set::of(&[('0', '9')]),
            's' => Set::of(&[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')]),
            'w' => Set::of(WORD),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(self.group_of(set, letter.is_ascii_uppercase())))
    }

    /// A class by name, or all but it.
    fn group_of(&self, set: Set, negated: bool) -> Set {
        let set = match self.flags.fold_case {
            true => set.folded(),
            false => set,
        };
        match negated {
            true => set.negated(),
            false => set,
        }
    }

    /// `\pL`, `\p{Lu}`, `\p{^Lu}`, the letter passed.
    fn unicode_class(&mut self, start: usize, negated: bool) -> Parsed<Set> {
        let from = self.at;
        let name = match self.next()? {
            Some('{') => {
                let Some(end) = self.rest().find('}') else {
                    let whole = self.text.get(start..).unwrap_or_default();
                    self.at = self.text.len();
                    self.next()?;
                    return self.fault("invalid character class range", whole);
                };
                self.at += end + 1;
                self.text.get(from + 1..self.at - 1).unwrap_or_default()
            }
            _ => self.since(from),
        };
        let (name, inverted) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        match Set::named(name) {
            Some(set) => Ok(self.group_of(set, negated != inverted)),
            None => self.fault("invalid character class range", self.since(start)),
        }
    }

    /// One escaped character, the backslash passed.
    fn escape(&mut self, start: usize) -> Parsed<u32> {
        let Some(next) = self.next()? else {
            return self.fault("trailing backslash at end of expression", "");
        };
        let code = match next {
            '1'..='7' if !self.rest().starts_with(|next| ('0'..='7').contains(&next)) => None,
            '0'..='7' => {
                let mut code = next.to_digit(8);
                for _ in 0..2 {
                    let Some(digit) = self.rest().chars().next().and_then(|next| next.to_digit(8))
                    else {
                        break;
                    };
                    self.at += 1;
                    code = code.map(|code| code * 8 + digit);
                }
                code
            }
            'x' => self.hexadecimal()?,
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => Some(other.into()),
            _ => None,
        };
        match code {
            Some(code) => Ok(code),
            None => self.fault("invalid escape sequence", self.since(start)),
        }
    }

    /// `41` or `{1F600}` after `\x`.
    fn hexadecimal(&mut self) -> Parsed<Option<u32>> {
        let digit = |next: Option<char>| next.and_then(|next| next.to_digit(16));
        if self.rest().is_empty() && self.invalid.is_empty() {
            return Ok(None);
        }
        let first = self.next()?;
        if first != Some('{') {
            let (high, low) = (digit(first), digit(self.next()?));
            return Ok(high.zip(low).map(|(high, low)| high * 16 + low));
        }
        let mut code = None;
        loop {
            let next = self.next()?;
            if next == Some('}') {
                return Ok(code);
            }
            let Some(digit) = digit(next) else {
                return Ok(None);
            };
            let sum = code.unwrap_or(0) * 16 + digit;
            if sum > u32::from(char::MAX) {
                return Ok(None);
            }
            code = Some(sum);
        }
    }

    /// What is between brackets, the first one passed.
    fn class(&mut self, start: usize) -> Parsed<Set> {
        let negated = self.accept("^");
        let mut set = Set::default();
        let mut first = true;
        while first || !self.rest().starts_with(']') {
            first = false;
            if let Some(named) = self.posix_class()? {
                set.add(named);
                continue;
            }
            let from = self.at;
            if self.accept("\\") {
                if let Some(class) = self.escaped_class(from)? {
                    set.add(class);
                    continue;
                }
                self.at = from;
            }
            let low = self.class_character(start)?;
            let mut high = low;
            let mut after = self.rest().chars();
            if after.next() == Some('-') && after.next().is_some_and(|next| next != ']') {
                self.at += 1;
                high = self.class_character(start)?;
                if high < low {
                    return self.fault("invalid character class range", self.since(from));
                }
            }
            let range = Set::range(low, high);
            set.add(match self.flags.fold_case {
                true => range.folded(),
                false => range,
            });
        }
        self.at += 1;
        Ok(match negated {
            true => set.negated(),
            false => set,
        })
    }

    fn class_character(&mut self, start: usize) -> Parsed<u32> {
        let from = self.at;
        if self.accept("\\") {
            return self.escape(from);
        }
        match self.next()? {
            Some(character) => Ok(character.into()),
            None => {
                let class = self.text.get(start..).unwrap_or_default();
                self.fault("missing closing ]", class)
            }
        }
    }

    /// `[:alpha:]`, `[:^alpha:]`
    fn posix_class(&mut self) -> Parsed<Option<Set>> {
        let Some((name, _)) = self
            .rest()
            .strip_prefix("[:")
            .and_then(|rest| rest.split_once(":]"))
        else {
            return Ok(None);
        };
        let start = self.at;
        self.at += name.len() + 4;
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let ranges: &[(char, char)] = match name {
            "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            "alpha" => &[('A', 'Z'), ('a', 'z')],
            "ascii" => &[('\0', '\u{7f}')],
            "blank" => &[('\t', '\t'), (' ', ' ')],
            "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
            "digit" => &[('0', '9')],
            "graph" => &[('!', '~')],
            "lower" => &[('a', 'z')],
            "print" => &[(' ', '~')],
            "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            "space" => &[('\t', '\r'), (' ', ' ')],
            "upper" => &[('A', 'Z')],
            "word" => WORD,
            "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
            _ => return self.fault("invalid character class range", self.since(start)),
        };
        Ok(Some(self.group_of(Set::of(ranges), negated)))
    }
}

/// What `\w` is.
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// Items as one; a single one stays what it is.
fn joined(mut items: Vec<Item>, join: fn(Vec<Node>) -> Node) -> Item {
    if items.len() == 1
        && let Some(only) = items.pop()
    {
        return only;
    }
    let height = items.iter().map(|item| item.height + 1).max().unwrap_or(1);
    let repeats = items.iter().map(|item| item.repeats).max().unwrap_or(1);
    let nodes: Vec<Node> = items.into_iter().map(|item| item.node).collect();
    Item {
        node: match nodes.is_empty() {
            true => Node::Empty,
            false => join(nodes),
        },
        height,
        repeats,
    }
}
