//! Names of images, as Carvel's tools read them: `[REGISTRY/]REPOSITORY[:TAG][@DIGEST]`.

use super::digest::Digest;
use std::fmt;
use std::str::FromStr;

/// Where a name without a registry leads.
const DOCKER_HUB: &str = "index.docker.io";

/// A repository of a registry. Its text is the whole name: `nginx` is `index.docker.io/library/nginx`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repository {
    /// Host, and port if there is one.
    pub registry: String,
    /// The path in it.
    pub name: String,
}

/// The name of an image: a repository, with a tag or a digest or both, of which the digest counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Where it is.
    pub repository: Repository,
    /// The tag, if one is named.
    pub tag: Option<String>,
    /// The digest, if one is named.
    pub digest: Option<Digest>,
}

impl Repository {
    /// The last part of its name.
    pub fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// This image of the repository.
    pub fn at(&self, digest: Digest) -> Reference {
        Reference {
            repository: self.clone(),
            tag: None,
            digest: Some(digest),
        }
    }

    /// What this tag of the repository names.
    pub fn tagged(&self, tag: impl Into<String>) -> Reference {
        Reference {
            repository: self.clone(),
            tag: Some(tag.into()),
            digest: None,
        }
    }
}

impl Reference {
    /// The tag that is named, or `latest`.
    pub fn tag(&self) -> &str {
        self.tag.as_deref().unwrap_or("latest")
    }

    /// What a registry is asked for: the digest, else the tag.
    pub fn target(&self) -> String {
        match self.digest {
            Some(digest) => digest.to_string(),
            None => self.tag().to_string(),
        }
    }
}

impl FromStr for Repository {
    type Err = String;

    fn from_str(text: &str) -> Result<Repository, String> {
        let wrong = |reason: &str| Err(format!("'{text}' is no name of a repository: {reason}"));
        let (registry, name) = match text.split_once('/') {
            Some((first, rest)) if first.contains(['.', ':']) => (first, rest),
            _ => (DOCKER_HUB, text),
        };
        let registry = if registry == "docker.io" {
            DOCKER_HUB
        } else {
            registry
        };
        let is_host = |character: char| {
            character.is_ascii_alphanumeric()
                || matches!(character, '.' | '-' | '_' | ':' | '[' | ']')
        };
        if !registry.chars().all(is_host) {
            return wrong("a registry is a host, and perhaps a port");
        }
        let is_part = |part: &str| {
            let outside = |letter: Option<&u8>| letter.is_some_and(u8::is_ascii_alphanumeric);
            outside(part.as_bytes().first()) && outside(part.as_bytes().last())
        };
        let is_plain =
            |character: char| matches!(character, 'a'..='z' | '0'..='9' | '_' | '-' | '.' | '/');
        if !(2..=255).contains(&name.len()) {
            return wrong("it has 2 to 255 characters");
        }
        if !name.chars().all(is_plain) || !name.split('/').all(is_part) {
            return wrong(
                "it is made of lower-case letters, digits, and '_', '-', '.', '/' between them",
            );
        }
        let implied = registry == DOCKER_HUB && !name.contains('/');
        Ok(Repository {
            registry: registry.to_string(),
            name: if implied {
                format!("library/{name}")
            } else {
                name.to_string()
            },
        })
    }
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Reference, String> {
        let (named, digest) = match text.split_once('@') {
            Some((named, digest)) => (named, Some(digest.parse()?)),
            None => (text, None),
        };
        let (repository, tag) = match named.rsplit_once(':') {
            Some((repository, tag)) if !tag.contains('/') => (repository, Some(tag)),
            _ => (named, None),
        };
        let is_tag = |tag: &str| {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
            (1..=128).contains(&tag.len()) && tag.chars().all(plain)
        };
        if let Some(tag) = tag.filter(|tag| !is_tag(tag)) {
            return Err(format!(
                "'{text}' is no name of an image: the tag '{tag}' is not 1 to 128 letters, digits, '_', '-' and '.'"
            ));
        }
        Ok(Reference {
            repository: repository.parse()?,
            tag: tag.map(str::to_owned),
            digest,
        })
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.name)
    }
}

impl fmt::Display for Reference {
    /// `REPOSITORY@DIGEST` if there is a digest, else `REPOSITORY:TAG`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digest {
            Some(digest) => write!(f, "{}@{digest}", self.repository),
            None => write!(f, "{}:{}", self.repository, self.tag()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn whole_names() {
        let table = [
            ("nginx", "index.docker.io/library/nginx:latest"),
            ("docker.io/nginx:1", "index.docker.io/library/nginx:1"),
            ("a/b:v1.0_x-Y", "index.docker.io/a/b:v1.0_x-Y"),
            ("localhost/a", "index.docker.io/localhost/a:latest"),
            ("127.0.0.1:5000/a/b", "127.0.0.1:5000/a/b:latest"),
            ("[::1]:5000/ab:t", "[::1]:5000/ab:t"),
            ("ghcr.io/ab/c-d/e__f", "ghcr.io/ab/c-d/e__f:latest"),
        ];
        for (text, want) in table {
            let whole = text.parse::<Reference>().map(|name| name.to_string());
            assert_eq!(whole.as_deref(), Ok(want), "{text}");
        }
        let both: Reference = format!("ghcr.io/ab:t@{DIGEST}").parse().unwrap();
        assert_eq!(both.to_string(), format!("ghcr.io/ab@{DIGEST}"));
        assert_eq!((both.tag(), both.target().as_str()), ("t", DIGEST));
    }

    #[test]
    fn what_is_no_name() {
        let wrong = [
            "",
            "A/b",
            "a b",
            "ghcr.io/",
            "ghcr.io/a//b",
            "ghcr.io/../ab",
            "ghcr.io/ab:",
            "ghcr.io/ab:a b",
            "ghcr.io/ab@sha256:00",
            "ghcr.io/ab?x",
            "http://ghcr.io/ab",
            "gh cr.io/ab",
            "ghcr.io/ab/.",
            "ghcr.io/é",
        ];
        for text in wrong {
            assert!(text.parse::<Reference>().is_err(), "{text}");
        }
    }
}
