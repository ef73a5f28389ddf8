//! Paths, and the system's words, as Go has them.

pub use crate::paths::{clean, join};
use std::io;

/// The last part of a path.
pub fn base(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// The system's word for what went wrong, as Go prints it: the C library's, without a capital letter and a number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = match error.raw_os_error() {
        Some(code) => text
            .strip_suffix(&format!(" (os error {code})"))
            .unwrap_or(&text),
        None => &text,
    };
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !letters.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part() {
        assert_eq!((base("a/b/"), base("x"), base("/")), ("b", "x", ""));
    }

    #[test]
    fn words_of_the_system() {
        let word = |code| reason(&io::Error::from_raw_os_error(code));
        assert_eq!(word(2), "no such file or directory");
        assert_eq!(word(13), "permission denied");
        assert_eq!(word(20), "not a directory");
        assert_eq!(word(40), "too many levels of symbolic links");
    }
}
