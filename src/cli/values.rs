//! What the data value flags say, their files read.

use super::flags::RenderFlags;
use super::input::Reader;
use crate::diagnostic::Report;
use crate::values::Flags;
use crate::values::flags::{FileValue, Kind, ValuesFile, split_file_value, split_library};

/// Collects the values.
///
/// # Errors
/// A file cannot be read, or an argument has not the form that it should have.
pub fn collect(reader: &mut Reader, flags: &RenderFlags) -> Result<Flags, Report> {
    let from_file = |report: Report| report.context("Extracting data value from file");
    let mut values = Flags::default();
    for argument in &flags.data_values_file {
        values
            .files
            .append(&mut files(reader, argument).map_err(from_file)?);
    }
    values.add(Kind::Text, &flags.data_values_env, &flags.data_value);
    values.add(
        Kind::Yaml,
        &flags.data_values_env_yaml,
        &flags.data_value_yaml,
    );
    if !values.env_prefixes.is_empty() {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        values.environment = std::env::vars_os().filter_map(text).collect();
    }
    for argument in &flags.data_value_file {
        values
            .file_values
            .push(file(reader, argument).map_err(from_file)?);
    }
    Ok(values)
}

/// The files that one `--data-values-file` names.
///
/// # Errors
/// One cannot be read.
pub fn files(reader: &mut Reader, argument: &str) -> Result<Vec<ValuesFile>, Report> {
    let (library, path) = split_library(argument)?;
    let found = reader
        .find_named(path)
        .map_err(|report| report.context(format!("Find files '{path}'")))?;
    let mut files = Vec::new();
    for found in found {
        // A folder may hold other files too.
        let is_yaml = found.relative.ends_with(".yaml") || found.relative.ends_with(".yml");
        if found.relative.contains('/') && !is_yaml {
            continue;
        }
        let bytes = reader
            .read(&found)
            .map_err(|report| report.context(format!("Reading file '{}'", found.path())))?;
        files.push(ValuesFile {
            library: library.to_string(),
            argument: path.to_string(),
            path: found.path().to_string(),
            bytes,
        });
    }
    Ok(files)
}

fn file(reader: &mut Reader, argument: &str) -> Result<FileValue, Report> {
    let (key, path) = split_file_value(argument)?;
    let found = reader
        .find_named(path)
        .map_err(|report| report.context(format!("Finding file '{path}'")))?;
    let [found] = found.as_slice() else {
        return Err(Report::new(format!(
            "Expected '{path}' to be a file, but is a directory"
        )));
    };
    // That it cannot be read is all that ytt says of it; why is worth knowing.
    let bytes = reader
        .read(found)
        .map_err(|report| report.context(format!("Reading file '{path}'")))?;
    Ok(FileValue {
        key: key.to_string(),
        path: path.to_string(),
        bytes,
    })
}
