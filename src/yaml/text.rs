//! Which texts a YAML reader takes at all: UTF-8 without control characters.

/// A character that no YAML text may hold.
pub(super) struct Forbidden {
    /// Its offset in bytes.
    pub at: usize,
    /// What is wrong, in go-yaml's words.
    pub problem: &'static str,
}

/// How many bytes are looked at together.
const PIECE: usize = 32;

fn is_plain(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte) | (byte == b'\n') | (byte == b'\t') | (byte == b'\r')
}

/// The first character that a text may not hold, if any.
pub(super) fn forbidden(text: &[u8]) -> Option<Forbidden> {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        // Most of a text needs no closer look.
        if let Some(piece) = text.get(at..at + PIECE)
            && piece
                .iter()
                .fold(true, |plain, &byte| plain & is_plain(byte))
        {
            at += PIECE;
            continue;
        }
        match byte {
            _ if is_plain(byte) => at += 1,
            0..0x80 => {
                return Some(Forbidden {
                    at,
                    problem: "control characters are not allowed",
                });
            }
            _ => match wide(&text[at..]) {
                Ok(width) => at += width,
                Err(problem) => return Some(Forbidden { at, problem }),
            },
        }
    }
    None
}

/// The width of the character of more than one byte at the start of a text.
fn wide(text: &[u8]) -> Result<usize, &'static str> {
    let (width, bits) = match text[0] {
        lead @ 0xC0..=0xDF => (2, lead & 0x1F),
        lead @ 0xE0..=0xEF => (3, lead & 0x0F),
        lead @ 0xF0..=0xF7 => (4, lead & 0x07),
        _ => return Err("invalid leading UTF-8 octet"),
    };
    let Some(tail) = text.get(1..width) else {
        return Err("incomplete UTF-8 octet sequence");
    };
    let mut value = u32::from(bits);
    for byte in tail {
        if byte & 0xC0 != 0x80 {
            return Err("invalid trailing UTF-8 octet");
        }
        value = value << 6 | u32::from(byte & 0x3F);
    }
    let shortest = match width {
        2 => 0x80,
        3 => 0x800,
        _ => 0x10000,
    };
    match value {
        _ if value < shortest => Err("invalid length of a UTF-8 sequence"),
        0xD800..=0xDFFF | 0x11_0000.. => Err("invalid Unicode character"),
        0x85 | 0xA0..=0xFFFD | 0x1_0000.. => Ok(width),
        _ => Err("control characters are not allowed"),
    }
}
