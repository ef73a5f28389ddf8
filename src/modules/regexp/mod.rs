//! `@ytt:regexp`: Go's regular expressions.
//!
//! ```text
//! pattern (syntax, Go's errors) -> program (instructions) -> search (linear in the text, counted as steps)
//! ```
//!
//! No library does this: Go's syntax and errors are its own, strings here are bytes that need not be UTF-8, and
//! a library's search does not count against the limits of an evaluation.

mod pattern;
mod program;
mod search;
mod set;

use super::function;
use crate::bytestring::Str;
use crate::script::{Args, Error, Interp, Module, Result, Value};
use program::Program;
use search::Search;

/// The module.
pub fn module() -> Value {
    Module::new(
        "regexp",
        vec![
            ("match", function("regexp.match", matches)),
            ("replace", function("regexp.replace", replace)),
        ],
    )
}

fn text(value: &Value) -> Result<&Str> {
    match value {
        Value::Str(text) => Ok(text),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}

fn matches(interp: &mut Interp, args: Args) -> Result<Value> {
    let [pattern, target] = args.positional.as_slice() else {
        return Err(Error::new("expected exactly two arguments"));
    };
    let (pattern, target) = (text(pattern)?, text(target)?);
    let program = Program::compile(pattern).map_err(Error::new)?;
    let found = Search::new(&program, target, 0).find(interp, 0)?;
    Ok(Value::Bool(found.is_some()))
}

fn replace(interp: &mut Interp, args: Args) -> Result<Value> {
    let [pattern, source, replacement] = args.positional.as_slice() else {
        return Err(Error::new("expected exactly 3 arguments"));
    };
    let program = Program::compile(text(pattern)?).map_err(Error::new)?;
    let source = text(source)?;
    if replacement.is_callable() {
        return replace_all(interp, &program, source, 1, |interp, groups, out| {
            let found = Value::str(groups.first().copied().flatten().unwrap_or_default());
            let result = interp.call(replacement, Args::positional(vec![found]))?;
            out.extend_from_slice(text(&result)?);
            Ok(())
        });
    }
    let template = text(replacement)?;
    let groups = match template.contains(&b'$') {
        true => program.names.len(),
        false => 1,
    };
    replace_all(interp, &program, source, groups, |_, groups, out| {
        expand(template, &program.names, groups, out);
        Ok(())
    })
}

/// What the groups of a match hold, the whole match first.
type Groups<'a> = [Option<&'a [u8]>];

fn replace_all(
    interp: &mut Interp,
    program: &Program,
    source: &[u8],
    groups: usize,
    mut put: impl FnMut(&mut Interp, &Groups<'_>, &mut Vec<u8>) -> Result<()>,
) -> Result<Value> {
    let part = |start, end| source.get(start..end).unwrap_or_default();
    let mut search = Search::new(program, source, groups);
    let mut out = Vec::new();
    // Where the last match ended, and where the next is looked for.
    let (mut done, mut from) = (0, 0);
    while from <= source.len() {
        let Some(spans) = search.find(interp, from)? else {
            break;
        };
        let (start, end) = spans.first().copied().flatten().unwrap_or_default();
        out.extend_from_slice(part(done, start));
        // An empty match right after a match is none.
        if end > done || start == 0 {
            let groups: Vec<Option<&[u8]>> = spans
                .iter()
                .map(|span| span.map(|(start, end)| part(start, end)))
                .collect();
            let before = out.len();
            put(interp, &groups, &mut out)?;
            interp.charge(out.len() - before)?;
        }
        done = end;
        let (_, width) = search::decode(part(from, source.len()));
        from = end.max(from + width.max(1));
    }
    out.extend_from_slice(part(done, source.len()));
    Ok(Value::str(out))
}

/// Appends a replacement: `$1`, `$name` and `${name}` are groups, `$$` is `$`. A name is as long as can be; groups
/// that are not there are empty, and what is no name stays.
fn expand(template: &[u8], names: &[String], groups: &Groups<'_>, out: &mut Vec<u8>) {
    let mut rest = template;
    while let Some(at) = rest.iter().position(|&byte| byte == b'$') {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before);
        rest = after.get(1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(b"$") {
            out.push(b'$');
            rest = after;
        } else if let Some((name, after)) = group_name(rest) {
            let group = match group_number(name) {
                Some(number) => groups.get(number),
                None => (names.iter().zip(groups))
                    .find(|(known, group)| known.as_bytes() == name && group.is_some())
                    .map(|(_, group)| group),
            };
            out.extend_from_slice(group.copied().flatten().unwrap_or_default());
            rest = after;
        } else {
            out.push(b'$');
        }
    }
    out.extend_from_slice(rest);
}

/// The name at the beginning of what follows a `$`, and the rest.
fn group_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (text, braced) = match text.strip_prefix(b"{") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let valid = text.utf8_chunks().next()?.valid();
    let end = valid
        .find(|next: char| !(next == '_' || next.is_alphanumeric()))
        .unwrap_or(valid.len());
    let (name, after) = text.split_at(end);
    let after = match braced {
        true => after.strip_prefix(b"}")?,
        false => after,
    };
    (!name.is_empty()).then_some((name, after))
}

/// A name that is a number.
fn group_number(name: &[u8]) -> Option<usize> {
    if name.len() > 1 && name.starts_with(b"0") || !name.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(name)
        .ok()?
        .parse()
        .ok()
        .filter(|&number| number < 1_000_000_000)
}
