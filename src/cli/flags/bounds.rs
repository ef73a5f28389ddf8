//! How far an evaluation may go: numbers as people write them.

use super::BoundFlags;
use crate::script::Limits;

/// Kubernetes' suffixes of quantities.
const SUFFIXES: [(&str, u64); 6] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("k", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
];

/// A whole number above 0: `5000`, `400M`, `256Mi`.
pub fn number(text: &str) -> Result<u64, String> {
    let suffix = SUFFIXES
        .iter()
        .find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, *factor)));
    let (digits, factor) = suffix.unwrap_or((text, 1));
    let number = digits
        .parse::<u64>()
        .ok()
        .filter(|_| !digits.starts_with('+'));
    let number = number.and_then(|number| number.checked_mul(factor));
    number
        .filter(|number| *number > 0)
        .ok_or_else(|| "expected a whole number above 0, such as 5000, 400M or 256Mi".to_owned())
}

impl BoundFlags {
    /// The bounds that they say, beside those that hold anyway.
    pub fn limits(&self) -> Limits {
        let size = |flag: Option<u64>, otherwise: usize| {
            flag.map_or(otherwise, |number| {
                usize::try_from(number).unwrap_or(usize::MAX)
            })
        };
        let limits = Limits::default();
        Limits {
            steps: self.max_steps.unwrap_or(limits.steps),
            call_depth: size(self.max_depth, limits.call_depth),
            nodes: size(self.max_nodes, limits.nodes),
            memory: size(self.max_memory, limits.memory),
            output: size(self.max_output, limits.output),
            ..limits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_as_people_write_them() {
        let table = [
            ("1", Some(1)),
            ("5k", Some(5_000)),
            ("256Mi", Some(256 << 20)),
            ("2G", Some(2_000_000_000)),
            ("0", None),
            ("", None),
            ("Mi", None),
            ("+3", None),
            ("-1", None),
            ("1.5G", None),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551615k", None),
        ];
        for (text, want) in table {
            assert_eq!(number(text).ok(), want, "{text}");
        }
    }
}
