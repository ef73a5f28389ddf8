//! The documents that overlays change.

use super::compare::LOOK;
use crate::order;
use crate::script::{Interp, Result};
use crate::yaml::KeyIndex;
use crate::yaml::node::{Document, DocumentSet, Value};

/// The index of a set of documents, and that of a document in it.
pub type Place = (usize, usize);

/// So few documents are looked at one by one.
const FEW: usize = 16;

/// Where a string stands in a document: the keys that lead to it.
type Path = Vec<Value>;

/// Documents found by what they say at the paths that `overlay.subset` asks for, such as `metadata.name`, so that the
/// cost of many overlays does not grow with the documents that none of them is about.
pub struct Documents<'a> {
    sets: &'a mut [DocumentSet],
    /// One for each path that was asked for; they are few.
    tables: Vec<Table>,
}

/// What documents say at one path.
struct Table {
    path: Path,
    /// Nothing until it is asked for a second time: once, a look at each document is as cheap.
    said: Option<Said>,
}

/// Where a string is said. May name documents that said it before they were changed.
#[derive(Default)]
struct Said {
    index: KeyIndex,
    places: Vec<Vec<Place>>,
}

impl<'a> Documents<'a> {
    pub fn new(sets: &'a mut [DocumentSet]) -> Documents<'a> {
        Documents {
            sets,
            tables: Vec::new(),
        }
    }

    pub fn sets(&self) -> &[DocumentSet] {
        self.sets
    }

    /// The sets, to add documents to or to take them from. The tables are forgotten, and a path counts as not asked for:
    /// overlays that each take a document away make none.
    pub fn sets_mut(&mut self) -> &mut [DocumentSet] {
        self.tables.clear();
        self.sets
    }

    /// All places, in order.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let of_set = |(index, set): (usize, &DocumentSet)| {
            (0..set.items.len()).map(move |place| (index, place))
        };
        self.sets.iter().enumerate().flat_map(of_set)
    }

    pub fn get(&self, (set, place): Place) -> Option<&Document> {
        self.sets.get(set)?.items.get(place)
    }

    /// Changes the document at a place.
    ///
    /// # Errors
    /// Those of the change.
    pub fn change(
        &mut self,
        (set, place): Place,
        change: impl FnOnce(&mut Document) -> Result<()>,
    ) -> Result<()> {
        let document = self
            .sets
            .get_mut(set)
            .and_then(|set| set.items.get_mut(place));
        let Some(document) = document else {
            return Ok(());
        };
        let tables = self.tables.iter_mut();
        let said: Vec<(&Path, &mut Said, Option<Value>)> = tables
            .filter_map(|Table { path, said }| {
                let said = said.as_mut()?;
                let before = at(path, &document.value).cloned();
                Some((&*path, said, before))
            })
            .collect();
        change(document)?;
        for (path, said, before) in said {
            if let Some(text) = at(path, &document.value)
                && before.as_ref() != Some(text)
            {
                said.note(text, (set, place));
            }
        }
        Ok(())
    }

    /// Places, in order, among which are all documents that hold what is wanted; nothing if all are to be looked at.
    ///
    /// # Errors
    /// A limit is met.
    pub fn candidates(
        &mut self,
        interp: &mut Interp,
        wanted: &Value,
    ) -> Result<Option<Vec<Place>>> {
        let count: usize = self.sets.iter().map(|set| set.items.len()).sum();
        if count <= FEW {
            return Ok(None);
        }
        let mut strings = Vec::new();
        find_strings(wanted, &mut Vec::new(), &mut strings);
        for (path, _) in &strings {
            let Some(table) = self.tables.iter_mut().find(|table| table.path == *path) else {
                let path = path.clone();
                self.tables.push(Table { path, said: None });
                continue;
            };
            if table.said.is_none() {
                interp.work(count as u64 * LOOK)?;
                table.said = Some(Said::by(self.sets, path));
            }
        }
        let said = |path: &Path| {
            self.tables
                .iter()
                .find(|table| table.path == *path)?
                .said
                .as_ref()
        };
        let fewest = strings
            .iter()
            .filter_map(|(path, text)| Some(said(path)?.places(text)))
            .min_by_key(|places| places.len());
        Ok(fewest.map(|places| {
            let mut places = places.to_vec();
            order::sort(&mut places);
            places.dedup();
            places
        }))
    }
}

impl Said {
    fn by(sets: &[DocumentSet], path: &Path) -> Said {
        let mut said = Said::default();
        for (set, documents) in sets.iter().enumerate() {
            for (place, document) in documents.items.iter().enumerate() {
                if let Some(text) = at(path, &document.value) {
                    said.note(text, (set, place));
                }
            }
        }
        said
    }

    fn places(&self, text: &Value) -> &[Place] {
        let slot = self.index.get(text).and_then(|slot| self.places.get(slot));
        slot.map_or(&[], Vec::as_slice)
    }

    fn note(&mut self, text: &Value, place: Place) {
        match self.index.get(text) {
            Some(slot) => {
                if let Some(places) = self.places.get_mut(slot) {
                    places.push(place);
                }
            }
            None => {
                self.index.insert(text, self.places.len());
                self.places.push(vec![place]);
            }
        }
    }
}

/// The string at a path. Where a key stands twice, what holds a string in all of its places holds it in the first.
fn at<'a>(path: &Path, document: &'a Value) -> Option<&'a Value> {
    let mut value = document;
    for key in path {
        let Value::Map(map) = value else {
            return None;
        };
        value = &map.items.iter().find(|item| item.key == *key)?.value;
    }
    matches!(value, Value::Str(_)).then_some(value)
}

/// The strings of maps in maps, each with its path.
fn find_strings<'a>(value: &'a Value, path: &mut Path, strings: &mut Vec<(Path, &'a Value)>) {
    match value {
        Value::Map(map) => {
            for item in &map.items {
                if matches!(item.key, Value::Str(_)) {
                    path.push(item.key.clone());
                    find_strings(&item.value, path, strings);
                    path.pop();
                }
            }
        }
        Value::Str(_) => strings.push((path.clone(), value)),
        _ => {}
    }
}
