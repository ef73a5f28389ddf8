//! What goes wrong around the program, with the real thing: a full disk, a folder that nobody may write to, a reader who
//! leaves, a signal in the middle of a write. What was there before is then still there, whole, and nothing else is.
//!
//! The faults are made in a mount namespace of their own (`unshare`), which needs root or a kernel that lets users have
//! one; where it does not, the tests say so and are skipped, except with `CI=true`.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::panic
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A folder of its own, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("haulout-faults-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_haulout"))
}

/// Runs lines of bash with `haulout` in the path and a small disk of its own mounted at `disk`.
fn on_a_small_disk(folder: &Folder, lines: &str) -> Option<String> {
    fs::create_dir_all(folder.0.join("disk")).unwrap();
    let flags: &[&str] = match fs::metadata("/proc/self")
        .is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
    {
        true => &["--mount"],
        false => &["--mount", "--map-root-user"],
    };
    let mounted = "mount -t tmpfs -o size=256k none disk || { echo NO MOUNT; exit; }\n";
    let path = format!(
        "{}:{}",
        program().parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let done = Command::new("unshare")
        .args(flags)
        .args(["bash", "-c", &format!("exec 2>&1\n{mounted}{lines}")])
        .current_dir(&folder.0)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output();
    let text = done.map_or_else(
        |_| String::new(),
        |done| String::from_utf8(done.stdout).unwrap(),
    );
    if text.is_empty() || text.contains("NO MOUNT") {
        println!("skipped: no disk can be mounted here");
        assert!(
            std::env::var_os("CI").is_none(),
            "no disk can be mounted here: {text}"
        );
        return None;
    }
    Some(text)
}

/// More than the small disk holds, in some files.
const BIG: &str = r#"#@ load("@ytt:data", "data")
a: #@ "x" * 150000
"#;

fn big(folder: &Folder) {
    for name in ["a.yml", "b.yml", "c.yml"] {
        folder.write(&format!("in/{name}"), BIG);
    }
}

const SHOW: &str = "find disk -type f -printf '%P %s\\n' | sort\n";

#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = Folder::new("full");
    big(&folder);
    let lines = format!(
        "mkdir -p disk/out\necho old > disk/out/a.yml\n\
         haulout -f in --output-files disk/out; echo \"status $?\"\n\
         haulout -f in --dangerous-emptied-output-directory disk/out; echo \"status $?\"\n{SHOW}"
    );
    let Some(said) = on_a_small_disk(&folder, &lines) else {
        return;
    };
    assert_eq!(
        said,
        "haulout: Error: open disk/out/b.yml: no space left on device\nstatus 1\n\
         haulout: Error: open disk/out/b.yml: no space left on device\nstatus 1\n\
         out/a.yml 4\n"
    );
}

#[test]
fn a_full_disk_leaves_no_part_of_a_package_or_an_archive() {
    let folder = Folder::new("package");
    let text = "x".repeat(300_000);
    folder.write(
        "templates/config.yml",
        &format!("kind: ConfigMap\napiVersion: v1\ntext: {text}\n"),
    );
    folder.write(
        "bundle/.imgpkg/images.yml",
        "apiVersion: imgpkg.carvel.dev/v1alpha1\nkind: ImagesLock\n",
    );
    // Its archive is too big, compressed too: no line is another's.
    let lines: String = (0_u64..40_000)
        .map(|n| format!("a{n}: {}\n", n.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
        .collect();
    folder.write("bundle/config.yml", &lines);
    let lines = format!(
        "echo old > disk/a.tar\n\
         haulout package build --source templates --ref-name a.example.com --version 1.0.0 \
         --bundle-repo registry.example.com/packages/a --out disk/a; echo \"status $?\"\n\
         haulout bundle to-tar -f bundle -b registry.example.com/packages/a:1 -o disk/a.tar; echo \"status $?\"\n{SHOW}"
    );
    let Some(said) = on_a_small_disk(&folder, &lines) else {
        return;
    };
    assert_eq!(
        said,
        "haulout: Error: Writing 'disk/a/bundle/config/config.yml': no space left on device\nstatus 1\n\
         haulout: Error: Writing 'disk/a.tar': no space left on device\nstatus 1\n\
         a.tar 4\n"
    );
}

#[test]
fn a_folder_that_may_not_be_written_to_stays_as_it_is() {
    let folder = Folder::new("rights");
    folder.write("in/a.yml", "a: 1\n");
    let lines = format!(
        "mkdir -p disk/out\necho old > disk/out/a.yml\nchmod 555 disk/out disk\n\
         alone() {{ setpriv --inh-caps=-all --bounding-set=-all \"$@\"; echo \"status $?\"; }}\n\
         alone haulout -f in --output-files disk/out\n\
         alone haulout -f in --dangerous-emptied-output-directory disk/out\n\
         mount -o remount,ro disk\n\
         haulout -f in --output-files disk/out; echo \"status $?\"\n{SHOW}"
    );
    let Some(said) = on_a_small_disk(&folder, &lines) else {
        return;
    };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "haulout: Error: open disk/out/a.yml: permission denied",
            "status 1",
            "haulout: Error: mkdir disk/out: permission denied",
            "status 1",
            "haulout: Error: open disk/out/a.yml: read-only file system",
            "status 1",
            "out/a.yml 4",
        ]
    );
}

/// The names below a folder, with what they hold.
fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        names.push(entry.unwrap().file_name().into_string().unwrap());
    }
    names.sort();
    names
}

#[test]
fn a_signal_in_the_middle_of_a_write_leaves_all_or_nothing() {
    const FILES: usize = 1_500;
    for (flag, signal, code) in [
        ("--output-files", "TERM", 15),
        ("--dangerous-emptied-output-directory", "INT", 2),
    ] {
        let folder = Folder::new(&format!("signal-{signal}"));
        for number in 0..FILES {
            folder.write(&format!("in/{number}.yml"), "a: new\n");
            folder.write(&format!("out/{number}.yml"), "a: old\n");
        }
        let mut child = Command::new(program())
            .args(["-f", "in", flag, "out"])
            .current_dir(&folder.0)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Something waits beside its place: the write is under way.
        let started = || {
            let waits = |folder: &Path| names(folder).iter().any(|name| name.ends_with(".new"));
            waits(&folder.0) || waits(&folder.0.join("out"))
        };
        while child.try_wait().unwrap().is_none() && !started() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status();
        let status = child.wait().unwrap();
        let ended = std::os::unix::process::ExitStatusExt::signal(&status);
        assert!(ended == Some(code) || status.success(), "{status}");
        assert_eq!(names(&folder.0), ["in", "out"], "{flag}");
        let out = folder.0.join("out");
        assert_eq!(names(&out).len(), FILES, "{flag}");
        let first = fs::read(out.join("0.yml")).unwrap();
        for name in names(&out) {
            let text = fs::read(out.join(&name)).unwrap();
            assert_eq!(text, first, "{flag}: {name}");
        }
    }
}
