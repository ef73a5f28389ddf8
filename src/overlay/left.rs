//! The map that an overlay changes.

use crate::position::Position;
use crate::script::format::nearest;
use crate::yaml::KeyIndex;
use crate::yaml::node::{MapItem, Value};

/// Maps with no more items than this are searched without a table.
const SMALL: usize = 16;

/// Items found by their keys in a time that does not grow with the map, so that one large map can be laid on another.
pub struct Left {
    /// Those that are removed leave holes, so that the others keep their places.
    items: Vec<Option<MapItem>>,
    /// None where looking at all items is cheaper, or the only way: matcher functions can let a key stand twice.
    places: Option<KeyIndex>,
}

impl Left {
    /// Takes in a map's items, of which about so many will be looked for.
    pub fn new(items: Vec<MapItem>, searches: usize) -> Left {
        let mut left = Left {
            items: Vec::new(),
            places: (items.len().min(searches) > SMALL).then(KeyIndex::default),
        };
        for (place, item) in items.iter().enumerate() {
            left.note(&item.key, place);
        }
        left.items = items.into_iter().map(Some).collect();
        left
    }

    /// What is left.
    pub fn into_items(self) -> Vec<MapItem> {
        self.items.into_iter().flatten().collect()
    }

    /// Places of the items that have this key.
    pub fn with_key(&self, key: &Value) -> Vec<usize> {
        match &self.places {
            Some(places) => places.get(key).into_iter().collect(),
            None => self
                .items()
                .filter(|(_, item)| item.key == *key)
                .map(|(place, _)| place)
                .collect(),
        }
    }

    /// The items, each with its place.
    pub fn items(&self) -> impl Iterator<Item = (usize, &MapItem)> {
        let there = |(place, item): (usize, _)| Some((place, Option::as_ref(item)?));
        self.items.iter().enumerate().filter_map(there)
    }

    /// The key that is most like one that is not there.
    pub fn near(&self, key: &Value) -> Option<&str> {
        nearest(
            key.as_str()?,
            self.items().filter_map(|(_, item)| item.key.as_str()),
        )
    }

    /// Where the item at this place comes from.
    pub fn position(&self, place: usize) -> Option<Position> {
        Some(self.items.get(place)?.as_ref()?.meta.position.clone())
    }

    /// The item at this place, to be changed in all but its key.
    pub fn get_mut(&mut self, place: usize) -> Option<&mut MapItem> {
        self.items.get_mut(place)?.as_mut()
    }

    pub fn push(&mut self, item: MapItem) {
        self.note(&item.key, self.items.len());
        self.items.push(Some(item));
    }

    /// Takes the item at this place away.
    pub fn remove(&mut self, place: usize) {
        let item = self.items.get_mut(place).and_then(Option::take);
        if let (Some(item), Some(places)) = (item, &mut self.places) {
            places.remove(&item.key);
        }
    }

    /// Puts an item in the place of another.
    pub fn replace(&mut self, place: usize, item: MapItem) {
        self.remove(place);
        self.note(&item.key, place);
        if let Some(slot) = self.items.get_mut(place) {
            *slot = Some(item);
        }
    }

    fn note(&mut self, key: &Value, place: usize) {
        if let Some(places) = &mut self.places {
            if places.get(key).is_some() {
                self.places = None;
            } else {
                places.insert(key, place);
            }
        }
    }
}
