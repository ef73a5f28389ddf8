//! Schemas and the data values under them, and what is made of a schema: OpenAPI, JSON Schema, forms, words.
#![no_main]

use haulout::render::{self, Request};
use haulout::schema::export::{form, json_schema, markdown, openapi, skeleton};
use haulout::yaml::print_value;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let request = Request {
        files: fuzz::files(input, "schema.yml"),
        limits: fuzz::limits(),
        ..Request::default()
    };
    if let Ok(schema) = render::schema(&request) {
        print_value(&openapi::document(&schema));
        print_value(&json_schema::document(&schema));
        print_value(&form::of_schema(&schema));
        markdown::text(&schema);
        skeleton::text(&schema);
    }
    let _ = fuzz::run(request.files);
});
