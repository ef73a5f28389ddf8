//! Version constraints, as kapp-controller reads them: `>=0.23.0 <0.25.0 || >0.26.0`.
//!
//! A blank means "and", `||` between blanks means "or". This is neither Cargo's nor npm's grammar, and it has its
//! surprises, which are kept since a package that is to be installed meets the same ones: pieces of one character
//! vanish, any piece with an `x` in it is taken for a wildcard, and a wildcard does not keep pre-releases of the next
//! version out (`0.25.x` is `>=0.25.0 <0.26.0`, and `0.26.0-rc.1` is lower than `0.26.0`).

use crate::package::quoted;
use crate::package::version::Version;
use std::cmp::Ordering;
use unicode_general_category::{GeneralCategory, get_general_category};

/// Constraints that can be asked.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// Alternatives, in each of which all comparisons must hold.
    alternatives: Vec<Vec<Comparison>>,
}

#[derive(Clone, Debug)]
struct Comparison {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// Nothing stands between two `||`, and no alternative before it matches: kapp-controller crashes here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyAlternative;

impl std::fmt::Display for EmptyAlternative {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Expected a version between '||' and '||' (kapp-controller crashes on this)")
    }
}

impl Constraints {
    /// Reads constraints. The empty text is none; who allows it means "any version" by it.
    ///
    /// # Errors
    /// What is wrong, in kapp-controller's words.
    pub fn parse(text: &str) -> Result<Constraints, String> {
        let mut expanded = Vec::new();
        for pieces in alternatives(pieces(text))? {
            let mut all = Vec::new();
            for piece in pieces {
                if piece.contains('x') {
                    all.extend(expand(&piece)?);
                } else {
                    all.push(piece);
                }
            }
            expanded.push(all);
        }
        let read = |pieces: Vec<String>| pieces.iter().map(|piece| comparison(piece)).collect();
        Ok(Constraints {
            alternatives: expanded.into_iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// Whether a version satisfies them.
    ///
    /// # Errors
    /// [`EmptyAlternative`]
    pub fn matches(&self, version: &Version) -> Result<bool, EmptyAlternative> {
        for comparisons in &self.alternatives {
            if comparisons.is_empty() {
                return Err(EmptyAlternative);
            }
            if comparisons
                .iter()
                .all(|comparison| comparison.holds(version))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Comparison {
    fn holds(&self, version: &Version) -> bool {
        let order = version.cmp(&self.version);
        match self.operator {
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => order != Ordering::Equal,
            Operator::Greater => order == Ordering::Greater,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::Less => order == Ordering::Less,
            Operator::LessOrEqual => order != Ordering::Greater,
        }
    }
}

impl Operator {
    fn parse(text: &str) -> Option<Operator> {
        Some(match text {
            "" | "=" | "==" => Operator::Equal,
            "!" | "!=" => Operator::NotEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            _ => return None,
        })
    }
}

/// The text cut at blanks, except at those after `>`, `<` and `=`; pieces of one byte are lost.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut last = None;
    let mut length = 0;
    let mut finish = |piece: &mut String, length: &mut usize| {
        // Blanks within count here, though they are not kept.
        if std::mem::take(length) > 1 {
            pieces.push(std::mem::take(piece));
        }
        piece.clear();
    };
    for character in text.chars() {
        if character != ' ' {
            last = Some(character);
            piece.push(character);
            length += character.len_utf8();
        } else if matches!(last, Some('>' | '<' | '=')) {
            length += 1;
        } else {
            finish(&mut piece, &mut length);
        }
    }
    finish(&mut piece, &mut length);
    pieces
}

/// The pieces between `||`.
fn alternatives(pieces: Vec<String>) -> Result<Vec<Vec<String>>, String> {
    if pieces.first().is_some_and(|first| first == "||") {
        return Err("First element in range is '||'".into());
    }
    let alternatives: Vec<Vec<String>> = pieces
        .split(|piece| piece == "||")
        .map(<[String]>::to_vec)
        .collect();
    if alternatives.last().is_none_or(Vec::is_empty) {
        return Err("Last element in range is '||'".into());
    }
    Ok(alternatives)
}

/// A piece as operator and version: what stands before the first digit, and the rest.
pub(super) fn split(piece: &str) -> Result<(&str, &str), String> {
    // Go's digits are the decimal ones of every script; Rust's numeric test is wider.
    let is_digit = |letter: char| get_general_category(letter) == GeneralCategory::DecimalNumber;
    match piece.find(is_digit) {
        Some(index) => {
            let (operator, version) = piece.split_at(index);
            Ok((operator.trim(), version))
        }
        None => Err(format!(
            "Could not get version from string: {}",
            quoted(piece)
        )),
    }
}

/// A piece with an `x` in it, as pieces without.
fn expand(piece: &str) -> Result<Vec<String>, String> {
    let (operator, version) = split(piece)?;
    let floor = floor(version);
    let ceiling = || ceiling(version, &floor);
    Ok(match operator {
        ">" => vec![format!(">={}", ceiling())],
        ">=" => vec![format!(">={floor}")],
        "<" => vec![format!("<{floor}")],
        "<=" => vec![format!("<{}", ceiling())],
        "" | "=" | "==" => vec![format!(">={floor}"), format!("<{}", ceiling())],
        // Both at once, so that nothing satisfies it.
        "!" | "!=" => vec![format!("<{floor}"), format!(">={}", ceiling())],
        _ => vec![floor],
    })
}

/// The lowest version that a wildcard covers.
pub(super) fn floor(version: &str) -> String {
    let flat = version.replacen(".x.x", ".x", 1).replacen(".x", ".0", 1);
    if flat.matches('.').count() == 1 {
        format!("{flat}.0")
    } else {
        flat
    }
}

/// The lowest version above all that a wildcard covers; empty where the text is no wildcard after all, or its number
/// none.
fn ceiling(version: &str, floor: &str) -> String {
    let parts: Vec<&str> = version.split('.').collect();
    let raised = match parts.as_slice() {
        [_, "x"] => 0,
        [_, _, "x"] => 1,
        _ => return String::new(),
    };
    let mut parts: Vec<String> = floor.split('.').map(str::to_string).collect();
    let number = parts.get_mut(raised);
    match number.and_then(|part| Some((part.parse::<i64>().ok()?, part))) {
        Some((number, part)) => *part = number.wrapping_add(1).to_string(),
        None => return String::new(),
    }
    parts.join(".")
}

fn comparison(piece: &str) -> Result<Comparison, String> {
    let (operator, version) = split(piece)?;
    let whole = quoted(&format!("{operator}{version}"));
    let fail = |what: String| format!("Could not parse Range {}: {what}", quoted(piece));
    let parsed = Operator::parse(operator).ok_or_else(|| {
        let operator = quoted(operator);
        fail(format!("Could not parse comparator {operator} in {whole}"))
    })?;
    let version = Version::parse(version).map_err(|reason| {
        let version = quoted(version);
        fail(format!(
            "Could not parse version {version} in {whole}: {reason}"
        ))
    })?;
    Ok(Comparison {
        operator: parsed,
        version,
    })
}
