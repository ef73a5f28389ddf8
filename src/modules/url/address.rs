//! A URL taken apart and put together again.
//!
//! The rules and messages are those of Go's `net/url`, not of WHATWG's standard, which the `url` crate follows:
//! that one has no relative URLs, rewrites hosts, ports and paths, and knows other errors.

use super::cut;
use super::escape::{Part, escape, quoted, unescape};

/// `scheme://user@host/path?query#fragment`, or `scheme:opaque?query#fragment`.
#[derive(Clone, Default)]
pub struct Url {
    /// In lower case; empty for a relative URL.
    scheme: Vec<u8>,
    /// What follows the scheme if it does not begin with a slash.
    opaque: Vec<u8>,
    /// Who asks.
    pub user: Option<User>,
    /// With the port; not escaped.
    host: Vec<u8>,
    /// True for `scheme:/path`: there is no `//`.
    no_host: bool,
    path: Escaped,
    /// As it was written. An empty one has its `?` too.
    query: Option<Vec<u8>>,
    fragment: Escaped,
}

/// A name, perhaps with a password; neither is escaped.
#[derive(Clone)]
pub struct User {
    /// The name.
    pub name: Vec<u8>,
    /// The password, if there is one.
    pub password: Option<Vec<u8>>,
}

/// A text that may be written in several ways: what it means, and how it was written.
#[derive(Clone, Default)]
struct Escaped {
    plain: Vec<u8>,
    written: Vec<u8>,
}

impl Escaped {
    fn parse(written: &[u8], part: Part) -> Result<Escaped, String> {
        Ok(Escaped {
            plain: unescape(written, part)?,
            written: written.to_vec(),
        })
    }

    /// As it was written, if nothing in that needs an escape; otherwise escaped anew.
    fn print(&self, part: Part) -> Vec<u8> {
        let stands = |&byte: &u8| part.allows(byte) || b"!$&'()*+,;=:@[]%".contains(&byte);
        if self.written.iter().all(stands) {
            self.written.clone()
        } else {
            escape(&self.plain, part)
        }
    }
}

impl User {
    fn parse(text: &[u8]) -> Result<User, String> {
        let allowed =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
        if !text.iter().all(allowed) {
            return Err("net/url: invalid userinfo".to_owned());
        }
        let (name, password) = cut(text, b':');
        Ok(User {
            name: unescape(name, Part::User)?,
            password: match text.contains(&b':') {
                true => Some(unescape(password, Part::User)?),
                false => None,
            },
        })
    }

    /// `name:password`, escaped.
    pub fn print(&self) -> Vec<u8> {
        let mut text = escape(&self.name, Part::User);
        if let Some(password) = &self.password {
            text.push(b':');
            text.extend(escape(password, Part::User));
        }
        text
    }
}

impl Url {
    /// Takes a URL apart.
    ///
    /// # Errors
    /// `parse "URL": MESSAGE`, in Go's words.
    pub fn parse(text: &[u8]) -> Result<Url, String> {
        let (before, fragment) = cut(text, b'#');
        let fault = |url: &[u8], message| format!("parse {}: {message}", quoted(url));
        let url = Url::parse_without_fragment(before).map_err(|error| fault(before, error))?;
        Ok(Url {
            fragment: Escaped::parse(fragment, Part::Fragment)
                .map_err(|error| fault(text, error))?,
            ..url
        })
    }

    fn parse_without_fragment(text: &[u8]) -> Result<Url, String> {
        if text.iter().any(u8::is_ascii_control) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        let mut url = Url::default();
        if text == b"*" {
            url.path = Escaped::parse(text, Part::Path)?;
            return Ok(url);
        }
        let (scheme, rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (mut rest, query) = cut(rest, b'?');
        url.query = text.contains(&b'?').then(|| query.to_vec());
        if !rest.starts_with(b"/") {
            if !scheme.is_empty() {
                url.opaque = rest.to_vec();
                return Ok(url);
            }
            let (segment, _) = cut(rest, b'/');
            if segment.contains(&b':') {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let authority = rest
            .strip_prefix(b"//")
            .filter(|_| !scheme.is_empty() || !rest.starts_with(b"///"));
        if let Some(after) = authority {
            let end = after.iter().position(|&byte| byte == b'/');
            let (authority, path) = after.split_at(end.unwrap_or(after.len()));
            rest = path;
            let at = authority.iter().rposition(|&byte| byte == b'@');
            let host = at.map_or(authority, |at| authority.get(at + 1..).unwrap_or_default());
            url.host = parse_host(host)?;
            if let Some(at) = at {
                url.user = Some(User::parse(authority.get(..at).unwrap_or_default())?);
            }
        } else {
            url.no_host = !scheme.is_empty();
        }
        url.path = Escaped::parse(rest, Part::Path)?;
        Ok(url)
    }

    /// The same without name and password.
    pub fn without_user(&self) -> Url {
        Url {
            user: None,
            ..self.clone()
        }
    }

    /// The URL as text.
    pub fn print(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if !self.scheme.is_empty() {
            text.extend(&self.scheme);
            text.push(b':');
        }
        if self.opaque.is_empty() {
            self.print_place(&mut text);
        } else {
            text.extend(&self.opaque);
        }
        if let Some(query) = &self.query {
            text.push(b'?');
            text.extend(query);
        }
        if !self.fragment.plain.is_empty() {
            text.push(b'#');
            text.extend(self.fragment.print(Part::Fragment));
        }
        text
    }

    /// `//user@host/path`
    fn print_place(&self, text: &mut Vec<u8>) {
        let (scheme, host) = (!self.scheme.is_empty(), !self.host.is_empty());
        let path = self.path.print(Part::Path);
        if (scheme && !(self.no_host && !host && self.user.is_none()))
            || host
            || self.user.is_some()
        {
            if host || !path.is_empty() || self.user.is_some() {
                text.extend(b"//");
            }
            if let Some(user) = &self.user {
                text.extend(user.print());
                text.push(b'@');
            }
            text.extend(escape(&self.host, Part::Host));
        }
        if host && !path.is_empty() && !path.starts_with(b"/") {
            text.push(b'/');
        }
        // A first segment with a colon would be taken for a scheme.
        if text.is_empty() && cut(&path, b'/').0.contains(&b':') {
            text.extend(b"./");
        }
        text.extend(path);
    }

    /// The host without port and brackets.
    pub fn hostname(&self) -> &[u8] {
        let host = &*self.host;
        let colon = host.iter().rposition(|&byte| byte == b':');
        let host = match colon.map(|at| host.split_at(at)) {
            Some((before, port)) if is_port(port) => before,
            _ => host,
        };
        host.strip_prefix(b"[")
            .and_then(|host| host.strip_suffix(b"]"))
            .unwrap_or(host)
    }
}

/// Scheme and rest; no scheme if what is before the colon is none.
fn split_scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte));
    match end.map(|end| (text.split_at(end), text.get(end))) {
        Some((([], _), Some(b':'))) => Err("missing protocol scheme".to_owned()),
        Some(((scheme @ [first, ..], _), Some(b':'))) if first.is_ascii_alphabetic() => {
            Ok((scheme, text.get(scheme.len() + 1..).unwrap_or_default()))
        }
        _ => Ok((b"", text)),
    }
}

/// `host:port` without its escapes.
fn parse_host(host: &[u8]) -> Result<Vec<u8>, String> {
    let port_of = |from: usize| {
        let port = host.get(from..).unwrap_or_default();
        match port.is_empty() || is_port(port) {
            true => Ok(()),
            false => Err(format!("invalid port {} after host", quoted(port))),
        }
    };
    if host.starts_with(b"[") {
        let Some(end) = host.iter().rposition(|&byte| byte == b']') else {
            return Err("missing ']' in host".to_owned());
        };
        port_of(end + 1)?;
        let (address, after) = host.split_at(end);
        if let Some(zone) = address.windows(3).position(|part| part == b"%25") {
            let (address, zone) = address.split_at(zone);
            let mut plain = unescape(address, Part::Host)?;
            plain.extend(unescape(zone, Part::Zone)?);
            plain.extend(unescape(after, Part::Host)?);
            return Ok(plain);
        }
    } else if let Some(colon) = host.iter().rposition(|&byte| byte == b':') {
        port_of(colon)?;
    }
    unescape(host, Part::Host)
}

/// `:` and digits, or no digits.
fn is_port(text: &[u8]) -> bool {
    text.strip_prefix(b":")
        .is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
}
