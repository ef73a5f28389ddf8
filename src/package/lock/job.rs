//! Resources whose images are to be locked, from what was read to what is printed.

use super::config::Config;
use super::{Images, Resolver, apply, description, find, resolve, search};
use crate::diagnostic::Report;
use crate::files::{File, Kind};
use crate::yaml::{Value, print_value};
use std::collections::{BTreeMap, BTreeSet};

/// Resources, what is said of their images, and the images that are found in them.
pub struct Job {
    resources: Vec<Value>,
    /// What the resources say of images, and further what is given.
    pub config: Config,
    /// The images.
    pub found: BTreeSet<String>,
}

/// Resources with their images replaced.
pub struct Locked {
    /// What the images became.
    pub images: Images,
    /// The resources.
    pub text: Vec<u8>,
    /// What became of each image, then what is to be known, a line each.
    pub told: Vec<String>,
}

impl Job {
    /// Reads resources from files, of which those that are neither YAML nor JSON are passed over, as kubectl has it. `map`
    /// leads from images to what they become.
    ///
    /// # Errors
    /// A file is not what it should be.
    pub fn new(files: &[File], map: BTreeMap<String, String>) -> Result<Job, Report> {
        let mut resources = Vec::new();
        for file in files {
            if file.kind() == Kind::Yaml || file.path().ends_with(".json") {
                resources.extend(super::resources(&file.source()?.text, file.description())?);
            }
        }
        let (resources, mut config) = Config::split(resources)?;
        config.add(Config::of_map(map));
        let found = find(&resources, &config);
        Ok(Job {
            resources,
            config,
            found,
        })
    }

    /// Resolves the images and replaces them; `annotate` adds the annotation that tells of them.
    ///
    /// # Errors
    /// All that cannot be resolved.
    pub fn run(&self, resolver: &dyn Resolver, annotate: bool) -> Result<Locked, Report> {
        let images = resolve(&self.found, &self.config, resolver)?;
        let resolved = images
            .iter()
            .map(|(image, resolved)| format!("resolve | final: {image} -> {}", resolved.url));
        let mut told: Vec<String> = resolved.collect();
        let mut text = Vec::new();
        for resource in &self.resources {
            let hidden = search::hidden(resource, &self.config.rules()).into_iter();
            let hidden: BTreeSet<String> = hidden.map(|hidden| hidden.image).collect();
            for image in hidden {
                told.push(format!(
                    "warning: {} holds image '{image}' in a string, which is not locked (hint: a search rule with \
                     'updateStrategy: yaml' finds it)",
                    description(resource)
                ));
            }
            let resource = apply(resource, &self.config, &images, annotate);
            text.extend_from_slice(b"---\n");
            text.extend(print_value(&resource));
        }
        Ok(Locked { images, text, told })
    }
}
