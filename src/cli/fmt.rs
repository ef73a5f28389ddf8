//! `fmt`: YAML templates laid out alike.

use super::Printed;
use super::flags::FormatFlags;
use super::input::Reader;
use crate::diagnostic::{Diagnostic, Report};
use crate::files::Kind;
use crate::position::Position;
use crate::yaml::{self, Layout, ParseOptions};
use std::time::Instant;

/// Prints the YAML files, `---` between them.
///
/// # Errors
/// A file cannot be read, or is not YAML.
pub fn fmt(flags: &FormatFlags) -> Result<Printed, Report> {
    let start = Instant::now();
    let mut printed = Printed::default();
    let options = ParseOptions {
        strict: flags.strict,
        without_comments: false,
    };
    for file in Reader::default().files(&flags.files)? {
        if file.kind() != Kind::Yaml {
            continue;
        }
        if flags.debug {
            let line = format!("## file {} ({})\n", file.path(), file.description());
            printed.err.extend_from_slice(line.as_bytes());
        }
        let source = file.source()?;
        let documents = yaml::parse(source, options).map_err(|error| {
            let mut diagnostic = Diagnostic::error(error.message.clone());
            diagnostic.origin = Position::in_source(source);
            if let Some(line) = error.line {
                diagnostic.origin = Position::new(source, line);
            }
            Report::with_diagnostics(error.message, vec![diagnostic])
        })?;
        let layout = Layout {
            continued: !printed.out.is_empty(),
            strict: flags.strict,
        };
        let text = yaml::format(&documents, layout);
        printed.out.extend_from_slice(&text);
    }
    if flags.debug {
        let line = format!("total: {:?}\n", start.elapsed());
        printed.err.extend_from_slice(line.as_bytes());
    }
    Ok(printed)
}
