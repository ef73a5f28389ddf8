//! Doing to the left side what the right side says.

use super::annotation::{Assert, Insert, Operation, Replace};
use super::documents::Documents;
use super::expects::Expects;
use super::items::Items;
use super::left::Left;
use super::matcher;
use super::tables::Place;
use crate::script::{Error, Interp, Result};
use crate::template::convert::{go_text, go_type_name};
use crate::yaml::node::{ArrayItem, Document, DocumentSet, MapItem, Value};
use std::rc::Rc;

pub struct Overlay<'a> {
    pub interp: &'a mut Interp,
    /// See [`super::Defaults::exact`].
    pub exact: bool,
}

impl Overlay<'_> {
    /// Applies a map to a map or an array to an array; true if the right value is to take the left one's place.
    pub fn value(&mut self, left: &mut Value, right: &Value, defaults: &Expects) -> Result<bool> {
        match right {
            Value::Map(right) => {
                let Value::Map(left) = left else {
                    return Err(other_kind("map", left));
                };
                let items = &mut Rc::make_mut(left).items;
                let mut left = Left::new(std::mem::take(items), right.items.len());
                right
                    .items
                    .iter()
                    .try_for_each(|item| self.map_item(&mut left, item, defaults))?;
                *items = left.into_items();
            }
            Value::Array(right) => {
                let Value::Array(left) = left else {
                    return Err(other_kind("array", left));
                };
                let mut left = Items::new(&mut Rc::make_mut(left).items);
                right
                    .items
                    .iter()
                    .try_for_each(|item| self.array_item(&mut left, item, defaults))?;
            }
            Value::Documents(_) => return Err(other_kind("document set", left)),
            _ => return Ok(true),
        }
        Ok(false)
    }

    /// Merges a value into what stands on the left: an empty left side takes it whole.
    fn merge(&mut self, left: &mut Value, right: &Value, defaults: &Expects) -> Result<bool> {
        let replaces = left.is_null() || self.value(left, right, defaults)?;
        if replaces {
            *left = right.clone();
        }
        Ok(replaces)
    }

    fn map_item(&mut self, left: &mut Left, right: &MapItem, defaults: &Expects) -> Result<()> {
        let result = match Operation::of(&right.meta) {
            Ok(Operation::Merge) => self.merge_map_item(left, right, defaults),
            Ok(Operation::Remove) => self.remove_map_item(left, right, defaults),
            Ok(Operation::Replace) => self.replace_map_item(left, right, defaults),
            Ok(Operation::Assert) => self.assert_map_item(left, right, defaults),
            Ok(operation @ (Operation::Insert | Operation::Append)) => {
                let annotation = operation.annotation();
                Err(Error::new(format!(
                    "Found @{annotation} on map item ({}); only array items can be annotated with @{annotation}",
                    right.meta.position
                )))
            }
            Err(error) => Err(error),
        };
        result.map_err(|error| {
            let place = format!(
                "Map item (key '{}') on line {}",
                go_text(&right.key),
                right.meta.position
            );
            within(&place, &error)
        })
    }

    fn merge_map_item(
        &mut self,
        left: &mut Left,
        right: &MapItem,
        defaults: &Expects,
    ) -> Result<()> {
        let children = Expects::for_children(&right.meta, defaults)?;
        let Some(found) = matcher::map_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        if found.is_empty() {
            left.push(right.clone());
        }
        for index in found {
            let Some(item) = left.get_mut(index) else {
                continue;
            };
            if self.merge(&mut item.value, &right.value, &children)? {
                item.meta.position = right.meta.position.clone();
            }
        }
        Ok(())
    }

    fn remove_map_item(
        &mut self,
        left: &mut Left,
        right: &MapItem,
        defaults: &Expects,
    ) -> Result<()> {
        if let Some(found) = matcher::map_items(self.interp, left, right, defaults)? {
            found.into_iter().for_each(|index| left.remove(index));
        }
        Ok(())
    }

    fn replace_map_item(
        &mut self,
        left: &mut Left,
        right: &MapItem,
        defaults: &Expects,
    ) -> Result<()> {
        let replace = Replace::of(&right.meta)?;
        let Some(found) = matcher::map_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        if found.is_empty() && replace.or_add {
            let value = replace.value(self.interp, &Value::Null, &right.value)?;
            left.push(MapItem {
                value: accepted("map items", value)?,
                ..right.clone()
            });
        }
        // The one item found takes the right one's key too, as in ytt. Where that would make a key stand twice, which
        // ytt cannot print, items keep their own.
        let same_key = left.with_key(&right.key);
        let renames = found.len() == 1 && same_key.iter().all(|index| found.contains(index));
        for index in found {
            let Some(item) = left.get_mut(index) else {
                continue;
            };
            let value = accepted(
                "map items",
                replace.value(self.interp, &item.value, &right.value)?,
            )?;
            let key = if renames { &right.key } else { &item.key };
            let item = MapItem {
                key: key.clone(),
                value,
                meta: right.meta.clone(),
            };
            left.replace(index, item);
        }
        Ok(())
    }

    fn assert_map_item(
        &mut self,
        left: &mut Left,
        right: &MapItem,
        defaults: &Expects,
    ) -> Result<()> {
        let children = Expects::for_children(&right.meta, defaults)?;
        let assert = Assert::of(&right.meta)?;
        let Some(found) = matcher::map_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        for index in found {
            let Some(item) = left.get_mut(index) else {
                continue;
            };
            assert.check(self.interp, &item.value, &right.value)?;
            self.value(&mut item.value, &right.value, &children)?;
        }
        Ok(())
    }

    fn array_item(
        &mut self,
        left: &mut Items,
        right: &ArrayItem,
        defaults: &Expects,
    ) -> Result<()> {
        let result = match Operation::of(&right.meta) {
            Ok(Operation::Merge) => self.merge_array_item(left, right, defaults),
            Ok(Operation::Remove) => self.remove_array_item(left, right, defaults),
            Ok(Operation::Replace) => self.replace_array_item(left, right, defaults),
            Ok(Operation::Insert) => self.insert_array_item(left, right, defaults),
            Ok(Operation::Append) => {
                left.push(right.clone());
                Ok(())
            }
            Ok(Operation::Assert) => self.assert_array_item(left, right, defaults),
            Err(error) => Err(error),
        };
        result.map_err(|error| {
            within(
                &format!("Array item on line {}", right.meta.position),
                &error,
            )
        })
    }

    fn merge_array_item(
        &mut self,
        left: &mut Items,
        right: &ArrayItem,
        defaults: &Expects,
    ) -> Result<()> {
        let children = Expects::for_children(&right.meta, defaults)?;
        let Some(found) = matcher::array_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        if found.is_empty() {
            left.push(right.clone());
        }
        for index in found {
            left.change(index, |item| {
                if self.merge(&mut item.value, &right.value, &children)? {
                    item.meta.position = right.meta.position.clone();
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn remove_array_item(
        &mut self,
        left: &mut Items,
        right: &ArrayItem,
        defaults: &Expects,
    ) -> Result<()> {
        if let Some(found) = matcher::array_items(self.interp, left, right, defaults)? {
            remove(left.all_mut(), &found);
        }
        Ok(())
    }

    fn replace_array_item(
        &mut self,
        left: &mut Items,
        right: &ArrayItem,
        defaults: &Expects,
    ) -> Result<()> {
        let replace = Replace::of(&right.meta)?;
        let Some(found) = matcher::array_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        if found.is_empty() && replace.or_add {
            let value = replace.value(self.interp, &Value::Null, &right.value)?;
            left.push(ArrayItem {
                value: accepted("array items", value)?,
                ..right.clone()
            });
        }
        for index in found {
            left.change(index, |item| {
                let value = replace.value(self.interp, &item.value, &right.value)?;
                *item = ArrayItem {
                    value: accepted("array items", value)?,
                    ..right.clone()
                };
                Ok(())
            })?;
        }
        Ok(())
    }

    fn insert_array_item(
        &mut self,
        left: &mut Items,
        right: &ArrayItem,
        defaults: &Expects,
    ) -> Result<()> {
        let Some(found) = matcher::array_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        let insert = Insert::of(&right.meta)?;
        let left = left.all_mut();
        let mut items = Vec::with_capacity(left.len() + found.len());
        let mut found = found.into_iter().peekable();
        for (index, item) in std::mem::take(left).into_iter().enumerate() {
            if found.next_if_eq(&index).is_none() {
                items.push(item);
                continue;
            }
            let value = insert.value(self.interp, &item.value, &right.value)?;
            let new = ArrayItem {
                value: accepted("array items", value)?,
                ..right.clone()
            };
            surround(&mut items, item, new, &insert);
        }
        *left = items;
        Ok(())
    }

    fn assert_array_item(
        &mut self,
        left: &mut Items,
        right: &ArrayItem,
        defaults: &Expects,
    ) -> Result<()> {
        let children = Expects::for_children(&right.meta, defaults)?;
        let assert = Assert::of(&right.meta)?;
        let Some(found) = matcher::array_items(self.interp, left, right, defaults)? else {
            return Ok(());
        };
        for index in found {
            left.change(index, |item| {
                assert.check(self.interp, &item.value, &right.value)?;
                self.value(&mut item.value, &right.value, &children)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Applies documents to the documents of some sets.
    pub fn documents(&mut self, left: &mut [DocumentSet], right: &DocumentSet) -> Result<()> {
        let mut left = Documents::new(left);
        right.items.iter().try_for_each(|document| {
            self.document(&mut left, document).map_err(|error| {
                within(
                    &format!("Document on line {}", document.meta.position),
                    &error,
                )
            })
        })
    }

    fn document(&mut self, left: &mut Documents, right: &Document) -> Result<()> {
        let defaults = Expects::default();
        let operation = Operation::of(&right.meta)?;
        if operation == Operation::Append {
            if let Some(set) = left.sets_mut().last_mut() {
                set.items.push(right.clone());
            }
            return Ok(());
        }
        let children = match operation {
            Operation::Merge | Operation::Assert => Expects::for_children(&right.meta, &defaults)?,
            _ => Expects::default(),
        };
        // What an annotation says wrongly is found before anything is matched, but for insertions.
        let replace = if operation == Operation::Replace {
            Some(Replace::of(&right.meta)?)
        } else {
            None
        };
        let assert = if operation == Operation::Assert {
            Some(Assert::of(&right.meta)?)
        } else {
            None
        };
        let Some(found) = matcher::documents(self.interp, left, right, &defaults, self.exact)?
        else {
            return Ok(());
        };
        match operation {
            Operation::Merge => {
                for place in found {
                    left.change(place, |document| {
                        self.merge(&mut document.value, &right.value, &children)?;
                        Ok(())
                    })?;
                }
            }
            Operation::Remove => {
                for (index, set) in left.sets_mut().iter_mut().enumerate() {
                    let places: Vec<usize> = found
                        .iter()
                        .filter(|(set, _)| *set == index)
                        .map(|(_, place)| *place)
                        .collect();
                    remove(&mut set.items, &places);
                }
            }
            Operation::Replace => {
                let replace = replace.unwrap_or_default();
                if found.is_empty()
                    && replace.or_add
                    && let Some(set) = left.sets_mut().first_mut()
                {
                    let value = replace.value(self.interp, &Value::Null, &right.value)?;
                    set.items.push(Document {
                        value: accepted("documents", value)?,
                        ..right.clone()
                    });
                }
                for place in found {
                    left.change(place, |document| {
                        let value = replace.value(self.interp, &document.value, &right.value)?;
                        *document = Document {
                            value: accepted("documents", value)?,
                            ..right.clone()
                        };
                        Ok(())
                    })?;
                }
            }
            Operation::Insert => self.insert_documents(left.sets_mut(), right, &found)?,
            Operation::Assert => {
                let assert = assert.unwrap_or_default();
                for place in found {
                    left.change(place, |document| {
                        assert.check(self.interp, &document.value, &right.value)?;
                        self.value(&mut document.value, &right.value, &children)?;
                        Ok(())
                    })?;
                }
            }
            Operation::Append => {}
        }
        Ok(())
    }

    fn insert_documents(
        &mut self,
        left: &mut [DocumentSet],
        right: &Document,
        found: &[Place],
    ) -> Result<()> {
        let insert = Insert::of(&right.meta)?;
        let mut found = found.iter().peekable();
        for (set, documents) in left.iter_mut().enumerate() {
            let mut items = Vec::with_capacity(documents.items.len());
            for (place, document) in std::mem::take(&mut documents.items).into_iter().enumerate() {
                if found.next_if_eq(&&(set, place)).is_none() {
                    items.push(document);
                    continue;
                }
                let value = insert.value(self.interp, &document.value, &right.value)?;
                let new = Document {
                    value: accepted("documents", value)?,
                    ..right.clone()
                };
                surround(&mut items, document, new, &insert);
            }
            documents.items = items;
        }
        Ok(())
    }
}

/// Removes the items at these places, which are in order.
fn remove<T>(items: &mut Vec<T>, places: &[usize]) {
    let mut places = places.iter().peekable();
    let mut index = 0;
    items.retain(|_| {
        let keep = places.next_if_eq(&&index).is_none();
        index += 1;
        keep
    });
}

/// Puts a new item before an old one, after it, or both.
fn surround<T: Clone>(items: &mut Vec<T>, old: T, new: T, insert: &Insert) {
    if insert.before {
        items.push(new.clone());
    }
    items.push(old);
    if insert.after {
        items.push(new);
    }
}

/// A value that an item can hold.
fn accepted(items: &str, value: Value) -> Result<Value> {
    match value {
        Value::Documents(_) => Err(Error::new(format!(
            "{items} can only contain arrays, maps, or scalars; this is a document set"
        ))),
        _ => Ok(value),
    }
}

fn other_kind(expected: &str, found: &Value) -> Error {
    Error::new(format!(
        "Expected {expected}, but was {}",
        go_type_name(found)
    ))
}

/// An error with the place on the right where it happened.
fn within(place: &str, error: &Error) -> Error {
    error.retold(format!("{place}: {}", error.message()))
}
