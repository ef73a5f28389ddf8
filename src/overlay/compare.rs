//! Whether a value holds another.

use crate::template::convert::go_type_name;
use crate::yaml::node::Value;

/// Steps that a look at a candidate counts for.
pub const LOOK: u64 = 4;

/// Whether `left` holds `right`: each item of a map on the right is on the left too, an array on the right is the
/// beginning of that on the left, and other values are equal.
///
/// # Errors
/// The first difference, in ytt's words.
pub fn subset(left: &Value, right: &Value) -> Result<(), String> {
    match (left, right) {
        (Value::Map(left), Value::Map(right)) => {
            for wanted in &right.items {
                let mut found = false;
                for item in left.items.iter().filter(|item| item.key == wanted.key) {
                    subset(&item.value, &wanted.value)?;
                    found = true;
                }
                if !found {
                    return Err("Expected at least one map item to match by key".into());
                }
            }
            Ok(())
        }
        (Value::Array(left), Value::Array(right)) => {
            for (index, wanted) in right.items.iter().enumerate() {
                match left.items.get(index) {
                    Some(item) => subset(&item.value, &wanted.value)?,
                    None => return Err("Expected to have matching number of array items".into()),
                }
            }
            Ok(())
        }
        (_, Value::Map(_)) => Err(format!("Expected map, but was {}", go_type_name(left))),
        (_, Value::Array(_)) => Err(format!("Expected array, but was {}", go_type_name(left))),
        (_, Value::Documents(_)) => Err("Expected values, but found documents".into()),
        _ if leaves_equal(left, right) => Ok(()),
        _ => Err(format!(
            "Expected leaf values to match {} {}",
            go_type_name(left),
            go_type_name(right)
        )),
    }
}

/// Equality of values that are neither map nor array.
pub fn leaves_equal(left: &Value, right: &Value) -> bool {
    left == right
}
