//! Sorting by one sorter for all types: each type's own would be another copy of the standard library's in the page,
//! some 3 KB each.

use std::cmp::Ordering;

/// Sorts; what compares equal keeps its order.
pub fn sort_by<T>(items: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = sorted(
        items.len(),
        &mut |a, b| match (items.get(a), items.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        },
    );
    let mut places: Vec<Option<T>> = items.drain(..).map(Some).collect();
    let moved = order
        .into_iter()
        .filter_map(|place| places.get_mut(place)?.take());
    items.extend(moved);
}

/// Sorts by the order of the items themselves.
pub fn sort<T: Ord>(items: &mut Vec<T>) {
    sort_by(items, T::cmp);
}

/// Places from 0 in their order.
fn sorted(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_keep_their_order() {
        let mut items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd'), (1, 'e')];
        sort_by(&mut items, |(a, _), (b, _)| a.cmp(b));
        assert_eq!(items, [(0, 'd'), (1, 'b'), (1, 'e'), (2, 'a'), (2, 'c')]);
        let mut words = vec!["b", "", "a"];
        sort(&mut words);
        assert_eq!(words, ["", "a", "b"]);
    }
}
