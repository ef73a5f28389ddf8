//! What modules give where a value is more than data: attributes under a type's own name.

use crate::script::{HostValue, Result, Struct, Value};
use std::any::Any;
use std::borrow::Cow;

/// A struct whose type has a name of its own. It goes into YAML only by what its functions give.
pub struct Object {
    kind: &'static str,
    members: Struct,
}

impl Object {
    /// An object as a value; `kind` is what `type()` says, as `@ytt:url.value`.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(kind: &'static str, members: Vec<(&str, Value)>) -> Value {
        let members = members
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect::<Vec<_>>();
        Value::host(Object {
            kind,
            members: Struct::from(members),
        })
    }
}

impl HostValue for Object {
    fn type_name(&self) -> Cow<'static, str> {
        self.kind.into()
    }

    fn repr(&self) -> String {
        self.members.repr()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn truth(&self) -> bool {
        self.members.truth()
    }

    fn length(&self) -> Option<usize> {
        self.members.length()
    }

    fn attr(&self, name: &str) -> Result<Option<Value>> {
        self.members.attr(name)
    }

    fn attr_names(&self) -> Option<Vec<String>> {
        self.members.attr_names()
    }

    fn index(&self, key: &Value) -> Option<Result<Option<Value>>> {
        HostValue::index(&self.members, key)
    }

    fn iterate(&self) -> Option<Vec<Value>> {
        self.members.iterate()
    }

    fn items(&self) -> Option<Vec<(Value, Value)>> {
        self.members.items()
    }
}
