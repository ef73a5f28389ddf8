//! gzip around deflate: header, checksum, length.
//!
//! The crate that deflates has it too, with a checksum whose tables weigh more than all else here; and what is written is
//! held to the byte, so that the header is better seen.

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{self, Read, Write};

/// What gzip begins with: its magic number.
pub const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// The header that is written: deflate, no extras, no time, the best compression, no particular system.
const HEADER: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255];

/// Bits of a header that say what stands between it and the content.
const CHECKED: u8 = 2;
const EXTRA: u8 = 4;
const NAMED: u8 = 8;
const COMMENTED: u8 = 16;

/// The bytes compressed. The result is the same on every machine; a test holds it to a recorded digest, since the digest of
/// a bundle rests on it.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(HEADER.to_vec(), Compression::best());
    // A vector takes everything.
    let _ = encoder.write_all(bytes);
    let mut out = encoder.finish().unwrap_or_default();
    let mut checksum = Checksum::default();
    checksum.add(bytes);
    out.extend(checksum.trailer());
    out
}

/// CRC-32 and length, as gzip has them after the content.
#[derive(Default)]
struct Checksum {
    crc: u32,
    length: u32,
}

/// The checksums of four bits, from which those of all else are made: polynomial 0xEDB88320.
const NIBBLES: [u32; 16] = {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 4 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
};

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let step = |crc: u32| crc >> 4 ^ NIBBLES[crc as usize & 15];
        let crc = bytes
            .iter()
            .fold(!self.crc, |crc, byte| step(step(crc ^ u32::from(*byte))));
        self.crc = !crc;
        // Modulo 2³², as the format has it.
        self.length = self.length.wrapping_add(bytes.len() as u32);
    }

    fn trailer(&self) -> [u8; 8] {
        let mut out = [0; 8];
        let bytes = self.crc.to_le_bytes().into_iter();
        let bytes = bytes.chain(self.length.to_le_bytes());
        for (place, byte) in out.iter_mut().zip(bytes) {
            *place = byte;
        }
        out
    }
}

/// Reads what was compressed, member after member.
pub struct Reader<'a> {
    decoder: Option<DeflateDecoder<&'a [u8]>>,
    checksum: Checksum,
}

impl<'a> Reader<'a> {
    /// Begins with the first member.
    ///
    /// # Errors
    /// There is none.
    pub fn new(bytes: &'a [u8]) -> io::Result<Reader<'a>> {
        Ok(Reader {
            decoder: Some(DeflateDecoder::new(content(bytes)?)),
            checksum: Checksum::default(),
        })
    }

    /// Checks the end of a member, and goes on to the next one.
    fn next(&mut self) -> io::Result<()> {
        let rest = self.decoder.take().map(DeflateDecoder::into_inner);
        let (trailer, rest) = rest
            .unwrap_or_default()
            .split_first_chunk()
            .ok_or_else(cut)?;
        if *trailer != self.checksum.trailer() {
            return Err(damaged("its checksum is not that of its content"));
        }
        if !rest.is_empty() {
            *self = Reader::new(rest)?;
        }
        Ok(())
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                self.checksum.add(buffer.get(..count).unwrap_or_default());
                return Ok(count);
            }
            self.next()?;
        }
        Ok(0)
    }
}

/// What stands after a header.
fn content(bytes: &[u8]) -> io::Result<&[u8]> {
    let (header, mut rest) = bytes.split_first_chunk::<10>().ok_or_else(cut)?;
    let [a, b, method, flags, ..] = *header;
    if [a, b] != MAGIC || method != 8 {
        return Err(damaged("it has no gzip header"));
    }
    if flags & EXTRA != 0 {
        let (length, after) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = usize::from(u16::from_le_bytes(*length));
        rest = after.get(length..).ok_or_else(cut)?;
    }
    for flag in [NAMED, COMMENTED] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
            rest = rest.get(end + 1..).ok_or_else(cut)?;
        }
    }
    if flags & CHECKED != 0 {
        rest = rest.get(2..).ok_or_else(cut)?;
    }
    Ok(rest)
}

fn cut() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

fn damaged(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        Reader::new(bytes)?.read_to_end(&mut out)?;
        Ok(out)
    }

    /// Of `123456789`, as every description of CRC-32 has it.
    #[test]
    fn the_checksum_is_everyone_s() {
        let mut checksum = Checksum::default();
        checksum.add(b"1234");
        checksum.add(b"56789");
        assert_eq!((checksum.crc, checksum.length), (0xCBF4_3926, 9));
    }

    #[test]
    fn another_program_s_gzip_is_the_same() {
        for text in [&b""[..], b"a", &b"walrus ".repeat(9_999)] {
            let mut theirs = flate2::GzBuilder::new()
                .operating_system(255)
                .write(Vec::new(), Compression::best());
            theirs.write_all(text).unwrap();
            let theirs = theirs.finish().unwrap();
            assert_eq!(compress(text), theirs);
            assert_eq!(read(&theirs).unwrap(), text);
        }
    }

    #[test]
    fn headers_of_every_kind_and_several_members() {
        let mut bytes = Vec::new();
        for (name, comment, extra) in [("a", "", ""), ("", "b", "xyz"), ("c", "d", "e")] {
            let mut builder = flate2::GzBuilder::new();
            if !name.is_empty() {
                builder = builder.filename(name);
            }
            if !comment.is_empty() {
                builder = builder.comment(comment);
            }
            if !extra.is_empty() {
                builder = builder.extra(extra);
            }
            let mut encoder = builder.write(&mut bytes, Compression::fast());
            encoder.write_all(name.as_bytes()).unwrap();
            encoder.write_all(b"!").unwrap();
            encoder.finish().unwrap();
        }
        assert_eq!(read(&bytes).unwrap(), b"a!!c!");
        for end in 0..bytes.len() {
            let whole = read(&bytes[..end]);
            // A cut between members is no cut.
            assert!(whole.is_err() || b"a!!c!".starts_with(&whole.unwrap()[..]));
        }
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert_eq!(
            read(&bytes).unwrap_err().to_string(),
            "its checksum is not that of its content"
        );
    }
}
