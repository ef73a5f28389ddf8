//! Random inputs that ytt takes: a schema, data values, flags, templates with their functions, text templates, overlays.
//! Most are valid; those that are not fail as a slip of a user's does.

use proptest::prelude::*;
use proptest::sample::select;

/// Files of one run and its flags.
#[derive(Clone)]
pub struct Inputs {
    /// Path and text, in order.
    pub files: Vec<(&'static str, String)>,
    /// What stands on the command line beside `-f .`.
    pub flags: Vec<String>,
}

impl std::fmt::Debug for Inputs {
    /// As a person writes it down: what to type, and what is in the files.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "\n$ ytt -f . {}", self.flags.join(" "))?;
        for (path, text) in &self.files {
            writeln!(f, "-- {path} --\n{text}")?;
        }
        Ok(())
    }
}

/// Inputs of all kinds.
pub fn inputs() -> impl Strategy<Value = Inputs> {
    let files = (
        schema(),
        option(values()),
        functions(),
        template(),
        resources(),
        option(overlays()),
        option(text_template()),
    );
    (files, vec_of(flag(), 0, 3)).prop_map(|(files, flags)| {
        let (schema, values, functions, template, resources, overlays, text) = files;
        let named = [
            ("a-schema.yml", Some(schema)),
            ("b-values.yml", values),
            ("functions.lib.yml", Some(functions)),
            ("m-template.yml", Some(template)),
            ("n-resources.yml", Some(resources)),
            ("o-overlays.yml", overlays),
            ("p-text.txt", text),
        ];
        let present = |(path, text): (_, Option<String>)| text.map(|text| (path, text));
        Inputs {
            files: named.into_iter().filter_map(present).collect(),
            flags: flags.into_iter().flatten().collect(),
        }
    })
}

type Text = BoxedStrategy<String>;

fn option<T: std::fmt::Debug>(inner: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(inner)
}

fn vec_of<T: std::fmt::Debug>(
    inner: impl Strategy<Value = T>,
    from: usize,
    to: usize,
) -> impl Strategy<Value = Vec<T>> {
    proptest::collection::vec(inner, from..=to)
}

fn one(words: &'static [&'static str]) -> Text {
    select(words).prop_map(String::from).boxed()
}

/// `$` in the pattern is each part in turn.
fn filled<const N: usize>(pattern: &'static str, parts: [Text; N]) -> Text {
    parts
        .prop_map(move |parts| {
            let mut parts = parts.iter();
            let fill = |piece: &str| piece.to_owned() + parts.next().map_or("", String::as_str);
            pattern.split('$').map(fill).collect()
        })
        .boxed()
}

/// `$` in each pattern is a part that `part` makes.
fn any_of(patterns: &'static [&'static str], part: impl Fn() -> Text) -> Text {
    let each = patterns
        .iter()
        .map(|pattern| match pattern.matches('$').count() {
            0 => Just((*pattern).to_owned()).boxed(),
            1 => filled(pattern, [part()]),
            _ => filled(pattern, [part(), part()]),
        });
    proptest::strategy::Union::new(each).boxed()
}

fn indented(text: &str) -> String {
    let line = |line: &str| {
        if line.is_empty() {
            "\n".into()
        } else {
            format!("  {line}\n")
        }
    };
    text.lines().map(line).collect()
}

// Data values: each key has one type, so that what reads them is right more often than not.

const LOADS: &str = r#"#@ load("@ytt:data", "data")
#@ load("@ytt:struct", "struct")
#@ load("@ytt:yaml", "yaml")
#@ load("@ytt:json", "json")
#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:template", "template")
#@ load("@ytt:base64", "base64")
#@ load("@ytt:regexp", "regexp")
#@ load("functions.lib.yml", "labels", "port", "joined")
"#;

fn string() -> Text {
    prop_oneof![
        4 => "[a-z]{1,6}",
        1 => one(&["\"\"", "yes", "\"no\"", "'01'", "1e3", "a b", "\"a\\tb\"", "'it''s'", "é", "null", "~", "\"- a\"", "\"{a}\"", "\"#a\"", "on", "0x10", "\"a: b\""]),
        1 => one(&["|\n  two\n  lines", ">-\n  folded\n  text", "|+\n  kept\n\n"]),
    ]
    .boxed()
}

fn int() -> Text {
    prop_oneof![
        4 => (-20_i64..100).prop_map(|n| n.to_string()),
        1 => one(&["0", "017", "0o17", "0x1F", "1_000", "9223372036854775807", "-1"]),
    ]
    .boxed()
}

fn float() -> Text {
    one(&["0.5", "1.0", "-2.25", "1e3", "1e21", ".5", "100.0", "0.1"])
}

fn boolean() -> Text {
    one(&["true", "false", "yes", "Off"])
}

fn plain_map() -> Text {
    filled(
        "{cpu: $, memory: $}",
        [int(), one(&["1Gi", "512Mi", "\"2\""])],
    )
}

fn plain() -> Text {
    prop_oneof![
        int(),
        float(),
        boolean(),
        "[a-z]{1,4}",
        plain_map(),
        Just("[]".to_owned()),
        Just("{}".to_owned())
    ]
    .boxed()
}

/// The keys of the data values, and what is right for each.
fn keys() -> Vec<(&'static str, Text)> {
    vec![
        ("name", string()),
        ("count", int()),
        ("ratio", float()),
        ("enabled", boolean()),
        ("limits", plain_map()),
        (
            "maybe",
            prop_oneof!["[a-z]{1,4}", Just("null".to_owned())].boxed(),
        ),
        ("extra", plain()),
    ]
}

/// What a schema says of a key beside its type: that the rule holds is the rule.
fn note(key: &str) -> Text {
    let (right, example): (&'static [&'static str], _) = match key {
        "name" => (
            &[
                "min_len=0",
                "max_len=100",
                "(\"be short\", lambda v: len(v) < 50)",
                "min_len=90, when=lambda v: v == \"never\"",
            ],
            "\"an example\"",
        ),
        "count" | "ratio" => (
            &[
                "min=-1000",
                "not_null=True",
                "(\"be small\", lambda v: v > -1000 or fail(\"it is not\"))",
                "max=-1000, when=lambda v, ctx: ctx.parent[\"enabled\"] == None",
            ],
            "1",
        ),
        "enabled" => (&["one_of=[True, False]"], "True"),
        _ => (&["not_null=True", "min_len=1"], "{\"cpu\": 1}"),
    };
    let wrong = one(&["min_len=3", "min=50", "one_of=[\"a\", 1]", "max_len=2"]);
    prop_oneof![
        4 => Just(String::new()),
        4 => one(&["#@schema/title \"A title\"\n", "#@schema/desc \"What it is\"\n", "#@schema/deprecated \"use the other\"\n", "#! words\n"]),
        1 => Just(format!("#@schema/examples (\"an example\", {example})\n")),
        1 => one(&["#@schema/nullable\n", "#@schema/type any=True\n"]),
        4 => filled("#@schema/validation $\n", [one(right)]),
        1 => filled("#@schema/validation $\n", [wrong]),
    ]
    .boxed()
}

fn schema() -> Text {
    let keys = keys().into_iter().map(|(key, value)| {
        let nullable = if key == "maybe" {
            "#@schema/nullable\n"
        } else {
            ""
        };
        let any = if key == "extra" {
            "#@schema/type any=True\n"
        } else {
            ""
        };
        let value = if key == "maybe" {
            "[a-z]{1,4}".boxed()
        } else {
            value
        };
        (note(key), value)
            .prop_map(move |(note, value)| {
                let note = if nullable.is_empty() && any.is_empty() {
                    note.as_str()
                } else {
                    ""
                };
                format!("{nullable}{any}{note}{key}: {value}\n")
            })
            .boxed()
    });
    let arrays = prop_oneof![
        Just("tags:\n- \"\"\nports:\n- name: \"\"\n  port: 80\n".to_owned()),
        Just("#@schema/default [\"a\"]\n#@schema/validation min_len=1\ntags:\n#@schema/validation max_len=3\n- \"\"\nports:\n#@schema/validation one_not_null=[\"name\", \"port\"]\n- name: http\n  #@schema/nullable\n  port: 8080\n".to_owned()),
        Just("#@schema/default [\"x\", \"y\"]\ntags:\n- \"\"\n#@schema/default [{\"name\": \"web\"}]\nports:\n- name: \"\"\n  port: 80\n".to_owned()),
    ];
    (keys.collect::<Vec<_>>(), arrays)
        .prop_map(|(keys, arrays)| format!("#@data/values-schema\n---\n{}{arrays}", keys.concat()))
        .boxed()
}

fn values() -> Text {
    let known = keys().into_iter().map(|(key, value)| {
        let any = prop_oneof![40 => value, 1 => plain()];
        option(any.prop_map(move |value| format!("{key}: {value}\n")))
            .prop_map(Option::unwrap_or_default)
            .boxed()
    });
    let more = prop_oneof![
        3 => Just(String::new()),
        5 => one(&[
            "tags:\n- one\n- two\n",
            "ports:\n- name: a\n- name: b\n  port: 1\n",
            "#@overlay/replace\nports:\n- name: c\n",
        ]),
        1 => one(&[
            "#@overlay/match missing_ok=True\nunknown: 1\n",
            "unknown: 1\n",
            "#@overlay/remove\nports:\n",
        ]),
    ];
    (known.collect::<Vec<_>>(), more)
        .prop_map(|(known, more)| format!("#@data/values\n---\n{}{more}", known.concat()))
        .prop_filter("content", |text| text.len() > 20)
        .boxed()
}

fn flag() -> impl Strategy<Value = Vec<String>> {
    let pair = |flag: &'static str, value: Text| {
        value
            .prop_map(move |value| vec![flag.to_owned(), value])
            .boxed()
    };
    prop_oneof![
        6 => pair("--data-value", filled("name=$", ["[a-z0-9 ]{0,4}".boxed()])),
        6 => pair("--data-value-yaml", filled("count=$", [int()])),
        2 => pair("--data-value-yaml", filled("limits.cpu=$", [int()])),
        2 => pair("--data-value-yaml", filled("extra=$", [plain()])),
        2 => pair("--data-value-yaml", one(&["tags=[a, b]", "ports=[{name: z}]", "maybe=null"])),
        1 => pair("--data-value-yaml", one(&["unknown=1", "enabled=maybe", "count=a"])),
        2 => pair("-o", one(&["json", "pos", "yaml"])),
        2 => one(&["--data-values-inspect", "--debug=false", "--dangerous-data-values-disable-validation"]).prop_map(|flag| vec![flag]),
        1 => Just(vec!["--strict".to_owned()]),
        1 => Just(["--data-values-schema-inspect", "-o", "openapi-v3"].map(String::from).to_vec()),
    ]
}

// Expressions, by what they give.

fn text_of(depth: u32) -> Text {
    let leaf = one(&[
        "\"a\"",
        "\"B c\"",
        "\"\"",
        "'x'",
        "data.values.name",
        "str(data.values.count)",
        "type(data.values)",
        "\"%s-%d\" % (data.values.name, 3)",
    ]);
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    let words = any_of(
        &[
            "$.upper()",
            "$ + $",
            "($ * 2)",
            "$.replace(\"a\", $)",
            "$.strip()",
            "$.title()",
            "$[1:]",
            "$.rjust(3)",
            "\",\".join($.split(\" \"))",
            "joined($, $)",
            "base64.encode($)",
            "regexp.replace(\"[a-c]+\", $, $)",
            "\"{} {x}\".format($, x=$)",
            "($ or $)",
            "repr($)",
            "json.encode($)",
            "$.capitalize()",
            "$.lstrip(\"a\")",
        ],
        move || text_of(depth),
    );
    let others = any_of(
        &[
            "str($)",
            "repr($)",
            "\"%r\" % [$]",
            "json.encode({\"k\": $})",
            "yaml.encode([$])",
            "json.encode($, indent=2)",
            "type($)",
        ],
        move || any(depth),
    );
    prop_oneof![2 => leaf, 3 => words, 2 => others].boxed()
}

fn number_of(depth: u32) -> Text {
    let leaf = one(&[
        "1",
        "-7",
        "0",
        "2.5",
        "data.values.count",
        "data.values.ratio",
        "len(data.values.name)",
        "0x1f",
        "1e3",
        "12345678901",
    ]);
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    let numbers = any_of(
        &[
            "($ + $)",
            "($ * $)",
            "($ - $)",
            "($ // 3)",
            "($ % 5)",
            "($ / 4)",
            "min($, $)",
            "max([$, $])",
            "int($)",
            "float($)",
            "-$",
            "hash(str($))",
        ],
        move || number_of(depth),
    );
    let others = prop_oneof![
        filled("len($)", [list_of(depth)]),
        filled("$.find(\"a\")", [text_of(depth)]),
        filled("int(len($))", [text_of(depth)])
    ];
    prop_oneof![3 => leaf, 3 => numbers, 1 => others].boxed()
}

fn truth_of(depth: u32) -> Text {
    let leaf = one(&[
        "True",
        "False",
        "data.values.enabled",
        "data.values.maybe == None",
        "hasattr(data.values, \"name\")",
    ]);
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    let both = prop_oneof![
        any_of(
            &[
                "$ == $",
                "$ != $",
                "$ < $",
                "$ in $",
                "$.startswith($)",
                "$.islower()"
            ],
            move || text_of(depth)
        ),
        any_of(&["$ == $", "$ < $", "$ >= $"], move || number_of(depth)),
        any_of(&["(not $)", "($ and $)", "($ or $)"], move || truth_of(
            depth
        )),
        any_of(&["bool($)", "any($)", "all($)"], move || list_of(depth)),
    ];
    prop_oneof![2 => leaf, 3 => both].boxed()
}

fn list_of(depth: u32) -> Text {
    let leaf = one(&[
        "[]",
        "[1, 2]",
        "data.values.tags",
        "list(range(3))",
        "[\"b\", \"a\"]",
        "dir(data.values)",
    ]);
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    let lists = any_of(
        &[
            "sorted($)",
            "list(reversed($))",
            "$ + $",
            "$[:1]",
            "[x for x in $ if x]",
            "list(enumerate($))",
            "[[x, y] for x in $ for y in $]",
            "list(zip($, $))",
            "[str(x) for x in $]",
            "sorted($, key=lambda x: str(x), reverse=True)",
            "list({x: 1 for x in $}.keys())",
        ],
        move || list_of(depth),
    );
    let others = any_of(
        &[
            "[$]",
            "[$, $]",
            "[$] * 2",
            "list({\"a\": $}.items())",
            "list({\"a\": $, \"b\": $}.values())",
        ],
        move || any(depth),
    );
    prop_oneof![2 => leaf, 3 => lists, 2 => others].boxed()
}

fn map_of(depth: u32) -> Text {
    let leaf = one(&[
        "{}",
        "{\"a\": 1}",
        "struct.decode(data.values.limits)",
        "labels(\"x\")",
        "dict(z=1, a=2)",
    ]);
    let Some(depth) = depth.checked_sub(1) else {
        return leaf;
    };
    let maps = prop_oneof![
        any_of(
            &[
                "{\"k\": $}",
                "{\"b\": $, \"a\": $}",
                "dict(k=$)",
                "struct.decode(struct.encode({\"k\": $}))",
                "yaml.decode(yaml.encode({\"k\": $}))",
                "json.decode(json.encode({\"k\": $}))"
            ],
            move || any(depth)
        ),
        any_of(&["labels($)", "{$: 1}", "{$: 1, $: 2}"], move || text_of(
            depth
        )),
        filled("{str(k): k for k in $}", [list_of(depth)]),
        filled(
            "overlay.apply({\"a\": 1, \"b\": [1]}, $)",
            [one(&["labels_overlay()", "{\"a\": 2}"])]
        ),
    ];
    prop_oneof![1 => leaf, 3 => maps].boxed()
}

fn any(depth: u32) -> Text {
    let values = prop_oneof![2 => text_of(depth), 2 => number_of(depth), 1 => truth_of(depth), 1 => list_of(depth), 1 => map_of(depth), 1 => one(&["None", "data.values.extra", "data.values.maybe", "port(\"p\", 1)"])];
    let Some(depth) = depth.checked_sub(1) else {
        return values.boxed();
    };
    let choice = (any(depth), truth_of(depth), any(depth))
        .prop_map(|(a, test, b)| format!("({a} if {test} else {b})"));
    prop_oneof![5 => values, 1 => choice].boxed()
}

const DEPTH: u32 = 2;

// YAML with code in it.

/// Entries of a map; `%` stands for the key.
fn entry(depth: u32) -> Text {
    let computed = filled("%: #@ $\n", [any(DEPTH)]);
    let written = prop_oneof![filled("%: $\n", [plain()]), filled("%: $\n", [string()])];
    let templated = prop_oneof![
        filled(
            "#@yaml/text-templated-strings\n%: 'x (@= $ @) y'\n",
            [text_of(1)]
        ),
        filled(
            "#@yaml/text-templated-strings\n'% (@= str($) @)': 1\n",
            [number_of(1)]
        ),
        filled(
            "#@yaml/map-key-override\n%: 1\n#@yaml/map-key-override\n%: #@ $\n",
            [any(1)]
        ),
        Just("#! a comment\n%: &anchor {a: 1}\n%-b: *anchor\n".to_owned()),
    ];
    let Some(depth) = depth.checked_sub(1) else {
        return prop_oneof![3 => computed, 1 => written, 1 => templated].boxed();
    };
    let nested = entries(depth).prop_map(|inner| format!("%:\n{}", indented(&inner)));
    let choice =
        (truth_of(DEPTH), entry(depth), option(entry(depth))).prop_map(|(test, yes, no)| {
            let no = no.map(|no| format!("#@ else:\n{no}")).unwrap_or_default();
            format!("#@ if {test}:\n{yes}{no}#@ end\n")
        });
    let list = vec_of(item(depth), 1, 3).prop_map(|items| format!("%:\n{}", items.concat()));
    let shortened = (truth_of(1), any(1))
        .prop_map(|(test, value)| format!("#@ if/end {test}:\n%: #@ {value}\n"));
    prop_oneof![4 => computed, 2 => written, 2 => nested, 2 => list, 1 => choice, 1 => templated, 1 => shortened].boxed()
}

fn item(depth: u32) -> Text {
    let computed = filled("- #@ $\n", [any(DEPTH)]);
    let written = filled("- $\n", [plain()]);
    let Some(depth) = depth.checked_sub(1) else {
        return prop_oneof![computed, written].boxed();
    };
    let map = entries(depth).prop_map(|inner| format!("-\n{}", indented(&inner)));
    let each = (list_of(1), item(0))
        .prop_map(|(list, item)| format!("#@ for each in {list}:\n- #@ each\n{item}#@ end\n"));
    prop_oneof![3 => computed, 1 => written, 1 => map, 1 => each].boxed()
}

fn entries(depth: u32) -> Text {
    vec_of(entry(depth), 1, 3)
        .prop_map(|entries| {
            let named = |(place, entry): (usize, String)| entry.replace('%', &format!("k{place}"));
            entries.into_iter().enumerate().map(named).collect()
        })
        .boxed()
}

/// What templates load; `TEST` and `BODY` are filled in.
const FUNCTIONS: &str = r#"#@ load("@ytt:data", "data")
#@ load("@ytt:struct", "struct")
#@ load("@ytt:yaml", "yaml")
#@ load("@ytt:json", "json")
#@ load("@ytt:base64", "base64")
#@ load("@ytt:regexp", "regexp")
#@ load("@ytt:overlay", "overlay")

#@ def port(name, number=80):
name: #@ name
port: #@ number
#@ end

#@ def joined(a, b):
#@   return "{}/{}".format(a, b)
#@ end

#@ def labels(name):
#@   if TEST:
app: #@ name
#@   end
more:
BODY#@ end
"#;

fn functions() -> Text {
    (entries(0), truth_of(0))
        .prop_map(|(body, test)| {
            // What is defined here cannot be called before it is.
            let body = body
                .replace("labels(", "joined(\"\", ")
                .replace("port(\"p\", 1)", "1")
                .replace("labels_overlay()", "{\"a\": 3}");
            FUNCTIONS
                .replace("TEST", &test)
                .replace("BODY", &indented(&body))
        })
        .boxed()
}

fn template() -> Text {
    vec_of(entries(2), 1, 2)
        .prop_map(|documents| format!("{LOADS}\n#@ def labels_overlay():\n#@overlay/match missing_ok=True\nc: 3\n#@ end\n---\n{}", documents.join("---\n")))
        .boxed()
}

/// Documents that overlays find.
fn resources() -> Text {
    let resource = (one(&["Deployment", "Service"]), one(&["web", "db"]), one(&["", "  namespace: other\n"]), int(), one(&["a", "b"]), one(&["", "  empty: {}\n", "  tags: [x, y]\n"])).prop_map(
        |(kind, name, namespace, replicas, container, more)| {
            format!("kind: {kind}\nmetadata:\n  name: {name}\n{namespace}spec:\n  replicas: {replicas}\n  containers:\n  - name: {container}\n    image: i:1\n  - name: side\n    env: {{A: 1}}\n{more}")
        },
    );
    vec_of(resource, 1, 4)
        .prop_map(|resources| resources.join("---\n"))
        .boxed()
}

fn overlays() -> Text {
    let by = one(&[
        "overlay.all",
        "overlay.subset({\"kind\": \"Deployment\"})",
        "overlay.subset({\"metadata\": {\"name\": \"web\"}})",
        "overlay.not_op(overlay.subset({\"kind\": \"Service\"}))",
        "lambda i, l, r: i == 0",
        "overlay.index(0)",
        "overlay.or_op(overlay.subset({\"kind\": \"Service\"}), overlay.subset({\"spec\": {\"replicas\": 1}}))",
        "overlay.and_op(overlay.subset({\"kind\": \"Deployment\"}), lambda i, l, r: \"kind\" in l)",
    ]);
    let expects = prop_oneof![3 => Just(", expects=\"0+\"".to_owned()), 1 => one(&["", ", expects=1", ", expects=\"1+\"", ", expects=[0, 2]", ", missing_ok=True", ", expects=lambda n: n < 3"])];
    let edit = one(&[
        "spec:\n  replicas: 7\n",
        "spec:\n  #@overlay/replace via=lambda l, r: l + r\n  replicas: 1\n",
        "spec:\n  #@overlay/remove\n  replicas:\n",
        "#@overlay/match missing_ok=True\nadded: {a: 1}\n",
        "metadata:\n  #@overlay/match missing_ok=True\n  labels:\n    #@overlay/match missing_ok=True\n    app: x\n",
        "spec:\n  containers:\n  #@overlay/match by=\"name\"\n  - name: side\n    image: s:2\n",
        "spec:\n  containers:\n  #@overlay/match by=overlay.all, expects=\"1+\"\n  - #@overlay/match missing_ok=True\n    pull: Always\n",
        "spec:\n  containers:\n  #@overlay/match by=\"name\", missing_ok=True\n  #@overlay/remove\n  - name: a\n",
        "spec:\n  containers:\n  #@overlay/append\n  - name: last\n",
        "spec:\n  containers:\n  #@overlay/match by=overlay.index(0)\n  #@overlay/insert before=True, after=True\n  - name: around\n",
        "spec:\n  #@overlay/match missing_ok=True\n  #@overlay/replace or_add=True\n  tags: [z]\n",
        "spec:\n  containers:\n  #@overlay/match by=lambda i, l, r: l[\"name\"] == \"side\"\n  #@overlay/replace\n  - name: other\n",
        "#@overlay/match-child-defaults missing_ok=True\nmetadata:\n  annotations:\n    a: b\n",
        "spec:\n  #@overlay/assert via=lambda l, r: l < 50\n  replicas: 1\n",
        "#@overlay/match by=lambda i, l, r: i.startswith(\"sp\")\n_:\n  #@overlay/match missing_ok=True\n  found: yes\n",
        "spec: #@ data.values.limits\n",
        "spec:\n  replicas: #@ data.values.count\n",
        "#@overlay/match by=overlay.map_key(\"name\"), expects=\"0+\"\nmetadata:\n  name: web\n",
        "spec:\n  containers:\n  #@overlay/match by=overlay.map_key(\"name\"), expects=\"0+\"\n  - name: a\n    image: #@ data.values.name\n",
        "spec: {}\n",
        "kind: Other\n",
        "spec: ~\n",
    ]);
    let whole = one(&[
        "",
        "",
        "",
        "#@overlay/remove\n",
        "#@overlay/replace\n",
        "#@overlay/insert after=True\n",
        "#@overlay/append\n",
    ]);
    let overlay = (by, expects, whole, edit).prop_map(|(by, expects, whole, edit)| {
        format!("#@overlay/match by={by}{expects}\n{whole}---\n{edit}")
    });
    vec_of(overlay, 1, 3)
        .prop_map(|overlays| {
            format!(
                "#@ load(\"@ytt:overlay\", \"overlay\")\n#@ load(\"@ytt:data\", \"data\")\n{}",
                overlays.concat()
            )
        })
        .boxed()
}

fn text_template() -> Text {
    let part = prop_oneof![
        "[a-z \n]{0,8}".boxed(),
        filled("(@= $ @)", [text_of(1)]),
        filled(
            "(@ for x in $: -@)\n x (@= str(x) @)\n(@ end -@)\n",
            [list_of(1)]
        ),
        filled("(@- if $: @)yes(@ else: @)no(@ end @)\n", [truth_of(1)]),
        Just("(@# a comment @)".to_owned()),
        filled("(@-= str($) -@)\n", [number_of(1)]),
    ];
    vec_of(part, 1, 4)
        .prop_map(|parts| {
            let loads = LOADS.replace("#@ ", "(@ ").replace("\n", " -@)\n");
            format!("{loads}{}", parts.concat())
        })
        .boxed()
}
