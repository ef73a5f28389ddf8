//! The program itself: real files, links, pipes, terminals and sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, missing_docs)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_haulout");

/// A working folder of its own for each test.
struct Folder(PathBuf);

/// What a command left.
#[derive(Debug, PartialEq)]
struct Done {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Folder {
    fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("cli")
            .join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> &Folder {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Everything below, sorted, hidden files too.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path.clone());
                }
                let below = path.strip_prefix(&self.0).unwrap();
                names.push(below.to_str().unwrap().to_owned());
            }
        }
        names.sort();
        names
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(&self.0)
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Done {
        done(&mut self.command(PROGRAM, words))
    }

    /// Runs a line of bash in which `$H` is the program.
    fn bash(&self, line: &str) -> Done {
        done(self.command("bash", &["-c", line]).env("H", PROGRAM))
    }
}

fn done(command: &mut Command) -> Done {
    let output = command.output().unwrap();
    Done {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn ok(out: &str) -> Done {
    Done {
        status: Some(0),
        out: out.into(),
        err: String::new(),
    }
}

fn failed(err: &str) -> Done {
    Done {
        status: Some(1),
        out: String::new(),
        err: err.into(),
    }
}

/// Ends a program that runs until it is ended.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_answers_to_the_name_ytt() {
    let folder = Folder::new("ytt");
    symlink(PROGRAM, folder.0.join("ytt")).unwrap();
    let run = |words: &[&str]| done(&mut folder.command("./ytt", words));
    assert_eq!(
        run(&["foo"]),
        failed("ytt: Error: command 'ytt' does not accept extra arguments 'foo'\n")
    );
    assert_eq!(
        run(&["fmt", "foo"]),
        failed("ytt: Error: command 'ytt fmt' does not accept extra arguments 'foo'\n")
    );
    assert!(run(&["version"]).out.starts_with("ytt version 0."));
    assert!(run(&["--help"]).out.contains("Usage: ytt "));
    assert!(run(&["completion", "bash"]).out.contains("_ytt()"));
    assert_eq!(
        folder.run(&["foo"]),
        failed("haulout: Error: command 'haulout' does not accept extra arguments 'foo'\n")
    );
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let folder = Folder::new("pipe");
    let long: String = (0..40_000)
        .map(|number| format!("k{number}: 1\n"))
        .collect();
    folder.write("a.yml", &long);
    assert_eq!(
        folder.bash("set -o pipefail; $H -f a.yml | head -1"),
        ok("k0: 1\n")
    );
    folder.write("s.yml", "a: 1\n");
    assert_eq!(folder.bash("$H -f s.yml >&-"), ok(""));
    assert_eq!(folder.bash("$H -f s.yml 2>&-"), ok("a: 1\n"));
    assert_eq!(
        folder.bash("$H -f s.yml >/dev/full"),
        failed("haulout: Error: Writing output: no space left on device\n")
    );
}

#[test]
fn what_templates_print_shows_before_an_error() {
    let folder = Folder::new("print");
    folder.write("a.yml", "#@ print('seen')\na: #@ x\n");
    let done = folder.run(&["-f", "a.yml"]);
    assert_eq!(done.status, Some(1));
    // The name is known to be undefined before anything runs.
    assert!(done.err.contains("undefined: x"), "{done:?}");
    folder.write("a.yml", "#@ print('seen')\na: #@ fail('end')\n");
    let done = folder.run(&["-f", "a.yml"]);
    assert!(
        done.err
            .starts_with("seen\nhaulout: Error: \n- fail: end\n"),
        "{done:?}"
    );
}

#[test]
fn output_files_are_written_whole_or_not_at_all() {
    let folder = Folder::new("output");
    folder
        .write("config/a.yml", "a: 1\n")
        .write("config/b.yml", "b: 1\n")
        .write("out/a.yml", "old\n")
        .write("out/b.yml/in the way", "");
    let before = folder.names();
    assert_eq!(
        folder.run(&["-f", "config", "--output-files", "out"]),
        failed("haulout: Error: open out/b.yml: is a directory\n")
    );
    assert_eq!(folder.names(), before);
    assert_eq!(folder.read("out/a.yml"), "old\n");

    fs::remove_dir_all(folder.0.join("out/b.yml")).unwrap();
    fs::set_permissions(
        folder.0.join("out/a.yml"),
        fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    assert_eq!(
        folder.run(&["-f", "config", "--output-files", "out"]),
        ok("creating: out/a.yml\ncreating: out/b.yml\n")
    );
    let mode = |name: &str| {
        let meta = fs::metadata(folder.0.join(name)).unwrap();
        meta.permissions().mode() & 0o777
    };
    assert_eq!(folder.read("out/a.yml"), "a: 1\n");
    assert_eq!((mode("out/a.yml"), mode("out/b.yml")), (0o644, 0o700));
    assert_eq!(
        folder.names(),
        [
            "config",
            "config/a.yml",
            "config/b.yml",
            "out",
            "out/a.yml",
            "out/b.yml"
        ]
    );

    assert_eq!(
        folder.run(&["-f", "config", "--output-files", "config/a.yml/x"]),
        failed("haulout: Error: mkdir config/a.yml: not a directory\n")
    );
    assert_eq!(
        folder
            .run(&["-f", "config", "--output-files", "/proc/none"])
            .status,
        Some(1)
    );
}

#[test]
fn an_emptied_folder_is_swapped_at_the_end() {
    let folder = Folder::new("emptied");
    folder
        .write("config/a.yml", "a: 1\n")
        .write("bad.yml", "a: #@ x\n")
        .write("out/old.yml", "old\n");
    let before = folder.names();
    let emptied = |files: &[&str], out: &str| {
        let mut words = files.to_vec();
        words.extend(["--dangerous-emptied-output-directory", out]);
        folder.run(&words)
    };
    assert_eq!(emptied(&["-f", "bad.yml"], "out").status, Some(1));
    assert_eq!(
        emptied(&["-f", "config", "-f", "config"], "out"),
        failed("haulout: Error: Multiple files have same output destination paths: a.yml\n")
    );
    let suspicious = failed(
        "haulout: Error: Expected output directory path to not be one of '/', '.', './', ''\n",
    );
    for out in [
        "/",
        ".",
        "./",
        "..",
        "config/..",
        folder.0.to_str().unwrap(),
    ] {
        assert_eq!(emptied(&["-f", "config"], out), suspicious, "{out}");
    }
    assert_eq!(folder.names(), before);
    assert_eq!(
        emptied(&["-f", "config"], "out"),
        ok("creating: out/a.yml\n")
    );
    assert_eq!(
        folder.names(),
        ["bad.yml", "config", "config/a.yml", "out", "out/a.yml"]
    );
    assert_eq!(
        emptied(&["-f", "config"], "/proc/none"),
        failed("haulout: Error: mkdir /proc/none: no such file or directory\n")
    );
    // A link is replaced, and what it leads to stays.
    fs::rename(folder.0.join("out"), folder.0.join("kept")).unwrap();
    symlink("kept", folder.0.join("out")).unwrap();
    assert_eq!(
        emptied(&["-f", "config"], "out"),
        ok("creating: out/a.yml\n")
    );
    assert!(!folder.0.join("out").is_symlink());
    assert_eq!(folder.read("kept/a.yml"), "a: 1\n");
}

#[test]
fn links_lead_only_where_they_may() {
    let folder = Folder::new("links");
    folder
        .write("config/a.yml", "a: 1\n")
        .write("shared/real.yml", "b: 1\n");
    let link = |target: &str, name: &str| symlink(target, folder.0.join(name)).unwrap();
    link("../shared/real.yml", "config/link.yml");
    link("nowhere", "dangling.yml");
    link("loop.yml", "loop.yml");
    link("config", "folder");
    let refused = |context: &str, from: &str, to: &str| {
        failed(&format!(
            "haulout: Error: {context}Checking symlink file '{from}':\n{}Expected symlink file '{from}' -> '{to}' to be \
             allowed, but was not (hint: symlinks are disallowed as a security feature, use \
             '--allow-symlink-destination' flags to override)\n",
            if context.is_empty() { "  " } else { "    " }
        ))
    };
    let in_config = refused(
        "Listing files 'config':\n  ",
        "config/link.yml",
        "shared/real.yml",
    );
    assert_eq!(folder.run(&["-f", "config"]), in_config);
    for other in ["shar", "config", "shared/real.ym", "shared/real.yml/x"] {
        let words = ["-f", "config", "--allow-symlink-destination", other];
        assert_eq!(folder.run(&words), in_config, "{other}");
    }
    let whole = folder.0.join("shared");
    for allowed in [
        "shared",
        "shared/real.yml",
        "other,./shared/",
        ".",
        "/",
        whole.to_str().unwrap(),
    ] {
        let words = ["-f", "config", "--allow-symlink-destination", allowed];
        assert_eq!(folder.run(&words), ok("a: 1\n---\nb: 1\n"), "{allowed}");
    }
    assert_eq!(
        folder.run(&["-f", "config", "--dangerous-allow-all-symlink-destinations"]),
        ok("a: 1\n---\nb: 1\n")
    );
    assert_eq!(
        folder.run(&["-f", "config/link.yml"]),
        refused("", "config/link.yml", "shared/real.yml")
    );
    assert_eq!(
        folder.run(&["-f", "dangling.yml"]),
        failed(
            "haulout: Error: Checking symlink file 'dangling.yml':\n  Eval symlink: lstat nowhere: no such file or directory\n"
        )
    );
    assert_eq!(
        folder.run(&["-f", "loop.yml"]),
        failed(
            "haulout: Error: Checking symlink file 'loop.yml':\n  Eval symlink:\n    EvalSymlinks: too many links\n"
        )
    );
    assert_eq!(
        folder.run(&["-f", "folder"]),
        refused("", "folder", "config")
    );
    // With a slash it is the folder itself.
    fs::remove_file(folder.0.join("config/link.yml")).unwrap();
    assert_eq!(folder.run(&["-f", "folder/"]), ok("a: 1\n"));
    // Values come through the same gate.
    link("shared/real.yml", "values.yml");
    let words = [
        "-f",
        "config",
        "--data-values-inspect",
        "--data-values-file",
        "values.yml",
    ];
    let done = folder.run(&words);
    assert!(
        done.err
            .contains("Find files 'values.yml':\n    Checking symlink file"),
        "{done:?}"
    );
    let allowed = [&words[..], &["--allow-symlink-destination", "shared"]].concat();
    assert_eq!(folder.run(&allowed), ok("b: 1\n"));
}

#[test]
fn a_file_that_cannot_be_read_matters_once_it_is_needed() {
    let folder = Folder::new("unreadable");
    folder.write("config/a.yml", "a: 1\n").write("other/x", "");
    symlink("../other", folder.0.join("config/data")).unwrap();
    let all = "--dangerous-allow-all-symlink-destinations";
    assert_eq!(folder.run(&["-f", "config", all]), ok("a: 1\n"));
    let needed = "haulout: Error: read config/data: is a directory\n";
    for kind in [
        "yaml-plain",
        "yaml-template",
        "text-template",
        "text-plain",
        "starlark",
    ] {
        let mark = format!("data:type={kind}");
        let words = [
            "-f",
            "config",
            all,
            "--output-files",
            "out",
            "--file-mark",
            &mark,
        ];
        let done = folder.run(&words);
        assert_eq!(done.status, Some(1), "{kind}");
        assert!(
            done.err.contains("read config/data: is a directory"),
            "{kind}: {done:?}"
        );
        if kind.starts_with("yaml") {
            assert_eq!(done.err, needed, "{kind}");
        }
    }
    folder.write(
        "config/a.yml",
        "#@ load('@ytt:data', 'data')\na: #@ data.read('data')\n",
    );
    let done = folder.run(&["-f", "config", all]);
    assert!(
        done.err
            .contains("read config/data: is a directory\n    in <toplevel>"),
        "{done:?}"
    );
    assert!(!folder.0.join("out").exists());
}

#[test]
fn pipes_are_files_and_other_things_are_not() {
    let folder = Folder::new("pipes");
    folder.write("a.yml", "a: 1\n");
    assert_eq!(
        folder.bash("$H -f x.yml=<(echo 'b: 1') -f a.yml -f <(echo 'not looked at')"),
        ok("b: 1\n---\na: 1\n")
    );
    assert_eq!(
        folder.bash("$H -f a.yml --data-values-inspect --data-values-file <(echo 'v: 1')"),
        ok("v: 1\n")
    );
    assert_eq!(
        folder.bash("mkfifo p.yml; (echo 'p: 1' >p.yml &); $H -f p.yml"),
        ok("p: 1\n")
    );
    assert_eq!(
        folder.bash("echo 'i: 1' | $H -f in.yml=/dev/stdin"),
        ok("i: 1\n")
    );
    let _socket = UnixListener::bind(folder.0.join("s.yml")).unwrap();
    for path in ["s.yml", "/dev/null"] {
        assert_eq!(
            folder.run(&["-f", path]),
            failed(&format!(
                "haulout: Error: Expected file '{path}' to be a regular file, but was not\n"
            ))
        );
    }
}

/// Answers each request with what `answer` makes of its path, and returns the address.
fn site(requests: usize, answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for _ in 0..requests {
            let (mut stream, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap())
                .read_line(&mut line)
                .unwrap();
            let path = line.split(' ').nth(1).unwrap_or_default();
            stream.write_all(answer(path).as_bytes()).unwrap();
        }
    });
    format!("http://{address}")
}

#[test]
fn urls_are_fetched() {
    let folder = Folder::new("urls");
    let site = site(6, |path| {
        match path {
        "/d/a.yml" => "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\na: 1\n".into(),
        "/moved" => "HTTP/1.1 302 Found\r\nLocation: /d/a.yml\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(),
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(),
    }
    });
    assert_eq!(
        folder.run(&["-f", &format!("{site}/d/a.yml")]),
        ok("a: 1\n")
    );
    assert_eq!(
        folder.run(&["-f", &format!("b.yml={site}/moved")]),
        ok("a: 1\n")
    );
    assert_eq!(
        folder.run(&["-f", &format!("{site}/none.yml")]),
        failed(&format!(
            "haulout: Error: Requesting URL '{site}/none.yml': 404 Not Found\n"
        ))
    );
    folder.write("x.yml", "x: 1\n");
    let values = format!("{site}/d/a.yml");
    assert_eq!(
        folder.run(&[
            "-f",
            "x.yml",
            "--data-values-inspect",
            "--data-values-file",
            &values
        ]),
        ok("a: 1\n")
    );
    let value = format!("k={site}/d/a.yml");
    assert_eq!(
        folder.run(&[
            "-f",
            "x.yml",
            "--data-values-inspect",
            "--data-value-file",
            &value
        ]),
        ok("k: |\n  a: 1\n")
    );
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    assert_eq!(
        folder.run(&["-f", &format!("http://{closed}/a.yml")]),
        failed(&format!(
            "haulout: Error: Requesting URL 'http://{closed}/a.yml': connection refused\n"
        ))
    );
}

#[test]
fn bulk_output_is_bulk_input() {
    let folder = Folder::new("bulk");
    let files = r##"{"files":[{"name":"z.yml","data":"#@ v = 1\nz: #@ v\n"},{"name":"d/t.txt","data":"(@= \"<é>\" @)"}]}"##;
    let first = folder.run(&["--bulk-in", files, "--bulk-out"]);
    assert_eq!(
        first,
        ok(
            r#"{"files":[{"name":"d/t.txt","data":"\u003cé\u003e"},{"name":"z.yml","data":"z: 1\n"}]}"#
        )
    );
    assert_eq!(folder.run(&["--bulk-in", &first.out, "--bulk-out"]), first);
    assert_eq!(
        folder.run(&["--bulk-in", "{\"files\":[", "--bulk-out"]),
        failed("haulout: Error: unexpected end of JSON input\n")
    );
    assert_eq!(
        folder.run(&[
            "--bulk-in",
            files,
            "--file-mark",
            "no:exclude=true",
            "--bulk-out"
        ]),
        ok(
            r#"{"errors":"Expected file mark 'no:exclude=true' to match at least one file by path, but did not"}"#
        )
    );
}

#[test]
fn a_package_renders() {
    let folder = Folder::new("package");
    let done = folder.run(&[
        "render",
        "pinniped/supervisor",
        "--data-value-yaml",
        "replicas=7",
    ]);
    assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
    assert!(done.out.contains("kind: Deployment") && done.out.contains("replicas: 7"));
    let done = folder.run(&["render", "pinniped/nothing"]);
    assert_eq!(done.status, Some(1));
    let done = folder.run(&["render"]);
    assert!(
        done.err.contains("expected one package, found 0"),
        "{done:?}"
    );
}

#[test]
fn serve_answers_on_this_machine() {
    let folder = Folder::new("serve");
    folder
        .write("www/index.html", "<p>page")
        .write("secret.txt", "no");
    let mut server = folder.command(PROGRAM, &["serve"]);
    let mut server = Running(server.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let get = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let page = get("/?x=1");
    assert!(
        page.starts_with("HTTP/1.1 200") && page.ends_with("<p>page"),
        "{page}"
    );
    assert!(
        page.contains("Content-Security-Policy: default-src 'none'"),
        "{page}"
    );
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "//etc/passwd",
        "/none",
    ] {
        assert!(get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
}

#[test]
fn serve_needs_a_page() {
    let folder = Folder::new("no-page");
    assert_eq!(
        folder.run(&["serve", "--dir", "."]),
        failed(
            "haulout: Error: there is no page in '.' (hint: --dir FOLDER, the one with index.html)\n"
        )
    );
}

#[test]
fn errors_suit_their_reader() {
    let folder = Folder::new("errors");
    folder.write(
        "a.yml",
        "#@ def f(v):\n#@   return v.prot\n#@ end\na:\n  b: #@ f({})\n",
    );
    let plain = "haulout: Error: \n- dict has no .prot field or method\n    in f\n      a.yml:2 | #@   return v.prot\n    \
                 in <toplevel>\n      a.yml:5 |   b: #@ f({})\n";
    assert_eq!(folder.run(&["-f", "a.yml"]), failed(plain));
    assert_eq!(
        folder.run(&["-f", "a.yml", "--error-format", "plain"]),
        failed(plain)
    );
    let full = "haulout: Error: dict has no .prot field or method\n --> a.yml:2\n  |\n2 | #@   return v.prot\n  \
                |              ^^^^^\n  = called from: a.yml:5 (<toplevel>)\n";
    assert_eq!(
        folder.run(&["-f", "a.yml", "--error-format=full"]),
        failed(full)
    );
    let json = folder.run(&["-f", "a.yml", "--error-format=json"]).err;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let diagnostic = &json["diagnostics"][0];
    assert_eq!(diagnostic["message"], "dict has no .prot field or method");
    assert_eq!(diagnostic["origin"]["file"], "a.yml");
    assert_eq!(diagnostic["origin"]["line"], 2);
    assert_eq!(diagnostic["calls"][1]["function"], "<toplevel>");
    assert_eq!(
        json["text"],
        plain.trim_start_matches("haulout: Error: ").trim_end()
    );

    // On a terminal, `script`'s.
    let terminal = |variables: &[(&str, &str)]| {
        let line = format!("{PROGRAM} -f a.yml");
        let mut command = folder.command("script", &["-qec", &line, "/dev/null"]);
        let done = done(command.envs(variables.iter().copied()));
        assert_eq!(done.status, Some(1));
        done.out.replace("\r\n", "\n")
    };
    assert_eq!(terminal(&[("TERM", "xterm"), ("NO_COLOR", "1")]), full);
    assert_eq!(terminal(&[("TERM", "dumb")]), full);
    let coloured = terminal(&[("TERM", "xterm"), ("NO_COLOR", "")]);
    assert!(
        coloured.starts_with("\x1b[1;31mhaulout: Error:\x1b[0m"),
        "{coloured:?}"
    );
}

#[test]
fn nothing_to_do_is_told_on_a_terminal() {
    let folder = Folder::new("nothing");
    let done = done(&mut folder.command("script", &["-qec", PROGRAM, "/dev/null"]));
    assert_eq!(done.status, Some(0));
    let hint = "haulout: nothing to render (hint: haulout -f FOLDER, haulout render pinniped/supervisor, haulout --help)\r\n";
    assert_eq!(done.out, hint);
}

#[test]
fn a_flag_that_is_not_quite_one_is_guessed() {
    let folder = Folder::new("guess");
    assert_eq!(
        folder.run(&["--strct"]),
        failed("haulout: Error: unknown flag: --strct\n")
    );
    assert_eq!(
        folder.run(&["--error-format=full", "--strct"]),
        failed("haulout: Error: unknown flag: --strct\n  = hint: did you mean '--strict'?\n")
    );
    assert!(
        folder
            .run(&["--error-format=full", "rendr"])
            .err
            .ends_with("\n  = hint: did you mean 'haulout render'?\n")
    );
}

#[test]
fn watch_renders_again_and_survives_errors() {
    let folder = Folder::new("watch");
    folder.write("config/a.yml", "a: 1\n");
    // Two ways around in a circle.
    symlink(".", folder.0.join("config/.x")).unwrap();
    symlink(".", folder.0.join("config/.y")).unwrap();
    let mut program = folder.command(
        PROGRAM,
        &[
            "-f",
            "config",
            "--watch",
            "--dangerous-allow-all-symlink-destinations",
        ],
    );
    let program = program.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(program.spawn().unwrap());
    let (sender, lines) = std::sync::mpsc::channel();
    let streams: [Box<dyn Read + Send>; 2] = [
        Box::new(running.0.stdout.take().unwrap()),
        Box::new(running.0.stderr.take().unwrap()),
    ];
    for stream in streams {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
    }
    let wait_for = |wanted: &str| {
        let end = Instant::now() + Duration::from_secs(20);
        let mut seen = Vec::new();
        while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(wanted) {
                return;
            }
            seen.push(line);
        }
        panic!("no '{wanted}' among {seen:?}");
    };
    wait_for("a: 1");
    folder.write("config/a.yml", "a: two\n");
    wait_for("a: two");
    folder.write("config/a.yml", "a: #@ nothing\n");
    wait_for("undefined: nothing");
    folder
        .write("config/sub/new.yml", "new: file\n")
        .write("config/a.yml", "a: 3\n");
    wait_for("new: file");
    assert_eq!(running.0.try_wait().unwrap(), None);
    assert_eq!(
        folder.run(&["-f", "-", "--watch"]),
        failed("haulout: Error: --watch needs files; standard input is read once\n")
    );
}

#[test]
fn diff_tells_what_changes() {
    let folder = Folder::new("diff");
    let object = |name: &str, value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata: {value}\n")
    };
    folder
        .write(
            "old.yml",
            &format!("{}---\n{}", object("a", "1"), object("b", "1")),
        )
        .write(
            "new.yml",
            &format!("{}---\n{}", object("c", "1"), object("a", "2")),
        )
        .write(
            "turned.yml",
            &format!("{}---\n{}", object("b", "1"), object("a", "1")),
        )
        .write("text.yml", "x: 1\n");
    let done = folder.run(&["diff", "--from", "-f", "old.yml", "--to", "-f", "new.yml"]);
    assert_eq!((done.status, done.err.as_str()), (Some(1), ""));
    let wanted = "--- v1 ConfigMap a\n+++ v1 ConfigMap a\n@@ -2,4 +2,4 @@\n kind: ConfigMap\n metadata:\n   name: a\n-data: 1\n+data: 2\n\
                  --- v1 ConfigMap b\n+++ /dev/null\n@@ -1,5 +0,0 @@\n-apiVersion: v1\n-kind: ConfigMap\n-metadata:\n-  name: b\n-data: 1\n\
                  --- /dev/null\n+++ v1 ConfigMap c\n@@ -0,0 +1,5 @@\n+apiVersion: v1\n+kind: ConfigMap\n+metadata:\n+  name: c\n+data: 1\n";
    assert_eq!(done.out, wanted);
    assert_eq!(
        folder.run(&[
            "diff",
            "--from",
            "-f",
            "old.yml",
            "--to",
            "-f",
            "turned.yml"
        ]),
        ok("")
    );
    let done = folder.run(&["diff", "--from", "-f", "text.yml", "--to", "-f", "old.yml"]);
    assert!(done.out.starts_with("--- from\n+++ to\n@@"), "{done:?}");
    let done = folder.run(&[
        "diff",
        "pinniped/supervisor",
        "--to",
        "--data-value-yaml",
        "replicas=7",
    ]);
    assert_eq!(done.status, Some(1));
    assert!(
        done.out.contains("-  replicas: 2\n+  replicas: 7\n"),
        "{done:?}"
    );
    let done = folder.run(&["diff", "-f", "text.yml", "--to", "-f", "none.yml"]);
    assert_eq!(done.status, Some(2));
    assert!(
        done.err
            .starts_with("haulout: Error: to:\n  Checking file 'none.yml'"),
        "{done:?}"
    );
    let done = folder.run(&["diff", "-f", "text.yml", "--to", "--nope"]);
    assert_eq!(
        (done.status, done.err.as_str()),
        (Some(2), "haulout: Error: to: unknown flag: --nope\n")
    );
}

#[test]
fn help_the_manual_and_completion_know_all_flags() {
    let folder = Folder::new("help");
    let help = folder.run(&["--help"]);
    assert_eq!(help.status, Some(0));
    let man = folder.run(&["man"]).out.replace('\\', "");
    let flags: Vec<&str> = help
        .out
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .collect();
    assert!(flags.len() > 25, "{flags:?}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = folder.run(&["completion", shell]).out;
        for flag in &flags {
            assert!(
                script.contains(flag.trim_start_matches('-')),
                "{shell} {flag}"
            );
            assert!(man.contains(*flag), "{flag}");
        }
    }
    assert_eq!(folder.bash("$H completion bash | bash -n"), ok(""));
    assert_eq!(folder.run(&["help"]), help);
    assert_eq!(folder.run(&["-h"]), help);
    assert_eq!(folder.run(&["help", "fmt"]), folder.run(&["fmt", "--help"]));
    assert_eq!(
        folder.run(&["completion", "tcsh"]),
        failed("haulout: Error: unknown command \"tcsh\" for \"haulout completion\"\n")
    );
    let unknown = folder.run(&["help", "nope"]);
    assert_eq!(unknown.status, Some(0));
    assert!(
        unknown.err.starts_with("Unknown help topic [`nope`]\n"),
        "{unknown:?}"
    );
}

#[test]
fn formatted_templates_render_alike() {
    let folder = Folder::new("format");
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(&templates)
        .arg(&folder.0)
        .status();
    assert!(copied.unwrap().success());
    let package = folder
        .names()
        .into_iter()
        .find(|name| name.contains("supervisor/") && name.ends_with(".yaml"));
    let package = Path::new(&package.unwrap()).parent().unwrap().to_owned();
    let words = ["-f", package.to_str().unwrap()];
    let before = folder.run(&words);
    assert_eq!(before.status, Some(0), "{before:?}");
    let mut changed = 0;
    for name in folder.names().iter().filter(|name| name.ends_with(".yaml")) {
        let formatted = folder.run(&["fmt", "-f", name]);
        assert_eq!(formatted.status, Some(0), "{formatted:?}");
        changed += usize::from(formatted.out != folder.read(name));
        folder.write(name, &formatted.out);
        assert_eq!(folder.run(&["fmt", "-f", name]), formatted);
    }
    assert!(changed > 0);
    assert_eq!(folder.run(&words), before);
}

#[test]
fn debug_tells_of_files_and_time() {
    let folder = Folder::new("debug");
    folder
        .write("config/a.yml", "a: 1\n")
        .write("config/b.star", "")
        .write("config/c.json", "");
    let done = folder.run(&["-f", "config", "--debug"]);
    assert_eq!((done.status, done.out.as_str()), (Some(0), "a: 1\n"));
    let told: Vec<&str> = done.err.lines().collect();
    assert_eq!(
        told[..4],
        [
            "## file a.yml (file 'config/a.yml'): yaml template, for output",
            "## file b.star (file 'config/b.star'): library",
            "## file c.json (file 'config/c.json'): data",
            "### result",
        ]
    );
    assert!(told[4].starts_with("total: "), "{told:?}");
}

#[test]
fn a_site_holds_the_page_and_the_templates() {
    let folder = Folder::new("site");
    folder
        .write("www/index.html", "<!doctype html>\n<html lang=\"en\">\n")
        .write("www/app.js", "app")
        .write("www/README.md", "not for visitors")
        .write("www/pkg/haulout_bg.wasm", "engine")
        .write("my shop/config.yml", "a: 1\n")
        .write("my shop/lib/b.star", "b = 2\n")
        .write("my shop/.git/config", "not for visitors")
        .write("quay/values.yml", "c: 3\n");
    let build = |out: &str| {
        let sources = ["--source", "my shop/", "--source", "quay"];
        folder.run(&[&["site", "build", "--out", out], &sources[..]].concat())
    };
    let done = build("out/site");
    assert_eq!(
        done.out,
        "out/site: 8 files, for any static host (to look at it: haulout serve --dir out/site)\n"
    );
    assert_eq!(
        folder.read("out/site/index.html"),
        "<!doctype html>\n<html lang=\"en\" data-src=\"sources/my%20shop/ sources/quay/\">\n"
    );
    assert_eq!(
        folder.read("out/site/sources/my shop/lib/b.star"),
        "b = 2\n"
    );
    assert_eq!(
        folder.read("out/site/sources/my shop/files.json"),
        "{\n  \"files\": [\n    \"config.yml\",\n    \"lib/b.star\"\n  ],\n  \"title\": \"my shop\"\n}\n"
    );
    // A web server may be another user.
    let mode = |name: &str| {
        fs::metadata(folder.0.join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o5
    };
    assert_eq!((mode("out/site"), mode("out/site/index.html") & 4), (5, 4));
    // Again, in place of the former one; whatever else stands there is safe.
    folder.write("out/site/sources/gone/files.json", "");
    assert_eq!(build("out/site").status, Some(0));
    assert!(
        !folder
            .names()
            .iter()
            .any(|name| name.contains("gone") || name.ends_with(".new"))
    );
    assert_eq!(
        build("quay"),
        failed(
            "haulout: Error: --out 'quay': expected a new folder or a former site, found something else\n"
        )
    );
    assert_eq!(folder.read("quay/values.yml"), "c: 3\n");
}

#[test]
fn a_site_says_what_it_needs() {
    let folder = Folder::new("site-needs");
    folder
        .write("page/index.html", "<html lang=\"en\">\n")
        .write("a/config.yml", "a: 1\n")
        .write("b/a/config.yml", "a: 1\n")
        .write("listed/files.json", "{}");
    fs::create_dir(folder.0.join("empty")).unwrap();
    let says = |args: &[&str], expected: &str| {
        let words = [&["site", "build"], args].concat();
        assert_eq!(
            folder.run(&words),
            failed(&format!("haulout: Error: {expected}\n"))
        );
    };
    let page = ["--dir", "page", "--out", "site"];
    says(
        &page,
        "expected --source: a folder of templates, once for each package",
    );
    says(&["--source", "a"], "expected --out: the folder to write");
    let built = [&page[..], &["--source", "a"]].concat();
    says(
        &built,
        &format!(
            "the page in '{}' has no engine (hint: `make page` builds it)",
            folder.0.join("page").canonicalize().unwrap().display()
        ),
    );
    folder
        .write("page/pkg/haulout_bg.wasm", "engine")
        .write("page/index.html", "<html>\n");
    says(
        &built,
        "'index.html' of the page is of another version than this program: expected '<html lang=\"en\"' in it",
    );
    folder.write("page/index.html", "<html lang=\"en\">\n");
    let with = |sources: &[&'static str]| [&page[..], sources].concat();
    says(
        &with(&["--source", "a", "--source", "b/a"]),
        "two sources would be 'sources/a/': expected folders of different names",
    );
    says(
        &with(&["--source", "empty"]),
        "--source 'empty': expected templates, found none",
    );
    says(
        &with(&["--source", "a/config.yml"]),
        "--source 'a/config.yml': expected a folder of templates",
    );
    says(
        &with(&["--source", "listed"]),
        "--source 'listed': 'files.json' is the name of the site's own list of files",
    );
    assert!(!folder.names().iter().any(|name| name.starts_with("site")));
    assert_eq!(
        folder.run(&["site"]),
        failed("haulout: Error: expected a command: build\n")
    );
}
