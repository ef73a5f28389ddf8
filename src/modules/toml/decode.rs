//! TOML as a value: tables are put together as they come, and what is wrong is told as BurntSushi/toml does it.

use super::encode::{is_bare, write_key};
use super::lex::{Cursor, Fault, Result, is_blank, is_line_end, quoted, quoted_char};
use crate::script::{self, Value};
use crate::yaml::MAX_DEPTH;
use std::collections::BTreeMap;

/// The dict that a text means.
///
/// # Errors
/// `toml: line N (last key "K"): MESSAGE`
pub fn decode(text: &[u8]) -> std::result::Result<Value, String> {
    let text = text
        .strip_prefix(b"\xff\xfe")
        .or_else(|| text.strip_prefix(b"\xfe\xff"))
        .unwrap_or(text);
    if text.iter().take(6).any(|&byte| byte == 0) {
        return Err("toml: line 1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8".to_owned());
    }
    let mut decoder = Decoder {
        cursor: Cursor::new(text),
        root: Table::default(),
        context: Vec::new(),
        key: String::new(),
        key_line: 0,
    };
    match decoder.document() {
        Ok(()) => decoder
            .root
            .into_value()
            .map_err(|error| error.message().to_owned()),
        Err(Fault { line, message }) => Err(match decoder.last_key() {
            key if key.is_empty() => format!("toml: line {line}: {message}"),
            key => format!("toml: line {line} (last key {}): {message}", quoted(&key)),
        }),
    }
}

#[derive(Default)]
struct Table {
    entries: BTreeMap<String, Node>,
    /// True for one that only the keys of others made, so that it may still be defined.
    implicit: bool,
}

enum Node {
    Value(Value),
    Table(Table),
    /// `[[key]]`
    Tables(Vec<Table>),
}

impl Table {
    fn into_value(self) -> script::Result<Value> {
        let mut items = Vec::with_capacity(self.entries.len());
        for (key, node) in self.entries {
            items.push((Value::from(key), node.into_value()?));
        }
        Value::dict(items)
    }

    /// The table at the end of a path; on the way the last of several counts.
    ///
    /// # Errors
    /// How many keys of the path lead to what is no table.
    fn walk(&mut self, path: &[String], make: bool) -> std::result::Result<&mut Table, usize> {
        let mut table = self;
        for (depth, key) in path.iter().enumerate() {
            if make && !table.entries.contains_key(key) {
                let implicit = Table {
                    implicit: true,
                    ..Table::default()
                };
                table.entries.insert(key.clone(), Node::Table(implicit));
            }
            table = match table.entries.get_mut(key) {
                Some(Node::Table(next)) => next,
                Some(Node::Tables(tables)) => tables.last_mut().ok_or(depth + 1)?,
                Some(Node::Value(_)) | None => return Err(depth + 1),
            };
        }
        Ok(table)
    }
}

impl Node {
    fn into_value(self) -> script::Result<Value> {
        match self {
            Node::Value(value) => Ok(value),
            Node::Table(table) => table.into_value(),
            Node::Tables(tables) => Ok(Value::list(
                tables
                    .into_iter()
                    .map(Table::into_value)
                    .collect::<script::Result<_>>()?,
            )),
        }
    }
}

struct Decoder<'a> {
    cursor: Cursor<'a>,
    root: Table,
    /// The table that keys go into; for messages also the inline tables that are open.
    context: Vec<String>,
    /// The key whose value is read.
    key: String,
    /// Where the last key or header began.
    key_line: usize,
}

impl Decoder<'_> {
    /// What messages name.
    fn last_key(&self) -> String {
        match (&*self.key, self.context.is_empty()) {
            ("", _) => dotted(&self.context),
            (key, true) => key.to_owned(),
            (key, false) => format!("{}.{key}", dotted(&self.context)),
        }
    }

    /// A fault of a key: it is told where the key began.
    fn key_fault<T>(&self, message: String) -> Result<T> {
        Err(Fault {
            line: self.key_line,
            message,
        })
    }

    fn defined<T>(&self, path: &[String]) -> Result<T> {
        self.key_fault(format!("Key '{}' has already been defined.", dotted(path)))
    }

    fn document(&mut self) -> Result<()> {
        loop {
            match self.cursor.peek()? {
                None => return Ok(()),
                Some(next) if is_blank(next) || is_line_end(next) => {
                    self.cursor.next()?;
                    continue;
                }
                Some('#') => {
                    self.cursor.skip_comment()?;
                    continue;
                }
                Some('[') => {
                    self.cursor.next()?;
                    self.header()?;
                }
                Some(_) => self.pair()?,
            }
            self.cursor.skip_blanks()?;
            match self.cursor.next()? {
                None => return Ok(()),
                Some('#') => self.cursor.skip_comment()?,
                Some(next) if is_line_end(next) => {}
                next => {
                    return self.cursor.fault(format!(
                        "expected a top-level item to end with a newline, comment, or EOF, but got {} instead",
                        quoted_char(next)
                    ));
                }
            }
        }
    }

    /// `[path]` or `[[path]]`, the first bracket passed.
    fn header(&mut self) -> Result<()> {
        let several = self.cursor.accept('[')?;
        let path = self.header_path()?;
        if several {
            let found = self.cursor.next()?;
            if found != Some(']') {
                return self.cursor.fault_at(
                    found,
                    format!(
                        "expected end of table array name delimiter ']', but got {} instead",
                        quoted_char(found)
                    ),
                );
            }
        }
        self.open(path, several)
    }

    fn header_path(&mut self) -> Result<Vec<String>> {
        let mut path = Vec::new();
        loop {
            self.cursor.skip_blanks()?;
            match self.cursor.peek()? {
                Some(']') | None => {
                    return self
                        .cursor
                        .fault("unexpected end of table name (table names cannot be empty)");
                }
                Some('.') => {
                    return self
                        .cursor
                        .fault("unexpected table separator (table names cannot be empty)");
                }
                Some(_) => self.name(&mut path)?,
            }
            self.cursor.skip_blanks()?;
            let found = self.cursor.next()?;
            match found {
                Some('.') => {}
                Some(']') => return Ok(path),
                _ => {
                    return self.cursor.fault_at(
                        found,
                        format!(
                            "expected '.' or ']' to end table name, but got {} instead",
                            quoted_char(found)
                        ),
                    );
                }
            }
        }
    }

    /// One name of a path.
    fn name(&mut self, path: &mut Vec<String>) -> Result<()> {
        let name = match self.cursor.peek()? {
            Some(mark @ ('"' | '\'')) => {
                self.cursor.next()?;
                self.cursor.string(mark)?
            }
            _ => self
                .cursor
                .take_while(|next| u8::try_from(next).is_ok_and(is_bare))?
                .to_owned(),
        };
        if path.is_empty() {
            self.key_line = self.cursor.line;
        }
        path.push(name);
        match self.context.len() + path.len() > MAX_DEPTH {
            true => self.too_deep(),
            false => Ok(()),
        }
    }

    fn too_deep<T>(&self) -> Result<T> {
        self.cursor.fault(format!(
            "tables and arrays are nested more than {MAX_DEPTH} deep"
        ))
    }

    /// Makes the table of a header the one that keys go into.
    fn open(&mut self, path: Vec<String>, several: bool) -> Result<()> {
        let Some((key, parents)) = path.split_last() else {
            return Ok(());
        };
        let parent = match self.root.walk(parents, true) {
            Ok(parent) => parent,
            Err(depth) => {
                let path = dotted(parents.get(..depth).unwrap_or_default());
                return self.key_fault(format!("Key '{path}' was already created as a hash."));
            }
        };
        let made = match (parent.entries.get_mut(key), several) {
            (None, false) => {
                parent
                    .entries
                    .insert(key.clone(), Node::Table(Table::default()));
                true
            }
            (Some(Node::Table(table)), false) => std::mem::take(&mut table.implicit),
            (None, true) => {
                let tables = Node::Tables(vec![Table::default()]);
                parent.entries.insert(key.clone(), tables);
                true
            }
            (Some(Node::Tables(tables)), true) => {
                tables.push(Table::default());
                true
            }
            (Some(_), _) => false,
        };
        self.context = parents.to_vec();
        if !made {
            return match several {
                true => self.key_fault(format!(
                    "Key '{}' was already created and cannot be used as an array.",
                    dotted(&path)
                )),
                false => self.defined(&path),
            };
        }
        self.context = path;
        Ok(())
    }

    /// `key = value` for the table of the last header.
    fn pair(&mut self) -> Result<()> {
        let outer = self.context.len();
        let table = self.context.clone();
        let path = self.key_path()?;
        // The tables that the key leads through are made before its value is read.
        let Some((key, parents)) = path.split_last() else {
            return Ok(());
        };
        self.key.clone_from(key);
        for depth in 1..=parents.len() {
            let mut to = table.clone();
            to.extend(parents.iter().take(depth).cloned());
            let before = to.get(..to.len() - 1).unwrap_or_default();
            match self.root.walk(before, true) {
                Err(depth) => {
                    let path = dotted(before.get(..depth).unwrap_or_default());
                    return self.key_fault(format!("Key '{path}' was already created as a hash."));
                }
                Ok(table) => {
                    if let Some(Node::Table(known)) =
                        to.last().and_then(|key| table.entries.get_mut(key))
                    {
                        known.implicit = false;
                    } else {
                        // What is no table is found when the value is put there.
                        let _ = self.root.walk(&to, true);
                    }
                }
            }
            self.context = to;
        }
        let value = self.value(0)?;
        let path = {
            let mut path = self.context.clone();
            path.push(key.clone());
            path
        };
        match self.root.walk(&self.context, false) {
            Err(depth) => return self.defined(path.get(..depth).unwrap_or_default()),
            Ok(table) => match table.entries.contains_key(key) {
                true => return self.defined(&path),
                false => table.entries.insert(key.clone(), value),
            },
        };
        self.context.truncate(outer);
        self.key.clear();
        Ok(())
    }

    /// The names before a `=`, which is passed.
    fn key_path(&mut self) -> Result<Vec<String>> {
        self.cursor.skip_blanks()?;
        match self.cursor.peek()? {
            Some('=') | None => {
                return self.cursor.fault("unexpected '=': key name appears blank");
            }
            Some('.') => {
                return self
                    .cursor
                    .fault("unexpected '.': keys cannot start with a '.'");
            }
            Some(_) => {}
        }
        let mut path = Vec::new();
        loop {
            self.cursor.skip_blanks()?;
            match self.cursor.peek()? {
                Some('=') | None => return self.cursor.fault("unexpected '='"),
                Some('.') => return self.cursor.fault("unexpected '.'"),
                Some(_) => self.name(&mut path)?,
            }
            self.cursor.skip_blanks()?;
            let found = self.cursor.next()?;
            match found {
                Some('.') => {}
                Some('=') => return Ok(path),
                None => {
                    return self
                        .cursor
                        .fault_at(None, "unexpected EOF; expected key separator '='");
                }
                Some(_) => {
                    return self.cursor.fault(format!(
                        "expected '.' or '=', but got {} instead",
                        quoted_char(found)
                    ));
                }
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node> {
        if self.context.len() + depth > MAX_DEPTH {
            return self.too_deep();
        }
        self.cursor.skip_blanks()?;
        match self.cursor.peek()? {
            Some('[') => {
                self.cursor.next()?;
                self.array(depth + 1)
                    .map(|items| Node::Value(Value::list(items)))
            }
            Some('{') => {
                self.cursor.next()?;
                self.inline_table(depth + 1).map(Node::Table)
            }
            _ => self.cursor.scalar(self.key_line).map(Node::Value),
        }
    }

    /// Values up to `]`; the first bracket is passed.
    fn array(&mut self, depth: usize) -> Result<Vec<Value>> {
        let mut items = Vec::new();
        loop {
            self.skip_lines()?;
            match self.cursor.peek()? {
                Some(',') => {
                    self.cursor.next()?;
                    return self.cursor.fault("unexpected comma");
                }
                Some(']') => {
                    self.cursor.next()?;
                    return Ok(items);
                }
                _ => {}
            }
            let value = self.value(depth)?.into_value();
            match value {
                Ok(value) => items.push(value),
                Err(error) => return self.cursor.fault(error.message()),
            }
            self.skip_lines()?;
            let found = self.cursor.next()?;
            match found {
                Some(',') => {}
                Some(']') => return Ok(items),
                _ => {
                    return self.cursor.fault_at(
                        found,
                        format!(
                            "expected a comma (',') or array terminator (']'), but got {}",
                            shown(found)
                        ),
                    );
                }
            }
        }
    }

    /// Passes blanks, line ends and comments.
    fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.cursor
                .take_while(|next| is_blank(next) || is_line_end(next))?;
            if !self.cursor.accept('#')? {
                return Ok(());
            }
            self.cursor.skip_comment()?;
        }
    }

    /// Pairs up to `}`; the first brace is passed. The key that it is the value of is part of the context meanwhile.
    fn inline_table(&mut self, depth: usize) -> Result<Table> {
        let outer = self.context.len();
        let outer_key = std::mem::take(&mut self.key);
        self.context.push(outer_key.clone());
        let mut table = Table::default();
        loop {
            self.inline_blanks()?;
            match self.cursor.peek()? {
                Some(',') => {
                    self.cursor.next()?;
                    return self.cursor.fault("unexpected comma");
                }
                Some('}') => {
                    self.cursor.next()?;
                    break;
                }
                _ => self.inline_pair(&mut table, depth)?,
            }
            self.inline_blanks()?;
            let found = self.cursor.next()?;
            match found {
                Some(',') => {
                    self.cursor.skip_blanks()?;
                    if self.cursor.peek()? == Some('}') {
                        return self
                            .cursor
                            .fault("trailing comma not allowed in inline tables");
                    }
                }
                Some('}') => break,
                _ => {
                    return self.cursor.fault_at(
                        found,
                        format!(
                            "expected a comma or an inline table terminator '}}', but got {} instead",
                            shown(found)
                        ),
                    );
                }
            }
        }
        self.context.truncate(outer);
        self.key = outer_key;
        Ok(table)
    }

    fn inline_pair(&mut self, table: &mut Table, depth: usize) -> Result<()> {
        let outer = self.context.len();
        let path = self.key_path()?;
        let Some((key, parents)) = path.split_last() else {
            return Ok(());
        };
        self.key.clone_from(key);
        self.context.extend(parents.iter().cloned());
        let value = self.value(depth)?;
        let mut full = self.context.clone();
        full.push(key.clone());
        match table.walk(parents, true) {
            Err(depth) => return self.defined(full.get(..outer + depth).unwrap_or_default()),
            Ok(table) => match table.entries.contains_key(key) {
                true => return self.defined(&full),
                false => table.entries.insert(key.clone(), value),
            },
        };
        self.context.truncate(outer);
        Ok(())
    }

    /// Passes blanks and comments within an inline table, which is on one line.
    fn inline_blanks(&mut self) -> Result<()> {
        self.cursor.skip_blanks()?;
        if self.cursor.accept('#')? {
            self.cursor.skip_comment()?;
        }
        match self.cursor.peek()? {
            Some(next) if is_line_end(next) => {
                self.cursor.next()?;
                self.cursor
                    .fault_before("newlines not allowed within inline tables")
            }
            _ => Ok(()),
        }
    }
}

/// A character as it is; the end of the text has a name.
fn shown(character: Option<char>) -> String {
    match character {
        Some(character) => format!("'{character}'"),
        None => "end of file".to_owned(),
    }
}

/// A path as messages show it.
fn dotted(path: &[String]) -> String {
    let mut text = Vec::new();
    for (at, key) in path.iter().enumerate() {
        if at > 0 {
            text.push(b'.');
        }
        write_key(&mut text, key.as_bytes());
    }
    String::from_utf8_lossy(&text).into_owned()
}
