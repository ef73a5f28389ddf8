//! Annotations that may not be meant as they are written. ytt keeps what it does not know and says nothing.

use super::annotation::{Directive, NodeRef, Role};
use crate::diagnostic::{Diagnostic, Severity};
use crate::files::{File, Kind};
use crate::script::format::nearest;
use crate::yaml::{self, DocumentSet, ParseOptions};

/// All annotations that mean something, by family.
const FAMILIES: [(&str, &[&str]); 7] = [
    ("assert", &["validate"]),
    ("data", &["values", "values-schema"]),
    ("library", &["ref"]),
    (
        "overlay",
        &[
            "append",
            "assert",
            "insert",
            "match",
            "match-child-defaults",
            "merge",
            "remove",
            "replace",
        ],
    ),
    (
        "schema",
        &[
            "default",
            "deprecated",
            "desc",
            "examples",
            "nullable",
            "title",
            "type",
            "validation",
        ],
    ),
    ("template", &["code", "value"]),
    ("yaml", &["map-key-override", "text-templated-strings"]),
];

/// A warning for each annotation of a known family that is none of the family's.
pub fn warnings(files: &[File]) -> Vec<Diagnostic> {
    let templates = files
        .iter()
        .filter(|file| file.kind() == Kind::Yaml && (file.is_template() || file.is_library()));
    templates.flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Diagnostic> {
    // What cannot be read is told by the render.
    let documents: DocumentSet = match file.source() {
        Ok(source) => yaml::parse(source, ParseOptions::default()).unwrap_or_default(),
        Err(_) => DocumentSet::default(),
    };
    let mut found = Vec::new();
    let mut nodes = vec![NodeRef::Documents(&documents)];
    while let Some(node) = nodes.pop() {
        for (meta, comment) in node
            .meta()
            .into_iter()
            .flat_map(|meta| meta.comments().iter().map(move |comment| (meta, comment)))
        {
            if let Ok(Directive {
                role: Role::Annotation(name),
                ..
            }) = Directive::parse(comment, &meta.position, true)
                && let Some(hint) = misspelt(&name)
            {
                let mut warning = Diagnostic::error(format!("@{name} means nothing"));
                warning.severity = Severity::Warning;
                warning.origin = comment.position.clone();
                warning.hints.extend(hint);
                found.push(warning);
            }
        }
        node.push_children(&mut nodes);
    }
    found
}

/// Whether a name is misspelt, and if so what may be meant.
fn misspelt(name: &str) -> Option<Option<String>> {
    let (family, rest) = name.split_once('/')?;
    let (_, known) = FAMILIES.iter().find(|(known, _)| *known == family)?;
    if known.contains(&rest) {
        return None;
    }
    let near = nearest(rest, known.iter().copied());
    Some(near.map(|near| format!("did you mean '@{family}/{near}'?")))
}
