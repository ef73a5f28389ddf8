//! Paths by their text alone, as Go has them.

/// A path by its text alone: no `.`, no doubled slashes, no slash at its end, and no `..` that anything stands before.
pub fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            _ => parts.push(part),
        }
    }
    match (rooted, parts.join("/")) {
        (true, joined) => format!("/{joined}"),
        (false, joined) if joined.is_empty() => ".".into(),
        (false, joined) => joined,
    }
}

/// Paths put together, then cleaned; empty ones do not count.
pub fn join(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", _) => clean(path),
        (_, "") => clean(folder),
        _ => clean(&format!("{folder}/{path}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_by_their_text() {
        let table = [
            ("", "."),
            ("./a//b/", "a/b"),
            ("a/../../b", "../b"),
            ("./out/../res", "res"),
            ("/../a", "/a"),
            ("a/..", "."),
            ("/", "/"),
        ];
        for (path, want) in table {
            assert_eq!(clean(path), want, "{path}");
        }
        assert_eq!(join("out", "/a/../b"), "out/b");
        assert_eq!(join("", "a"), "a");
    }
}
