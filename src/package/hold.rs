//! A shipment that is at hand whole, for doors without a disk and a network: made of files and archives, and an archive
//! again.

use super::archive;
use super::bundle::{self, Descriptor};
use super::digest::Digest;
use super::images::ImagesLock;
use super::reference::Reference;
use super::shipment::{Content, MAX_DEPTH, Shipment};
use super::transport::{self, Image, Item, Purpose};
use crate::diagnostic::Report;
use std::collections::BTreeMap;
use std::io::Cursor;

/// Images and all their layers.
#[derive(Default)]
pub struct Hold {
    items: Vec<Item>,
    layers: BTreeMap<Digest, Vec<u8>>,
}

impl Shipment for Hold {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn layer(&self, image: &Image, layer: &Descriptor) -> Result<Vec<u8>, Report> {
        let missing = || {
            let (digest, image) = (layer.digest, image.original());
            Report::new(format!("Layer {digest} of '{image}' is missing"))
        };
        self.layers.get(&layer.digest).cloned().ok_or_else(missing)
    }
}

impl Hold {
    /// What is in an archive, every layer checked. `name` is what messages call it.
    ///
    /// # Errors
    /// It is damaged, or lacks something.
    pub fn of_archive(name: &str, bytes: &[u8]) -> Result<Hold, Report> {
        let source = Cursor::new(bytes);
        let content = Content::read(source, bytes.len() as u64, ToString::to_string)
            .map_err(|report| report.context(format!("Reading '{name}'")))?;
        let mut layers = BTreeMap::new();
        for (digest, (start, size)) in content.places {
            let end = start.saturating_add(size) as usize;
            let layer = bytes.get(start as usize..end).unwrap_or_default();
            let found = Digest::of(layer);
            if found != digest {
                return Err(Report::new(format!(
                    "Reading layer {digest}: expected digest {digest}, but it has {found}"
                )));
            }
            layers.insert(digest, layer.to_vec());
        }
        let items = content.items;
        Ok(Hold { items, layers })
    }

    /// A bundle that was made here with all that its lock names, which is taken from what else is at hand.
    ///
    /// # Errors
    /// An image is in none of them.
    pub fn of_bundle(
        image: &bundle::Image,
        lock: &ImagesLock,
        name: &Reference,
        others: &[Hold],
    ) -> Result<Hold, Report> {
        let purpose = Purpose {
            tag: name.tag().to_string(),
            original: name.repository.at(image.digest()).to_string(),
            root: true,
        };
        let mut hold = Hold::default();
        hold.gather(lock, others, 0)?;
        let layer = image.layer.clone();
        hold.layers.insert(Digest::of(&layer), layer);
        hold.items.push(Item::of(image, name, &purpose)?);
        Ok(hold)
    }

    /// Takes along what a lock names.
    fn gather(&mut self, lock: &ImagesLock, others: &[Hold], depth: usize) -> Result<(), Report> {
        if depth > MAX_DEPTH {
            return Err(Report::new("Bundles stand in bundles too many times"));
        }
        for (locked, reference) in lock.images.iter().zip(lock.references()?) {
            let Some(digest) = reference
                .digest
                .filter(|digest| self.find(*digest).is_none())
            else {
                continue;
            };
            let mut found = others
                .iter()
                .filter_map(|other| Some((other, other.find(digest)?)));
            let Some((other, item)) = found.next() else {
                return Err(Report::new(format!(
                    "Image '{}' is in no archive that was given (hint: 'haulout bundle' on the command line fetches it \
                     from its registry)",
                    locked.image
                )));
            };
            for (digest, (layer, image)) in transport::layers(std::slice::from_ref(item)) {
                self.layers.insert(digest, other.layer(image, &layer)?);
            }
            if let Some(image) = item.image().filter(|image| image.is_bundle()) {
                let lock = bundle::lock_of(&other.tree(image)?)?;
                self.gather(&lock, others, depth + 1)?;
            }
            self.items.push(item.named(&locked.image));
        }
        Ok(())
    }

    /// The archive of all.
    ///
    /// # Errors
    /// An image that a bundle refers to is missing.
    pub fn to_archive(&self) -> Result<Vec<u8>, Report> {
        self.locations()?;
        let mut out = Vec::new();
        let mut add = |name: &str, bytes: &[u8]| {
            archive::write_entry(&mut out, name, 0o644, Some(bytes));
        };
        add(transport::MANIFEST_NAME, &transport::print(&self.items));
        for (digest, (layer, image)) in transport::layers(&self.items) {
            add(&transport::layer_name(digest), &self.layer(image, &layer)?);
        }
        archive::end(&mut out);
        Ok(out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::package::archive::Tree;
    use crate::package::images::LockedImage;

    /// An archive that holds one image of a program, and the image's name.
    fn program() -> (Vec<u8>, String) {
        let mut tree = Tree::default();
        tree.add("bin/app", "app", true).unwrap();
        let image = bundle::Image::new(&tree, BTreeMap::new());
        let name: Reference = "registry.example.com/app:1".parse().unwrap();
        let item = Item::of(&image, &name, &Purpose::default()).unwrap();
        let layers = BTreeMap::from([(Digest::of(&image.layer), image.layer.clone())]);
        let items = vec![item];
        let name = name.repository.at(image.digest()).to_string();
        (Hold { items, layers }.to_archive().unwrap(), name)
    }

    /// A bundle that refers to this image.
    fn bundle_of(image: &str) -> (Tree, bundle::Image, ImagesLock) {
        let images = vec![LockedImage::new(image, "app")];
        let lock = ImagesLock { images };
        let mut tree = Tree::default();
        tree.add(bundle::IMAGES_LOCK, lock.print(), false).unwrap();
        tree.add("config/values.yml", "replicas: 2\n", false)
            .unwrap();
        let image = bundle::Image::bundle(&tree, BTreeMap::new()).unwrap();
        (tree, image, lock)
    }

    #[test]
    fn a_bundle_takes_its_images_from_archives_and_comes_back() {
        let (archive, program) = program();
        let others = [Hold::of_archive("app.tar", &archive).unwrap()];
        let (tree, image, lock) = bundle_of(&program);
        let name: Reference = "registry.example.com/web:1".parse().unwrap();
        let whole = Hold::of_bundle(&image, &lock, &name, &others).unwrap();
        let packed = whole.to_archive().unwrap();
        let again = Hold::of_archive("web.tar", &packed).unwrap();
        let root = again.root().unwrap();
        assert_eq!(root.digest(), image.digest());
        assert_eq!(again.tree(root).unwrap(), tree);
        assert_eq!(again.to_archive().unwrap(), packed);
        // As a part of another bundle it is no root, and brings its own images.
        let (_, outer, lock) = bundle_of(root.original());
        let all = Hold::of_bundle(&outer, &lock, &name, &[again]).unwrap();
        let roots = all.items().iter().map(Item::is_root).collect::<Vec<_>>();
        assert_eq!(roots, [false, false, true]);

        let report = Hold::of_bundle(&image, &bundle_of(&program).2, &name, &[]).err();
        let text = report.unwrap().text().to_string();
        assert!(text.starts_with(&format!("Image '{program}' is in no archive")));
    }

    #[test]
    fn archives_that_are_changed_or_cut_are_refused() {
        let (archive, _) = program();
        let at = archive.windows(2).position(|two| two == [0x1F, 0x8B]);
        let mut changed = archive.clone();
        changed[at.unwrap() + 12] ^= 1;
        let told = |bytes: &[u8]| {
            let report = Hold::of_archive("app.tar", bytes).err();
            report.map(|report| report.text().to_string())
        };
        assert!(told(&changed).unwrap().contains("expected digest sha256:"));
        // What fills the last block is nothing.
        for end in (0..archive.len() - 1536).step_by(64) {
            assert!(told(&archive[..end]).is_some(), "{end}");
        }
        assert_eq!(told(&archive), None);
    }
}
