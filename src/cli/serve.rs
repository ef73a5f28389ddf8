//! `haulout serve`: the page, on this machine only.
//!
//! Files of one folder, read for each request, to one browser: `tiny_http` does the protocol.

use super::Printed;
use super::flags::ServeFlags;
use crate::diagnostic::Report;
use std::fs;
use std::io::Write;
use std::path::{Component, Path};
use tiny_http::{Header, Method, Request, Response, Server};

/// What the page may do, said by the server too: workers obey the headers of their own file.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
                      style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Serves until it is ended.
pub fn serve(flags: &ServeFlags) -> Result<Printed, Report> {
    let folder = fs::canonicalize(&flags.dir)
        .ok()
        .filter(|folder| folder.join("index.html").is_file());
    let Some(folder) = folder else {
        let shown = flags.dir.display();
        return Err(Report::new(format!(
            "there is no page in '{shown}' (hint: --dir FOLDER, the one with index.html)"
        )));
    };
    let server = Server::http(&flags.listen_addr).map_err(|error| {
        Report::new(format!("cannot listen on '{}': {error}", flags.listen_addr))
    })?;
    let mut out = std::io::stdout();
    let _ = writeln!(
        out,
        "haulout serves {} at http://{}/ (Ctrl-C ends it)",
        flags.dir.display(),
        server.server_addr()
    );
    let _ = out.flush();
    for request in server.incoming_requests() {
        answer(request, &folder);
    }
    Ok(Printed::default())
}

fn answer(request: Request, folder: &Path) {
    let found = match request.method() {
        Method::Get | Method::Head => find(folder, request.url()),
        _ => None,
    };
    // A browser that has gone away needs no answer.
    let _ = match found {
        Some((kind, bytes)) => {
            let headers = [
                ("Content-Type", kind),
                ("Content-Security-Policy", POLICY),
                ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
                ("Cache-Control", "no-cache"),
            ];
            let mut response = Response::from_data(bytes);
            for header in headers
                .iter()
                .filter_map(|(name, value)| Header::from_bytes(*name, *value).ok())
            {
                response.add_header(header);
            }
            request.respond(response)
        }
        None => request.respond(Response::from_string("not found").with_status_code(404)),
    };
}

/// The file that a URL names, if it lies in the folder.
fn find(folder: &Path, url: &str) -> Option<(&'static str, Vec<u8>)> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    if !path
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        return None;
    }
    let file = fs::canonicalize(folder.join(path))
        .ok()
        .filter(|file| file.starts_with(folder))?;
    let kind = match file.extension()?.to_str()? {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "wasm" => "application/wasm",
        _ => "text/plain; charset=utf-8",
    };
    Some((kind, fs::read(file).ok()?))
}
