//! The array that an overlay changes.

use super::tables::{Tables, Wanted};
use crate::script::{Interp, Result};
use crate::yaml::node::ArrayItem;

/// Items found by what they say.
pub struct Items<'a> {
    items: &'a mut Vec<ArrayItem>,
    tables: Tables,
}

impl<'a> Items<'a> {
    pub fn new(items: &'a mut Vec<ArrayItem>) -> Items<'a> {
        Items {
            items,
            tables: Tables::default(),
        }
    }

    pub fn all(&self) -> &[ArrayItem] {
        self.items
    }

    /// The items, to put some between or to take some away. The tables are forgotten.
    pub fn all_mut(&mut self) -> &mut Vec<ArrayItem> {
        self.tables.clear();
        self.items
    }

    pub fn push(&mut self, item: ArrayItem) {
        let place = (0, self.items.len());
        self.tables.changed(place, Vec::new(), &item.value);
        self.items.push(item);
    }

    /// Changes the item at a place.
    ///
    /// # Errors
    /// Those of the change.
    pub fn change(
        &mut self,
        place: usize,
        change: impl FnOnce(&mut ArrayItem) -> Result<()>,
    ) -> Result<()> {
        let Some(item) = self.items.get_mut(place) else {
            return Ok(());
        };
        let before = self.tables.said(&item.value);
        change(item)?;
        self.tables.changed((0, place), before, &item.value);
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
    ) -> Result<Option<Vec<usize>>> {
        let items = &*self.items;
        let found = self
            .tables
            .candidates(interp, wanted, items.len(), &|note| {
                for (place, item) in items.iter().enumerate() {
                    note((0, place), &item.value);
                }
            })?;
        Ok(found.map(|places| places.into_iter().map(|(_, place)| place).collect()))
    }
}
