//! Our evaluator beside another one: see `tests/starlark.rs`.
