//! Sets of characters: classes of patterns.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use unicode_general_category::{GeneralCategory, get_general_category};

/// The last character that has another case.
const LAST_CASED: u32 = 0x1_E943;

/// The general categories that patterns can name, and their groups.
const CATEGORIES: &str = "C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";

/// A set of code points, told by what is in it.
#[derive(Default)]
pub struct Set {
    parts: Vec<Part>,
    /// True if a character is in it with one of its other cases.
    folded: bool,
    /// True if what the parts tell is not in it, and all else is.
    negated: bool,
}

enum Part {
    /// From the first to the last.
    Range(u32, u32),
    /// A general category by its abbreviation, or a group of them by their first letter.
    Category(&'static str),
    Set(Set),
}

impl Set {
    /// The set of one code point.
    pub fn code(code: u32) -> Set {
        Set::range(code, code)
    }

    /// The set of all from one code point to another.
    pub fn range(low: u32, high: u32) -> Set {
        Set::from(Part::Range(low, high))
    }

    /// The set of these ranges, each from the first character to the last.
    pub fn of(ranges: &[(char, char)]) -> Set {
        let ranges = ranges.iter();
        Set {
            parts: ranges
                .map(|&(low, high)| Part::Range(low.into(), high.into()))
                .collect(),
            ..Set::default()
        }
    }

    /// `\p{NAME}`: a general category (`L`, `Lu`, ...), or `Any`. Scripts are not known: their tables would be more
    /// than all of the search.
    pub fn named(name: &str) -> Option<Set> {
        if name == "Any" {
            return Some(Set::default().negated());
        }
        let category = CATEGORIES.split(' ').find(|&known| known == name)?;
        Some(Set::from(Part::Category(category)))
    }

    /// Adds what another set has.
    pub fn add(&mut self, other: Set) {
        self.parts.push(Part::Set(other));
    }

    /// All that is not in it.
    pub fn negated(self) -> Set {
        Set {
            negated: !self.negated,
            ..self
        }
    }

    /// With the other cases of what is in it. To be asked for before it is negated.
    pub fn folded(self) -> Set {
        Set {
            folded: true,
            ..self
        }
    }

    /// Whether a code point is in it.
    pub fn contains(&self, code: u32) -> bool {
        let found =
            self.has(code) || self.folded && other_cases(code).iter().any(|&other| self.has(other));
        found != self.negated
    }

    fn has(&self, code: u32) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Range(low, high) => (*low..=*high).contains(&code),
            Part::Set(set) => set.contains(code),
            Part::Category(name) => char::from_u32(code)
                .map(get_general_category)
                .filter(|category| *category != GeneralCategory::Unassigned)
                .is_some_and(|category| category.abbreviation().starts_with(name)),
        })
    }
}

impl From<Part> for Set {
    fn from(part: Part) -> Set {
        Set {
            parts: vec![part],
            ..Set::default()
        }
    }
}

/// All that differ from a character in nothing but their case, itself among them; empty if there are none.
fn other_cases(code: u32) -> &'static [u32] {
    static CASES: OnceLock<BTreeMap<u32, Vec<u32>>> = OnceLock::new();
    let cases = CASES.get_or_init(|| {
        let mut cases: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for code in 0..=LAST_CASED {
            let lower = lowered(code);
            if lower != code {
                cases.entry(lower).or_insert_with(|| vec![lower]).push(code);
            }
        }
        cases
    });
    match code {
        0..=LAST_CASED => cases.get(&lowered(code)).map_or(&[], Vec::as_slice),
        _ => &[],
    }
}

/// The lower case of a character's upper case, as far as both are one character: Unicode's simple case folding.
/// The dotless `ı` has no other case in it.
fn lowered(code: u32) -> u32 {
    let Some(character) = char::from_u32(code).filter(|&character| character != 'ı') else {
        return code;
    };
    let upper = single(character.to_uppercase()).unwrap_or(character);
    single(upper.to_lowercase()).unwrap_or(upper).into()
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    match characters.next() {
        Some(_) => None,
        None => first,
    }
}
