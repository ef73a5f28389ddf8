//! YAML as TOML, laid out as BurntSushi/toml does it: keys sorted, tables after what is no table.

use crate::bytestring::Str;
use crate::order;
use crate::yaml::Value as Node;

/// The text; each level of tables is indented by so many spaces.
///
/// # Errors
/// The value is no map, a key is no string, or an array has a null.
pub fn encode(value: &Node, spaces: usize) -> Result<Vec<u8>, String> {
    let mut encoder = Encoder {
        out: Vec::new(),
        spaces,
    };
    match value {
        Node::Map(_) => encoder.table(&mut Vec::new(), &entries(value)?)?,
        Node::Array(_) => {
            Form::of(value)?;
            return Err(NO_KEY.to_owned());
        }
        _ => return Err(NO_KEY.to_owned()),
    }
    Ok(encoder.out)
}

const NO_KEY: &str = "toml: top-level values must be Go maps or structs";

/// How a value is written.
#[derive(PartialEq)]
enum Form {
    /// Not at all.
    Null,
    /// After `key = `.
    Plain,
    /// Under `[key]`.
    Table,
    /// Each under `[[key]]`.
    Tables,
}

impl Form {
    fn of(value: &Node) -> Result<Form, String> {
        let Node::Array(array) = value else {
            return Ok(match value {
                Node::Null => Form::Null,
                Node::Map(_) => Form::Table,
                _ => Form::Plain,
            });
        };
        let mut form = match array.items.is_empty() {
            true => Form::Plain,
            false => Form::Tables,
        };
        for item in &array.items {
            match Form::of(&item.value)? {
                Form::Null => {
                    return Err("toml: cannot encode array with nil element".to_owned());
                }
                Form::Table => {}
                Form::Plain | Form::Tables => form = Form::Plain,
            }
        }
        Ok(form)
    }

    fn is_table(&self) -> bool {
        matches!(self, Form::Table | Form::Tables)
    }
}

type Entries<'a> = Vec<(&'a Str, &'a Node, Form)>;

/// What a map holds: first what is no table, then tables, each sorted by key.
fn entries(map: &Node) -> Result<Entries<'_>, String> {
    let Node::Map(map) = map else {
        return Ok(Vec::new());
    };
    let mut entries = Vec::with_capacity(map.items.len());
    for item in &map.items {
        let Node::Str(key) = &item.key else {
            return Err(format!(
                "toml: expected map key to be string, but was {}",
                item.key.kind()
            ));
        };
        entries.push((key, &item.value, Form::of(&item.value)?));
    }
    order::sort_by(&mut entries, |(a, _, a_form), (b, _, b_form)| {
        (a_form.is_table(), a).cmp(&(b_form.is_table(), b))
    });
    Ok(entries)
}

struct Encoder {
    out: Vec<u8>,
    spaces: usize,
}

impl Encoder {
    /// What is in a table, its header being written.
    fn table<'a>(
        &mut self,
        path: &mut Vec<&'a Str>,
        entries: &[(&'a Str, &'a Node, Form)],
    ) -> Result<(), String> {
        for (key, value, form) in entries {
            path.push(key);
            match (form, value) {
                (Form::Null, _) => {}
                (Form::Plain, _) => {
                    self.indent(path);
                    write_key(&mut self.out, key);
                    self.out.extend(b" = ");
                    self.value(value)?;
                    self.out.push(b'\n');
                }
                (Form::Tables, Node::Array(array)) => {
                    for item in &array.items {
                        self.new_line();
                        self.header(path, b"[[", b"]]");
                        self.table(path, &self::entries(&item.value)?)?;
                    }
                }
                (Form::Table | Form::Tables, _) => {
                    if path.len() == 1 {
                        self.new_line();
                    }
                    self.header(path, b"[", b"]");
                    self.table(path, &self::entries(value)?)?;
                }
            }
            path.pop();
        }
        Ok(())
    }

    /// An empty line, but not as the first.
    fn new_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
    }

    fn indent(&mut self, path: &[&Str]) {
        let blanks = self.spaces * path.len().saturating_sub(1);
        self.out.resize(self.out.len() + blanks, b' ');
    }

    fn header(&mut self, path: &[&Str], open: &[u8], close: &[u8]) {
        self.indent(path);
        self.out.extend(open);
        for (at, key) in path.iter().enumerate() {
            if at > 0 {
                self.out.push(b'.');
            }
            write_key(&mut self.out, key);
        }
        self.out.extend(close);
        self.out.push(b'\n');
    }

    fn value(&mut self, value: &Node) -> Result<(), String> {
        match value {
            Node::Null => {}
            Node::Bool(value) => self.out.extend(value.to_string().bytes()),
            Node::Int(value) => self.out.extend(value.to_string().bytes()),
            Node::Uint(value) => self.out.extend(value.to_string().bytes()),
            Node::Float(value) => self.out.extend(float(*value).bytes()),
            Node::Str(text) => write_string(&mut self.out, text),
            Node::Array(array) => {
                self.out.push(b'[');
                for (at, item) in array.items.iter().enumerate() {
                    if at > 0 {
                        self.out.extend(b", ");
                    }
                    self.value(&item.value)?;
                }
                self.out.push(b']');
            }
            Node::Map(_) => self.inline_table(&entries(value)?)?,
            Node::Documents(_) => return Err("toml: cannot encode documents".to_owned()),
        }
        Ok(())
    }

    fn inline_table(&mut self, entries: &[(&Str, &Node, Form)]) -> Result<(), String> {
        self.out.push(b'{');
        let mut first = true;
        for (key, value, _) in entries.iter().filter(|(_, _, form)| *form != Form::Null) {
            if !std::mem::take(&mut first) {
                self.out.extend(b", ");
            }
            write_key(&mut self.out, key);
            self.out.extend(b" = ");
            self.value(value)?;
        }
        self.out.push(b'}');
        Ok(())
    }
}

/// Writes a key: one of more than letters, digits, `_` and `-` in quotes.
pub fn write_key(out: &mut Vec<u8>, key: &[u8]) {
    if !key.is_empty() && key.iter().all(|&byte| is_bare(byte)) {
        out.extend(key);
    } else {
        write_string(out, key);
    }
}

fn write_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' => out.extend(b"\\\""),
            b'\\' => out.extend(b"\\\\"),
            0x08 => out.extend(b"\\b"),
            b'\t' => out.extend(b"\\t"),
            b'\n' => out.extend(b"\\n"),
            0x0c => out.extend(b"\\f"),
            b'\r' => out.extend(b"\\r"),
            0..=0x1f | 0x7f => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Whether a byte may stand in a key without quotes.
pub fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// All digits, without exponent, and with a point.
fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+inf" } else { "-inf" }.to_owned();
    }
    let digits = value.to_string();
    match digits.contains('.') {
        true => digits,
        false => format!("{digits}.0"),
    }
}
