//! A package of a repository with its versions: which one an install gets, and what it renders.

use super::model::VersionSelection;
use super::repository::Repository;
use super::select::{Request, select};
use super::source::{self, Inputs, Rendered, Source};
use super::upgrade::{Upgrade, upgrade};
use super::wanted::required;
use crate::diagnostic::Report;
use crate::files::File;

/// Reads what stands in a folder of a repository, the files' paths below it; nothing if it is not there.
pub type Read<'a> = dyn Fn(&str) -> Result<Vec<File>, Report> + 'a;

/// A package of a repository.
pub struct Offer<'a> {
    repository: &'a Repository,
    /// Its name.
    pub ref_name: String,
    sources: &'a Read<'a>,
}

impl<'a> Offer<'a> {
    /// The package of this name.
    ///
    /// # Errors
    /// The repository has none; the names that it has are told.
    pub fn new(
        repository: &'a Repository,
        ref_name: &str,
        sources: &'a Read<'a>,
    ) -> Result<Offer<'a>, Report> {
        source::known(repository, ref_name)?;
        Ok(Offer {
            repository,
            ref_name: ref_name.to_string(),
            sources,
        })
    }

    /// The version that an install gets; `installed` is the one that it has, if any.
    ///
    /// # Errors
    /// There is none, in kapp-controller's words.
    pub fn select(
        &self,
        selection: &VersionSelection,
        installed: Option<&str>,
    ) -> Result<String, Report> {
        let request = Request {
            ref_name: self.ref_name.clone(),
            selection: selection.clone(),
            installed: installed.map(str::to_string),
            ..Request::default()
        };
        let selected = select(&self.repository.candidates(), &request);
        selected
            .result
            .map_err(|error| Report::new(error.to_string()))
    }

    /// What a version renders with these inputs.
    ///
    /// # Errors
    /// There is no such version, what it is made of cannot be read, or it refuses the inputs.
    pub fn render(&self, version: &str, inputs: &Inputs) -> Result<Rendered, Report> {
        let found = source::find(self.repository, &self.ref_name, version)?;
        let files = (self.sources)(&source::folder(&self.ref_name, version))?;
        Source::new(&found.resource, files)?.with(inputs).render()
    }

    /// The version that an upgrade from this one leads to: the one that is named, or the one that an install gets.
    ///
    /// # Errors
    /// Neither or both are given, or there is no such version.
    pub fn target(
        &self,
        from: &str,
        to: &str,
        selection: &VersionSelection,
    ) -> Result<String, Report> {
        required("--from", from)?;
        match (to, selection.constraints.as_str()) {
            ("", "") => Err(Report::new("expected --to or --constraints")),
            (to, "") => Ok(to.to_string()),
            ("", _) => self.select(selection, Some(from)),
            _ => Err(Report::new(
                "expected either --to or --constraints, found both",
            )),
        }
    }

    /// What another version changes, each with its inputs.
    ///
    /// # Errors
    /// One of them cannot be rendered, and which is told.
    pub fn upgrade(
        &self,
        from: (&str, &Inputs),
        to: (&str, &Inputs),
        namespace: &str,
    ) -> Result<Upgrade, Report> {
        let render = |side: &str, (version, inputs): (&str, &Inputs)| {
            let rendered = self.render(version, inputs);
            rendered.map_err(|report| report.context(format!("{side} {version}")))
        };
        Ok(upgrade(
            &render("from", from)?,
            &render("to", to)?,
            namespace,
        ))
    }
}
