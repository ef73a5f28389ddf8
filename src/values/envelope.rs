//! Documents with the library they are addressed to.

use crate::diagnostic::Report;
use crate::modules::bool_argument;
use crate::schema::Schema;
use crate::script::{Interp, Value};
use crate::yaml::{Document, Meta};
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

const VALUES_ANNOTATION: &str = "data/values";

const LIBRARY_ANNOTATION: &str = "library/ref";

/// A library as a document names it: by path, by alias, or by both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryRef {
    /// The path below `_ytt_lib`; empty if only an alias is given.
    pub path: String,
    /// The alias; empty if there is none.
    pub alias: String,
}

impl LibraryRef {
    /// The references in `@path`, `@~alias`, `@path~alias` and chains of these, outermost library first.
    ///
    /// # Errors
    /// The text is not of that form.
    pub fn parse(text: &str) -> Result<Vec<LibraryRef>, String> {
        if text.is_empty() {
            return Err("Expected library ref to not be empty".to_owned());
        }
        let Some(rest) = text.strip_prefix('@') else {
            return Err("Expected library ref to start with '@'".to_owned());
        };
        let parse = |piece: &str| {
            let parts: Vec<&str> = piece.split('~').collect();
            match parts.as_slice() {
                [path] => Ok((*path, "")),
                [_, ""] => Err("Expected library alias to not be empty".to_owned()),
                [path, alias] => Ok((*path, *alias)),
                _ => Err(format!(
                    "Expected library ref to have form: '@path', '@~alias', or '@path~alias', got: '{text}'"
                )),
            }
            .map(|(path, alias)| LibraryRef {
                path: path.to_owned(),
                alias: alias.to_owned(),
            })
        };
        rest.split('@').map(parse).collect()
    }

    /// True if this names the library that has that path and alias.
    pub fn matches(&self, library: &LibraryRef) -> bool {
        let path = self.path == library.path;
        if self.alias.is_empty() {
            return path;
        }
        self.alias == library.alias && (self.path.is_empty() || path)
    }
}

/// `path` or `path~alias`
impl fmt::Display for LibraryRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if !self.alias.is_empty() {
            write!(f, "~{}", self.alias)?;
        }
        Ok(())
    }
}

/// Where a document is going, and whether it has arrived. Clones share the mark.
#[derive(Clone, Debug)]
struct Address {
    /// What is still ahead.
    ahead: Vec<LibraryRef>,
    /// What was written.
    written: Rc<[LibraryRef]>,
    used: Rc<Cell<bool>>,
}

impl Address {
    fn new(libraries: Vec<LibraryRef>) -> Address {
        Address {
            written: libraries.clone().into(),
            ahead: libraries,
            used: Rc::default(),
        }
    }

    /// The address as the library sees it that is entered; `None` if it goes elsewhere.
    fn receive(&self, library: &LibraryRef) -> Option<Address> {
        let ahead = match self.ahead.as_slice() {
            [] => Vec::new(),
            [first, rest @ ..] if first.matches(library) => rest.to_vec(),
            _ => return None,
        };
        self.used.set(true);
        Some(Address {
            ahead,
            written: self.written.clone(),
            used: Rc::default(),
        })
    }

    fn of_annotation(meta: &Meta) -> Result<Vec<LibraryRef>, String> {
        let Some(annotation) = meta.annotation(LIBRARY_ANNOTATION) else {
            return Ok(Vec::new());
        };
        match annotation.args.as_slice() {
            [Value::Str(text)] => LibraryRef::parse(&text.to_text())
                .map_err(|message| format!("Annotation {LIBRARY_ANNOTATION}: {message}")),
            [other] => Err(format!("expected a string, but was {}", other.type_name())),
            many => Err(format!(
                "Expected {LIBRARY_ANNOTATION} annotation to have one arg, got {}",
                many.len()
            )),
        }
    }

    fn describe(&self, what: &str, document: &Document) -> String {
        let written: Vec<String> = self.written.iter().map(ToString::to_string).collect();
        format!(
            "{what} belonging to library '@{}' on line {}",
            written.join("@"),
            document.meta.position
        )
    }
}

/// A data values document. Clones share the mark of use.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The document, an overlay.
    pub document: Document,
    /// True if it comes after what `library` calls in templates set (`after_library_module=True`).
    pub after_library_module: bool,
    address: Address,
}

impl Envelope {
    /// A document, addressed by its annotations.
    ///
    /// # Errors
    /// An annotation is not as it should be.
    pub fn new(document: Document) -> Result<Envelope, Report> {
        let libraries = Address::of_annotation(&document.meta).map_err(Report::new)?;
        let mut after_library_module = false;
        let annotation = document.meta.annotation(VALUES_ANNOTATION);
        for (name, value) in annotation.map_or(&[][..], |annotation| &annotation.named) {
            if *name != "after_library_module" {
                return Err(Report::new(format!(
                    "Unknown kwarg {} for annotation {VALUES_ANNOTATION}",
                    name.to_text()
                )));
            }
            let after = bool_argument(value).map_err(|error| Report::new(error.message()))?;
            if libraries.is_empty() {
                return Err(Report::new(format!(
                    "Annotation {VALUES_ANNOTATION}: Expected kwarg 'after_library_module' to be used with {LIBRARY_ANNOTATION} annotation"
                )));
            }
            after_library_module = after;
        }
        Ok(Envelope {
            document,
            after_library_module,
            address: Address::new(libraries),
        })
    }

    /// A document addressed by a flag (`@lib`); an empty address is none.
    ///
    /// # Errors
    /// The address is not one.
    pub fn addressed(document: Document, libraries: &str) -> Result<Envelope, Report> {
        let libraries = match libraries {
            "" => Vec::new(),
            text => LibraryRef::parse(text).map_err(Report::new)?,
        };
        Ok(Envelope {
            document,
            after_library_module: false,
            address: Address::new(libraries),
        })
    }

    /// True if it is for a library below the one that has it.
    pub fn is_addressed(&self) -> bool {
        !self.address.ahead.is_empty()
    }

    /// True once a library took it.
    pub fn is_used(&self) -> bool {
        self.address.used.get()
    }

    /// What the library gets that is entered, and marks this as used; `None` if it is for another one.
    pub fn receive(&self, library: &LibraryRef) -> Option<Envelope> {
        Some(Envelope {
            document: self.document.clone(),
            after_library_module: self.after_library_module,
            address: self.address.receive(library)?,
        })
    }

    /// What messages call it.
    pub fn describe(&self) -> String {
        self.address.describe("Data Value", &self.document)
    }
}

/// A schema document. Clones share the mark of use.
#[derive(Clone, Debug)]
pub struct SchemaEnvelope {
    /// The document.
    pub document: Document,
    /// What it declares, taken alone.
    pub schema: Schema,
    address: Address,
}

impl SchemaEnvelope {
    /// A document, addressed by its annotations.
    ///
    /// # Errors
    /// An annotation is not as it should be, or the document is no schema.
    pub fn new(interp: &mut Interp, document: Document) -> Result<SchemaEnvelope, Report> {
        let libraries = Address::of_annotation(&document.meta).map_err(Report::new)?;
        let schema = Schema::from_document(interp, &document)?;
        Ok(SchemaEnvelope {
            document,
            schema,
            address: Address::new(libraries),
        })
    }

    /// True if it is for a library below the one that has it.
    pub fn is_addressed(&self) -> bool {
        !self.address.ahead.is_empty()
    }

    /// True once a library took it.
    pub fn is_used(&self) -> bool {
        self.address.used.get()
    }

    /// What the library gets that is entered, and marks this as used; `None` if it is for another one.
    /// If it is for a library still further below, [`SchemaEnvelope::is_addressed`] holds for the result too.
    pub fn receive(&self, library: &LibraryRef) -> Option<SchemaEnvelope> {
        Some(SchemaEnvelope {
            document: self.document.clone(),
            schema: self.schema.clone(),
            address: self.address.receive(library)?,
        })
    }

    /// What messages call it.
    pub fn describe(&self) -> String {
        self.address.describe("Schema", &self.document)
    }
}

/// Fails if anything addressed to a library reached none.
///
/// # Errors
/// `Expected all provided library ... documents to be used but found unused: ...`
pub fn check_all_used(
    values: &[Rc<Envelope>],
    schemas: &[Rc<SchemaEnvelope>],
) -> Result<(), Report> {
    let values = values.iter().filter(|envelope| !envelope.is_used());
    let values: Vec<String> = values.map(|envelope| envelope.describe()).collect();
    let schemas = schemas.iter().filter(|envelope| !envelope.is_used());
    let schemas: Vec<String> = schemas.map(|envelope| envelope.describe()).collect();
    let kinds = match (values.is_empty(), schemas.is_empty()) {
        (true, true) => return Ok(()),
        (false, true) => "data values",
        (true, false) => "schema",
        (false, false) => "data values, and schema",
    };
    Err(Report::new(format!(
        "Expected all provided library {kinds} documents to be used but found unused: {}",
        [values, schemas].concat().join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let show = |text: &str| match LibraryRef::parse(text) {
            Ok(found) => found
                .iter()
                .map(|reference| format!("{}|{}", reference.path, reference.alias))
                .collect::<Vec<_>>()
                .join(" "),
            Err(message) => message,
        };
        let table = [
            ("@a", "a|"),
            ("@~x", "|x"),
            ("@a~x@b/c", "a|x b/c|"),
            ("", "Expected library ref to not be empty"),
            ("a", "Expected library ref to start with '@'"),
            ("@a~", "Expected library alias to not be empty"),
        ];
        for (text, want) in table {
            assert_eq!(show(text), want, "{text}");
        }
    }
}
