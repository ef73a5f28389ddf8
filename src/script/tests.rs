//! Programs and what they print or fail with; the facts are ytt's.

use super::*;
use std::cell::RefCell;
use std::rc::Rc;

struct NoModules;

impl Loader for NoModules {
    fn load(&self, _: &mut Interp, module: &str) -> Result<Rc<Globals>> {
        Err(Error::new(format!("no module {module}")))
    }
}

/// What a program prints, its lines joined by `|`; or its error with the line where it happened.
fn run_with(text: &str, limits: Limits) -> String {
    let program = match Program::compile("a.star", text.as_bytes(), &[], &[]) {
        Ok(program) => program,
        Err(errors) => {
            let lines: Vec<String> = errors
                .iter()
                .map(|error| format!("{}: {}", error.pos.line, error.message))
                .collect();
            return format!("ERR {}", lines.join("; "));
        }
    };
    let printed = Rc::new(RefCell::new(Vec::new()));
    let mut interp = Interp::new(limits);
    let sink = printed.clone();
    interp.set_printer(Rc::new(move |line| {
        sink.borrow_mut().push(line.to_string())
    }));
    match program.run(&mut interp, None, Rc::new(NoModules)) {
        Ok(_) => printed.borrow().join("|"),
        Err(error) => {
            let frames: Vec<String> = error
                .frames()
                .iter()
                .map(|frame| format!("{}:{}", frame.function, frame.line))
                .collect();
            format!("ERR {} [{}]", error.message(), frames.join(" "))
        }
    }
}

fn run(text: &str) -> String {
    run_with(text, Limits::default())
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (program, expected) in cases {
        let found = run(program);
        if found != *expected {
            wrong.push(format!(
                "{program}\n  expected {expected}\n  found    {found}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn numbers() {
    check(&[
        (
            "print(str(1.0), 1.5, 1e6, 1e20, 1e-5, 0.1, 123456789.125, float(\"inf\"), -0.0, 1e300)",
            "1 1.5 1e+06 1e+20 1e-05 0.1 1.23457e+08 +Inf -0 1e+300",
        ),
        (
            "print(0.1 + 0.2, 1/3, 100000.0, 1000000.0, 123456.789, 1e15, 3.0e-7)",
            "0.3 0.333333 100000 1e+06 123457 1e+15 3e-07",
        ),
        (
            "print(5/2, 4/2, 5//2, -5//2, 7 % -3, -7 % 3, 5.5//2, 5.5 % 2, 1 << 70, 1 << 3, -8 >> 1, 2 | 1, 6 & 3, 5 ^ 1, ~5)",
            "2.5 2 2 -3 -2 2 2 1.5 1180591620717411303424 8 -4 3 2 4 -6",
        ),
        (
            "print(7 // 2.0, -7 // 2.0, 7.5 % 2, -7.5 % 2)",
            "3 -4 1.5 -1.5",
        ),
        ("print(0x10, 0o17, 0b11, 1e3, .5, 1.)", "16 15 3 1000 0.5 1"),
        (
            "print(int(\"10\"), int(\"0x1f\", 16), int(\"0x1f\", 0), int(3.9), int(\"-5\"), float(\"1.5\"), float(3), int(True))",
            "10 31 31 3 -5 1.5 3 1",
        ),
        (
            "print(9007199254740993 + 0.0, 1e16, 123456789012345678)",
            "9.0072e+15 1e+16 123456789012345678",
        ),
        (
            "print(9223372036854775807 + 1, 9223372036854775808 - 1, 99999999999 * 99999999999, -9223372036854775808 // -1)",
            "9223372036854775808 9223372036854775807 9999999999800000000001 9223372036854775808",
        ),
        (
            "print(1 == 1.0, 1 in {1.0: 2}, 2 < 2.5, 1e400 if False else 3)",
            "ERR 1: invalid float literal",
        ),
        (
            "print(1 << 600)",
            "ERR shift count too large: 600 [<toplevel>:1]",
        ),
        ("print(1 / 0)", "ERR real division by zero [<toplevel>:1]"),
        ("1 // 0", "ERR floored division by zero [<toplevel>:1]"),
        ("1 % 0", "ERR integer modulo by zero [<toplevel>:1]"),
        (
            "True + 1",
            "ERR unknown binary op: bool + int [<toplevel>:1]",
        ),
        ("-\"a\"", "ERR unknown unary op: - string [<toplevel>:1]"),
        (
            "int(\"x\")",
            "ERR int: invalid literal with base 10: x [<toplevel>:1]",
        ),
        (
            "int(\"1_000\")",
            "ERR int: invalid literal with base 10: 1_000 [<toplevel>:1]",
        ),
        (
            "float(\"x\")",
            "ERR float: strconv.ParseFloat: parsing \"x\": invalid syntax [<toplevel>:1]",
        ),
        (
            "float(\"1e400\")",
            "ERR float: strconv.ParseFloat: parsing \"1e400\": value out of range [<toplevel>:1]",
        ),
        (
            "print(017)",
            "ERR 1: obsolete form of octal literal; use 0o17",
        ),
        ("x = 09", "ERR 1: invalid int literal"),
        ("x = 0xg", "ERR 1: invalid hex literal"),
    ]);
}

#[test]
fn strings() {
    check(&[
        (
            "print(len(\"é\"), len(\"\\xff\"), \"\\xff\" == \"\\u00ff\", len(\"\\u00e9\"))",
            "2 1 False 6",
        ),
        (
            "print(list(\"héllo\".elems()))",
            "[\"h\", \"\\xc3\", \"\\xa9\", \"l\", \"l\", \"o\"]",
        ),
        (
            "print(list(\"héllo\".elem_ords()), list(\"hé\".codepoints()), list(\"hé\".codepoint_ords()))",
            "[104, 195, 169, 108, 108, 111] [\"h\", \"é\"] [104, 233]",
        ),
        ("print(\"héllo\".elems())", "\"héllo\".elems()"),
        (
            "print(repr(\"é\"), repr(\"\\t\\\"'\\\\\"), repr(\"日本\\x7f\\x1b\"), str([\"é\"]))",
            "\"é\" \"\\t\\\"'\\\\\" \"日本\\x7f\\x1b\" [\"é\"]",
        ),
        (
            "print(\"a.b.c\".rpartition(\".\"), \"abc\".rfind(\"z\"), \"aaa\".count(\"aa\"), \"\".join([]))",
            "(\"a.b\", \".\", \"c\") -1 1 ",
        ),
        (
            "print(\"a\\r\\nb\\nc\\r\".splitlines(), \"\\n\".splitlines(), \"\".splitlines())",
            "[\"a\\r\", \"b\", \"c\\r\"] [\"\"] []",
        ),
        (
            "print(\" a b  c \".split(), \" a b  c \".split(None, 1), \" a b  c \".rsplit(None, 1), \"a,b,c\".rsplit(\",\", 1), \"a,b,c\".split(\",\", 1))",
            "[\"a\", \"b\", \"c\"] [\"a\", \"b  c \"] [\" a b\", \"c\"] [\"a,b\", \"c\"] [\"a\", \"b,c\"]",
        ),
        (
            "print(\"ß\".upper(), \"ǆ\".title(), \"ÀB\".lower(), \"hello world\".title(), \"hELLO\".capitalize())",
            "ß ǅ àb Hello World Hello",
        ),
        (
            "print(\"xxaxx\".strip(\"x\"), \" a \".lstrip() + \"|\", \"aXbX\".replace(\"X\", \"-\", 1), \"abc\".replace(\"\", \"-\"))",
            "a a | a-bX -a-b-c-",
        ),
        (
            "print(\"%s %r %d %g %e %f %x %o %c %%\" % (1.5, \"a'b\", 3, 2.5, 1234.5, 1.5, 255, 8, \"x\"))",
            "1.5 \"a'b\" 3 2.5 1.234500e+03 1.500000 ff 10 x %",
        ),
        (
            "print(\"%g %g %e %f %g\" % (1e6, 1.0, 1.0, 1.0, 1e21), \"%(a)s %(b)d\" % {\"a\": 1, \"b\": 2})",
            "1e+06 1 1.000000e+00 1.000000 1e+21 1 2",
        ),
        (
            "print(\"%X %i %5d\" % (255, 3, 4))",
            "ERR unknown conversion %5 [<toplevel>:1]",
        ),
        (
            "\"%d\" % \"a\"",
            "ERR %d format requires integer: cannot convert string to int [<toplevel>:1]",
        ),
        ("print(\"{} {} {x} {{}}\".format(1, 2, x=3))", "1 2 3 {}"),
        (
            "\"{} {0}\".format(1)",
            "ERR format: cannot switch from automatic field numbering to manual field specification [<toplevel>:1]",
        ),
        (
            "\"{a.b}\".format(a=1)",
            "ERR format: attribute syntax x.y is not supported in replacement fields: a.b [<toplevel>:1]",
        ),
        (
            "print(\"\\101\\x41\\u0041\", \"a\\\n b\", r\"\\n\", '''a\n  b''')",
            "AA\\u0041 a b \\n a\n  b",
        ),
        ("x = \"\\xZZ\"", "ERR 1: invalid escape sequence \\xZZ"),
        ("print(\"a\" \"b\")", "ERR 1: got string literal, want ','"),
        (
            "\"a\".foo",
            "ERR string has no .foo field or method [<toplevel>:1]",
        ),
        (
            "\"a\".uper()",
            "ERR string has no .uper field or method (did you mean .upper?) [<toplevel>:1]",
        ),
        (
            "\"abc\"[10]",
            "ERR string index 10 out of range [-3:2] [<toplevel>:1]",
        ),
        (
            "for c in \"abc\": print(c)",
            "ERR string value is not iterable [<toplevel>:1]",
        ),
        (
            "\"a\".join([1])",
            "ERR join: in list, want string, got int [<toplevel>:1]",
        ),
        (
            "\"a\".split(1)",
            "ERR split: got int for separator, want string [<toplevel>:1]",
        ),
        (
            "print(\"abcdef\"[1:4], \"abcdef\"[::-1], \"abcdef\"[-2:], \"abcdef\"[4:1:-2], \"ab\" * 3, \"b\" in \"abc\")",
            "bcd fedcba ef ec ababab True",
        ),
        ("print(hash(\"é\"), hash(\"hello\"))", "233 99162322"),
    ]);
}

#[test]
fn collections() {
    check(&[
        (
            "print([1, 2.0, 3.5, 1e10, 1e17, 1e22], (1,), {\"a\": [1, {}]}, True, None, range(3), set([3,1,2]))",
            "[1, 2, 3.5, 1e+10, 1e+17, 1e+22] (1,) {\"a\": [1, {}]} True None range(3) set([3, 1, 2])",
        ),
        (
            "x = [1,2,3]\nx += (4,)\nx[0] += 5\ny = x\ny.append(7)\nprint(x, x[1:3], x[::-1], x.index(4), x.pop(), x.pop(0), x)",
            "[2, 3, 4] [2, 3] [7, 4, 3, 2, 6] 3 7 6 [2, 3, 4]",
        ),
        (
            "d = {\"b\": 1, \"a\": 2}\nd[\"c\"] = 3\nd.pop(\"b\")\nd.update([(\"x\", 1)], y=2)\nprint(d, d.keys(), d.get(\"q\"), d.get(\"q\", 1), d.items(), \"a\" in d, [] in d, d.setdefault(\"z\", 9), d.popitem())",
            "{\"c\": 3, \"x\": 1, \"y\": 2, \"z\": 9} [\"a\", \"c\", \"x\", \"y\"] None 1 [(\"a\", 2), (\"c\", 3), (\"x\", 1), (\"y\", 2)] True False 9 (\"a\", 2)",
        ),
        (
            "print(sorted([3,1,2]), sorted([\"b\",\"a\"], reverse=True), sorted([3,1,2], key=lambda x: -x), reversed([1,2]), list(enumerate([\"a\",\"b\"], 1)), zip([1,2],[\"a\",\"b\"]), min(3,1), max([1,5]), any([0,1]), all([0,1]))",
            "[1, 2, 3] [\"b\", \"a\"] [3, 2, 1] [2, 1] [(1, \"a\"), (2, \"b\")] [(1, \"a\"), (2, \"b\")] 1 5 True False",
        ),
        (
            "print([x * y for x in range(3) for y in range(3) if x != y], {k: v for k, v in [(\"a\", 1)]}, [x for x in [1] if x])",
            "[0, 0, 0, 2, 0, 2] {\"a\": 1} [1]",
        ),
        (
            "print(set([1,2]) | set([3]), set([1,2]) & set([2]), set([1,2]) ^ set([2,3]), set([1]).union([5]))",
            "set([1, 2, 3]) set([2]) set([1, 3]) set([1, 5])",
        ),
        (
            "print(dir(set()), dir([]), type(len), type(lambda: 1), type(1.0), type(range(1)), str(len), str([].append))",
            "[\"union\"] [\"append\", \"clear\", \"extend\", \"index\", \"insert\", \"pop\", \"remove\"] builtin_function_or_method function float range <built-in function len> <built-in method append of list value>",
        ),
        (
            "l = [1]\nl.append(l)\nd = {}\nd[1] = d\nprint(l, d)",
            "[1, [...]] {1: {...}}",
        ),
        (
            "[1,2][5]",
            "ERR list index 5 out of range [-2:1] [<toplevel>:1]",
        ),
        (
            "{\"a\":1}[\"b\"]",
            "ERR key \"b\" not in dict [<toplevel>:1]",
        ),
        ("{[]: 1}", "ERR unhashable type: list [<toplevel>:1]"),
        (
            "x = {\"a\":1, \"a\":2}",
            "ERR duplicate key: \"a\" [<toplevel>:1]",
        ),
        (
            "[].pop()",
            "ERR pop: index -1 out of range: empty list [<toplevel>:1]",
        ),
        ("{}.pop(\"a\")", "ERR pop: missing key [<toplevel>:1]"),
        (
            "[1].remove(2)",
            "ERR remove: element not found [<toplevel>:1]",
        ),
        (
            "l = [1]\nfor x in l:\n  l.append(x)\nend",
            "ERR append: cannot append to list during iteration [<toplevel>:3]",
        ),
        (
            "d = {\"a\":1}\nfor k in d:\nd[\"b\"] = 2\nend",
            "ERR cannot insert into hash table during iteration [<toplevel>:3]",
        ),
        (
            "a, b = [1,2,3]",
            "ERR too many values to unpack (got 3, want 2) [<toplevel>:1]",
        ),
        (
            "a, b = 1",
            "ERR got int in sequence assignment [<toplevel>:1]",
        ),
        ("(a, b), c = (1, 2), 3\nprint(a, b, c)", "1 2 3"),
        (
            "1 < \"a\"",
            "ERR int < string not implemented [<toplevel>:1]",
        ),
        (
            "sorted([1,\"a\"])",
            "ERR string < int not implemented [<toplevel>:1]",
        ),
        (
            "len(1)",
            "ERR len: value of type int has no len [<toplevel>:1]",
        ),
        ("len()", "ERR len: got 0 arguments, want 1 [<toplevel>:1]"),
        (
            "dict([1])",
            "ERR dict: dictionary update sequence element #0 is not iterable (int) [<toplevel>:1]",
        ),
        (
            "range(\"a\")",
            "ERR range: for parameter 1: got string, want int [<toplevel>:1]",
        ),
        (
            "print([3,1,2].sort())",
            "ERR list has no .sort field or method [<toplevel>:1]",
        ),
        (
            "print({\"a\":1} | {\"b\":2})",
            "ERR unknown binary op: dict | dict [<toplevel>:1]",
        ),
        (
            "(1,2)[0] = 3",
            "ERR tuple value does not support item assignment [<toplevel>:1]",
        ),
    ]);
}

#[test]
fn functions() {
    check(&[
        (
            "def f(a, b=2, *args, c, d=4, **kw):\n  return (a, b, args, c, d, kw)\nend\nprint(f(1, c=3), f(1, 2, 3, 4, c=5, e=6), f(*[1, 2], **{\"c\": 9}), f(1, *[7], c=3))",
            "(1, 2, (), 3, 4, {}) (1, 2, (3, 4), 5, 4, {\"e\": 6}) (1, 2, (), 9, 4, {}) (1, 7, (), 3, 4, {})",
        ),
        (
            "def counter():\n  n = [0]\n  def inc():\n    n[0] += 1\n    return n[0]\n  end\n  return inc\nend\nc = counter()\nc()\nprint(c(), counter()())",
            "2 1",
        ),
        (
            "def f(n):\n  if n == 0:\n    return 0\n  end\n  return 1 + f(n-1)\nend\nprint(f(5000))",
            "5000",
        ),
        (
            "x = 0\nwhile x < 10:\n  x += 1\n  if x == 3:\n    continue\n  elif x > 5:\n    break\n  else:\n    y = x\n  end\nend\nprint(x, y)",
            "6 5",
        ),
        (
            "def f(): return x\nx = 1\nprint(f(), (lambda a, b=2: a + b)(1), f)",
            "1 3 <function f>",
        ),
        (
            "fs = [lambda: i for i in range(3)]\nprint([f() for f in fs])",
            "[2, 2, 2]",
        ),
        (
            "for i in range(3): print(i)\nprint(\"x\" if i else \"y\", not i, i and 5, 0 or \"z\", 1 not in [1])",
            "0|1|2|x False 5 z False",
        ),
        (
            "def f(a, b): return 1\nf(1)",
            "ERR function f missing 1 argument (b) [f:1 <toplevel>:2]",
        ),
        (
            "def f(a, b): return 1\nf(1, 2, 3)",
            "ERR function f accepts 2 positional arguments (3 given) [f:1 <toplevel>:2]",
        ),
        (
            "def f(a, b=1): return 1\nf(1, 2, 3)",
            "ERR function f accepts at most 2 positional arguments (3 given) [f:1 <toplevel>:2]",
        ),
        (
            "def f(a, b): return 1\nf(1, b=2, c=3)",
            "ERR function f got an unexpected keyword argument \"c\" [f:1 <toplevel>:2]",
        ),
        (
            "def f(a, b): return 1\nf(1, a=2)",
            "ERR function f got multiple values for parameter \"a\" [f:1 <toplevel>:2]",
        ),
        (
            "def f(): return 1\nf(1)",
            "ERR function f accepts no arguments (1 given) [f:1 <toplevel>:2]",
        ),
        (
            "def f(a, b=1, *, c): return 1\nf(1)",
            "ERR function f missing 1 argument (c) [f:1 <toplevel>:2]",
        ),
        (
            "def f(a): return 1\nf(*1)",
            "ERR argument after * must be iterable, not int [<toplevel>:2]",
        ),
        (
            "def f(a): return 1\nf(**{1:2})",
            "ERR keywords must be strings, not int [<toplevel>:2]",
        ),
        (
            "def f():\n  return x\nend\nf()\nx = 1",
            "ERR global variable x referenced before assignment [f:2 <toplevel>:4]",
        ),
        (
            "def f():\n  x += 1\nend\nf()",
            "ERR local variable x referenced before assignment [f:2 <toplevel>:4]",
        ),
        (
            "def g():\n  fail(\"no\", 1)\nend\ndef f(): return [g() for _ in [1]]\nsorted([1], key=lambda x: f())",
            "ERR fail: no 1 [g:2 f:4 lambda:5 <toplevel>:5]",
        ),
        (
            "x = 3\nx()",
            "ERR invalid call of non-function (int) [<toplevel>:2]",
        ),
        (
            "hasattr(1)",
            "ERR hasattr: got 1 arguments, want 2 [<toplevel>:1]",
        ),
        (
            "print(getattr(\"a\", \"upper\")(), getattr(1, \"x\", 5), hasattr([], \"append\"))",
            "A 5 True",
        ),
        ("assert = 1\nprint(assert)", "1"),
    ]);
}

#[test]
fn syntax() {
    check(&[
        ("x = foo", "ERR 1: undefined: foo"),
        (
            "print(bar, baz)\nqux",
            "ERR 1: undefined: bar; 1: undefined: baz; 2: undefined: qux",
        ),
        ("def f():\n  return\nend\nend", "ERR 4: unexpected end"),
        (
            "if True:\n  x = 1",
            "ERR 1: mismatched set of block openings (if/else/elif/for/def) and closing (end)",
        ),
        ("if True\n  x = 1\nend", "ERR 2: got newline, want ':'"),
        (
            "def f():\n  pass\nend",
            "ERR 2: use of reserved keyword 'pass' is not allowed",
        ),
        ("x = {1: 2, 3}", "ERR 1: got '}', want ':'"),
        ("x = 1 2", "ERR 1: got int literal, want newline"),
        ("x == 1 = 2", "ERR 1: can't assign to binaryexpr"),
        (
            "1 < 2 < 3",
            "ERR 1: < does not associate with < (use parens)",
        ),
        (
            "x = 5 if 6",
            "ERR 1: conditional expression without else clause",
        ),
        ("return 1", "ERR 1: return statement not within a function"),
        ("break", "ERR 1: break not in a loop"),
        (
            "load(\"a\")",
            "ERR 1: load statement must import at least 1 symbol",
        ),
        (
            "load(\"a\", \"_x\")",
            "ERR 1: load: names with leading underscores are not exported: _x",
        ),
        (
            "load(\"a\", \"x\")",
            "ERR cannot load a: no module a [<toplevel>:1]",
        ),
        ("def f(a, a): return 1", "ERR 1: duplicate parameter: a"),
        (
            "def f(a=1, b): return 1",
            "ERR 1: required parameter may not follow optional",
        ),
        (
            "f(a=1, 2)",
            "ERR 1: undefined: f; 1: positional argument may not follow named",
        ),
        ("x && y", "ERR 1: got '&', want primary expression"),
        ("!x", "ERR 1: unexpected input character '!'"),
        ("x = $y", "ERR 1: unexpected input character '$'"),
        ("x = \"abc", "ERR 1: unexpected EOF in string"),
        (
            "class A: 1",
            "ERR 1: got illegal token, want primary expression",
        ),
        (
            "def in(): 1",
            "ERR 1: use of reserved keyword 'in' is not allowed (expected identifier)",
        ),
        ("x = (1,\n 2\n", "ERR 3: got end of file, want ')'"),
        ("x = 1,", "ERR 1: unparenthesized tuple with trailing comma"),
        (
            "replicas = 1\nprint(replica)",
            "ERR 2: undefined: replica (did you mean replicas?)",
        ),
        ("print(1 is 1)", "ERR 1: got illegal token, want ','"),
        ("1 in 2", "ERR unknown binary op: int in int [<toplevel>:1]"),
        ("struct(a=1)", "ERR 1: undefined: struct"),
    ]);
}

/// Faults with line and column, in characters.
#[test]
fn places_of_faults() {
    let cases = [
        ("x = foo", "1:5: undefined: foo"),
        ("é = \"é\"; foo", "1:10: undefined: foo"),
        ("x = '''é\né''' + foo", "2:8: undefined: foo"),
        ("x = ", "1:5: got end of file, want primary expression"),
        ("def f(", "1:7: got end of file, want ')'"),
        ("x = 1.2.3", "1:10: got float literal, want newline"),
        ("x = (\"a\"\n  \"b\")", "2:6: got string literal, want ')'"),
        ("1 = x", "1:5: undefined: x; 1:1: can't assign to literal"),
        (
            "load(\"a\", x)",
            "1:13: load operand must be \"x\" or x=\"originalname\" (want '=' after x)",
        ),
        (
            "load(\"a\", \"_x\")",
            "1:12: load: names with leading underscores are not exported: _x",
        ),
        (
            "load(\"a\")",
            "1:5: load statement must import at least 1 symbol",
        ),
        (
            "def f():\n  load(\"a\", \"x\")\nend",
            "2:3: load statement within a function",
        ),
        (
            "f(**{}, *[])",
            "1:1: undefined: f; 1:9: *args may not follow **kwargs",
        ),
        ("x = $y", "1:5: unexpected input character '$'"),
        ("x\u{a0}= 1", "1:2: unexpected input character '\\u00a0'"),
        ("x = \0", "1:5: unexpected input character '\\x00'"),
        ("x = 0xg", "1:5: invalid hex literal"),
        ("x = 017", "1:8: obsolete form of octal literal; use 0o17"),
        (
            "def f(**kw, a): return",
            "1:13: required parameter may not follow **kw",
        ),
        ("x = [for]", "1:9: got for, want primary expression"),
        ("x = end", "1:8: unexpected end"),
        // A name that means nothing is told once for each function, but each time at the top.
        (
            "def f(): return [foo, foo]\ndef g(): return foo\nfoo\nfoo",
            "3:1: undefined: foo; 4:1: undefined: foo; 1:18: undefined: foo; 2:17: undefined: foo",
        ),
        // Built-in names are no guesses, unless the function used them before.
        ("prin(1)", "1:1: undefined: prin"),
        (
            "def f(): return print(prin)",
            "1:23: undefined: prin (did you mean print?)",
        ),
    ];
    for (program, expected) in cases {
        let faults = match Program::compile("a.star", program.as_bytes(), &[], &[]) {
            Ok(_) => String::new(),
            Err(errors) => {
                let faults: Vec<String> = errors.iter().map(ToString::to_string).collect();
                faults.join("; ")
            }
        };
        assert_eq!(faults, expected, "{program}");
    }
}

#[test]
fn bounds() {
    let ways = [
        ("[", "", "]"),
        ("(", "1", ")"),
        ("{1:", "1", "}"),
        ("str(", "1", ")"),
        ("[0][", "0", "]"),
        ("1 if 1 else ", "1", ""),
        ("lambda: ", "1", ""),
        ("lambda a=", "1", ": 1"),
        ("[", "1", " for y in [1]]"),
        ("[1 for y in ", "[1]", "]"),
        ("[1 for y in [1] if ", "1", "]"),
        ("[1 for y in [1] if lambda: ", "1", "]"),
        ("not ", "1", ""),
        ("-", "1", ""),
        ("1 + (", "1", ")"),
    ];
    for (open, middle, close) in ways {
        let deep = |count: usize| {
            let (open, close) = (open.repeat(count), close.repeat(count));
            run(&format!("x = {open}{middle}{close}"))
        };
        assert!(!deep(60).contains("nested too deeply"), "{open}");
        assert!(deep(100_000).contains("nested too deeply"), "{open}");
    }
    let long = format!("x = {}\nprint(x)", vec!["1"; 4000].join(" + "));
    assert_eq!(run(&long), "4000");
    let elifs = format!(
        "x = 999\nif x == 0:\n y = 0\n{}end\nprint(y)",
        (1..1000)
            .map(|i| format!("elif x == {i}:\n y = {i}\n"))
            .collect::<String>()
    );
    assert_eq!(run(&elifs), "999");
    let nest = "a = []\nfor i in range(300000):\n  a = [a]\nend\nb = ()\nfor i in range(300000):\n  b = (b,)\nend\nf = lambda: 1\ndef wrap(g): return lambda: g\nfor i in range(100000):\n  f = wrap(f)\nend\nprint(len(a), len(repr(a)) < 1000)";
    assert_eq!(run(nest), "1 True");
    let endless = run_with(
        "while True:\n  x = 1\nend",
        Limits {
            steps: 100_000,
            ..Limits::default()
        },
    );
    assert!(endless.contains("more than 100000 steps"), "{endless}");
    let forever = run("def f(): return f()\nf()");
    assert!(forever.contains("calls nested more than"), "{forever}");
    let callbacks = run("def f(x): return sorted([1], key=f)\nf(1)");
    assert!(callbacks.contains("nested more than"), "{callbacks}");
    let doubling = run_with(
        "s = \"x\"\nwhile True:\n  s = s + s\nend",
        Limits {
            memory: 1 << 24,
            ..Limits::default()
        },
    );
    assert!(doubling.contains("need more than"), "{doubling}");
    assert!(run("[0] * 2000000000").contains("excessive repeat (2000000000 elements)"));
    assert!(run("[0] * 1000000000000").contains("repeat count 1000000000000 too large"));
}
