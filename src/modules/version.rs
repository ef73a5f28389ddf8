//! `@ytt:version`

use super::{function, one, string_argument};
use crate::script::{Args, Error, Module, Result, Value};
use semver::Version;

/// The version of ytt whose behaviour this is.
pub const YTT_VERSION: &str = "0.55.2";

/// The module.
pub fn module() -> Value {
    Module::new(
        "version",
        vec![(
            "require_at_least",
            function("version.require_at_least", |_, args| {
                require_at_least(&args)
            }),
        )],
    )
}

fn require_at_least(args: &Args) -> Result<Value> {
    let value = one(args)?;
    let wanted = string_argument(value)?;
    let Ok(least) = Version::parse(&wanted) else {
        return Err(Error::new(format!(
            "version string '{wanted}' must be a valid semver"
        )));
    };
    match Version::parse(YTT_VERSION) {
        Ok(ours) if ours.cmp_precedence(&least).is_ge() => Ok(Value::None),
        _ => Err(Error::new(format!(
            "ytt version '{YTT_VERSION}' does not meet the minimum required version '{wanted}'"
        ))),
    }
}
