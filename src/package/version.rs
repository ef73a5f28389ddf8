//! Versions of packages, as kapp-controller reads and orders them.
//!
//! Its library is a fork of blang/semver, whose order counts build metadata and whose words are part of what users
//! see; the crate `semver` has other words, and another order of build metadata (`+9` and `+009` are one here).

use crate::diagnostic::Report;
use crate::package::quoted;
use std::cmp::Ordering;
use std::fmt;

/// A version: three numbers, pre-release identifiers, build metadata.
///
/// Equality and order are kapp-controller's: build metadata counts, and numbers in it count by value, so two versions
/// that are equal may be written in two ways.
#[derive(Clone, Debug, Default)]
pub struct Version {
    /// Major, minor, patch.
    numbers: [u64; 3],
    /// What stands after `-`, between dots; empty for a release.
    pre: Vec<Identifier>,
    /// What stands after `+`, between dots.
    build: Vec<Identifier>,
}

#[derive(Clone, Debug)]
struct Identifier {
    text: String,
    number: Option<u64>,
}

/// The names of the three numbers in messages.
const NUMBERS: [&str; 3] = ["Major", "Minor", "Patch"];

impl Version {
    /// Reads a full version, such as `0.39.0-rc.1+build.5`; nothing may be left out, and no `v` stand before it.
    ///
    /// # Errors
    /// What is wrong, in kapp-controller's words.
    pub fn parse(text: &str) -> Result<Version, String> {
        if text.is_empty() {
            return Err("Version string empty".into());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("No Major.Minor.Patch elements found".into());
        };
        let (rest, build) = split_off(rest, '+');
        let (patch, pre) = split_off(rest, '-');
        let mut numbers = [0; 3];
        for ((number, name), text) in numbers.iter_mut().zip(NUMBERS).zip([major, minor, patch]) {
            *number = read_number(name, text)?;
        }
        Ok(Version {
            numbers,
            pre: identifiers(pre, "PreRelease")?,
            build: identifiers(build, "BuildMeta")?,
        })
    }

    /// Reads a version as lists of packages have them: one `v` may stand before it.
    ///
    /// # Errors
    /// As [`Version::parse`].
    pub fn parse_relaxed(text: &str) -> Result<Version, String> {
        Version::parse(text.strip_prefix('v').unwrap_or(text))
    }

    /// A version that a flag says is reported; nothing if it says nothing.
    ///
    /// # Errors
    /// It is none.
    pub fn reported_by(flag: &str, text: &str) -> Result<Option<Version>, Report> {
        if text.is_empty() {
            return Ok(None);
        }
        let version = Version::parse_reported(text).map_err(|reason| {
            Report::new(format!(
                "invalid argument {text:?} for \"--{flag}\" flag: {reason}"
            ))
        })?;
        Ok(Some(version))
    }

    /// Reads the version that a cluster or a kapp-controller reports (`v1.30.4-gke.100`, `1.30`), of which only the
    /// three numbers count. Clusters write `v` before it; a whole version without one is taken as it stands.
    ///
    /// # Errors
    /// What is wrong, in kapp-controller's words.
    pub fn parse_reported(text: &str) -> Result<Version, String> {
        let text = text.trim();
        let Some(text) = text.strip_prefix('v') else {
            return Version::parse(text).or_else(|_| Version::parse_numbers(text));
        };
        Version::parse_numbers(text)
    }

    fn parse_numbers(text: &str) -> Result<Version, String> {
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeroes).collect();
        if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("Short version cannot contain PreRelease/Build meta data".into());
        }
        parts.resize(3, "0".into());
        Ok(Version::parse(&parts.join("."))?.numbers_only())
    }

    /// The same without pre-release identifiers and build metadata.
    #[must_use]
    pub fn numbers_only(&self) -> Version {
        Version {
            numbers: self.numbers,
            ..Version::default()
        }
    }

    /// Major, minor, patch.
    pub fn numbers(&self) -> [u64; 3] {
        self.numbers
    }

    /// True if pre-release identifiers stand after `-`.
    pub fn is_prerelease(&self) -> bool {
        !self.pre.is_empty()
    }

    /// The pre-release identifiers: `rc` and `1` of `0.39.0-rc.1`.
    pub fn identifiers(&self) -> impl Iterator<Item = &str> {
        self.pre.iter().map(|identifier| identifier.text.as_str())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (list, mark) in [(&self.pre, '-'), (&self.build, '+')] {
            for (index, identifier) in list.iter().enumerate() {
                let mark = if index == 0 { mark } else { '.' };
                write!(f, "{mark}{}", identifier.text)?;
            }
        }
        Ok(())
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        // A release comes after its pre-releases.
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| self.pre.is_empty().cmp(&other.pre.is_empty()))
            .then_with(|| self.pre.cmp(&other.pre))
            .then_with(|| self.build.cmp(&other.build))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl Ord for Identifier {
    fn cmp(&self, other: &Identifier) -> Ordering {
        match (self.number, other.number) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.text.cmp(&other.text),
        }
    }
}

impl PartialOrd for Identifier {
    fn partial_cmp(&self, other: &Identifier) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Identifier {
    fn eq(&self, other: &Identifier) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Identifier {}

/// What stands before a mark, and after it if it is there.
fn split_off(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn read_number(name: &str, text: &str) -> Result<u64, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let (name, text) = (name.to_lowercase(), quoted(text));
        return Err(format!(
            "Invalid character(s) found in {name} number {text}"
        ));
    }
    if has_leading_zero(text) {
        let text = quoted(text);
        return Err(format!(
            "{name} number must not contain leading zeroes {text}"
        ));
    }
    parse_digits(text)
}

fn identifiers(text: Option<&str>, kind: &str) -> Result<Vec<Identifier>, String> {
    let read = |text: &str| {
        if text.is_empty() {
            return Err(format!("{kind} is empty"));
        }
        let mut number = None;
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            number = Some(parse_digits(text)?);
            if kind == "PreRelease" && has_leading_zero(text) {
                let text = quoted(text);
                return Err(format!(
                    "Numeric PreRelease version must not contain leading zeroes {text}"
                ));
            }
        } else if !text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return Err(format!(
                "Invalid character(s) found in {kind} {}",
                quoted(text)
            ));
        }
        Ok(Identifier {
            text: text.to_string(),
            number,
        })
    };
    text.map_or(Ok(Vec::new()), |text| text.split('.').map(read).collect())
}

/// Digits as a number, with Go's words where there is none.
fn parse_digits(digits: &str) -> Result<u64, String> {
    digits.parse().map_err(|_| {
        let reason = if digits.is_empty() {
            "invalid syntax"
        } else {
            "value out of range"
        };
        format!("strconv.ParseUint: parsing {}: {reason}", quoted(digits))
    })
}

fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

/// A part of a reported version without zeroes at its start, but with a digit there.
fn without_zeroes(part: &str) -> String {
    let rest = part.trim_start_matches('0');
    if part.len() > 1 && rest.starts_with(|first: char| first.is_ascii_digit()) {
        rest.to_string()
    } else if part.len() > 1 {
        format!("0{rest}")
    } else {
        part.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order() {
        let ascending = [
            "0.9.0",
            "0.10.0-1",
            "0.10.0-2",
            "0.10.0-10",
            "0.10.0-RC.1",
            "0.10.0-alpha",
            "0.10.0-alpha.1",
            "0.10.0-alpha.beta",
            "0.10.0-rc.2",
            "0.10.0-rc.10",
            "0.10.0-rc-1",
            "0.10.0-rc1",
            "0.10.0",
            "0.10.0+2",
            "0.10.0+10",
            "0.10.0+10.0",
            "0.10.0+a",
            "0.10.1",
            "18446744073709551615.0.0",
        ];
        for pair in ascending.windows(2) {
            let [a, b] = pair else { unreachable!() };
            assert!(
                Version::parse(a).unwrap() < Version::parse(b).unwrap(),
                "{a} < {b}"
            );
        }
        assert_eq!(Version::parse("1.0.0+9"), Version::parse("1.0.0+009"));
        assert_ne!(Version::parse("1.0.0+a"), Version::parse("1.0.0"));
    }

    #[test]
    fn texts_come_back() {
        for text in ["0.39.0", "1.2.3-rc.1", "1.2.3+a.009", "1.2.3-a-b.0+c-d.e"] {
            assert_eq!(Version::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_version() {
        let table = [
            ("", "Version string empty"),
            ("0.25", "No Major.Minor.Patch elements found"),
            (
                "v0.25.0",
                "Invalid character(s) found in major number \"v0\"",
            ),
            ("0.x.0", "Invalid character(s) found in minor number \"x\""),
            (
                "0.25.0 ",
                "Invalid character(s) found in patch number \"0 \"",
            ),
            (
                "00.1.0",
                "Major number must not contain leading zeroes \"00\"",
            ),
            (
                "0.025.0",
                "Minor number must not contain leading zeroes \"025\"",
            ),
            (
                "0.0.01",
                "Patch number must not contain leading zeroes \"01\"",
            ),
            ("0..0", "strconv.ParseUint: parsing \"\": invalid syntax"),
            (
                "18446744073709551616.0.0",
                "strconv.ParseUint: parsing \"18446744073709551616\": value out of range",
            ),
            ("1.0.0-", "PreRelease is empty"),
            ("1.0.0-a..b", "PreRelease is empty"),
            ("1.0.0+", "BuildMeta is empty"),
            ("1.0.0-+a", "PreRelease is empty"),
            (
                "1.0.0-a_b",
                "Invalid character(s) found in PreRelease \"a_b\"",
            ),
            (
                "1.0.0+é\n",
                "Invalid character(s) found in BuildMeta \"é\\n\"",
            ),
            (
                "1.0.0-01",
                "Numeric PreRelease version must not contain leading zeroes \"01\"",
            ),
            (
                "1.0.0-99999999999999999999",
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        ];
        for (text, want) in table {
            assert_eq!(Version::parse(text), Err(want.to_string()), "{text}");
        }
    }

    #[test]
    fn what_a_cluster_reports() {
        let table = [
            ("v1.30.4-gke.1+x", Ok("1.30.4")),
            (" 1.30 ", Ok("1.30.0")),
            ("1", Ok("1.0.0")),
            ("1.30.0-gke.1", Ok("1.30.0-gke.1")),
            ("v01.030.00-rc1", Ok("1.30.0")),
            (
                "1.30-rc",
                Err("Short version cannot contain PreRelease/Build meta data"),
            ),
            (
                "1.x.0",
                Err("Invalid character(s) found in minor number \"x\""),
            ),
            ("", Err("strconv.ParseUint: parsing \"\": invalid syntax")),
        ];
        for (text, want) in table {
            let found = Version::parse_reported(text).map(|version| version.to_string());
            assert_eq!(
                found,
                want.map(str::to_string).map_err(str::to_string),
                "{text}"
            );
        }
    }
}
