//! What someone may have meant.

/// The candidate nearest to a word, if at most half of the word would be wrong; case and underscores do not count.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let word = fold(word);
    let mut nearest = None;
    let mut least = word.len().div_ceil(2);
    for candidate in candidates {
        let distance = distance(word.as_bytes(), fold(candidate).as_bytes(), least);
        if distance < least {
            least = distance;
            nearest = Some(*candidate);
        }
    }
    nearest
}

fn fold(word: &str) -> String {
    word.chars()
        .filter(|&character| character != '_')
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edit distance of byte strings; anything not below `enough` may be given as `enough`.
fn distance(a: &[u8], b: &[u8], enough: usize) -> usize {
    if a.len().abs_diff(b.len()) >= enough {
        return enough;
    }
    // The row of the table for the empty prefix of `a`; each round makes the next row from it.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, from) in a.iter().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        let mut least = left;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (to, &above) in b.iter().zip(row.iter().skip(1)) {
            let replaced = diagonal + usize::from(from != to);
            left = replaced.min(left + 1).min(above + 1);
            least = least.min(left);
            diagonal = above;
            next.push(left);
        }
        if least >= enough {
            return enough;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds() {
        let table = [
            ("hosst", vec!["host", "port"], Some("host")),
            ("Na_mee", vec!["name"], Some("name")),
            ("x", vec!["y"], None),
            ("colour", vec!["color", "colours"], Some("color")),
            ("", vec!["a"], None),
            ("abcd", vec!["abxy"], None),
            ("abcde", vec!["abxye"], Some("abxye")),
        ];
        for (word, candidates, want) in table {
            assert_eq!(nearest(word, &candidates), want, "{word}");
        }
    }
}
