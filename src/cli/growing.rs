//! An archive of images that grows under another name until it is whole, and that a later run can go on with.

use super::blob::{Checked, broken};
use super::paths::{base, reason};
use super::registry::Fault;
use crate::diagnostic::Report;
use crate::package::archive;
use crate::package::bundle::Descriptor;
use crate::package::digest::Digest;
use crate::package::transport::{self, Image};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};

/// An archive that is not whole yet.
pub struct Growing {
    file: File,
    /// What it is to be called.
    target: String,
    path: String,
    /// Up to here all is well.
    end: u64,
    /// How many layers there are so far.
    pub whole: usize,
    full: bool,
}

impl Growing {
    /// Begins an archive that starts with `head`, or goes on with one.
    ///
    /// # Errors
    /// The disk refuses, or another run is at it.
    pub fn open(
        path: &str,
        head: &[u8],
        layers: &BTreeMap<Digest, (Descriptor, &Image)>,
    ) -> Result<Growing, Report> {
        let name = base(path);
        let part = format!(
            "{}.{name}.part",
            path.strip_suffix(name).unwrap_or_default()
        );
        let failed =
            |error: &io::Error| Report::new(format!("Writing '{path}': {}", reason(error)));
        let opened = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&part);
        let file = opened.map_err(|error| failed(&error))?;
        if file.try_lock().is_err() {
            return Err(Report::new(format!(
                "Writing '{path}': Another run is writing it"
            )));
        }
        let mut growing = Growing {
            file,
            target: path.to_string(),
            path: part,
            end: 0,
            whole: 0,
            full: false,
        };
        let begun = growing.resume(head, layers).and_then(|()| {
            growing.file.set_len(growing.end)?;
            growing.file.seek(SeekFrom::Start(growing.end))?;
            if growing.end == 0 {
                growing.file.write_all(head)?;
                growing.end = head.len() as u64;
            }
            Ok(())
        });
        begun.map_err(|error| {
            growing.full = true;
            growing.leave();
            failed(&error)
        })?;
        Ok(growing)
    }

    /// Finds out how far an earlier run came.
    fn resume(
        &mut self,
        head: &[u8],
        layers: &BTreeMap<Digest, (Descriptor, &Image)>,
    ) -> io::Result<()> {
        let mut begin = Vec::new();
        (&self.file)
            .take(head.len() as u64)
            .read_to_end(&mut begin)?;
        if begin != head {
            return Ok(());
        }
        self.end = head.len() as u64;
        for (digest, (layer, _)) in layers {
            let mut header = Vec::new();
            archive::write_header(
                &mut header,
                &transport::layer_name(*digest),
                0o644,
                Some(layer.size),
            );
            let mut found = Vec::new();
            (&self.file)
                .take(header.len() as u64)
                .read_to_end(&mut found)?;
            let content = (&self.file).take(layer.size);
            let copied = io::copy(&mut Checked::new(content, layer.clone()), &mut io::sink());
            if found != header || copied.is_err() {
                break;
            }
            let padding = padding(layer.size);
            let mut zeros = Vec::new();
            (&self.file).take(padding).read_to_end(&mut zeros)?;
            if zeros.len() as u64 != padding {
                break;
            }
            self.end += header.len() as u64 + layer.size + padding;
            self.whole += 1;
        }
        Ok(())
    }

    /// Adds a layer; what an earlier attempt left of it is overwritten.
    ///
    /// # Errors
    /// The disk refuses, or the layer ends too early.
    pub fn add(&mut self, digest: Digest, size: u64, layer: &mut dyn Read) -> Result<(), Fault> {
        let mut header = Vec::new();
        archive::write_header(
            &mut header,
            &transport::layer_name(digest),
            0o644,
            Some(size),
        );
        let start = self.end;
        let written = self.write(start, &header);
        self.disk(written)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = layer
                .read(&mut buffer)
                .map_err(|error| broken(&format!("Reading layer {digest}"), &error))?;
            if count == 0 {
                break;
            }
            let written = self.file.write_all(buffer.get(..count).unwrap_or_default());
            self.disk(written)?;
        }
        let padding = padding(size);
        let written = self
            .file
            .write_all(&vec![0; usize::try_from(padding).unwrap_or_default()]);
        self.disk(written)?;
        self.end += header.len() as u64 + size + padding;
        self.whole += 1;
        Ok(())
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.set_len(at)?;
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)
    }

    fn disk(&mut self, result: io::Result<()>) -> Result<(), Report> {
        result.map_err(|error| {
            self.full = true;
            Report::new(format!("Writing '{}': {}", self.target, reason(&error)))
        })
    }

    /// Gives up for now. What the disk refused is of no use to anyone; what the network did not give may come yet.
    pub fn leave(&mut self) {
        if self.full || self.whole == 0 {
            let _ = fs::remove_file(&self.path);
        } else {
            let _ = self.file.set_len(self.end);
        }
    }

    /// Closes the archive and gives it its name.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn finish(mut self) -> Result<(), Report> {
        let mut end = Vec::new();
        archive::end(&mut end);
        let done = self
            .write(self.end, &end)
            .and_then(|()| self.file.sync_all())
            .and_then(|()| fs::rename(&self.path, &self.target));
        let done = self.disk(done);
        if done.is_err() {
            self.leave();
        }
        done
    }
}

fn padding(size: u64) -> u64 {
    size.next_multiple_of(512) - size
}
