//! The documents that overlays change.

use crate::bytestring::Str;
use crate::hash::OrderedMap;
use crate::script::{Interp, Result};
use crate::yaml::node::{Document, DocumentSet, Value};
use std::collections::BTreeSet;

/// The index of a set of documents, and that of a document in it.
pub type Place = (usize, usize);

/// So few documents are looked at one by one.
const FEW: usize = 16;

/// Steps that a document counts for when a table is made.
const LOOK: u64 = 4;

/// Where a string stands in a document: the keys that lead to it.
type Path = Vec<Str>;

/// Documents found by what they say at the paths that `overlay.subset` asks for, such as `metadata.name`, so that the
/// cost of many overlays does not grow with the documents that none of them is about.
pub struct Documents<'a> {
    sets: &'a mut [DocumentSet],
    tables: OrderedMap<Path, Table>,
}

/// What documents say at one path.
#[derive(Default)]
struct Table {
    /// Made when it is asked for a second time: once, a look at each document is as cheap.
    asked: bool,
    /// May name documents that said something before they were changed.
    places: Option<OrderedMap<Str, BTreeSet<Place>>>,
}

impl<'a> Documents<'a> {
    pub fn new(sets: &'a mut [DocumentSet]) -> Documents<'a> {
        Documents {
            sets,
            tables: OrderedMap::default(),
        }
    }

    pub fn sets(&self) -> &[DocumentSet] {
        self.sets
    }

    /// The sets, to add documents to or to take them from; the tables are made anew.
    pub fn sets_mut(&mut self) -> &mut [DocumentSet] {
        self.tables
            .values_mut()
            .for_each(|table| table.places = None);
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
        change(document)?;
        for (path, table) in &mut self.tables {
            if let Some(places) = &mut table.places {
                note(places, path, &document.value, (set, place));
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
        let mut best: Option<usize> = None;
        let mut places = Vec::new();
        for (path, text) in strings {
            let table = self.tables.entry(path.clone()).or_default();
            if !std::mem::replace(&mut table.asked, true) {
                continue;
            }
            if table.places.is_none() {
                interp.work(count as u64 * LOOK)?;
            }
            let sets = &*self.sets;
            let table = table.places.get_or_insert_with(|| made(sets, &path));
            let found = table.get(&text);
            let length = found.map_or(0, BTreeSet::len);
            if best.is_none_or(|best| length < best) {
                best = Some(length);
                places = found.into_iter().flatten().copied().collect();
            }
        }
        Ok(best.map(|_| places))
    }
}

fn made(sets: &[DocumentSet], path: &Path) -> OrderedMap<Str, BTreeSet<Place>> {
    let mut places = OrderedMap::default();
    for (set, documents) in sets.iter().enumerate() {
        for (place, document) in documents.items.iter().enumerate() {
            note(&mut places, path, &document.value, (set, place));
        }
    }
    places
}

fn note(
    places: &mut OrderedMap<Str, BTreeSet<Place>>,
    path: &Path,
    document: &Value,
    place: Place,
) {
    // Where a key stands twice, what holds a string in all of its places holds it in the first.
    let mut value = document;
    for key in path {
        let Value::Map(map) = value else { return };
        let found = map
            .items
            .iter()
            .find(|item| matches!(&item.key, Value::Str(text) if text == key));
        let Some(item) = found else { return };
        value = &item.value;
    }
    if let Value::Str(text) = value {
        places.entry(text.clone()).or_default().insert(place);
    }
}

/// The strings of maps in maps, each with its path.
fn find_strings(value: &Value, path: &mut Path, strings: &mut Vec<(Path, Str)>) {
    match value {
        Value::Map(map) => {
            for item in &map.items {
                if let Value::Str(key) = &item.key {
                    path.push(key.clone());
                    find_strings(&item.value, path, strings);
                    path.pop();
                }
            }
        }
        Value::Str(text) => strings.push((path.clone(), text.clone())),
        _ => {}
    }
}
