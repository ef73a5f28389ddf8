//! Sets of characters: classes of patterns.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// The last code point.
const LAST: u32 = 0x10_FFFF;

/// The last character that has another case.
const LAST_CASED: u32 = 0x1_E943;

/// Ranges of code points.
#[derive(Clone, Default)]
pub struct Set(Vec<(u32, u32)>);

impl Set {
    /// The set of these ranges, each from the first character to the last.
    pub fn of(ranges: &[(char, char)]) -> Set {
        let ranges = ranges.iter().map(|&(low, high)| (low.into(), high.into()));
        Set(ranges.collect())
    }

    /// Adds what another set has.
    pub fn add(&mut self, other: Set) {
        self.0.extend(other.0);
    }

    /// The set of one code point.
    pub fn code(code: u32) -> Set {
        Set::range(code, code)
    }

    /// The set of all from one code point to another.
    pub fn range(low: u32, high: u32) -> Set {
        Set(vec![(low, high)])
    }

    /// All that is not in it.
    pub fn negated(mut self) -> Set {
        self.tidy();
        let mut next = 0;
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        for (low, high) in self.0 {
            if next < low {
                gaps.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= LAST {
            gaps.push((next, LAST));
        }
        Set(gaps)
    }

    /// With the other cases of what is in it.
    pub fn folded(mut self) -> Set {
        self.tidy();
        let mut more = Vec::new();
        if let [(only, last)] = *self.0
            && only == last
        {
            let lower = char::from_u32(only).map_or(only, |only| lowered(only).into());
            let same = cases().get(&lower).into_iter().flatten();
            more.extend(same.map(|&code| (code, code)));
            self.0.extend(more);
            return self;
        }
        for same in cases().values() {
            if same.iter().any(|&code| self.contains(code)) {
                more.extend(same.iter().map(|&code| (code, code)));
            }
        }
        self.0.extend(more);
        self
    }

    /// Whether a code point is in it, once it is tidied.
    pub fn contains(&self, code: u32) -> bool {
        let after = self.0.partition_point(|&(low, _)| low <= code);
        after
            .checked_sub(1)
            .and_then(|at| self.0.get(at))
            .is_some_and(|&(_, high)| code <= high)
    }

    /// With its ranges sorted, and those that touch joined.
    pub fn tidied(mut self) -> Set {
        self.tidy();
        self
    }

    fn tidy(&mut self) {
        self.0.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for &(low, high) in &self.0 {
            match joined.last_mut() {
                Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        self.0 = joined;
    }

    /// `\p{NAME}`: a general category (`L`, `Lu`, ...), a script (`Greek`), or `Any`.
    pub fn named(name: &str) -> Option<Set> {
        match (name, name.len()) {
            ("Any", _) => Some(Set(vec![(0, LAST)])),
            // Surrogates are no characters.
            ("Cs", _) => Some(Set::default()),
            (_, 0) => None,
            (_, 1 | 2) => Some(Set::all(|character| {
                let category = get_general_category(character);
                category != GeneralCategory::Unassigned && category.abbreviation().starts_with(name)
            })),
            _ => {
                let script = Script::from_full_name(name)?;
                Some(Set::all(|character| character.script() == script))
            }
        }
        .filter(|set| name == "Cs" || !set.0.is_empty())
    }

    /// All characters for which this holds.
    fn all(holds: impl Fn(char) -> bool) -> Set {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for character in ('\0'..=char::MAX).filter(|&character| holds(character)) {
            let code = character.into();
            match ranges.last_mut() {
                Some(last) if last.1 + 1 == code => last.1 = code,
                _ => ranges.push((code, code)),
            }
        }
        Set(ranges)
    }
}

/// Characters that are one but for their case, by their form in lower case.
fn cases() -> &'static BTreeMap<u32, Vec<u32>> {
    static CASES: OnceLock<BTreeMap<u32, Vec<u32>>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for code in 0..=LAST_CASED {
            let Some(character) = char::from_u32(code) else {
                continue;
            };
            let lower = lowered(character);
            if lower != character {
                let lower = u32::from(lower);
                cases.entry(lower).or_insert_with(|| vec![lower]).push(code);
            }
        }
        cases
    })
}

/// The lower case of a character's upper case, as far as both are one character: Unicode's simple case folding.
/// The dotless `ı` has no other case in it.
fn lowered(character: char) -> char {
    if character == 'ı' {
        return character;
    }
    let single = |mut mapped: Box<dyn Iterator<Item = char>>| match (mapped.next(), mapped.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    let upper = single(Box::new(character.to_uppercase())).unwrap_or(character);
    single(Box::new(upper.to_lowercase())).unwrap_or(upper)
}
