//! Who the user is to a registry, by Docker's configuration, and how a registry is told.

use super::registry::escaped;
use crate::diagnostic::Report;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docker_credential::{CredentialRetrievalError, DockerCredential};
use ureq::http::{Method, Request, header};

/// Who the user is.
pub struct User(DockerCredential);

/// What Docker's configuration says about a registry, its helpers asked; nobody if it says nothing.
///
/// # Errors
/// The configuration, or a helper's answer, cannot be read.
pub fn of(registry: &str) -> Result<Option<User>, Report> {
    // Docker Hub has a name of its own there.
    let names: &[&str] = match registry {
        "index.docker.io" => &[
            "https://index.docker.io/v1/",
            "index.docker.io",
            "docker.io",
        ],
        registry => &[registry, &format!("https://{registry}")],
    };
    for name in names {
        use CredentialRetrievalError as Error;
        match docker_credential::get_credential(name) {
            Ok(credential) => return Ok(Some(User(credential))),
            Err(Error::NoCredentialConfigured | Error::ConfigNotFound) => {}
            Err(Error::ConfigReadError) if !has_configuration() => {}
            Err(Error::HelperFailure { stdout, .. })
                if stdout.contains("credentials not found") => {}
            Err(error) => {
                let text = error.to_string();
                let line = text.lines().next().unwrap_or_default();
                return Err(Report::new(format!(
                    "Reading Docker's configuration for {registry}: {line}"
                )));
            }
        }
    }
    Ok(None)
}

fn has_configuration() -> bool {
    let folder = std::env::var_os("DOCKER_CONFIG").map(std::path::PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".docker"));
    folder
        .or_else(home)
        .is_some_and(|folder| folder.join("config.json").exists())
}

impl User {
    /// Name and password as a header, if that is how the user is known.
    pub fn basic(&self) -> Option<String> {
        match &self.0 {
            DockerCredential::UsernamePassword(name, password) => {
                let pair = STANDARD.encode(format!("{name}:{password}"));
                Some(format!("Basic {pair}"))
            }
            DockerCredential::IdentityToken(_) => None,
        }
    }
}

/// What a registry asks for in `WWW-Authenticate`.
#[derive(Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Name and password.
    Basic,
    /// A token.
    Bearer(Bearer),
}

/// Where a token is to be had, and for what.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bearer {
    realm: String,
    service: String,
    scope: String,
}

impl Scheme {
    /// Reads the value of the header; none if it asks for something else.
    pub fn parse(text: &str) -> Option<Scheme> {
        let (scheme, mut rest) = text.split_once(' ').unwrap_or((text, ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Scheme::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let mut bearer = Bearer::default();
        while let Some((key, after)) = rest.split_once('=') {
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_once(',').unwrap_or((after, "")),
            };
            match key.trim_matches([',', ' ']).to_ascii_lowercase().as_str() {
                "realm" => bearer.realm = value.into(),
                "service" => bearer.service = value.into(),
                "scope" => bearer.scope = value.into(),
                _ => {}
            }
            rest = after;
        }
        (!bearer.realm.is_empty()).then_some(Scheme::Bearer(bearer))
    }
}

impl Bearer {
    /// The request for a token.
    ///
    /// # Errors
    /// The registry names no place that can be asked, or one to which no password is sent.
    pub fn request(&self, user: Option<&User>) -> Result<Request<Vec<u8>>, Report> {
        let realm = &self.realm;
        let loopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .iter()
            .filter_map(|host| realm.strip_prefix(host))
            .any(|rest| rest.is_empty() || rest.starts_with([':', '/', '?']));
        if !realm.starts_with("https://") && !loopback {
            return Err(Report::new(format!(
                "Expected a place for tokens that is reached over TLS, but the registry names '{realm}'"
            )));
        }
        let query = format!(
            "service={}&scope={}",
            escaped(&self.service),
            escaped(&self.scope)
        );
        let request = match user.map(|user| &user.0) {
            Some(DockerCredential::IdentityToken(token)) => {
                let form = format!(
                    "grant_type=refresh_token&client_id=haulout&refresh_token={}&{query}",
                    escaped(token)
                );
                Request::builder()
                    .method(Method::POST)
                    .uri(realm)
                    .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(form.into_bytes())
            }
            _ => {
                let separator = if realm.contains('?') { '&' } else { '?' };
                let mut request = Request::builder().uri(format!("{realm}{separator}{query}"));
                if let Some(basic) = user.and_then(User::basic) {
                    request = request.header(header::AUTHORIZATION, basic);
                }
                request.body(Vec::new())
            }
        };
        request.map_err(|error| Report::new(format!("Asking '{realm}' for a token: {error}")))
    }
}

/// The token in the answer.
///
/// # Errors
/// There is none.
pub fn token(answer: &[u8]) -> Result<String, Report> {
    let answer: serde_json::Value = serde_json::from_slice(answer).unwrap_or_default();
    let field = |name| answer.get(name)?.as_str().map(str::to_owned);
    field("token")
        .or_else(|| field("access_token"))
        .ok_or_else(|| Report::new("Expected a token, but the registry's answer holds none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_registries_ask_for() {
        let bearer = |realm: &str, service: &str, scope: &str| {
            Some(Scheme::Bearer(Bearer {
                realm: realm.into(),
                service: service.into(),
                scope: scope.into(),
            }))
        };
        let table = [
            ("Basic realm=\"Registry Realm\"", Some(Scheme::Basic)),
            ("basic", Some(Scheme::Basic)),
            (
                "Bearer realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\",scope=\"repository:a/b:pull,push\"",
                bearer(
                    "https://auth.docker.io/token",
                    "registry.docker.io",
                    "repository:a/b:pull,push",
                ),
            ),
            (
                "Bearer realm=https://a/t, error=\"x\", service=s",
                bearer("https://a/t", "s", ""),
            ),
            ("Bearer service=\"s\"", None),
            ("Bearer realm=\"open", None),
            ("Negotiate", None),
            ("", None),
        ];
        for (text, want) in table {
            assert_eq!(Scheme::parse(text), want, "{text}");
        }
    }

    #[test]
    fn passwords_travel_over_tls() {
        for (realm, allowed) in [
            ("https://a/t", true),
            ("http://127.0.0.1:5001/t", true),
            ("http://a/t", false),
            ("http://localhost.example/t", false),
            ("http://127.0.0.1@a/t", false),
        ] {
            let bearer = Bearer {
                realm: realm.into(),
                ..Bearer::default()
            };
            assert_eq!(bearer.request(None).is_ok(), allowed, "{realm}");
        }
    }
}
