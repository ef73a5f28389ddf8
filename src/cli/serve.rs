//! `haulout serve`: the page, on this machine only.
//!
//! Files of one folder, read for each request, to one browser: a thread and a connection for each request, so that none
//! waits for another. A pool of threads, as `tiny_http` has, lets a connection starve when a page asks for many files at once.

use super::Printed;
use super::flags::ServeFlags;
use super::page;
use crate::diagnostic::Report;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// What the lines of a request may be long together, in bytes.
const LONGEST_REQUEST: u64 = 16 << 10;
/// How long a browser may take to ask, or to take the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the page may do, said by the server too: workers obey the headers of their own file.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; \
                      style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Serves until it is ended.
pub fn serve(flags: &ServeFlags) -> Result<Printed, Report> {
    let folder = page::folder(flags.page.dir.as_deref())?;
    let cannot = |error: io::Error| {
        Report::new(format!("cannot listen on '{}': {error}", flags.listen_addr))
    };
    let listener = TcpListener::bind(&flags.listen_addr).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let mut out = io::stdout();
    let _ = writeln!(
        out,
        "haulout serves {} at http://{address}/ (Ctrl-C ends it)",
        flags.page.dir.as_ref().unwrap_or(&folder).display(),
    );
    let _ = out.flush();
    let folder: Arc<PathBuf> = Arc::new(folder);
    for stream in listener.incoming().flatten() {
        let folder = Arc::clone(&folder);
        // A browser that has gone away needs no answer.
        thread::spawn(move || answer(stream, &folder));
    }
    Ok(Printed::default())
}

/// Reads a request and answers it; the connection ends with that.
fn answer(mut stream: TcpStream, folder: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.try_clone()?.take(LONGEST_REQUEST)).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    // The headers say nothing that matters here, but a connection is closed in peace only once they are read.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let mut words = request.split(' ');
    let (method, url) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let found = match method {
        "GET" | "HEAD" => find(folder, url),
        _ => None,
    };
    let (status, kind, bytes) = match found {
        Some((kind, bytes)) => ("200 OK", kind, bytes),
        None => (
            "404 Not Found",
            "text/plain; charset=utf-8",
            b"not found".to_vec(),
        ),
    };
    let length = bytes.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Content-Security-Policy: {POLICY}\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"
    )?;
    if method != "HEAD" {
        stream.write_all(&bytes)?;
    }
    stream.flush()
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
