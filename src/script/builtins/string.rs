//! Methods of strings: of bytes that are usually UTF-8.

use super::super::collections::ELEMENT;
use super::super::error::{Error, Result};
use super::super::operations::indices;
use super::super::value::{Args, HostValue, Value};
use super::super::vm::Interp;
use super::super::{format, value};
use super::{Method, Unpacked};
use crate::bytestring::Str;
use memchr::memmem;
use std::any::Any;
use std::borrow::Cow;

/// Bytes of a short string in a list.
const PIECE: usize = 72 + ELEMENT;

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

/// The receiver of a method without arguments, which will be gone through.
fn whole<'a>(interp: &mut Interp, this: &'a Value, name: &str, args: Args) -> Result<&'a Str> {
    Unpacked::positional(name, args, 0, 0)?;
    let text = receiver(this)?;
    interp.look_at(text)?;
    interp.room(text.len())?;
    Ok(text)
}

fn receiver(value: &Value) -> Result<&Str> {
    match value {
        Value::Str(text) => Ok(text),
        _ => Err(Error::new("not a string")),
    }
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
fn spans(bytes: &[u8]) -> impl Iterator<Item = (char, &[u8])> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid();
        let bytes_of = move |(at, character): (usize, char)| {
            let bytes = valid.as_bytes().get(at..at + character.len_utf8());
            (character, bytes.unwrap_or_default())
        };
        let invalid = chunk.invalid().iter();
        valid
            .char_indices()
            .map(bytes_of)
            .chain(invalid.map(|byte| (char::REPLACEMENT_CHARACTER, std::slice::from_ref(byte))))
    })
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

/// Whether there is another character that differs in case only; some have such a one in full case mapping alone.
fn is_cased(character: char) -> bool {
    upper(character) != character
        || lower(character) != character
        || matches!(
            character,
            'ß' | '\u{390}' | '\u{3b0}' | '\u{1fd3}' | '\u{1fe3}'
        )
}

fn is_space(character: char) -> bool {
    matches!(character, '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}')
        || (character > '\u{ff}' && character.is_whitespace())
}

fn collected(characters: impl Iterator<Item = char>) -> Value {
    Value::str(characters.collect::<String>())
}

fn capitalize(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
    Ok(collected(characters(text).enumerate().map(|(index, c)| {
        if index == 0 { title_case(c) } else { lower(c) }
    })))
}

fn title(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
    let mut after_cased = false;
    Ok(collected(characters(text).map(|character| {
        let mapped = if after_cased {
            lower(character)
        } else {
            title_case(character)
        };
        after_cased = is_cased(mapped);
        mapped
    })))
}

fn change_case(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
    let map = if name == "upper" { upper } else { lower };
    Ok(collected(characters(text).map(map)))
}

fn is_case(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
    let map = if name == "isupper" { upper } else { lower };
    Ok(Value::Bool(
        characters(text).any(is_cased)
            && characters(text).all(|character| map(character) == character),
    ))
}

fn istitle(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
    let (mut cased, mut after_cased) = (false, false);
    for character in characters(text) {
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

fn of_kind(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
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

/// The part of a string between two given bounds, and where it begins; it will be gone through.
fn part<'a>(
    interp: &mut Interp,
    text: &'a Str,
    start: &Value,
    end: &Value,
    name: &str,
) -> Result<(&'a [u8], usize)> {
    let (start, end) = indices(start, end, text.len()).map_err(|error| error.in_function(name))?;
    let part = text.get(start..end).unwrap_or_default();
    interp.charge(part.len())?;
    Ok((part, start))
}

/// The pieces between occurrences of a separator that is not empty; some are passed over, and at most `most` are cuts.
fn cut<'a>(text: &'a [u8], separator: &[u8], passed: usize, most: usize) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in memmem::find_iter(text, separator).skip(passed).take(most) {
        pieces.extend(text.get(start..at));
        start = at + separator.len();
    }
    pieces.extend(text.get(start..));
    pieces
}

fn find(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let needle = args.required_string(0)?;
    let (text, start) = part(
        interp,
        receiver(this)?,
        &args.value(1),
        &args.value(2),
        name,
    )?;
    let found = if name.starts_with('r') {
        memmem::rfind(text, &needle)
    } else {
        memmem::find(text, &needle)
    };
    match found {
        Some(at) => Ok(Value::Int((at + start) as i64)),
        None if name.ends_with("index") => Err(Error::new("substring not found").in_function(name)),
        None => Ok(Value::Int(-1)),
    }
}

fn count(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let needle = args.required_string(0)?;
    let (text, _) = part(
        interp,
        receiver(this)?,
        &args.value(1),
        &args.value(2),
        name,
    )?;
    let count = if needle.is_empty() {
        characters(text).count() + 1
    } else {
        memmem::find_iter(text, needle.as_bytes()).count()
    };
    Ok(Value::Int(count as i64))
}

fn affix(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let wanted = args.value(0);
    let text = receiver(this)?;
    let (start, end) = indices(&args.value(1), &args.value(2), text.len())
        .map_err(|error| error.in_function(name))?;
    let text = text.get(start..end).unwrap_or_default();
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
    format::format_fields(interp, receiver(this)?, &args)
}

fn join(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 1)?;
    let separator = receiver(this)?;
    let mut out = Vec::new();
    let elements = args.iteration(0, interp)?;
    for (index, element) in elements.into_iter().flatten().enumerate() {
        if index > 0 {
            out.extend_from_slice(separator);
        }
        let Value::Str(text) = &element else {
            return Err(Error::new(format!(
                "join: in list, want string, got {}",
                element.type_name()
            )));
        };
        let len = text.len() + separator.len();
        interp.room(out.len() + len)?;
        interp.charge(len)?;
        out.extend_from_slice(text);
    }
    Ok(Value::str(out))
}

fn partition(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let separator = Unpacked::positional(name, args, 1, 1)?.required_string(0)?;
    if separator.is_empty() {
        return Err(Error::new("empty separator").in_function(name));
    }
    let text = receiver(this)?;
    interp.charge(text.len())?;
    let from_end = name.starts_with('r');
    let found = if from_end {
        memmem::rfind(text, &separator)
    } else {
        memmem::find(text, &separator)
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
    interp.charge(text.len())?;
    let places = if old.is_empty() {
        characters(text).count() + 1
    } else {
        memmem::find_iter(text.as_bytes(), old.as_bytes()).count()
    };
    let places = places.min(most);
    interp.charge(
        places
            .saturating_mul(new.len().max(1))
            .saturating_add(text.len()),
    )?;
    if places == 0 {
        return Ok(this.clone());
    }
    if !old.is_empty() {
        return Ok(Value::str(cut(text, &old, 0, most).join(new.as_bytes())));
    }
    let mut out = Vec::with_capacity(text.len() + places * new.len());
    let mut spans = spans(text);
    for _ in 0..places {
        out.extend_from_slice(&new);
        out.extend(spans.next().map(|(_, bytes)| bytes).unwrap_or_default());
    }
    out.extend(spans.flat_map(|(_, bytes)| bytes));
    Ok(Value::str(out))
}

fn strip(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
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
    let (mut start, mut end) = (0, text.len());
    if name != "rstrip" {
        let cut = spans(text).take_while(|(character, _)| strips(*character));
        start = cut.map(|(_, bytes)| bytes.len()).sum();
    }
    if name != "lstrip" {
        let kept = spans(text.get(start..).unwrap_or_default())
            .scan(start, |at, (character, bytes)| {
                *at += bytes.len();
                Some((character, *at))
            })
            .filter(|(character, _)| !strips(*character));
        end = kept.last().map_or(start, |(_, at)| at);
    }
    interp.work((text.len().saturating_mul(set.len().max(1))) as u64)?;
    Ok(Value::str(text.get(start..end).unwrap_or_default()))
}

fn split(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 0, 2)?;
    let separator = args.value(0);
    let most = args.integer(1)?.unwrap_or(-1);
    let text = receiver(this)?;
    let from_end = name == "rsplit";
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    interp.charge(text.len())?;
    let pieces = match &separator {
        Value::None => {
            interp.look_at(text)?;
            interp.charge(words(text).count().saturating_mul(PIECE))?;
            fields(text, limit, from_end)
        }
        Value::Str(separator) if separator.is_empty() => {
            return Err(Error::new("split: empty separator"));
        }
        Value::Str(separator) => {
            let cuts = memmem::find_iter(text.as_bytes(), separator.as_bytes()).count();
            interp.charge(cuts.min(limit).saturating_mul(PIECE))?;
            let passed = if from_end {
                cuts.saturating_sub(limit)
            } else {
                0
            };
            cut(text, separator, passed, limit)
        }
        other => {
            return Err(Error::new(format!(
                "split: got {} for separator, want string",
                other.type_name()
            )));
        }
    };
    Ok(Value::list(pieces.into_iter().map(Value::str).collect()))
}

/// The words between runs of white space, by where they begin and end.
fn words(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    let mut start = None;
    let ends = spans(text).map(|(character, bytes)| (is_space(character), bytes.len()));
    ends.chain([(true, 0)]).filter_map(move |(space, len)| {
        let word = if space {
            start.take().map(|start| (start, at))
        } else {
            start.get_or_insert(at);
            None
        };
        at += len;
        word
    })
}

/// The words of a text; after `most` cuts the rest stays whole.
fn fields(text: &[u8], most: usize, from_end: bool) -> Vec<&[u8]> {
    let mut words: Vec<(usize, usize)> = words(text).collect();
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
    let count = memchr::memchr_iter(b'\n', text).count() + 1;
    interp.charge(text.len() + count * PIECE)?;
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

fn pieces(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let text = whole(interp, this, name, args)?;
    Ok(Value::host(Pieces {
        text: text.clone(),
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

    fn iterate_bytes(&self) -> usize {
        self.text
            .len()
            .saturating_mul(if self.numbers { ELEMENT } else { PIECE })
    }

    fn iterate(&self) -> Option<Vec<value::Value>> {
        Some(if self.code_points {
            let piece = |(character, bytes): (char, &[u8])| match self.numbers {
                true => Value::Int(i64::from(u32::from(character))),
                false => Value::str(bytes),
            };
            spans(&self.text).map(piece).collect()
        } else {
            let piece = |byte: &u8| match self.numbers {
                true => Value::Int(i64::from(*byte)),
                false => Value::str(std::slice::from_ref(byte)),
            };
            self.text.iter().map(piece).collect()
        })
    }
}
