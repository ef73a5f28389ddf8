//! The functions that every program sees.

use super::super::ast::BinaryOp;
use super::super::collections::{Dict, ELEMENT, PAIR};
use super::super::error::{Error, Result};
use super::super::iteration::Iteration;
use super::super::value::{Args, Range, Value};
use super::super::vm::Interp;
use super::super::{format, number};
use super::{Universal, Unpacked, dict};
use std::rc::Rc;

/// The body of the function with this name.
pub(super) fn find(name: &str) -> Option<Universal> {
    Some(match name {
        "any" => any,
        "all" => all,
        "bool" => boolean,
        "chr" => chr,
        "dict" => make_dict,
        "dir" => dir,
        "enumerate" => enumerate,
        "fail" => fail,
        "float" => float,
        "getattr" => getattr,
        "hasattr" => hasattr,
        "hash" => hash,
        "int" => int,
        "len" => len,
        "list" => list,
        "max" | "min" => extreme,
        "ord" => ord,
        "print" => print,
        "range" => range,
        "repr" => repr,
        "reversed" => reversed,
        "set" => set,
        "sorted" => sorted,
        "str" => str,
        "tuple" => tuple,
        "type" => type_of,
        "zip" => zip,
        _ => return None,
    })
}

/// The one argument of functions that complain in this older way.
fn only(name: &str, args: Args, want: &str) -> Result<Value> {
    if !args.named.is_empty() {
        return Err(Error::new(format!(
            "{name} does not accept keyword arguments"
        )));
    }
    let given = args.positional.len();
    match <[Value; 1]>::try_from(args.positional) {
        Ok([value]) => Ok(value),
        Err(_) => Err(Error::new(format!(
            "{name}: got {given} arguments, want {want}"
        ))),
    }
}

fn any(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    decided(interp, name, args, true)
}

fn all(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    decided(interp, name, args, false)
}

/// The truth value that decides, if an element has it; else the other one.
fn decided(interp: &mut Interp, name: &str, args: Args, decisive: bool) -> Result<Value> {
    let elements = Unpacked::positional(name, args, 1, 1)?.iteration(0, interp)?;
    for element in elements.into_iter().flatten() {
        interp.work(1)?;
        if element.truth() == decisive {
            return Ok(Value::Bool(decisive));
        }
    }
    Ok(Value::Bool(!decisive))
}

fn boolean(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    Ok(Value::Bool(
        Unpacked::positional(name, args, 0, 1)?.value(0).truth(),
    ))
}

fn chr(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let value = only(name, args, "1")?;
    let code = number::to_small(&value)
        .map_err(|_| Error::new(format!("chr: got {}, want int", value.type_name())))?;
    if code < 0 {
        return Err(Error::new(format!(
            "chr: Unicode code point {code} out of range (<0)"
        )));
    }
    match u32::try_from(code).ok().filter(|&code| code <= 0x10_ffff) {
        Some(code) => {
            let mut out = Vec::new();
            format::push_code_point(code, &mut out);
            Ok(Value::str(out))
        }
        None => Err(Error::new(format!(
            "chr: Unicode code point U+{code:X} out of range (>0x10FFFF)"
        ))),
    }
}

fn make_dict(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let made = Dict::default();
    dict::update(interp, &made, name, args)?;
    Ok(Value::Dict(Rc::new(made)))
}

fn dir(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let names = only(name, args, "1")?.attr_names();
    Ok(Value::list(names.into_iter().map(Value::from).collect()))
}

fn enumerate(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let elements = args.iterable(0, interp)?.unwrap_or_default();
    let start = args.integer(1)?.unwrap_or(0);
    interp.charge(elements.len() * PAIR)?;
    let pair = |(index, element): (usize, Value)| {
        Value::tuple(vec![
            Value::Int(start.saturating_add(index as i64)),
            element,
        ])
    };
    Ok(Value::list(
        elements.into_iter().enumerate().map(pair).collect(),
    ))
}

/// The arguments as `print` and `fail` show them.
fn joined(interp: &mut Interp, name: &str, args: Args) -> Result<String> {
    let Args { positional, named } = args;
    let named = Args {
        positional: Vec::new(),
        named,
    };
    let separator = Unpacked::named(name, named, &["sep"], 0)?.string(0)?;
    let mut out = Vec::new();
    for (index, value) in positional.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(separator.as_deref().unwrap_or(b" "));
        }
        interp.write(value, false, &mut out)?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn fail(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    Err(Error::new(joined(interp, name, args)?).in_function(name))
}

fn print(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let line = joined(interp, name, args)?;
    interp.print(&line)?;
    Ok(Value::None)
}

fn float(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    if !args.named.is_empty() {
        return Err(Error::new("float does not accept keyword arguments"));
    }
    let value = match args.positional.as_slice() {
        [] => return Ok(Value::Float(0.0)),
        [value] => value,
        more => {
            return Err(Error::new(format!(
                "float got {} arguments, wants 1",
                more.len()
            )));
        }
    };
    match value {
        Value::Bool(value) => Ok(Value::Float(f64::from(u8::from(*value)))),
        Value::Str(text) => {
            interp.look_at(text)?;
            parse_float(&text.to_text())
                .map(Value::Float)
                .map_err(|error| error.in_function(name))
        }
        _ => match value.to_f64() {
            Some(float) => Ok(Value::Float(float)),
            None => Err(Error::new(format!(
                "float got {}, want number or string",
                value.type_name()
            ))),
        },
    }
}

/// A float as Go's `strconv.ParseFloat` reads it; decimal notation.
fn parse_float(text: &str) -> Result<f64> {
    let complain = |what: &str| {
        let mut quoted = String::new();
        format::quote(text.as_bytes(), &mut quoted);
        Error::new(format!("strconv.ParseFloat: parsing {quoted}: {what}"))
    };
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let word = body.to_ascii_lowercase();
    let negative = text.starts_with('-');
    match word.as_str() {
        "inf" | "infinity" => {
            return Ok(if negative {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            });
        }
        "nan" if body.len() == text.len() => return Ok(f64::NAN),
        _ => {}
    }
    let plain = body.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let digit = |byte: &u8| byte.is_ascii_digit();
    let grouped = body
        .as_bytes()
        .windows(3)
        .filter(|part| matches!(part, [a, b'_', b] if digit(a) && digit(b)))
        .count();
    let digits = text.replacen('_', "", grouped);
    match digits.parse::<f64>() {
        Ok(float) if plain && float.is_infinite() => Err(complain("value out of range")),
        Ok(float) if plain => Ok(float),
        _ => Err(complain("invalid syntax")),
    }
}

fn getattr(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 2, 3)?;
    let object = args.value(0);
    let attribute = args.required_string(1)?;
    interp.look_at(&attribute)?;
    let default = args.take(2);
    match object.attr(&attribute.to_text()) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => default.ok_or_else(|| {
            Error::new(format!(
                "getattr: {} has no .{} field or method",
                object.type_name(),
                attribute.to_text()
            ))
        }),
        Err(error) => default.ok_or_else(|| error.in_function(name)),
    }
}

fn hasattr(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 2, 2)?;
    let object = args.value(0);
    let attribute = args.required_string(1)?;
    interp.look_at(&attribute)?;
    let attribute = attribute.to_text().into_owned();
    Ok(Value::Bool(match object.attr(&attribute) {
        Ok(found) => found.is_some(),
        Err(_) => object.attr_names().contains(&attribute),
    }))
}

/// The hash that Java gives a string; by code points, so that a surrogate pair counts as two.
fn hash(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let text = Unpacked::positional(name, args, 1, 1)?.required_string(0)?;
    interp.look_at(&text)?;
    let mut hash = 0_i32;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            hash = hash.wrapping_mul(31).wrapping_add(character as i32);
        }
        for _ in chunk.invalid() {
            hash = hash
                .wrapping_mul(31)
                .wrapping_add(char::REPLACEMENT_CHARACTER as i32);
        }
    }
    Ok(Value::Int(i64::from(hash)))
}

fn int(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::named(name, args, &["x", "base"], 1)?;
    let value = args.value(0);
    let base = args.take(1);
    if let Value::Str(text) = &value {
        let base = match base {
            None => 10,
            Some(base) => match number::to_small(&base) {
                Ok(base) if base == 0 || (2..=36).contains(&base) => base as u32,
                _ => return Err(Error::new("int: base must be an integer >= 2 && <= 36")),
            },
        };
        interp.work(text.len() as u64)?;
        let text = text.to_text();
        return parse_int(&text, base).unwrap_or_else(|used| {
            Err(Error::new(format!(
                "int: invalid literal with base {used}: {text}"
            )))
        });
    }
    if base.is_some() {
        return Err(Error::new(
            "int: can't convert non-string with explicit base",
        ));
    }
    match value {
        Value::Bool(value) => Ok(Value::Int(i64::from(value))),
        _ => number::to_integer(&value).map_err(|error| error.in_function(name)),
    }
}

/// Reads an integer with sign and prefix; the error is the base that was tried.
fn parse_int(text: &str, given: u32) -> Result<Result<Value>, u32> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'+') => (false, &text[1..]),
        Some(b'-') => (true, &text[1..]),
        _ => (false, text),
    };
    let prefixed = (unsigned.len() > 2 && unsigned.starts_with('0'))
        .then(|| match unsigned.as_bytes()[1].to_ascii_lowercase() {
            b'o' => Some(8),
            b'x' => Some(16),
            b'b' => Some(2),
            _ => None,
        })
        .flatten();
    if given == 0 && prefixed.is_none() && unsigned.len() > 1 && unsigned.starts_with('0') {
        return if unsigned.bytes().all(|byte| byte == b'0') {
            Ok(Ok(Value::Int(0)))
        } else {
            Err(given)
        };
    }
    if given != 0 && prefixed.is_some_and(|base| base != given) {
        return Err(given);
    }
    let base = if given == 0 {
        prefixed.unwrap_or(10)
    } else {
        given
    };
    let digits = if prefixed.is_some() {
        unsigned.get(2..).unwrap_or_default()
    } else {
        unsigned
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let number = number::parse(digits.as_bytes(), base).filter(|_| plain);
    let signed = |value: Value| match number::negate(&value) {
        Some(negated) if negative => negated,
        _ => value,
    };
    number.map(|number| number.map(signed)).ok_or(base)
}

fn len(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let value = Unpacked::positional(name, args, 1, 1)?.value(0);
    match value.length() {
        Some(len) => Ok(Value::Int(len as i64)),
        None => Err(Error::new(format!(
            "len: value of type {} has no len",
            value.type_name()
        ))),
    }
}

fn list(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let elements = Unpacked::positional(name, args, 0, 1)?.iterable(0, interp)?;
    Ok(Value::list(elements.unwrap_or_default()))
}

fn tuple(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let elements = Unpacked::positional(name, args, 0, 1)?.iterable(0, interp)?;
    Ok(Value::tuple(elements.unwrap_or_default()))
}

fn set(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let elements = Unpacked::positional(name, args, 0, 1)?.iteration(0, interp)?;
    dict::make_set(interp, elements.into_iter().flatten()).map_err(|error| error.in_function(name))
}

fn extreme(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let Args { positional, named } = args;
    if positional.is_empty() {
        return Err(Error::new(format!(
            "{name} requires at least one positional argument"
        )));
    }
    let key = Unpacked::named(
        name,
        Args {
            positional: Vec::new(),
            named,
        },
        &["key"],
        0,
    )?
    .callable(0)?;
    let whole = match <[Value; 1]>::try_from(positional) {
        Ok([single]) => single,
        Err(several) => Value::tuple(several),
    };
    let elements = Iteration::over(interp, &whole).map_err(|error| error.in_function(name))?;
    let op = if name == "max" {
        BinaryOp::Greater
    } else {
        BinaryOp::Less
    };
    let mut best: Option<(Value, Value)> = None;
    for element in elements {
        let rank = rank(interp, key.as_ref(), &element)?;
        let better = match &best {
            None => true,
            Some((_, other)) => interp
                .compare(op, &rank, other)
                .map_err(|error| error.in_function(name))?,
        };
        if better {
            best = Some((element, rank));
        }
    }
    best.map(|(element, _)| element)
        .ok_or_else(|| Error::new("argument is an empty sequence").in_function(name))
}

/// What an element is ordered by.
fn rank(interp: &mut Interp, key: Option<&Value>, element: &Value) -> Result<Value> {
    match key {
        Some(key) => interp.call(key, Args::positional(vec![element.clone()])),
        None => Ok(element.clone()),
    }
}

fn ord(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let value = only(name, args, "1")?;
    let Value::Str(text) = &value else {
        return Err(Error::new(format!(
            "ord: got {}, want string",
            value.type_name()
        )));
    };
    let shown = text.to_text();
    let mut characters = shown.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(Value::Int(i64::from(u32::from(character)))),
        _ => {
            let count = shown.chars().count();
            Err(Error::new(format!(
                "ord: string encodes {count} Unicode code points, want 1"
            )))
        }
    }
}

fn range(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let single = args.positional.len() == 1;
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let first = args.integer(0)?.unwrap_or(0);
    let second = args.integer(1)?.unwrap_or(0);
    let step = args.integer(2)?.unwrap_or(1);
    if step == 0 {
        return Err(Error::new("step argument must not be zero").in_function(name));
    }
    let (start, stop) = if single { (0, first) } else { (first, second) };
    Ok(Value::range(Range { start, stop, step }))
}

fn repr(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let value = Unpacked::positional(name, args, 1, 1)?.value(0);
    let mut out = Vec::new();
    interp.write(&value, true, &mut out)?;
    Ok(Value::str(out))
}

fn reversed(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let mut elements = Unpacked::positional(name, args, 1, 1)?
        .iterable(0, interp)?
        .unwrap_or_default();
    elements.reverse();
    Ok(Value::list(elements))
}

fn sorted(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::named(name, args, &["iterable", "key", "reverse"], 1)?;
    let sequence = args.value(0);
    let Some(elements) = interp.elements(&sequence)? else {
        let kind = sequence.type_name();
        return Err(args.wrong(0, &format!("got {kind}, want iterable")));
    };
    let key = args.callable(1)?;
    let reverse = args.boolean(2)?.unwrap_or(false);
    // Until the end nothing may change what is sorted.
    let _iteration = Iteration::over(interp, &sequence)?;
    interp.charge(elements.len() * 4 * ELEMENT)?;
    let mut ranked = Vec::with_capacity(elements.len());
    for element in elements {
        ranked.push((rank(interp, key.as_ref(), &element)?, element));
    }
    // The order stays stable in reverse, so the comparison is turned and not the result. Of several faults the last
    // one counts, but a limit ends it all.
    let mut fault: Option<Error> = None;
    merge_sort(&mut ranked, &mut |(a, _), (b, _)| {
        let (low, high) = if reverse { (b, a) } else { (a, b) };
        if fault.as_ref().is_some_and(Error::is_fatal) {
            return false;
        }
        interp
            .compare(BinaryOp::Less, low, high)
            .unwrap_or_else(|error| {
                fault = Some(error);
                false
            })
    });
    match fault {
        Some(error) => Err(error),
        None => Ok(Value::list(
            ranked.into_iter().map(|(_, element)| element).collect(),
        )),
    }
}

/// How many neighbours are sorted by insertion before the merging.
const RUN: usize = 20;

/// A stable sort whose comparison may be no order at all (not-a-number, unlike types): it still ends.
///
/// Short runs are sorted by insertion and later neighbours are compared first, so that a fault names ytt's types.
fn merge_sort<T: Clone>(items: &mut [T], less: &mut impl FnMut(&T, &T) -> bool) {
    for run in items.chunks_mut(RUN) {
        for end in 1..run.len() {
            let sorted = run.get_mut(..=end).unwrap_or_default();
            let mut at = end;
            while at > 0 && less(&sorted[at], &sorted[at - 1]) {
                sorted.swap(at, at - 1);
                at -= 1;
            }
        }
    }
    let mut width = RUN;
    while width < items.len() {
        for chunk in items.chunks_mut(2 * width) {
            if chunk.len() <= width {
                continue;
            }
            let (left, right) = chunk.split_at(width);
            let (left, right) = (left.to_vec(), right.to_vec());
            let (mut i, mut j) = (0, 0);
            for slot in chunk.iter_mut() {
                let take_right = match (left.get(i), right.get(j)) {
                    (Some(a), Some(b)) => less(b, a),
                    (None, _) => true,
                    (_, None) => false,
                };
                let (source, index) = if take_right {
                    (&right, &mut j)
                } else {
                    (&left, &mut i)
                };
                if let Some(item) = source.get(*index) {
                    *slot = item.clone();
                }
                *index += 1;
            }
        }
        width *= 2;
    }
}

fn str(interp: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    let value = only(name, args, "exactly 1")?;
    if matches!(value, Value::Str(_)) {
        return Ok(value);
    }
    let mut out = Vec::new();
    interp.write(&value, false, &mut out)?;
    Ok(Value::str(out))
}

fn type_of(_: &mut Interp, name: &'static str, args: Args) -> Result<Value> {
    Ok(Value::str(&*only(name, args, "exactly 1")?.type_name()))
}

fn zip(interp: &mut Interp, _: &'static str, args: Args) -> Result<Value> {
    if !args.named.is_empty() {
        return Err(Error::new("zip does not accept keyword arguments"));
    }
    let mut columns = Vec::with_capacity(args.positional.len());
    for (index, sequence) in args.positional.iter().enumerate() {
        match Iteration::begin(interp, sequence)? {
            Some(iteration) => columns.push(iteration),
            None => {
                let (number, kind) = (index + 1, sequence.type_name());
                return Err(Error::new(format!(
                    "zip: argument #{number} is not iterable: {kind}"
                )));
            }
        }
    }
    let mut rows = Vec::new();
    while !columns.is_empty() {
        let row: Option<Vec<Value>> = columns.iter_mut().map(Iterator::next).collect();
        let Some(row) = row else {
            break;
        };
        interp.charge(PAIR + row.len() * ELEMENT)?;
        rows.push(Value::tuple(row));
    }
    Ok(Value::list(rows))
}
