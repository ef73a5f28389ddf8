//! What a plain scalar means in YAML 1.1 as go-yaml v2 reads it, and how floats are written.

use super::node::Value;

/// What an unquoted text stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Int(i64),
    /// Above `i64::MAX`.
    Uint(u64),
    Float(f64),
    /// Looks like a time; its value is the text all the same.
    Timestamp,
    Str,
}

/// The value of an unquoted scalar.
pub fn resolve(text: &str) -> Value {
    value(text.as_bytes())
}

/// The value of an unquoted scalar.
pub(super) fn value(text: &[u8]) -> Value {
    match plain(text) {
        Plain::Null => Value::Null,
        Plain::Bool(value) => Value::Bool(value),
        Plain::Int(value) => Value::Int(value),
        Plain::Uint(value) => Value::Uint(value),
        Plain::Float(value) => Value::Float(value),
        Plain::Timestamp | Plain::Str => Value::str(text),
    }
}

/// True if an unquoted text is a string.
pub(super) fn is_string(text: &[u8]) -> bool {
    matches!(plain(text), Plain::Str | Plain::Timestamp)
}

/// What an unquoted text stands for; the first byte decides which rules can apply.
pub(super) fn plain(text: &[u8]) -> Plain {
    match text.first() {
        None => Plain::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text)
        }
        Some(b'.') => dotted(text),
        Some(b'0'..=b'9' | b'+' | b'-') => number(text),
        Some(_) => Plain::Str,
    }
}

fn word(text: &[u8]) -> Plain {
    match text {
        b"y" | b"Y" | b"yes" | b"Yes" | b"YES" | b"true" | b"True" | b"TRUE" | b"on" | b"On"
        | b"ON" => Plain::Bool(true),
        b"n" | b"N" | b"no" | b"No" | b"NO" | b"false" | b"False" | b"FALSE" | b"off" | b"Off"
        | b"OFF" => Plain::Bool(false),
        b"~" | b"null" | b"Null" | b"NULL" => Plain::Null,
        _ => Plain::Str,
    }
}

fn dotted(text: &[u8]) -> Plain {
    match text {
        b".nan" | b".NaN" | b".NAN" => Plain::Float(f64::NAN),
        b".inf" | b".Inf" | b".INF" => Plain::Float(f64::INFINITY),
        _ => float(text).map_or(Plain::Str, Plain::Float),
    }
}

fn number(text: &[u8]) -> Plain {
    match text {
        b"+.inf" | b"+.Inf" | b"+.INF" => return Plain::Float(f64::INFINITY),
        b"-.inf" | b"-.Inf" | b"-.INF" => return Plain::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if is_timestamp(text) {
        return Plain::Timestamp;
    }
    let stripped: Vec<u8>;
    let digits = if text.contains(&b'_') {
        stripped = text.iter().copied().filter(|&byte| byte != b'_').collect();
        &stripped[..]
    } else {
        text
    };
    if let Some(value) = integer(digits) {
        return value;
    }
    if let Some(value) = float(digits) {
        return Plain::Float(value);
    }
    // go-yaml tries binary digits once more after `0b`, and there lets a sign stand between.
    match digits.strip_prefix(b"0b") {
        Some(rest) => integer_in_base(rest, 2).unwrap_or(Plain::Str),
        None => Plain::Str,
    }
}

/// Decimal, `0x`, `0b`, `0o` or `0` octal, with a sign; `None` if it does not fit 64 bits.
fn integer(text: &[u8]) -> Option<Plain> {
    let (sign, digits) = match text {
        [b'+' | b'-', rest @ ..] => (&text[..1], rest),
        _ => (&text[..0], text),
    };
    let (base, digits) = match digits {
        [b'0', b'x' | b'X', rest @ ..] if !rest.is_empty() => (16, rest),
        [b'0', b'b' | b'B', rest @ ..] if !rest.is_empty() => (2, rest),
        [b'0', b'o' | b'O', rest @ ..] if !rest.is_empty() => (8, rest),
        [b'0'] => (10, digits),
        [b'0', rest @ ..] => (8, rest),
        _ => (10, digits),
    };
    signed(sign, digits, base)
}

fn integer_in_base(text: &[u8], base: u32) -> Option<Plain> {
    match text {
        [b'+' | b'-', rest @ ..] => signed(&text[..1], rest, base),
        _ => signed(&text[..0], text, base),
    }
}

fn signed(sign: &[u8], digits: &[u8], base: u32) -> Option<Plain> {
    if digits.is_empty() {
        return None;
    }
    let mut magnitude: u64 = 0;
    for &byte in digits {
        let digit = char::from(byte).to_digit(base)?;
        magnitude = magnitude
            .checked_mul(u64::from(base))?
            .checked_add(u64::from(digit))?;
    }
    match (sign, i64::try_from(magnitude)) {
        (b"-", Ok(value)) => Some(Plain::Int(-value)),
        (b"-", Err(_)) => (magnitude == i64::MIN.unsigned_abs()).then_some(Plain::Int(i64::MIN)),
        (_, Ok(value)) => Some(Plain::Int(value)),
        (b"", Err(_)) => Some(Plain::Uint(magnitude)),
        (_, Err(_)) => None,
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, unless too large for a float.
fn float(text: &[u8]) -> Option<f64> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = text;
    if let [b'+' | b'-', after @ ..] = rest {
        rest = after;
    }
    let whole = digits(rest);
    rest = &rest[whole..];
    if let [b'.', after @ ..] = rest {
        let fraction = digits(after);
        if whole + fraction == 0 {
            return None;
        }
        rest = &after[fraction..];
    } else if whole == 0 {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let after = match after {
            [b'+' | b'-', after @ ..] => after,
            _ => after,
        };
        let exponent = digits(after);
        if exponent == 0 {
            return None;
        }
        rest = &after[exponent..];
    }
    if !rest.is_empty() {
        return None;
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// Numbers in base 60 are strings here, but other parsers would read them as numbers.
pub(super) fn is_sexagesimal(text: &[u8]) -> bool {
    let text = match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    };
    if !text.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let run = |text: &[u8]| {
        text.iter()
            .take_while(|&&byte| byte.is_ascii_digit() || byte == b'_')
            .count()
    };
    let mut rest = &text[run(text)..];
    if rest.first() != Some(&b':') {
        return false;
    }
    while let [b':', after @ ..] = rest {
        rest = match after {
            [b'0'..=b'5', b'0'..=b'9', after @ ..] => after,
            [b'0'..=b'9', after @ ..] => after,
            _ => return false,
        };
    }
    match rest {
        [b'.', after @ ..] => run(after) == after.len(),
        _ => rest.is_empty(),
    }
}

/// The forms of a time that go-yaml knows: a date; date and time with a zone after `T` or `t`; or without after blanks.
pub(super) fn is_timestamp(text: &[u8]) -> bool {
    if text.len() < 8 || !text[..4].iter().all(u8::is_ascii_digit) || text[4] != b'-' {
        return false;
    }
    timestamp_rest(text).is_some_and(<[u8]>::is_empty)
}

/// What follows the time at the start of a text.
fn timestamp_rest(text: &[u8]) -> Option<&[u8]> {
    let year = text[..4]
        .iter()
        .fold(0, |year, byte| year * 10 + u32::from(byte - b'0'));
    let (month, rest) = short_number(&text[5..])?;
    let (day, rest) = short_number(literal(rest, b'-')?)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > days {
        return None;
    }
    let (zoned, rest) = match rest {
        [b'T' | b't', rest @ ..] => (true, rest),
        [b' ', ..] => (false, rest.trim_ascii_start()),
        _ => return Some(rest),
    };
    let (hour, rest) = short_number(rest)?;
    let (minute, rest) = short_number(literal(rest, b':')?)?;
    let (second, rest) = short_number(literal(rest, b':')?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = match rest {
        [b'.' | b',', after @ ..] if after.first().is_some_and(u8::is_ascii_digit) => {
            &after[after
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()..]
        }
        _ => rest,
    };
    if !zoned {
        return Some(rest);
    }
    match rest {
        [b'Z', rest @ ..] => Some(rest),
        [b'+' | b'-', h1, h2, b':', m1, m2, rest @ ..]
            if [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()) =>
        {
            let pair = |high: &u8, low: &u8| (high - b'0') * 10 + (low - b'0');
            (pair(h1, h2) <= 24 && pair(m1, m2) <= 60).then_some(rest)
        }
        _ => None,
    }
}

fn literal(text: &[u8], byte: u8) -> Option<&[u8]> {
    text.split_first()
        .filter(|(first, _)| **first == byte)
        .map(|(_, rest)| rest)
}

/// A number of one or two digits.
fn short_number(text: &[u8]) -> Option<(u32, &[u8])> {
    match text {
        [high @ b'0'..=b'9', low @ b'0'..=b'9', rest @ ..] => {
            Some((u32::from(high - b'0') * 10 + u32::from(low - b'0'), rest))
        }
        [digit @ b'0'..=b'9', rest @ ..] => Some((u32::from(digit - b'0'), rest)),
        _ => None,
    }
}

/// A float in the shortest digits that give it back, with an exponent below 1e-4 and from 1e6 on: `1e+06`.
pub fn format_float(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    with_exponent(value, |exponent| !(-4..6).contains(&exponent), 2)
}

/// A float as Go writes it in JSON, with an exponent below 1e-6 and from 1e21 on; `None` if it is not finite.
pub(super) fn format_json_float(value: f64) -> Option<String> {
    value
        .is_finite()
        .then(|| with_exponent(value, |exponent| !(-6..21).contains(&exponent), 1))
}

/// The shortest digits that give the float back; an exponent of at least `width` digits where `scientific` says so.
fn with_exponent(value: f64, scientific: impl Fn(i32) -> bool, width: usize) -> String {
    let shortest = format!("{value:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !scientific(exponent) {
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:0width$}", exponent.unsigned_abs())
}
