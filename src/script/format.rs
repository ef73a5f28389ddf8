//! Text of numbers and strings: quoting, `%g`, `%` and `format`.

use super::error::{Error, Result};
use super::number;
use super::value::{Args, Value};
use super::vm::Interp;
use num_bigint::BigInt;

/// `%.{precision}g` as C has it: at most so many digits, no trailing zeros, an exponent where it is shorter.
pub fn general(value: f64, precision: usize) -> String {
    if let Some(word) = not_finite(value) {
        return word.into();
    }
    let scientific = format!("{:.*e}", precision.saturating_sub(1), value);
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    lay_out(digits, exponent.parse().unwrap_or(0), precision as i32)
}

/// The shortest digits that give the number back; an exponent below -4 and from `1e+06` on: Go's `%g`.
pub fn shortest(value: f64) -> String {
    if let Some(word) = not_finite(value) {
        return word.into();
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    lay_out(digits, exponent.parse().unwrap_or(0), 6)
}

fn not_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// Digits `d.ddd` and an exponent, as plain digits if the exponent is in `-4..bound`.
fn lay_out(digits: &str, exponent: i32, bound: i32) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let mut figures: String = digits.chars().filter(char::is_ascii_digit).collect();
    figures.truncate(figures.trim_end_matches('0').len().max(1));
    if exponent < -4 || exponent >= bound {
        let (first, rest) = figures.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{mark}{:02}", exponent.abs());
    }
    if exponent < 0 {
        return format!("{sign}0.{}{figures}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if figures.len() <= whole {
        return format!("{sign}{figures}{}", "0".repeat(whole - figures.len()));
    }
    let (before, after) = figures.split_at(whole);
    format!("{sign}{before}.{after}")
}

/// `%e` and `%f` with six digits after the point.
fn fixed(value: f64, verb: u8) -> String {
    if let Some(word) = not_finite(value) {
        return word.into();
    }
    if verb.eq_ignore_ascii_case(&b'f') {
        return format!("{value:.6}");
    }
    let scientific = format!("{value:.6e}");
    match scientific.split_once('e') {
        Some((digits, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}{}{sign}{:02}", verb as char, exponent.abs())
        }
        None => scientific,
    }
}

/// Appends a string literal that means these bytes, in Go's notation.
pub fn quote(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\u{7}' => out.push_str("\\a"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{b}' => out.push_str("\\v"),
                ' '..='~' => out.push(character),
                '\0'..='\u{7f}' => out.push_str(&format!("\\x{:02x}", character as u32)),
                _ if is_printable(character) => out.push(character),
                '\u{80}'..='\u{ffff}' => out.push_str(&format!("\\u{:04x}", character as u32)),
                _ => out.push_str(&format!("\\U{:08x}", character as u32)),
            }
        }
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out.push('"');
}

/// Whether a character beyond ASCII shows: letters, marks, numbers, punctuation, symbols.
fn is_printable(character: char) -> bool {
    // After a letter `escape_debug` lets combining marks stand.
    let mut text = String::from("a");
    text.push(character);
    text.escape_debug().count() == 2 && character != '\u{ad}'
}

/// `format % value`
///
/// # Errors
/// The format or the values do not fit.
pub(super) fn interpolate(interp: &mut Interp, format: &[u8], value: &Value) -> Result<Value> {
    let single = [value.clone()];
    let values: &[Value] = match value {
        Value::Tuple(tuple) => tuple,
        _ => &single,
    };
    let fail = |message: String| Err(Error::new(message));
    interp.charge(format.len())?;
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    let mut index = 0;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before);
        rest = after.get(1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(b"%") {
            out.push(b'%');
            rest = after;
            continue;
        }
        let arg;
        if let Some(after) = rest.strip_prefix(b"(") {
            let Some(end) = after.iter().position(|&byte| byte == b')') else {
                return fail("incomplete format key".into());
            };
            let (key, after) = after.split_at(end);
            arg = match look_up(value, key) {
                None => return fail("format requires a mapping".into()),
                Some(None) => {
                    return fail(format!("key not found: {}", String::from_utf8_lossy(key)));
                }
                Some(Some(found)) => found,
            };
            rest = after.get(1..).unwrap_or_default();
        } else {
            arg = match values.get(index) {
                Some(arg) => arg.clone(),
                None => return fail("not enough arguments for format string".into()),
            };
        }
        let Some((&verb, after)) = rest.split_first() else {
            return fail("incomplete format".into());
        };
        rest = after;
        write_verb(interp, verb, &arg, &mut out)?;
        index += 1;
    }
    if index < values.len() {
        return fail("too many arguments for format string".into());
    }
    out.extend_from_slice(rest);
    Ok(Value::str(out))
}

/// `None` if it is no mapping, `Some(None)` if the key is not there.
fn look_up(mapping: &Value, key: &[u8]) -> Option<Option<Value>> {
    match mapping {
        Value::Dict(dict) => Some(dict.get(&Value::str(key)).ok().flatten()),
        Value::Host(host) => host
            .0
            .index(&Value::str(key))
            .map(|found| found.ok().flatten()),
        _ => None,
    }
}

fn write_verb(interp: &mut Interp, verb: u8, arg: &Value, out: &mut Vec<u8>) -> Result<()> {
    let letter = verb as char;
    match verb {
        b's' | b'r' => interp.write(arg, verb == b'r', out)?,
        b'd' | b'i' | b'o' | b'x' | b'X' => {
            let integer = number::to_integer(arg).map_err(|error| {
                Error::new(format!(
                    "%{letter} format requires integer: {}",
                    error.message()
                ))
            })?;
            let big = number::to_big(&integer).unwrap_or_default();
            let digits = in_base(&big, verb);
            interp.work(digits.len() as u64)?;
            interp.room(out.len() + digits.len())?;
            out.extend_from_slice(digits.as_bytes());
        }
        b'e' | b'f' | b'g' | b'E' | b'F' | b'G' => {
            let Some(float) = arg.to_f64() else {
                return Err(Error::new(format!(
                    "%{letter} format requires float, not {}",
                    arg.type_name()
                )));
            };
            let text = match verb {
                b'g' => shortest(float),
                b'G' => shortest(float).replace('e', "E"),
                _ => fixed(float, verb),
            };
            out.extend_from_slice(text.as_bytes());
        }
        b'c' => match arg {
            Value::Int(_) | Value::BigInt(_) => {
                let character = number::to_small(arg)
                    .ok()
                    .and_then(|code| u32::try_from(code).ok());
                let Some(code) = character.filter(|&code| code <= 0x10_ffff) else {
                    let text = arg.repr();
                    return Err(Error::new(format!(
                        "%c format requires a valid Unicode code point, got {text}"
                    )));
                };
                push_code_point(code, out);
            }
            Value::Str(text) => {
                if text.as_str().is_none_or(|text| text.chars().count() != 1) {
                    return Err(Error::new("%c format requires a single-character string"));
                }
                out.extend_from_slice(text);
            }
            _ => {
                return Err(Error::new(format!(
                    "%c format requires int or single-character string, not {}",
                    arg.type_name()
                )));
            }
        },
        b'%' => out.push(b'%'),
        _ => return Err(Error::new(format!("unknown conversion %{letter}"))),
    }
    Ok(())
}

/// A code point in UTF-8; a surrogate becomes U+FFFD.
pub(super) fn push_code_point(code: u32, out: &mut Vec<u8>) {
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn in_base(value: &BigInt, verb: u8) -> String {
    match verb {
        b'o' => value.to_str_radix(8),
        b'x' => value.to_str_radix(16),
        b'X' => value.to_str_radix(16).to_uppercase(),
        _ => value.to_string(),
    }
}

/// `format.format(args)`
///
/// # Errors
/// The format or the arguments do not fit.
pub(super) fn format_fields(interp: &mut Interp, format: &[u8], args: &Args) -> Result<Value> {
    let fail = |message: &str| Err(Error::new(message));
    interp.charge(format.len())?;
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    let mut next = 0;
    let mut numbering = Numbering::Undecided;
    loop {
        let open = rest.iter().position(|&byte| byte == b'{');
        let (mut literal, after) = rest.split_at(open.unwrap_or(rest.len()));
        while let Some(close) = literal.iter().position(|&byte| byte == b'}') {
            if literal.get(close + 1) != Some(&b'}') {
                return fail("format: single '}' in format");
            }
            out.extend_from_slice(literal.get(..=close).unwrap_or_default());
            literal = literal.get(close + 2..).unwrap_or_default();
        }
        out.extend_from_slice(literal);
        if open.is_none() {
            return Ok(Value::str(out));
        }
        rest = after.get(1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(b"{") {
            out.push(b'{');
            rest = after;
            continue;
        }
        let Some(close) = rest.iter().position(|&byte| byte == b'}') else {
            return fail("format: unmatched '{' in format");
        };
        let (field, after) = rest.split_at(close);
        rest = after.get(1..).unwrap_or_default();

        let (name, conversion, spec) = split_field(field);
        let arg = if name.is_empty() {
            if numbering == Numbering::Manual {
                return fail(
                    "format: cannot switch from manual field specification to automatic field numbering",
                );
            }
            numbering = Numbering::Automatic;
            next += 1;
            match args.positional.get(next - 1) {
                Some(arg) => arg,
                None => return fail("format: tuple index out of range"),
            }
        } else if let Some(index) = decimal(name) {
            if numbering == Numbering::Automatic {
                return fail(
                    "format: cannot switch from automatic field numbering to manual field specification",
                );
            }
            numbering = Numbering::Manual;
            match args.positional.get(index) {
                Some(arg) => arg,
                None => return fail("format: tuple index out of range"),
            }
        } else {
            match args.named.iter().find(|(key, _)| key.as_bytes() == name) {
                Some((_, arg)) => arg,
                None => return Err(no_such_field(name)),
            }
        };
        if !spec.is_empty() {
            let spec = String::from_utf8_lossy(spec);
            return fail(&format!(
                "format spec features not supported in replacement fields: {spec}"
            ));
        }
        match conversion {
            b"s" | b"r" => interp.write(arg, conversion == b"r", &mut out)?,
            other => {
                let mut quoted = String::new();
                quote(other, &mut quoted);
                return fail(&format!("format: unknown conversion {quoted}"));
            }
        }
    }
}

#[derive(PartialEq)]
enum Numbering {
    Undecided,
    Automatic,
    Manual,
}

/// `name`, `name!conversion`, `name:spec` or `name!conversion:spec`.
fn split_field(field: &[u8]) -> (&[u8], &[u8], &[u8]) {
    fn cut(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
        let index = text.iter().position(|&byte| byte == at)?;
        Some((text.get(..index)?, text.get(index + 1..)?))
    }
    match cut(field, b'!') {
        Some((name, rest)) => match cut(rest, b':') {
            Some((conversion, spec)) => (name, conversion, spec),
            None => (name, rest, b""),
        },
        None => match cut(field, b':') {
            Some((name, spec)) => (name, b"s", spec),
            None => (field, b"s", b""),
        },
    }
}

fn decimal(text: &[u8]) -> Option<usize> {
    if text.iter().all(u8::is_ascii_digit) {
        std::str::from_utf8(text).ok()?.parse().ok()
    } else {
        None
    }
}

fn no_such_field(name: &[u8]) -> Error {
    let text = String::from_utf8_lossy(name);
    Error::new(if name.contains(&b'.') {
        format!("format: attribute syntax x.y is not supported in replacement fields: {text}")
    } else if name.contains(&b'[') {
        format!("format: element syntax a[i] is not supported in replacement fields: {text}")
    } else if name.contains(&b'{') {
        "format: nested replacement fields not supported".into()
    } else {
        format!("format: keyword {text} not found")
    })
}

/// The candidate that is most like `name`, if one differs in less than about half of it.
///
/// Case and underscores do not count.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let fold = |text: &str| -> Vec<u8> {
        text.chars()
            .filter(|&c| c != '_')
            .flat_map(char::to_lowercase)
            .collect::<String>()
            .into_bytes()
    };
    let name = fold(name);
    let mut best = None;
    let mut best_distance = name.len().div_ceil(2);
    for candidate in candidates {
        let distance = edit_distance(&name, &fold(candidate), best_distance);
        if distance < best_distance {
            best_distance = distance;
            best = Some(candidate);
        }
    }
    best
}

/// How many bytes to put in, take out or change to make one text of the other; `enough` if it is not less.
fn edit_distance(left: &[u8], right: &[u8], enough: usize) -> usize {
    if left.len().abs_diff(right.len()) >= enough {
        return enough;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        let mut least = before;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (b, slot) in right.iter().zip(row.iter_mut().skip(1)) {
            let changed = diagonal + usize::from(a != b);
            diagonal = *slot;
            before = changed.min(*slot + 1).min(before + 1);
            least = least.min(before);
            *slot = before;
        }
        if least >= enough {
            return enough;
        }
    }
    row.last().copied().unwrap_or(0)
}
