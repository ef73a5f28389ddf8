//! Methods of strings: of bytes that are usually UTF-8.

use super::super::error::{Error, Result};
use super::super::operations::indices;
use super::super::value::{Args, HostValue, Value};
use super::super::vm::Interp;
use super::super::{format, value};
use super::{Method, Unpacked};
use crate::bytestring::Str;
use std::any::Any;
use std::borrow::Cow;

pub(super) const METHODS: &[(&str, Method)] = &[
    ("capitalize", capitalize),
    ("codepoint_ords", pieces),
    ("codepoints", pieces),
    ("count", count),
    ("elem_ords", pieces),
    ("elems", pieces),
    ("endswith", affix),
    ("find", find),
    ("format", format_method),
    ("index", find),
    ("isalnum", of_kind),
    ("isalpha", of_kind),
    ("isdigit", of_kind),
    ("islower", is_case),
    ("isspace", of_kind),
    ("istitle", istitle),
    ("isupper", is_case),
    ("join", join),
    ("lower", change_case),
    ("lstrip", strip),
    ("partition", partition),
    ("replace", replace),
    ("rfind", find),
    ("rindex", find),
    ("rpartition", partition),
    ("rsplit", split),
    ("rstrip", strip),
    ("split", split),
    ("splitlines", splitlines),
    ("startswith", affix),
    ("strip", strip),
    ("title", title),
    ("upper", change_case),
];

fn receiver(value: &Value) -> Result<&Str> {
    match value {
        Value::Str(text) => Ok(text),
        _ => Err(Error::new("not a string")),
    }
}

fn nothing(name: &str, args: Args) -> Result<()> {
    Unpacked::positional(name, args, 0, 0).map(|_| ())
}

/// The characters; each byte that is not UTF-8 is U+FFFD.
fn characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    bytes.utf8_chunks().flat_map(|chunk| {
        chunk
            .valid()
            .chars()
            .chain(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER))
    })
}

/// The characters with the bytes that they stand for.
fn spans(bytes: &[u8]) -> Vec<(char, &[u8])> {
    let mut spans = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        for (at, character) in valid.char_indices() {
            spans.push((character, &valid.as_bytes()[at..at + character.len_utf8()]));
        }
        spans.extend(
            chunk
                .invalid()
                .iter()
                .map(|byte| (char::REPLACEMENT_CHARACTER, std::slice::from_ref(byte))),
        );
    }
    spans
}

/// The one character that a character's case mapping gives; itself where Go's simple mapping has none.
fn simple(mapped: impl Iterator<Item = char>, character: char) -> char {
    let mut mapped = mapped;
    match (mapped.next(), mapped.next()) {
        (Some(single), None) => single,
        // U+0130 is the one character whose simple mapping is not its full one's only character.
        _ if character == '\u{130}' => 'i',
        _ => character,
    }
}

fn upper(character: char) -> char {
    simple(character.to_uppercase(), character)
}

fn lower(character: char) -> char {
    simple(character.to_lowercase(), character)
}

/// Title case; other than upper case for the digraphs of three forms only.
fn title_case(character: char) -> char {
    match character {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        _ => upper(character),
    }
}

fn is_title(character: char) -> bool {
    matches!(character, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}')
}

fn is_cased(character: char) -> bool {
    upper(character) != character || lower(character) != character
}

fn is_space(character: char) -> bool {
    matches!(character, '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}')
        || (character > '\u{ff}' && character.is_whitespace())
}

fn collected(characters: impl Iterator<Item = char>) -> Value {
    Value::str(characters.collect::<String>())
}

fn capitalize(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    let text = receiver(this)?;
    Ok(collected(characters(text).enumerate().map(|(index, c)| {
        if index == 0 { title_case(c) } else { lower(c) }
    })))
}

fn title(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    let mut after_cased = false;
    Ok(collected(characters(receiver(this)?).map(|character| {
        let mapped = if after_cased {
            lower(character)
        } else {
            title_case(character)
        };
        after_cased = is_cased(mapped);
        mapped
    })))
}

fn change_case(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    let map = if name == "upper" { upper } else { lower };
    Ok(collected(characters(receiver(this)?).map(map)))
}

fn is_case(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    let text = receiver(this)?;
    let map = if name == "isupper" { upper } else { lower };
    Ok(Value::Bool(
        characters(text).any(is_cased)
            && characters(text).all(|character| map(character) == character),
    ))
}

fn istitle(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    let (mut cased, mut after_cased) = (false, false);
    for character in characters(receiver(this)?) {
        let begins = character.is_ascii_uppercase() || is_title(character);
        if begins || character.is_lowercase() {
            if begins == after_cased {
                return Ok(Value::Bool(false));
            }
            (cased, after_cased) = (true, true);
        } else if character.is_uppercase() {
            return Ok(Value::Bool(false));
        } else {
            after_cased = false;
        }
    }
    Ok(Value::Bool(cased))
}

fn of_kind(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    let text = receiver(this)?;
    // Go's digits are the decimal ones (category Nd); Rust's numeric test is wider beyond ASCII.
    let is_digit =
        |c: char| c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric() && !c.is_alphabetic());
    let holds = |c: char| match name {
        "isalnum" => c.is_alphabetic() || is_digit(c),
        "isalpha" => c.is_alphabetic(),
        "isdigit" => is_digit(c),
        _ => is_space(c),
    };
    Ok(Value::Bool(!text.is_empty() && characters(text).all(holds)))
}

/// The part of a string between two given bounds, and where it begins.
fn part<'a>(text: &'a Str, start: &Value, end: &Value, name: &str) -> Result<(&'a [u8], usize)> {
    let (start, end) = indices(start, end, text.len()).map_err(|error| error.in_function(name))?;
    Ok((text.get(start..end).unwrap_or_default(), start))
}

/// Where `needle` stands in `text` for the first time.
pub(in super::super) fn position(text: &[u8], needle: &[u8]) -> Option<usize> {
    match needle {
        [] => Some(0),
        [single] => text.iter().position(|byte| byte == single),
        [first, ..] => {
            let mut from = 0;
            loop {
                let at = from + text.get(from..)?.iter().position(|byte| byte == first)?;
                if text.get(at..)?.starts_with(needle) {
                    return Some(at);
                }
                from = at + 1;
            }
        }
    }
}

fn last_position(text: &[u8], needle: &[u8]) -> Option<usize> {
    let last = text.len().checked_sub(needle.len())?;
    (0..=last)
        .rev()
        .find(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(needle)))
}

/// The pieces between occurrences of a separator that is not empty; at most `most` cuts.
fn cut<'a>(text: &'a [u8], separator: &[u8], most: usize) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while pieces.len() < most {
        let Some(at) = position(rest, separator) else {
            break;
        };
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after.get(separator.len()..).unwrap_or_default();
    }
    pieces.push(rest);
    pieces
}

fn find(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let needle = args.required_string(0)?;
    let (text, start) = part(receiver(this)?, &args.value(1), &args.value(2), name)?;
    let found = if name.starts_with('r') {
        last_position(text, &needle)
    } else {
        position(text, &needle)
    };
    match found {
        Some(at) => Ok(Value::Int((at + start) as i64)),
        None if name.ends_with("index") => Err(Error::new("substring not found").in_function(name)),
        None => Ok(Value::Int(-1)),
    }
}

fn count(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let needle = args.required_string(0)?;
    let (text, _) = part(receiver(this)?, &args.value(1), &args.value(2), name)?;
    let count = if needle.is_empty() {
        characters(text).count() + 1
    } else {
        cut(text, &needle, usize::MAX).len() - 1
    };
    Ok(Value::Int(count as i64))
}

fn affix(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let wanted = args.value(0);
    let (text, _) = part(receiver(this)?, &args.value(1), &args.value(2), name)?;
    let holds = |affix: &[u8]| {
        if name == "endswith" {
            text.ends_with(affix)
        } else {
            text.starts_with(affix)
        }
    };
    match &wanted {
        Value::Str(affix) => Ok(Value::Bool(holds(affix))),
        Value::Tuple(affixes) => {
            for (index, affix) in affixes.iter().enumerate() {
                let Value::Str(affix) = affix else {
                    let kind = affix.type_name();
                    return Err(Error::new(format!(
                        "{name}: want string, got {kind}, for element {index}"
                    )));
                };
                if holds(affix) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        other => Err(Error::new(format!(
            "{name}: got {}, want string or tuple of string",
            other.type_name()
        ))),
    }
}

fn format_method(interp: &mut Interp, this: &Value, _: &'static str, args: Args) -> Result<Value> {
    let made = format::format_fields(receiver(this)?, &args)?;
    interp.charge(made.length().unwrap_or(0) as u64)?;
    Ok(made)
}

fn join(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 1)?;
    let separator = receiver(this)?;
    let mut out = Vec::new();
    for (index, element) in args.iterable(0)?.unwrap_or_default().iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(separator);
        }
        let Value::Str(text) = element else {
            return Err(Error::new(format!(
                "join: in list, want string, got {}",
                element.type_name()
            )));
        };
        interp.charge((text.len() + separator.len()) as u64)?;
        out.extend_from_slice(text);
    }
    Ok(Value::str(out))
}

fn partition(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let separator = Unpacked::positional(name, args, 1, 1)?.required_string(0)?;
    if separator.is_empty() {
        return Err(Error::new("empty separator").in_function(name));
    }
    let text = receiver(this)?;
    let from_end = name.starts_with('r');
    let found = if from_end {
        last_position(text, &separator)
    } else {
        position(text, &separator)
    };
    let empty = || Value::str("");
    Ok(Value::tuple(match found {
        Some(at) => {
            let (before, after) = text.split_at(at);
            let after = after.get(separator.len()..).unwrap_or_default();
            vec![Value::str(before), Value::Str(separator), Value::str(after)]
        }
        None if from_end => vec![empty(), empty(), this.clone()],
        None => vec![this.clone(), empty(), empty()],
    }))
}

fn replace(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 2, 3)?;
    let (old, new) = (args.required_string(0)?, args.required_string(1)?);
    let most = usize::try_from(args.integer(2)?.unwrap_or(-1)).unwrap_or(usize::MAX);
    let text = receiver(this)?;
    let out = if old.is_empty() {
        let mut out = Vec::new();
        let spans = spans(text);
        for (index, (_, bytes)) in spans.iter().enumerate() {
            if index < most {
                out.extend_from_slice(&new);
            }
            out.extend_from_slice(bytes);
        }
        if spans.len() < most {
            out.extend_from_slice(&new);
        }
        out
    } else {
        cut(text, &old, most).join(new.as_bytes())
    };
    interp.charge(out.len() as u64)?;
    Ok(Value::str(out))
}

fn strip(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let cutset = Unpacked::positional(name, args, 0, 1)?.required_string(0)?;
    let set: Vec<char> = characters(&cutset).collect();
    let strips = |character: char| {
        if set.is_empty() {
            is_space(character)
        } else {
            set.contains(&character)
        }
    };
    let text = receiver(this)?;
    let spans = spans(text);
    let len = |spans: &[(char, &[u8])]| spans.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let mut kept = spans.as_slice();
    let mut start = 0;
    if name != "rstrip" {
        let count = kept
            .iter()
            .take_while(|(character, _)| strips(*character))
            .count();
        let (cut, rest) = kept.split_at(count);
        (start, kept) = (len(cut), rest);
    }
    if name != "lstrip" {
        let count = kept
            .iter()
            .rev()
            .take_while(|(character, _)| strips(*character))
            .count();
        kept = kept.get(..kept.len() - count).unwrap_or_default();
    }
    Ok(Value::str(
        text.get(start..start + len(kept)).unwrap_or_default(),
    ))
}

fn split(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 0, 2)?;
    let separator = args.value(0);
    let most = args.integer(1)?.unwrap_or(-1);
    let text = receiver(this)?;
    let from_end = name == "rsplit";
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    let pieces: Vec<Vec<u8>> = match &separator {
        Value::None => fields(text, limit, from_end)
            .into_iter()
            .map(<[u8]>::to_vec)
            .collect(),
        Value::Str(separator) if separator.is_empty() => {
            return Err(Error::new("split: empty separator"));
        }
        Value::Str(separator) if from_end && most >= 0 => {
            let pieces = cut(text, separator, usize::MAX);
            let excess = pieces.len().saturating_sub(limit);
            let (first, rest) = pieces.split_at(excess);
            let head = (excess > 0).then(|| first.join(separator.as_bytes()));
            head.into_iter()
                .chain(rest.iter().map(|piece| piece.to_vec()))
                .collect()
        }
        Value::Str(separator) => cut(text, separator, limit)
            .into_iter()
            .map(<[u8]>::to_vec)
            .collect(),
        other => {
            return Err(Error::new(format!(
                "split: got {} for separator, want string",
                other.type_name()
            )));
        }
    };
    interp.charge((text.len() + pieces.len()) as u64)?;
    Ok(Value::list(pieces.into_iter().map(Value::str).collect()))
}

/// The pieces between runs of white space; after `most` cuts the rest stays whole.
fn fields(text: &[u8], most: usize, from_end: bool) -> Vec<&[u8]> {
    let mut spaces: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for (character, bytes) in spans(text) {
        if is_space(character) {
            match spaces.last_mut() {
                Some((_, end)) if *end == at => *end += bytes.len(),
                _ => spaces.push((at, at + bytes.len())),
            }
        }
        at += bytes.len();
    }
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    for (space, end) in spaces {
        if space > start {
            words.push((start, space));
        }
        start = end;
    }
    if text.len() > start {
        words.push((start, text.len()));
    }
    if words.len() > most {
        if from_end {
            let first = words.len() - most - 1;
            if let Some(&(_, end)) = words.get(first) {
                words.drain(..first);
                if let Some(word) = words.first_mut() {
                    *word = (0, end);
                }
            }
        } else {
            words.truncate(most + 1);
            if let Some(word) = words.last_mut() {
                word.1 = text.len();
            }
        }
    }
    words
        .into_iter()
        .filter_map(|(start, end)| text.get(start..end))
        .collect()
}

fn splitlines(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let keep = Unpacked::positional(name, args, 0, 1)?
        .boolean(0)?
        .unwrap_or(false);
    let text = receiver(this)?;
    interp.charge(text.len() as u64)?;
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let line = |line: &[u8]| {
        Value::str(if keep {
            line
        } else {
            line.strip_suffix(b"\n").unwrap_or(line)
        })
    };
    Ok(Value::list(lines.map(line).collect()))
}

fn pieces(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    nothing(name, args)?;
    Ok(Value::host(Pieces {
        text: receiver(this)?.clone(),
        method: name,
        numbers: name.ends_with("_ords"),
        code_points: name.starts_with("codepoint"),
    }))
}

/// The bytes or code points of a string, as strings or numbers: can be iterated, nothing else.
struct Pieces {
    text: Str,
    method: &'static str,
    numbers: bool,
    code_points: bool,
}

impl HostValue for Pieces {
    fn type_name(&self) -> Cow<'static, str> {
        if self.code_points {
            "codepoints".into()
        } else {
            "elems".into()
        }
    }

    fn repr(&self) -> String {
        let mut out = String::new();
        format::quote(&self.text, &mut out);
        format!("{out}.{}()", self.method)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn iterate(&self) -> Option<Vec<value::Value>> {
        Some(if self.code_points {
            let piece = |(character, bytes): (char, &[u8])| match self.numbers {
                true => Value::Int(i64::from(u32::from(character))),
                false => Value::str(bytes),
            };
            spans(&self.text).into_iter().map(piece).collect()
        } else {
            let piece = |byte: &u8| match self.numbers {
                true => Value::Int(i64::from(*byte)),
                false => Value::str(std::slice::from_ref(byte)),
            };
            self.text.iter().map(piece).collect()
        })
    }
}
