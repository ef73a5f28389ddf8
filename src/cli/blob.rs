//! Blobs on their way, checked as they pass.

use super::paths::reason;
use super::registry::Fault;
use crate::diagnostic::Report;
use crate::package::bundle::Descriptor;
use crate::package::digest::Digest;
use sha2::{Digest as _, Sha256};
use std::io::{self, ErrorKind, Read};

/// Passes a blob on, and fails at its end unless it is what it should be.
pub struct Checked<R> {
    source: R,
    blob: Descriptor,
    hasher: Sha256,
    seen: u64,
}

impl<R> Checked<R> {
    /// A blob that is to be read from this source.
    pub fn new(source: R, blob: Descriptor) -> Checked<R> {
        Checked {
            source,
            blob,
            hasher: Sha256::new(),
            seen: 0,
        }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let wrong = |text: String| io::Error::new(ErrorKind::InvalidData, text);
        let Descriptor { size, digest, .. } = &self.blob;
        if count == 0 && !buffer.is_empty() {
            if self.seen < *size {
                let text = format!("It ended after {} of {size} bytes", self.seen);
                return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
            }
            let found = Digest::finish(self.hasher.clone());
            if found != *digest {
                return Err(wrong(format!(
                    "Expected digest {digest}, but it has {found}"
                )));
            }
        }
        self.seen += count as u64;
        if self.seen > *size {
            return Err(wrong(format!(
                "It is longer than the {size} bytes that it should have"
            )));
        }
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// A stream that ended too early or is not what it should be.
pub fn broken(what: &str, error: &io::Error) -> Fault {
    let report = Report::new(format!("{what}: {}", reason(error)));
    match error.kind() {
        ErrorKind::InvalidData => Fault::Final(report),
        _ => Fault::Passing(report, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_what_it_should_be() {
        let blob = |bytes: &[u8]| Descriptor {
            media_type: String::new(),
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
        };
        let read = |bytes: &'static [u8], blob| {
            let mut out = Vec::new();
            let result = Checked::new(bytes, blob).read_to_end(&mut out);
            result.map(|_| out).map_err(|error| error.to_string())
        };
        assert_eq!(read(b"abc", blob(b"abc")), Ok(b"abc".to_vec()));
        let text = |result: Result<_, String>| result.err().unwrap_or_default();
        assert_eq!(
            text(read(b"ab", blob(b"abc"))),
            "It ended after 2 of 3 bytes"
        );
        assert_eq!(
            text(read(b"abcd", blob(b"abc"))),
            "It is longer than the 3 bytes that it should have"
        );
        assert!(text(read(b"abd", blob(b"abc"))).starts_with("Expected digest sha256:"));
    }
}
