//! `@ytt:math`

mod cephes;
mod functions;

use super::{function, go_type, one};
use crate::script::{Args, Error, Interp, Module, Result, Value, to_integer};
use std::f64::consts::{E, PI};

/// What ytt prints when the first of these functions is called.
const WARNING: &str = "\nWarning: a function from the @ytt:math module is used in this invocation; this module does not guarantee bit-identical results across CPU architectures.";

/// The module. What is not exact is computed the same way on every machine, by `libm` or as Go does it.
pub fn module() -> Value {
    Module::new(
        "math",
        vec![
            ("ceil", rounding("ceil", f64::ceil)),
            ("copysign", binary("copysign", f64::copysign)),
            ("fabs", unary("fabs", f64::abs)),
            ("floor", rounding("floor", f64::floor)),
            // ytt's own name for it, seen in messages.
            ("mod", binary("round", |x, y| x % y)),
            ("pow", binary("pow", cephes::pow)),
            ("remainder", binary("remainder", libm::remainder)),
            ("round", unary("round", f64::round)),
            ("exp", unary("exp", functions::exp)),
            ("sqrt", unary("sqrt", f64::sqrt)),
            ("acos", unary("acos", cephes::acos)),
            ("asin", unary("asin", cephes::asin)),
            ("atan", unary("atan", cephes::atan)),
            ("atan2", binary("atan2", cephes::atan2)),
            ("cos", unary("cos", cephes::cos)),
            ("hypot", binary("hypot", cephes::hypot)),
            ("sin", unary("sin", cephes::sin)),
            ("tan", unary("tan", cephes::tan)),
            ("degrees", unary("degrees", |x| 360.0 * x / (2.0 * PI))),
            ("radians", unary("radians", |x| 2.0 * PI * x / 360.0)),
            ("acosh", unary("acosh", libm::acosh)),
            ("asinh", unary("asinh", libm::asinh)),
            ("atanh", unary("atanh", libm::atanh)),
            ("cosh", unary("cosh", cephes::cosh)),
            ("sinh", unary("sinh", cephes::sinh)),
            ("tanh", unary("tanh", cephes::tanh)),
            ("log", warned("log", log)),
            ("gamma", unary("gamma", functions::gamma)),
            ("e", Value::Float(E)),
            ("pi", Value::Float(PI)),
        ],
    )
}

/// A function that warns when it is called, whatever it is called with.
fn warned(name: &'static str, body: impl Fn(&Args) -> Result<Value> + 'static) -> Value {
    Value::function(name, move |interp: &mut Interp, args| {
        interp.warn(WARNING);
        body(&args)
    })
}

/// The same, with its name before its errors.
fn named(name: &'static str, body: impl Fn(&Args) -> Result<Value> + 'static) -> Value {
    function(name, move |interp, args| {
        interp.warn(WARNING);
        body(&args)
    })
}

fn unary(name: &'static str, body: fn(f64) -> f64) -> Value {
    named(name, move |args| Ok(Value::Float(body(float(one(args)?)?))))
}

fn binary(name: &'static str, body: fn(f64, f64) -> f64) -> Value {
    named(name, move |args| {
        let [x, y] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly two arguments"));
        };
        Ok(Value::Float(body(float(x)?, float(y)?)))
    })
}

/// To an integer; what is one already stays, however large.
fn rounding(name: &'static str, body: fn(f64) -> f64) -> Value {
    named(name, move |args| {
        args.no_named(name)?;
        match args.positional.as_slice() {
            [Value::Float(x)] => to_integer(&Value::Float(body(*x))),
            [x @ (Value::Int(_) | Value::BigInt(_))] => Ok(x.clone()),
            [x] => Err(no_float(x)),
            many => Err(Error::new(format!(
                "{name}: got {} arguments, want 1",
                many.len()
            ))),
        }
    })
}

fn log(args: &Args) -> Result<Value> {
    args.no_named("log")?;
    let (x, base) = match args.positional.as_slice() {
        [x] => (float(x)?, E),
        [x, base] => (float(x)?, float(base)?),
        [] => return Err(Error::new("log: got 0 arguments, want at least 1")),
        many => {
            return Err(Error::new(format!(
                "log: got {} arguments, want at most 2",
                many.len()
            )));
        }
    };
    Ok(Value::Float(libm::log(x) / libm::log(base)))
}

fn float(value: &Value) -> Result<f64> {
    value.to_f64().ok_or_else(|| no_float(value))
}

fn no_float(value: &Value) -> Error {
    Error::new(format!("expected float value, but was {}", go_type(value)))
}
