//! A registry, by the distribution API: manifests and blobs, each by its digest.
//!
//! What fails on the way is tried again; what a registry has is not sent again. Only machines at the other end of a
//! loopback are spoken to without TLS.

use super::blob::{Checked, broken};
use super::credentials::{self, Scheme};
use super::paths::reason;
use crate::diagnostic::Report;
use crate::package::bundle::{self, Descriptor};
use crate::package::digest::Digest;
use crate::package::reference::{Reference, Repository};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::net::IpAddr;
use std::time::Duration;
use ureq::http::{HeaderName, Method, Request, Response, StatusCode, header};
use ureq::{Agent, Body, SendBody};

/// How often a request is made before it has failed, and how long the first pause is.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

/// A registry that asks for more patience than this is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Manifests are small; a longer one is none.
const LONGEST_MANIFEST: u64 = 4 << 20;

/// A registry's word for what is wrong.
const LONGEST_REFUSAL: u64 = 16 << 10;

/// A repository's tags come in pages; no more of them are read.
const LONGEST_LIST: usize = 100;

/// Kinds of manifests that are understood.
const MANIFESTS: [&str; 4] = [
    bundle::MANIFEST,
    bundle::MANIFEST_LIST,
    bundle::OCI_MANIFEST,
    bundle::OCI_INDEX,
];

/// What is wrong with an attempt.
pub enum Fault {
    /// The next may go well, perhaps after this time.
    Passing(Report, Option<Duration>),
    /// No other will.
    Final(Report),
}

impl From<Report> for Fault {
    fn from(report: Report) -> Fault {
        Fault::Final(report)
    }
}

/// Tries until it goes well or there is no hope.
///
/// # Errors
/// Those of the last attempt.
pub fn persist<T>(mut attempt: impl FnMut() -> Result<T, Fault>) -> Result<T, Report> {
    let mut pause = PAUSE;
    let mut left = ATTEMPTS;
    loop {
        left -= 1;
        match attempt() {
            Ok(result) => return Ok(result),
            Err(Fault::Final(report)) => return Err(report),
            Err(Fault::Passing(report, _)) if left == 0 => return Err(report),
            Err(Fault::Passing(_, wished)) => {
                std::thread::sleep(wished.unwrap_or(pause).min(LONGEST_PAUSE));
                pause *= 2;
            }
        }
    }
}

/// Something that can be read from its beginning as often as need be.
pub type Source<'a> = &'a dyn Fn() -> Result<Box<dyn Read + 'a>, Fault>;

/// What a request sends.
enum Payload<'a, 's> {
    Nothing,
    Bytes(&'a [u8]),
    /// So many bytes.
    Stream(u64, Source<'s>),
}

/// A request.
struct Call<'a, 's> {
    /// What it is for, in messages.
    what: &'a str,
    repository: &'a Repository,
    method: Method,
    url: String,
    header: Option<(HeaderName, &'a str)>,
    payload: Payload<'a, 's>,
}

/// A manifest as a registry has it.
pub struct Fetched {
    /// What it is.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Fetched {
    /// Its digest.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// Registries, and what they have let us do so far.
pub struct Client {
    agent: Agent,
    /// The `Authorization` header of each repository.
    authorizations: RefCell<HashMap<Repository, String>>,
}

impl Client {
    /// Knows nobody yet.
    pub fn new() -> Client {
        let agent = Agent::new_with_config(
            Agent::config_builder()
                .http_status_as_error(false)
                .user_agent(concat!("haulout/", env!("CARGO_PKG_VERSION")))
                .timeout_connect(Some(Duration::from_secs(15)))
                .timeout_recv_response(Some(Duration::from_secs(120)))
                .timeout_send_body(Some(Duration::from_secs(3600)))
                .timeout_recv_body(Some(Duration::from_secs(3600)))
                .tls_config(
                    ureq::tls::TlsConfig::builder()
                        .root_certs(ureq::tls::RootCerts::PlatformVerifier)
                        .build(),
                )
                .build(),
        );
        Client {
            agent,
            authorizations: RefCell::default(),
        }
    }

    /// The manifest of an image; none if the registry has no such image.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses, or its answer is not what was asked for.
    pub fn find_manifest(&self, image: &Reference) -> Result<Option<Fetched>, Report> {
        let what = format!("Fetching '{image}'");
        let accept = MANIFESTS.join(", ");
        let call = Call {
            what: &what,
            repository: &image.repository,
            method: Method::GET,
            url: url(&image.repository, &format!("manifests/{}", image.target())),
            header: Some((header::ACCEPT, &accept)),
            payload: Payload::Nothing,
        };
        let fetched = persist(|| {
            let mut response = self.send(&call)?;
            if response.status() == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            let media_type = text_of(&response, header::CONTENT_TYPE).unwrap_or_default();
            let body = response.body_mut().with_config().limit(LONGEST_MANIFEST);
            let bytes = body.read_to_vec().map_err(|error| call.failed(&error))?;
            Ok(Some(Fetched { media_type, bytes }))
        })?;
        if let (Some(fetched), Some(wanted)) = (&fetched, image.digest) {
            let digest = fetched.digest();
            if digest != wanted {
                return Err(Report::new(format!(
                    "{what}: Expected digest {wanted}, but the registry's answer has {digest}"
                )));
            }
        }
        Ok(fetched)
    }

    /// The manifest of an image.
    ///
    /// # Errors
    /// As [`find_manifest`](Client::find_manifest), and if there is no such image.
    pub fn manifest(&self, image: &Reference) -> Result<Fetched, Report> {
        self.find_manifest(image)?.ok_or_else(|| {
            let registry = &image.repository.registry;
            Report::new(format!(
                "Fetching '{image}': Registry {registry} has no such image"
            ))
        })
    }

    /// Whether a registry has the image.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses.
    pub fn has_image(&self, image: &Reference) -> Result<bool, Report> {
        let what = format!("Looking for '{image}'");
        let path = format!("manifests/{}", image.target());
        self.has(&what, &image.repository, &path, &MANIFESTS.join(", "))
    }

    /// The tags of a repository.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses, has no such repository, or its answer is not what was asked for.
    pub fn tags(&self, repository: &Repository) -> Result<Vec<String>, Report> {
        let what = format!("Listing tags of '{repository}'");
        let mut tags: Vec<String> = Vec::new();
        let mut next = url(repository, "tags/list?n=1000");
        for _ in 0..LONGEST_LIST {
            let call = Call {
                what: &what,
                repository,
                method: Method::GET,
                url: next,
                header: None,
                payload: Payload::Nothing,
            };
            let (bytes, link) = persist(|| {
                let mut response = found(&call, self.send(&call)?)?;
                let link = text_of(&response, header::LINK);
                let body = response.body_mut().with_config().limit(LONGEST_MANIFEST);
                let bytes = body.read_to_vec().map_err(|error| call.failed(&error))?;
                Ok((bytes, link))
            })?;
            let answer: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let Some(page) = answer.get("tags") else {
                return Err(Report::new(format!(
                    "{what}: The registry's answer is no list of tags"
                )));
            };
            let page = page.as_array().into_iter().flatten();
            tags.extend(page.filter_map(|tag| tag.as_str().map(str::to_owned)));
            let place = link
                .as_deref()
                .and_then(|link| link.strip_prefix('<')?.split_once('>'));
            match place {
                Some((place, _)) => next = absolute(repository, place),
                None => break,
            }
        }
        Ok(tags)
    }

    fn has(
        &self,
        what: &str,
        repository: &Repository,
        path: &str,
        accept: &str,
    ) -> Result<bool, Report> {
        let call = Call {
            what,
            repository,
            method: Method::HEAD,
            url: url(repository, path),
            header: Some((header::ACCEPT, accept)),
            payload: Payload::Nothing,
        };
        let response = persist(|| self.send(&call))?;
        Ok(response.status() != StatusCode::NOT_FOUND)
    }

    /// Opens a blob. Reading fails at its end if it is not what the descriptor says.
    ///
    /// # Errors
    /// The registry cannot be reached, refuses, or has no such blob.
    pub fn blob(
        &self,
        repository: &Repository,
        blob: &Descriptor,
    ) -> Result<Box<dyn Read + '_>, Fault> {
        let what = format!("Fetching '{}'", repository.at(blob.digest));
        let call = Call {
            what: &what,
            repository,
            method: Method::GET,
            url: url(repository, &format!("blobs/{}", blob.digest)),
            header: None,
            payload: Payload::Nothing,
        };
        let response = self.send(&call)?;
        if response.status() == StatusCode::NOT_FOUND {
            return Err(call.refused(response).into());
        }
        let reader = response
            .into_body()
            .into_with_config()
            .limit(u64::MAX)
            .reader();
        Ok(Box::new(Checked::new(reader, blob.clone())))
    }

    /// A blob that fits into memory.
    ///
    /// # Errors
    /// As [`blob`](Client::blob), and if it is longer than `limit` bytes or not what the descriptor says.
    pub fn small_blob(
        &self,
        repository: &Repository,
        blob: &Descriptor,
        limit: u64,
    ) -> Result<Vec<u8>, Report> {
        let name = repository.at(blob.digest);
        if blob.size > limit {
            return Err(Report::new(format!(
                "Fetching '{name}': It is longer than {limit} bytes"
            )));
        }
        persist(|| {
            let mut bytes = Vec::new();
            let mut reader = self.blob(repository, blob)?;
            reader
                .read_to_end(&mut bytes)
                .map_err(|error| broken(&format!("Fetching '{name}'"), &error))?;
            Ok(bytes)
        })
    }

    /// Sends a blob that the repository does not have; tells whether it was sent. A repository of the same registry that
    /// has it may be named: what the registry can take from there is not sent.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses, or the source cannot be read.
    pub fn push_blob(
        &self,
        repository: &Repository,
        blob: (Digest, u64),
        from: Option<&Repository>,
        source: Source,
    ) -> Result<bool, Report> {
        let (digest, size) = blob;
        let what = format!("Pushing '{}'", repository.at(digest));
        if self.has(&what, repository, &format!("blobs/{digest}"), "*/*")? {
            return Ok(false);
        }
        let mount = match from {
            Some(from) if from.registry == repository.registry => {
                format!("?mount={digest}&from={}", escaped(&from.name))
            }
            _ => String::new(),
        };
        persist(|| {
            let begin = Call {
                what: &what,
                repository,
                method: Method::POST,
                url: url(repository, &format!("blobs/uploads/{mount}")),
                header: None,
                payload: Payload::Nothing,
            };
            let response = found(&begin, self.send(&begin)?)?;
            if response.status() == StatusCode::CREATED {
                return Ok(false);
            }
            let place = text_of(&response, header::LOCATION).ok_or_else(|| {
                Report::new(format!("{what}: Registry gave no place to send it to"))
            })?;
            let place = absolute(repository, &place);
            let separator = if place.contains('?') { '&' } else { '?' };
            let end = Call {
                what: &what,
                repository,
                method: Method::PUT,
                url: format!("{place}{separator}digest={digest}"),
                header: Some((header::CONTENT_TYPE, "application/octet-stream")),
                payload: Payload::Stream(size, source),
            };
            found(&end, self.send(&end)?)?;
            Ok(true)
        })
    }

    /// Puts a manifest under a tag or its digest.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses.
    pub fn push_manifest(
        &self,
        image: &Reference,
        media_type: &str,
        bytes: &[u8],
    ) -> Result<(), Report> {
        let what = format!("Pushing '{image}'");
        let call = Call {
            what: &what,
            repository: &image.repository,
            method: Method::PUT,
            url: url(&image.repository, &format!("manifests/{}", image.target())),
            header: Some((header::CONTENT_TYPE, media_type)),
            payload: Payload::Bytes(bytes),
        };
        persist(|| Ok(found(&call, self.send(&call)?)?)).map(|_| ())
    }

    /// One request; the answer is a success, or that there is no such thing.
    fn send(&self, call: &Call) -> Result<Response<Body>, Fault> {
        let response = self.send_once(call)?;
        let response = if response.status() == StatusCode::UNAUTHORIZED {
            self.introduce(call, &response)?;
            self.send_once(call)?
        } else {
            response
        };
        let status = response.status();
        if status.is_success() || status == StatusCode::NOT_FOUND {
            return Ok(response);
        }
        let passing = status.is_server_error()
            || matches!(
                status,
                StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
            );
        let wished = text_of(&response, header::RETRY_AFTER)
            .and_then(|seconds| seconds.parse().ok())
            .map(Duration::from_secs);
        let report = call.refused(response);
        Err(match passing {
            true => Fault::Passing(report, wished),
            false => Fault::Final(report),
        })
    }

    fn send_once(&self, call: &Call) -> Result<Response<Body>, Fault> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(&call.url);
        if let Some((name, value)) = &call.header {
            request = request.header(name, *value);
        }
        // Where to send a blob is the registry's word: who we are is told to nobody else.
        if call.url.starts_with(&base(&call.repository.registry))
            && let Some(authorization) = self.authorizations.borrow().get(call.repository)
        {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let wrong = |error: ureq::http::Error| Report::new(format!("{}: {error}", call.what));
        let sent = match &call.payload {
            Payload::Nothing if call.method == Method::GET || call.method == Method::HEAD => {
                self.agent.run(request.body(()).map_err(wrong)?)
            }
            Payload::Nothing => self.agent.run(request.body(&[][..]).map_err(wrong)?),
            Payload::Bytes(bytes) => self.agent.run(request.body(*bytes).map_err(wrong)?),
            Payload::Stream(size, source) => {
                let mut reader = source()?;
                let request = request.header(header::CONTENT_LENGTH, *size);
                let body = SendBody::from_reader(&mut reader);
                self.agent.run(request.body(body).map_err(wrong)?)
            }
        };
        sent.map_err(|error| call.failed(&error))
    }

    /// Does what the registry asks of those whom it does not know.
    fn introduce(&self, call: &Call, response: &Response<Body>) -> Result<(), Fault> {
        let challenges = response.headers().get_all(header::WWW_AUTHENTICATE);
        let scheme = challenges
            .iter()
            .find_map(|value| Scheme::parse(value.to_str().ok()?));
        let registry = &call.repository.registry;
        let user = credentials::of(registry).map_err(|report| report.context(call.what))?;
        let authorization = match scheme {
            Some(Scheme::Basic) => user.and_then(|user| user.basic()),
            Some(Scheme::Bearer(bearer)) => {
                let token = persist(|| {
                    let request = bearer.request(user.as_ref())?;
                    let mut response = self
                        .agent
                        .run(request)
                        .map_err(|error| call.failed(&error))?;
                    if !response.status().is_success() {
                        return Err(call.refused(response).into());
                    }
                    let body = response.body_mut().with_config().limit(LONGEST_MANIFEST);
                    let bytes = body.read_to_vec().map_err(|error| call.failed(&error))?;
                    Ok(credentials::token(&bytes).map_err(|report| report.context(call.what))?)
                })?;
                Some(format!("Bearer {token}"))
            }
            None => None,
        };
        if let Some(authorization) = authorization {
            let mut known = self.authorizations.borrow_mut();
            known.insert(call.repository.clone(), authorization);
        }
        Ok(())
    }
}

impl Call<'_, '_> {
    /// What a registry has against a request, in its words.
    fn refused(&self, mut response: Response<Body>) -> Report {
        let status = response.status();
        let body = response.body_mut().with_config().limit(LONGEST_REFUSAL);
        let said = body.read_to_vec().unwrap_or_default();
        let said: serde_json::Value = serde_json::from_slice(&said).unwrap_or_default();
        let first = said.pointer("/errors/0");
        let field = |name| first.and_then(|error| error.get(name)?.as_str());
        let words: Vec<&str> = [field("code"), field("message")]
            .into_iter()
            .flatten()
            .collect();
        let words = match words.as_slice() {
            [] => String::new(),
            words => format!(" ({})", words.join(": ")),
        };
        let registry = &self.repository.registry;
        let hint = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                format!(" (hint: 'docker login {registry}' writes down who you are)")
            }
            _ => String::new(),
        };
        Report::new(format!(
            "{}: Registry {registry} answers {} {}{words}{hint}",
            self.what,
            status.as_u16(),
            status.canonical_reason().unwrap_or_default()
        ))
    }

    /// Why there was no answer.
    fn failed(&self, error: &ureq::Error) -> Fault {
        let why = match error {
            ureq::Error::Io(error) => match error.kind() {
                // The source of a body has told what is wrong with it.
                ErrorKind::InvalidData => {
                    return Report::new(format!("{}: {error}", self.what)).into();
                }
                _ => reason(error),
            },
            error => error.to_string(),
        };
        let report = Report::new(format!(
            "{}: Registry {} cannot be reached: {why}",
            self.what, self.repository.registry
        ));
        match error {
            ureq::Error::Io(_)
            | ureq::Error::Timeout(_)
            | ureq::Error::ConnectionFailed
            | ureq::Error::Protocol(_) => Fault::Passing(report, None),
            _ => Fault::Final(report),
        }
    }
}

/// That there is no such thing is no answer here.
fn found(call: &Call, response: Response<Body>) -> Result<Response<Body>, Report> {
    match response.status() {
        StatusCode::NOT_FOUND => Err(call.refused(response)),
        _ => Ok(response),
    }
}

fn text_of(response: &Response<Body>, name: HeaderName) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_string())
}

/// The root of a registry's API, with `/` at its end.
fn base(registry: &str) -> String {
    let host = match registry.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => registry.split(':').next().unwrap_or_default(),
    };
    let loopback = host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    let scheme = if loopback { "http" } else { "https" };
    format!("{scheme}://{registry}/")
}

fn url(repository: &Repository, path: &str) -> String {
    format!(
        "{}v2/{}/{path}",
        base(&repository.registry),
        repository.name
    )
}

/// A place that a registry names, which may leave out its own address.
fn absolute(repository: &Repository, place: &str) -> String {
    match place.strip_prefix('/') {
        Some(path) => format!("{}{path}", base(&repository.registry)),
        None => place.to_string(),
    }
}

/// A text as the value of a query.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(byte.into())
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_for_all_but_loopback() {
        let table = [
            ("127.0.0.1:5000", "http://127.0.0.1:5000/"),
            ("127.9.9.9", "http://127.9.9.9/"),
            ("localhost:5000", "http://localhost:5000/"),
            ("[::1]:5000", "http://[::1]:5000/"),
            ("localhost.example:5000", "https://localhost.example:5000/"),
            ("127.0.0.1.example", "https://127.0.0.1.example/"),
            ("10.0.0.1:5000", "https://10.0.0.1:5000/"),
            ("ghcr.io", "https://ghcr.io/"),
        ];
        for (registry, want) in table {
            assert_eq!(base(registry), want);
        }
    }
}
