//! Generated programs give the same with the `starlark` crate, which others wrote, where both speak alike.
//!
//! Alike are: integers of any size, ASCII strings, booleans, `None`, lists, tuples, dicts, comprehensions, slices,
//! arithmetic without true division, shifts to the right, of small numbers also to the left (the peer drops what passes
//! 32 bits), comparison, `and`/`or`/`not`/`in`, conditionals, functions with defaults, loops with `break` and
//! `continue`, `%s`/`%r`/`%d`, and the methods and functions named below. Floats, other text than ASCII, sets, indices
//! and divisors that are large (the peer's remainder by them has the wrong sign), strings cut with a start beyond their
//! end and a step (the peer gives a part), the order of faults and the words of errors differ: where one fails the other
//! must fail, and that is all that is asked of errors.
//! Ours closes blocks with `end`, the peer by indentation: programs are made as trees and written for each.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use haulout::script::{Error, Globals, Interp, Limits, Loader, Program};
use proptest::prelude::*;
use proptest::test_runner::Config;
use starlark::environment::{Globals as PeerGlobals, LibraryExtension, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};
use std::cell::RefCell;
use std::rc::Rc;

/// A line of a program, or a block under one.
#[derive(Clone, Debug)]
enum Line {
    Plain(String),
    Block(String, Vec<Line>),
    Choice(String, Vec<Line>, Vec<Line>),
}

fn write(lines: &[Line], depth: usize, ends: bool, out: &mut String) {
    let indent = "  ".repeat(depth);
    for line in lines {
        match line {
            Line::Plain(text) => out.push_str(&format!("{indent}{text}\n")),
            Line::Block(head, body) => {
                out.push_str(&format!("{indent}{head}:\n"));
                write(body, depth + 1, ends, out);
            }
            Line::Choice(condition, then, otherwise) => {
                out.push_str(&format!("{indent}if {condition}:\n"));
                write(then, depth + 1, ends, out);
                out.push_str(&format!("{indent}else:\n"));
                write(otherwise, depth + 1, ends, out);
            }
        }
        if ends && !matches!(line, Line::Plain(_)) {
            out.push_str(&format!("{indent}end\n"));
        }
    }
}

struct NoModules;

impl Loader for NoModules {
    fn load(&self, _: &mut Interp, module: &str) -> haulout::script::Result<Rc<Globals>> {
        Err(Error::new(format!("no module {module}")))
    }
}

/// What the program prints with ours, or `None` if it fails.
fn ours(text: &str) -> Result<Vec<String>, String> {
    let program = Program::compile("p.star", text.as_bytes(), &[], &[])
        .map_err(|errors| format!("{errors:?}"))?;
    let printed = Rc::new(RefCell::new(Vec::new()));
    let sink = printed.clone();
    let mut interp = Interp::new(Limits {
        steps: 200_000,
        ..Limits::default()
    });
    interp.set_printer(Rc::new(move |line| {
        sink.borrow_mut().push(line.to_string())
    }));
    program
        .run(&mut interp, None, Rc::new(NoModules))
        .map_err(|error| error.message().to_string())?;
    let lines = printed.borrow().clone();
    Ok(lines)
}

struct Printed(RefCell<Vec<String>>);

impl starlark::PrintHandler for Printed {
    fn println(&self, text: &str) -> starlark::Result<()> {
        self.0.borrow_mut().push(text.to_string());
        Ok(())
    }
}

/// What the program prints with the peer.
fn peers(text: &str) -> Result<Vec<String>, String> {
    let dialect = Dialect {
        enable_top_level_stmt: true,
        ..Dialect::Standard
    };
    let ast = AstModule::parse("p.star", text.to_string(), &dialect)
        .map_err(|error| error.to_string())?;
    let globals = PeerGlobals::extended_by(&[LibraryExtension::Print]);
    let printed = Printed(RefCell::new(Vec::new()));
    Module::with_temp_heap(|module| {
        let mut evaluator = Evaluator::new(&module);
        evaluator.set_print_handler(&printed);
        evaluator
            .eval_module(ast, &globals)
            .map(|_| ())
            .map_err(|error| error.to_string())
    })?;
    Ok(printed.0.into_inner())
}

/// What an expression is to be; a generator for each keeps most programs free of faults.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Int,
    Str,
    List,
    Dict,
    Bool,
    /// An integer for an index, which ours has with 32 bits.
    Index,
}

const NAMES: [(&str, Kind); 10] = [
    ("i", Kind::Int),
    ("j", Kind::Int),
    ("s", Kind::Str),
    ("t", Kind::Str),
    ("l", Kind::List),
    ("m", Kind::List),
    ("d", Kind::Dict),
    ("e", Kind::Dict),
    ("b", Kind::Bool),
    ("c", Kind::Bool),
];

type Text = BoxedStrategy<String>;

fn literal(kind: Kind) -> Text {
    match kind {
        Kind::Int => prop_oneof![
            4 => (-20_i64..100).prop_map(|n| format!("({n})")),
            1 => any::<i64>().prop_map(|n| format!("({n})").replace("-9223372036854775808", "-9")),
            1 => Just("123456789012345678901234567890".to_string()),
        ]
        .boxed(),
        Kind::Index => (-9_i64..9).prop_map(|n| format!("({n})")).boxed(),
        Kind::Str => "[ a-cA-C0-2,.x]{0,6}"
            .prop_map(|s| format!("\"{s}\""))
            .boxed(),
        Kind::List => Just("[]".to_string()).boxed(),
        Kind::Dict => Just("{}".to_string()).boxed(),
        Kind::Bool => prop_oneof![Just("True".to_string()), Just("False".to_string())].boxed(),
    }
}

fn leaf(kind: Kind) -> Text {
    if let Kind::Index = kind {
        return literal(kind);
    }
    let names: Vec<String> = NAMES
        .iter()
        .filter(|(_, of)| std::mem::discriminant(of) == std::mem::discriminant(&kind))
        .map(|(name, _)| (*name).to_string())
        .collect();
    prop_oneof![1 => literal(kind), 2 => proptest::sample::select(names)].boxed()
}

/// `template` with each `$` replaced in turn.
fn fill(template: &str, parts: &[String]) -> String {
    let mut parts = parts.iter();
    template
        .chars()
        .map(|c| match c {
            '$' => parts.next().cloned().unwrap_or_default(),
            other => other.to_string(),
        })
        .collect()
}

/// Forms of each kind: where `$` stands an expression of the kind that the second part names in turn.
const FORMS: &[(Kind, &str, &str)] = &[
    (Kind::Index, "($ % 9)", "i"),
    (Kind::Int, "($ + $)", "ii"),
    (Kind::Int, "($ - $)", "ii"),
    (Kind::Int, "($ * $)", "ii"),
    (Kind::Int, "($ // $)", "in"),
    (Kind::Int, "($ % $)", "in"),
    (Kind::Int, "($ & $)", "ii"),
    (Kind::Int, "($ | $)", "ii"),
    (Kind::Int, "($ ^ $)", "ii"),
    (Kind::Int, "($ >> ($ & 15))", "ii"),
    (Kind::Int, "(($ % 1024) << ($ & 15))", "ii"),
    (Kind::Int, "(-$)", "i"),
    (Kind::Int, "(~$)", "i"),
    (Kind::Int, "len($)", "s"),
    (Kind::Int, "len($)", "l"),
    (Kind::Int, "len($)", "d"),
    (Kind::Int, "$.find($)", "ss"),
    (Kind::Int, "$.rfind($)", "ss"),
    (Kind::Int, "$.count($)", "ss"),
    (Kind::Int, "$.index($)", "ss"),
    (Kind::Int, "$.index($)", "li"),
    (Kind::Int, "$[$]", "ln"),
    (Kind::Int, "$.get($, $)", "dsi"),
    (Kind::Int, "$[$]", "ds"),
    (Kind::Int, "($ if $ else $)", "ibi"),
    (Kind::Int, "int(str($))", "i"),
    (Kind::Int, "int($)", "b"),
    (Kind::Int, "f($, $)", "ii"),
    (Kind::Int, "f($, y=$)", "ii"),
    (Kind::Int, "max($, $)", "ii"),
    (Kind::Int, "min($ + [$])", "li"),
    (Kind::Int, "ord(($ + \"a\")[0])", "s"),
    (Kind::Int, "hash($)", "s"),
    (Kind::Int, "(lambda a, b=$: a + b)($)", "ii"),
    (Kind::Str, "($ + $)", "ss"),
    (Kind::Str, "($ * ($ & 3))", "si"),
    (Kind::Str, "$[$]", "sn"),
    (Kind::Str, "$[$:$]", "snn"),
    (Kind::Str, "$[$:$][::($ or 1)]", "snnn"),
    (Kind::Str, "$[::-1]", "s"),
    (Kind::Str, "str($)", "i"),
    (Kind::Str, "str($)", "l"),
    (Kind::Str, "str($)", "d"),
    (Kind::Str, "repr($)", "s"),
    (Kind::Str, "str(($, $, $))", "isb"),
    (Kind::Str, "type($)", "l"),
    (Kind::Str, "$.upper()", "s"),
    (Kind::Str, "$.lower()", "s"),
    (Kind::Str, "$.title()", "s"),
    (Kind::Str, "$.capitalize()", "s"),
    (Kind::Str, "$.strip()", "s"),
    (Kind::Str, "$.lstrip(\"ab \")", "s"),
    (Kind::Str, "$.rstrip(\"ab \")", "s"),
    (Kind::Str, "$.replace($, $)", "sss"),
    (Kind::Str, "$.replace($, $, $ & 7)", "sssi"),
    (Kind::Str, "$.join([str(q) for q in $])", "sl"),
    (Kind::Str, "$.partition($ or \",\")[0]", "ss"),
    (Kind::Str, "$.rpartition($ or \",\")[2]", "ss"),
    (Kind::Str, "($ if $ else $)", "sbs"),
    (Kind::Str, "(\"%s-%r\" % ($, $))", "is"),
    (Kind::Str, "(\"%d%%\" % $)", "i"),
    (Kind::Str, "\"{}.{}\".format($, $)", "is"),
    (Kind::Str, "\"{1}.{0}.{k}\".format($, $, k=$)", "isl"),
    (Kind::Str, "($ and $)", "ss"),
    (Kind::Str, "($ or $)", "ss"),
    (Kind::List, "[$, $]", "ii"),
    (Kind::List, "[$]", "i"),
    (Kind::List, "($ + $)", "ll"),
    (Kind::List, "($ * ($ & 3))", "li"),
    (Kind::List, "$[$:$]", "lnn"),
    (Kind::List, "$[$:$:($ or 1)]", "lnnn"),
    (Kind::List, "[q + $ for q in $]", "il"),
    (Kind::List, "[q for q in $ if q > $]", "li"),
    (Kind::List, "[p * q for p in $ for q in $ if p != q]", "ll"),
    (Kind::List, "sorted($)", "l"),
    (Kind::List, "sorted($, key=lambda q: -q)", "l"),
    (Kind::List, "sorted($, reverse=True)", "l"),
    (Kind::List, "reversed($)", "l"),
    (Kind::List, "list(range($ & 7))", "i"),
    (Kind::List, "list(range($ & 7, $ & 15, ($ & 3) + 1))", "iii"),
    (Kind::List, "[len(q) for q in $.split(\",\")]", "s"),
    (Kind::List, "[len(q) for q in $.split()]", "s"),
    (Kind::List, "[len(q) for q in $.rsplit(\"a\", 1)]", "s"),
    (Kind::List, "[len(q) for q in $.split(\"a\", 1)]", "s"),
    (Kind::List, "[p + q for p, q in enumerate($)]", "l"),
    (Kind::List, "[p + q for p, q in zip($, $)]", "ll"),
    (Kind::List, "$.values()", "d"),
    (Kind::List, "[len(k) + v for k, v in $.items()]", "d"),
    (Kind::List, "list($)", "l"),
    (Kind::List, "list(tuple($))", "l"),
    (Kind::List, "($ if $ else $)", "lbl"),
    (Kind::Dict, "{$: $}", "si"),
    (Kind::Dict, "{str(q): q for q in $}", "l"),
    (Kind::Dict, "{k: v for k, v in $.items() if v > $}", "di"),
    (Kind::Dict, "dict($)", "d"),
    (Kind::Dict, "dict([($, $)])", "si"),
    (Kind::Dict, "dict($, k=$)", "di"),
    (Kind::Dict, "($ if $ else $)", "dbd"),
    (Kind::Bool, "($ == $)", "ii"),
    (Kind::Bool, "($ < $)", "ii"),
    (Kind::Bool, "($ >= $)", "ii"),
    (Kind::Bool, "($ != $)", "ss"),
    (Kind::Bool, "($ <= $)", "ss"),
    (Kind::Bool, "($ == $)", "ll"),
    (Kind::Bool, "($ < $)", "ll"),
    (Kind::Bool, "($ == $)", "dd"),
    (Kind::Bool, "($ in $)", "il"),
    (Kind::Bool, "($ not in $)", "ss"),
    (Kind::Bool, "($ in $)", "sd"),
    (Kind::Bool, "($ in range($ & 15))", "ii"),
    (Kind::Bool, "(not $)", "l"),
    (Kind::Bool, "(not $)", "b"),
    (Kind::Bool, "($ and $)", "bb"),
    (Kind::Bool, "($ or $)", "bb"),
    (Kind::Bool, "bool($)", "s"),
    (Kind::Bool, "bool($)", "i"),
    (Kind::Bool, "any($)", "l"),
    (Kind::Bool, "all($)", "l"),
    (Kind::Bool, "$.startswith($)", "ss"),
    (Kind::Bool, "$.endswith($)", "ss"),
    (Kind::Bool, "$.isdigit()", "s"),
    (Kind::Bool, "$.isalpha()", "s"),
    (Kind::Bool, "$.isalnum()", "s"),
    (Kind::Bool, "$.isspace()", "s"),
    (Kind::Bool, "$.isupper()", "s"),
    (Kind::Bool, "$.islower()", "s"),
    (Kind::Bool, "$.istitle()", "s"),
    (Kind::Bool, "hasattr($, \"find\")", "s"),
];

fn kind_of(letter: char) -> Kind {
    match letter {
        'i' => Kind::Int,
        's' => Kind::Str,
        'l' => Kind::List,
        'd' => Kind::Dict,
        'n' => Kind::Index,
        _ => Kind::Bool,
    }
}

fn expression(kind: Kind, depth: u32) -> Text {
    if depth == 0 {
        return leaf(kind);
    }
    let forms: Vec<_> = FORMS
        .iter()
        .filter(|(of, ..)| std::mem::discriminant(of) == std::mem::discriminant(&kind))
        .collect();
    let built = proptest::sample::select(forms).prop_flat_map(move |(_, template, kinds)| {
        let parts: Vec<Text> = kinds
            .chars()
            .map(|letter| expression(kind_of(letter), depth - 1))
            .collect();
        parts.prop_map(move |parts| fill(template, &parts))
    });
    prop_oneof![1 => leaf(kind), 4 => built].boxed()
}

fn any_expression() -> Text {
    proptest::sample::select(vec!['i', 's', 'l', 'd', 'b'])
        .prop_flat_map(|letter| expression(kind_of(letter), 3))
        .boxed()
}

fn with(template: &'static str, kinds: &'static str) -> BoxedStrategy<Line> {
    let parts: Vec<Text> = kinds
        .chars()
        .map(|letter| expression(kind_of(letter), 2))
        .collect();
    parts
        .prop_map(move |parts| Line::Plain(fill(template, &parts)))
        .boxed()
}

fn plain() -> BoxedStrategy<Line> {
    let assigned = proptest::sample::select(NAMES.to_vec()).prop_flat_map(|(name, kind)| {
        expression(kind, 3).prop_map(move |value| Line::Plain(format!("{name} = {value}")))
    });
    prop_oneof![
        4 => assigned,
        2 => any_expression().prop_map(|value| Line::Plain(format!("print({value})"))),
        1 => with("i += $", "i"),
        1 => with("s += $", "s"),
        1 => with("l += $", "l"),
        1 => with("i, j = $, $", "ii"),
        1 => with("l.append($)", "i"),
        1 => with("l.extend($)", "l"),
        1 => with("l.insert($, $)", "ni"),
        1 => with("print(l.pop())", ""),
        1 => with("l.remove($)", "i"),
        1 => with("l[$] = $", "ni"),
        1 => with("d[$] = $", "si"),
        1 => with("d.update($)", "d"),
        1 => with("print(d.pop($, $))", "si"),
        1 => with("print(d.setdefault($, $))", "si"),
        1 => with("print(d.keys(), d.items())", ""),
    ]
    .boxed()
}

fn lines(depth: u32) -> BoxedStrategy<Vec<Line>> {
    if depth == 0 {
        return proptest::collection::vec(plain(), 1..4).boxed();
    }
    let guarded = |word: &'static str| {
        expression(Kind::Bool, 2)
            .prop_map(move |test| Line::Block(format!("if {test}"), vec![Line::Plain(word.into())]))
    };
    let body = lines(depth - 1);
    let loop_body = (
        body.clone(),
        proptest::option::of(prop_oneof![guarded("break"), guarded("continue")]),
    )
        .prop_map(|(mut body, leave)| {
            body.extend(leave);
            body
        });
    let line = prop_oneof![
        6 => plain(),
        1 => (expression(Kind::List, 2), loop_body.clone())
            .prop_map(|(over, body)| Line::Block(format!("for i in list({over})[:5]"), body)),
        1 => (expression(Kind::Dict, 2), loop_body)
            .prop_map(|(over, body)| Line::Block(format!("for t in list({over})[:5]"), body)),
        1 => (expression(Kind::Bool, 2), body.clone())
            .prop_map(|(test, body)| Line::Block(format!("if {test}"), body)),
        1 => (expression(Kind::Bool, 2), body.clone(), body)
            .prop_map(|(test, then, otherwise)| Line::Choice(test, then, otherwise)),
    ];
    proptest::collection::vec(line, 1..5).boxed()
}

fn program() -> BoxedStrategy<Vec<Line>> {
    let start = [
        "def f(x, y=3): return x * 2 - y",
        "i, j = 3, -7",
        "s, t = \"abc, a\", \"B\"",
        "l, m = [3, 1, 2], [5]",
        "d, e = {\"a\": 1}, {\"b\": 2, \"a\": 3}",
        "b, c = True, False",
    ];
    let start: Vec<Line> = start
        .iter()
        .map(|line| Line::Plain((*line).into()))
        .collect();
    lines(2)
        .prop_map(move |body| {
            let mut whole = start.clone();
            whole.extend(body);
            whole.push(Line::Plain("print(i, j, s, t, l, m, d, e, b, c)".into()));
            whole
        })
        .boxed()
}

proptest! {
    #![proptest_config(Config { cases: 1500, max_shrink_iters: 2000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn programs_give_the_same(program in program()) {
        let (mut own, mut other) = (String::new(), String::new());
        write(&program, 0, true, &mut own);
        write(&program, 0, false, &mut other);
        let (own_result, other_result) = (ours(&own), peers(&other));
        match (&own_result, &other_result) {
            (Ok(a), Ok(b)) => prop_assert_eq!(a, b, "\n{}", own),
            (Err(_), Err(_)) => {}
            _ => prop_assert!(false, "\n{}\nours: {:?}\npeer: {:?}", own, own_result, other_result),
        }
    }
}
