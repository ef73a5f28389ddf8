//! What modules read: the first byte picks one, the rest is its text. What is decoded is encoded and decoded again.
#![no_main]

use libfuzzer_sys::fuzz_target;

const FORMATS: [&str; 7] = ["json", "yaml", "toml", "base64", "url", "regexp", "ip"];

fuzz_target!(|input: &[u8]| {
    let Some((&first, text)) = input.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(first) % FORMATS.len()];
    let mut files = fuzz::files(text, "input");
    files.truncate(1);
    files.push(haulout::files::File::new(
        "a.yml",
        "file 'a.yml'",
        template(format),
    ));
    let _ = fuzz::run(files);
});

fn template(format: &str) -> String {
    let code = match format {
        "url" => "url.parse_url(text).string()",
        "ip" => "[ip.parse_addr(text).string()]",
        "regexp" => "[regexp.match(text, text), regexp.replace(text, \"aab\\nc\", text)]",
        "base64" => "base64.encode(base64.decode(text))",
        format => return decoding(format),
    };
    format!(
        "#@ load(\"@ytt:data\", \"data\")\n#@ load(\"@ytt:{format}\", \"{format}\")\n#@ text = data.read(\"input\")\na: #@ {code}\n"
    )
}

fn decoding(format: &str) -> String {
    format!(
        "#@ load(\"@ytt:data\", \"data\")\n#@ load(\"@ytt:{format}\", \"{format}\")\n#@ value = {format}.decode(data.read(\"input\"))\n#@ again = {format}.decode({format}.encode(value))\na: #@ value\nb: #@ again\n"
    )
}
