//! SHA-256 digests, by which a registry names what it holds.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// The SHA-256 of some bytes; its text is `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// That of these bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// That of bytes which came piece by piece.
    pub fn finish(hasher: Sha256) -> Digest {
        Digest(hasher.finalize().into())
    }

    /// The 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A name for it where `:` cannot stand, in a tag or a file's name: `sha256-…`.
    pub fn name(&self) -> String {
        format!("sha256-{}", self.hex())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Digest, String> {
        text.parse()
    }
}

impl FromStr for Digest {
    type Err = String;

    /// Reads `sha256:…`, in lower case as registries write it.
    fn from_str(text: &str) -> Result<Digest, String> {
        let wrong = || {
            format!("expected a digest of the form sha256: and 64 hexadecimal digits, got '{text}'")
        };
        let hex = text.strip_prefix("sha256:").ok_or_else(wrong)?.as_bytes();
        let mut digest = [0; 32];
        if hex.len() != 2 * digest.len() {
            return Err(wrong());
        }
        for (byte, pair) in digest.iter_mut().zip(hex.chunks_exact(2)) {
            for letter in pair {
                let value = match letter {
                    b'0'..=b'9' => letter - b'0',
                    b'a'..=b'f' => letter - b'a' + 10,
                    _ => return Err(wrong()),
                };
                *byte = *byte << 4 | value;
            }
        }
        Ok(Digest(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let digest = Digest::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.parse(), Ok(digest));
        for wrong in [
            "",
            "sha256:",
            "sha512:00",
            &text[..70],
            &format!("{text}0"),
            &text.to_uppercase(),
            &text.replace('e', "g"),
        ] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }
}
