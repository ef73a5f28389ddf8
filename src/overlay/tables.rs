//! Which of many values say what, so that an overlay need not look at each of them.

use super::compare::LOOK;
use crate::order;
use crate::script::{Interp, Result};
use crate::yaml::KeyIndex;
use crate::yaml::node::Value;

/// So few values are looked at one by one.
const FEW: usize = 16;

/// Where a string stands in a value: the keys that lead to it.
pub type Path = Vec<Value>;

/// The index of a set of values, and that of a value in it.
pub type Place = (usize, usize);

/// Takes in a value and its place.
pub type Note<'a> = dyn FnMut(Place, &Value) + 'a;

/// What values say at the paths that matchers ask for, such as `metadata.name`: the cost of many overlays does not
/// grow with the values that none of them is about.
#[derive(Default)]
pub struct Tables {
    /// One for each path that was asked for; they are few.
    tables: Vec<Table>,
}

/// What values say at one path.
struct Table {
    path: Path,
    /// Nothing until it is asked for a second time: once, a look at each value is as cheap.
    said: Option<Said>,
}

/// Where a string is said. May name values that said it before they were changed.
#[derive(Default)]
struct Said {
    index: KeyIndex,
    places: Vec<Vec<Place>>,
    /// Some value has no string at the path, or had none once.
    misses: bool,
}

/// What is looked for.
pub struct Wanted<'a> {
    /// Strings, and where they are to stand.
    pub strings: Vec<(Path, &'a Value)>,
    /// A value that says nothing there is no mere miss: all are to be looked at, so that it is found.
    pub everywhere: bool,
}

impl<'a> Wanted<'a> {
    /// All strings of maps in maps.
    pub fn strings_of(values: &'a [Value]) -> Wanted<'a> {
        let mut strings = Vec::new();
        for value in values {
            find_strings(value, &mut Vec::new(), &mut strings);
        }
        Wanted {
            strings,
            everywhere: false,
        }
    }

    /// The same value of this key.
    pub fn same_key(value: &'a Value, key: &str) -> Wanted<'a> {
        let path = vec![Value::str(key)];
        let string = at(&path, value);
        Wanted {
            strings: string.map(|string| (path, string)).into_iter().collect(),
            everywhere: true,
        }
    }
}

impl Tables {
    /// Places, in order, among which are all values that hold what is wanted; nothing if all are to be looked at.
    ///
    /// # Errors
    /// A limit is met.
    pub fn candidates(
        &mut self,
        interp: &mut Interp,
        wanted: &Wanted,
        count: usize,
        values: &dyn Fn(&mut Note),
    ) -> Result<Option<Vec<Place>>> {
        if count <= FEW {
            return Ok(None);
        }
        for (path, _) in &wanted.strings {
            let Some(table) = self.tables.iter_mut().find(|table| table.path == *path) else {
                let path = path.clone();
                self.tables.push(Table { path, said: None });
                continue;
            };
            if table.said.is_none() {
                interp.work(count as u64 * LOOK)?;
                let mut said = Said::default();
                values(&mut |place, value| said.note(at(path, value), place));
                table.said = Some(said);
            }
        }
        let said = |path: &Path| {
            let table = self.tables.iter().find(|table| table.path == *path)?;
            table
                .said
                .as_ref()
                .filter(|said| !(wanted.everywhere && said.misses))
        };
        let fewest = wanted
            .strings
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

    /// What a value says before it is changed, for [`Tables::changed`].
    pub fn said(&self, value: &Value) -> Vec<Option<Value>> {
        let built = self.tables.iter().filter(|table| table.said.is_some());
        built.map(|table| at(&table.path, value).cloned()).collect()
    }

    /// Takes in that the value at a place is another now; `before` is what it said, and is empty for one that is new.
    pub fn changed(&mut self, place: Place, before: Vec<Option<Value>>, value: &Value) {
        let mut before = before.into_iter();
        for table in &mut self.tables {
            let Some(said) = &mut table.said else {
                continue;
            };
            let now = at(&table.path, value);
            if before.next().is_none_or(|before| before.as_ref() != now) {
                said.note(now, place);
            }
        }
    }

    /// Forgets everything, since places are others now; a path counts as not asked for.
    pub fn clear(&mut self) {
        self.tables.clear();
    }
}

impl Said {
    fn places(&self, text: &Value) -> &[Place] {
        let slot = self.index.get(text).and_then(|slot| self.places.get(slot));
        slot.map_or(&[], Vec::as_slice)
    }

    fn note(&mut self, text: Option<&Value>, place: Place) {
        let Some(text) = text else {
            self.misses = true;
            return;
        };
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
fn at<'a>(path: &Path, value: &'a Value) -> Option<&'a Value> {
    let mut value = value;
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
