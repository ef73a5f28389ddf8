//! The documents that overlays change.

use super::tables::{Place, Tables, Wanted};
use crate::script::{Interp, Result};
use crate::yaml::node::{Document, DocumentSet};

/// Documents found by what they say.
pub struct Documents<'a> {
    sets: &'a mut [DocumentSet],
    tables: Tables,
}

impl<'a> Documents<'a> {
    pub fn new(sets: &'a mut [DocumentSet]) -> Documents<'a> {
        Documents {
            sets,
            tables: Tables::default(),
        }
    }

    pub fn sets(&self) -> &[DocumentSet] {
        self.sets
    }

    /// The sets, to add documents to or to take them from. The tables are forgotten: overlays that each take a document
    /// away make none.
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
        let before = self.tables.said(&document.value);
        change(document)?;
        self.tables.changed((set, place), before, &document.value);
        Ok(())
    }

    /// As [`Tables::candidates`].
    ///
    /// # Errors
    /// A limit is met.
    pub fn candidates(
        &mut self,
        interp: &mut Interp,
        wanted: &Wanted,
    ) -> Result<Option<Vec<Place>>> {
        let count = self.sets.iter().map(|set| set.items.len()).sum();
        let sets = &*self.sets;
        self.tables.candidates(interp, wanted, count, &|note| {
            for (set, documents) in sets.iter().enumerate() {
                for (place, document) in documents.items.iter().enumerate() {
                    note((set, place), &document.value);
                }
            }
        })
    }
}
