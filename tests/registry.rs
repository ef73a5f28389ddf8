//! Bundles and a real registry: Debian's `docker-registry`, which each test starts for itself on a free port. Where it is
//! not installed a test says so and ends; with `CI=true` it fails. Between the program and the registry may stand someone
//! who gets in the way.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use haulout::package::archive::{self, Tree};
use haulout::package::bundle::{self, Image};
use haulout::package::digest::Digest;
use haulout::package::gzip;
use haulout::package::images::{ImageLocations, ImagesLock, LockedImage};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A folder that is gone when the test is.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("haulout-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    /// Runs the program here; its exit code, standard output and standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let out = self.command(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            out.status.code().unwrap(),
            text(out.stdout),
            text(out.stderr),
        )
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_haulout"));
        command
            .args(args)
            .current_dir(&self.0)
            .env("HOME", &self.0)
            .env_remove("DOCKER_CONFIG");
        command
    }

    /// Runs the program, which must do well; what it prints.
    fn do_well(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        out.trim_end().to_string()
    }

    /// Runs the program, which must fail; what it says.
    fn fail(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}");
        err
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A bundle with this lock.
    fn bundle(&self, folder: &str, images: &[String]) {
        let images = images.iter().map(|image| LockedImage::new(image, "app"));
        let lock = ImagesLock {
            images: images.collect(),
        };
        self.write(
            &format!("{folder}/.imgpkg/images.yml"),
            std::str::from_utf8(&lock.print()).unwrap(),
        );
        self.write(&format!("{folder}/config/values.yml"), "replicas: 2\n");
    }

    fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        fn walk(root: &Path, folder: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(root, &path, out);
                } else {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                    out.insert(name.to_string(), fs::read(&path).unwrap());
                }
            }
        }
        let mut out = BTreeMap::new();
        walk(&self.0.join(folder), &self.0.join(folder), &mut out);
        out
    }

    /// What stands here, hidden or not, but for what the tests made.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A running registry.
struct Registry {
    child: Child,
    address: String,
    _place: Place,
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Registry {
    /// Starts one; none where it is not installed.
    fn start(name: &str, users: Option<&str>) -> Option<Registry> {
        let place = Place::new(&format!("registry-{name}"));
        for _ in 0..5 {
            let address = free_address();
            let auth = users.map_or(String::new(), |users| {
                place.write("users", users);
                let path = place.0.join("users");
                format!(
                    "auth: {{htpasswd: {{realm: test, path: {}}}}}\n",
                    path.display()
                )
            });
            place.write(
                "config.yml",
                &format!(
                    "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\nhttp: {{addr: \
                     '{address}'}}\n{auth}",
                    place.0.join("data").display()
                ),
            );
            let started = Command::new("docker-registry")
                .arg("serve")
                .arg(place.0.join("config.yml"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let Ok(mut child) = started else {
                assert!(
                    std::env::var("CI").as_deref() != Ok("true"),
                    "docker-registry is not installed"
                );
                println!(
                    "skipped: docker-registry is not installed (apt-get install docker-registry)"
                );
                return None;
            };
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(20) && child.try_wait().unwrap().is_none() {
                if TcpStream::connect(&address).is_ok() {
                    return Some(Registry {
                        child,
                        address,
                        _place: place,
                    });
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        panic!("docker-registry does not start");
    }
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// What someone between does with a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Passes it on.
    Pass,
    /// Answers with this status himself.
    Answer(u16),
    /// Passes on half of the answer's body and hangs up.
    Half,
    /// Passes on the answer with one byte changed.
    Change,
    /// Never answers.
    Silence,
}

/// Someone between the program and a registry.
struct Between {
    address: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Between {
    /// `way` is asked with `METHOD PATH` and how often it has been seen before.
    fn new(
        registry: &Registry,
        way: impl Fn(&str, usize) -> Way + Send + Sync + 'static,
    ) -> Between {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, backend, way) = (seen.clone(), registry.address.clone(), Arc::new(way));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, backend, way) = (log.clone(), backend.clone(), way.clone());
                std::thread::spawn(move || pass(stream, &backend, &log, way.as_ref()));
            }
        });
        Between { address, seen }
    }

    fn seen(&self, method: &str) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let wanted = format!("{method} ");
        seen.iter()
            .filter(|line| line.starts_with(&wanted))
            .cloned()
            .collect()
    }
}

/// One request and its answer, after which the connection is closed.
fn pass(
    mut client: TcpStream,
    backend: &str,
    log: &Mutex<Vec<String>>,
    way: &dyn Fn(&str, usize) -> Way,
) {
    let Some((head, body)) = message(&mut client, true) else {
        return;
    };
    let line = head.lines().next().unwrap_or_default();
    let line = line
        .rsplit_once(' ')
        .map_or(line, |(line, _)| line)
        .to_string();
    let before = {
        let mut log = log.lock().unwrap();
        let before = log.iter().filter(|seen| **seen == line).count();
        log.push(line.clone());
        before
    };
    let way = way(&line, before);
    match way {
        Way::Silence => std::thread::sleep(Duration::from_secs(60)),
        Way::Answer(status) => {
            let _ = write!(
                client,
                "HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
        Way::Pass | Way::Half | Way::Change => {
            let mut server = TcpStream::connect(backend).unwrap();
            // The host is left as it is, so that places which the registry names lead here.
            let head = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
            server.write_all(head.as_bytes()).unwrap();
            server.write_all(&body).unwrap();
            let Some((head, mut body)) = message(&mut server, !line.starts_with("HEAD")) else {
                return;
            };
            if way == Way::Half {
                body.truncate(body.len() / 2);
            }
            if let (Way::Change, Some(last)) = (way, body.last_mut()) {
                *last ^= 1;
            }
            let _ = client.write_all(head.as_bytes());
            let _ = client.write_all(&body);
        }
    }
}

/// The head of a message, and its body by its length.
fn message(stream: &mut TcpStream, has_body: bool) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; if has_body { length.unwrap_or(0) } else { 0 }];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn get(registry: &Registry, path: &str) -> Vec<u8> {
    let url = format!("http://{}/v2/{path}", registry.address);
    let accept = "application/vnd.docker.distribution.manifest.v2+json";
    let mut response = ureq::get(url).header("accept", accept).call().unwrap();
    response.body_mut().read_to_vec().unwrap()
}

fn tags(registry: &Registry, name: &str) -> Vec<String> {
    let answer: serde_json::Value =
        serde_json::from_slice(&get(registry, &format!("{name}/tags/list"))).unwrap();
    let tags = answer["tags"].as_array().unwrap();
    let mut tags: Vec<String> = tags
        .iter()
        .map(|tag| tag.as_str().unwrap().to_string())
        .collect();
    tags.sort();
    tags
}

#[test]
fn pushed_and_pulled_byte_for_byte() {
    let Some(registry) = Registry::start("push", None) else {
        return;
    };
    let place = Place::new("push");
    place.bundle("in", &[]);
    let deep = format!("in/{0}/{0}/{0}/deep.txt", "d".repeat(60));
    place.write(&deep, "deep\n");
    place.write("in/config/é 中.yml", "é\n");
    place.write("in/run.sh", "#!/bin/sh\n");
    place.write("in/.git/HEAD", "left out");
    place.write("in/config/.git/HEAD", "taken along");
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(place.0.join("in/run.sh"), fs::Permissions::from_mode(0o744)).unwrap();
    let name = format!("{}/pinniped/supervisor", registry.address);
    let tagged = format!("{name}:0.39.0");
    let pushed = place.do_well(&[
        "bundle",
        "push",
        "-b",
        &tagged,
        "-f",
        "in",
        "--lock-output",
        "lock.yml",
    ]);
    // The digest is known without a registry, and a second push changes nothing.
    let offline = place.do_well(&["bundle", "inspect", "-f", "in"]);
    assert_eq!(
        Some(offline.as_str()),
        pushed
            .strip_prefix(&format!("{name}@"))
            .map(|digest| format!("Bundle SHA: {digest}"))
            .as_deref()
    );
    assert_eq!(
        place.do_well(&["bundle", "push", "-b", &tagged, "-f", "in"]),
        pushed
    );
    let digest = pushed.split_once('@').unwrap().1;
    let keeping = format!("{}.imgpkg", digest.replace(':', "-"));
    assert_eq!(
        tags(&registry, "pinniped/supervisor"),
        ["0.39.0".to_string(), keeping]
    );
    assert_eq!(
        fs::read_to_string(place.0.join("lock.yml")).unwrap(),
        format!(
            "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nbundle:\n  image: {pushed}\n  tag: 0.39.0\nkind: BundleLock\n"
        )
    );

    let mut want = place.files("in");
    want.remove(".git/HEAD").unwrap();
    place.write("by-tag/old.txt", "is replaced");
    for (flag, source, folder) in [
        ("-b", tagged.as_str(), "by-tag"),
        ("-b", &pushed, "by-digest"),
        ("--lock", "lock.yml", "by-lock"),
    ] {
        assert_eq!(
            place.do_well(&["bundle", "pull", flag, source, "-o", folder]),
            pushed
        );
        assert_eq!(place.files(folder), want);
        let mode = |path: &str| {
            fs::metadata(place.0.join(folder).join(path))
                .unwrap()
                .permissions()
                .mode()
        };
        assert_eq!(
            (mode("run.sh") & 0o700, mode("config/values.yml") & 0o700),
            (0o700, 0o600)
        );
    }
    assert_eq!(
        place.names(),
        ["by-digest", "by-lock", "by-tag", "in", "lock.yml"]
    );
}

/// A plain image, as a program's.
fn push_plain_image(registry: &Registry, name: &str, text: &str) -> String {
    let mut tree = Tree::default();
    tree.add("hello.txt", text, false).unwrap();
    let image = Image::new(&tree, BTreeMap::new());
    put_image(registry, name, &image)
}

fn put_image(registry: &Registry, name: &str, image: &Image) -> String {
    let address = &registry.address;
    for blob in [&image.layer, &image.config] {
        let url = format!("http://{address}/v2/{name}/blobs/uploads/");
        let response = ureq::post(url).send_empty().unwrap();
        let place = response.headers()["location"].to_str().unwrap();
        ureq::put(format!("{place}&digest={}", Digest::of(blob)))
            .send(blob.as_slice())
            .unwrap();
    }
    let digest = image.digest();
    ureq::put(format!("http://{address}/v2/{name}/manifests/{digest}"))
        .header("content-type", bundle::MANIFEST)
        .send(image.manifest.as_slice())
        .unwrap();
    format!("{address}/{name}@{digest}")
}

/// A bundle that refers to an image, to a list of images, and to a bundle that refers to another image.
fn family(place: &Place, registry: &Registry) -> (String, Vec<String>) {
    let address = &registry.address;
    let one = push_plain_image(registry, "apps/one", "1");
    let two = push_plain_image(registry, "apps/two", "2");
    let three = push_plain_image(registry, "apps/three", "3");
    let inner = three.split_once('@').unwrap().1;
    let size = get(registry, &format!("apps/three/manifests/{inner}")).len();
    let list = format!(
        "{{\"schemaVersion\":2,\"mediaType\":\"{0}\",\"manifests\":[{{\"mediaType\":\"{1}\",\"size\":{size},\"digest\":\"{inner}\",\
         \"platform\":{{\"architecture\":\"amd64\",\"os\":\"linux\"}}}}]}}",
        bundle::MANIFEST_LIST,
        bundle::MANIFEST
    );
    ureq::put(format!("http://{address}/v2/apps/three/manifests/list"))
        .header("content-type", bundle::MANIFEST_LIST)
        .send(list.as_bytes())
        .unwrap();
    let list = format!("{address}/apps/three@{}", Digest::of(list.as_bytes()));
    place.bundle("nested", std::slice::from_ref(&two));
    let nested = place.do_well(&[
        "bundle",
        "push",
        "-b",
        &format!("{address}/nested:1"),
        "-f",
        "nested",
    ]);
    let images = vec![one, list, nested];
    place.bundle("root", &images);
    let root = place.do_well(&[
        "bundle",
        "push",
        "-b",
        &format!("{address}/root:1.0.0"),
        "-f",
        "root",
    ]);
    (root, [images, vec![two]].concat())
}

#[test]
fn copied_with_its_images() {
    let Some(registry) = Registry::start("copy", None) else {
        return;
    };
    let place = Place::new("copy");
    let (root, images) = family(&place, &registry);
    let tagged = root.split_once('@').unwrap().0.to_string() + ":1.0.0";
    let digest = |image: &str| image.split_once('@').unwrap().1.to_string();
    let check = |name: &str| {
        for image in images.iter().chain([&root]) {
            let manifest = get(&registry, &format!("{name}/manifests/{}", digest(image)));
            assert_eq!(Digest::of(&manifest).to_string(), digest(image));
        }
        let tags = tags(&registry, name);
        assert!(tags.contains(&"1.0.0".to_string()), "{tags:?}");
        let located = format!("{}.image-locations.imgpkg", digest(&root).replace(':', "-"));
        let manifest: bundle::Manifest =
            serde_json::from_slice(&get(&registry, &format!("{name}/manifests/{located}")))
                .unwrap();
        let layer = get(
            &registry,
            &format!("{name}/blobs/{}", manifest.layers[0].digest),
        );
        let tree = archive::read(&layer).unwrap();
        let locations = ImageLocations::parse(tree.file(bundle::LOCATIONS).unwrap()).unwrap();
        let mut want: Vec<(&str, bool)> = images[..3]
            .iter()
            .map(|image| (image.as_str(), image.contains("/nested@")))
            .collect();
        want.sort_unstable();
        let found: Vec<(&str, bool)> = locations
            .images
            .iter()
            .map(|one| (one.image.as_str(), one.is_bundle))
            .collect();
        assert_eq!(found, want);
        // A pull refers to where the images are now.
        let pulled = format!("{}/{name}@{}", registry.address, digest(&root));
        assert_eq!(
            place.do_well(&["bundle", "pull", "-b", &pulled, "-o", "pulled"]),
            pulled
        );
        let lock = ImagesLock::parse(&fs::read(place.0.join("pulled/.imgpkg/images.yml")).unwrap())
            .unwrap();
        let want: Vec<String> = images[..3]
            .iter()
            .map(|image| format!("{}/{name}@{}", registry.address, digest(image)))
            .collect();
        assert_eq!(
            lock.images
                .iter()
                .map(|locked| locked.image.clone())
                .collect::<Vec<_>>(),
            want
        );
    };

    let described = place.do_well(&["bundle", "inspect", "-b", &tagged]);
    let lines = |text: &str| described.lines().filter(|line| line.contains(text)).count();
    assert_eq!(
        (
            lines("- Image: "),
            lines("Type: Bundle"),
            lines("Type: Image")
        ),
        (4, 1, 3),
        "{described}"
    );
    for image in &images {
        assert!(
            described.contains(&format!("Origin: {image}\n")),
            "{described}"
        );
    }
    assert!(
        described.contains(&format!(
            "\n      - Image: {}\n        Type: Image\n",
            images[3]
        )),
        "{described}"
    );
    let direct = format!("{}/far/direct", registry.address);
    let copied = place.do_well(&["bundle", "copy", "-b", &tagged, "--to-repo", &direct]);
    assert_eq!(copied, format!("{direct}@{}", digest(&root)));
    check("far/direct");

    let moved = place.do_well(&["bundle", "inspect", "-b", &copied]);
    assert!(
        moved.contains(&format!("- Image: {direct}@{}", digest(&images[0]))),
        "{moved}"
    );

    place.do_well(&["bundle", "copy", "-b", &tagged, "--to-tar", "out.tar"]);
    let packed_like = place.do_well(&["bundle", "inspect", "--tar", "out.tar"]);
    assert_eq!(packed_like, described);
    let first = fs::read(place.0.join("out.tar")).unwrap();
    place.do_well(&["bundle", "copy", "-b", &tagged, "--to-tar", "out.tar"]);
    assert_eq!(
        fs::read(place.0.join("out.tar")).unwrap(),
        first,
        "the same archive each time"
    );
    // What has been relocated is copied from where it is now.
    place.do_well(&[
        "bundle",
        "copy",
        "-b",
        &format!("{direct}:1.0.0"),
        "--to-tar",
        "again.tar",
    ]);
    let layers = |name: &str| {
        let mut archive = tar::Archive::new(fs::File::open(place.0.join(name)).unwrap());
        let entries = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().into_owned());
        entries.collect::<Vec<_>>()
    };
    assert_eq!(layers("out.tar"), layers("again.tar"));
    assert_eq!(layers("out.tar").len(), 6, "a description and five layers");

    let packed = format!("{}/far/packed", registry.address);
    let copied = place.do_well(&[
        "bundle",
        "copy",
        "--tar",
        "out.tar",
        "--to-repo",
        &packed,
        "--lock-output",
        "lock.yml",
    ]);
    assert_eq!(copied, format!("{packed}@{}", digest(&root)));
    check("far/packed");
    assert!(
        fs::read_to_string(place.0.join("lock.yml"))
            .unwrap()
            .contains(&copied)
    );

    assert_eq!(
        place.do_well(&["bundle", "from-tar", "--tar", "out.tar", "-o", "unpacked"]),
        root
    );
    assert_eq!(place.files("unpacked"), place.files("root"));
    // Without a registry for the bundle itself.
    place.do_well(&[
        "bundle",
        "to-tar",
        "-b",
        &tagged,
        "-f",
        "root",
        "-o",
        "offline.tar",
    ]);
    assert_eq!(layers("offline.tar"), layers("out.tar"));
}

#[test]
fn what_is_there_is_not_sent_again() {
    let Some(registry) = Registry::start("resume", None) else {
        return;
    };
    let place = Place::new("resume");
    place.bundle("in", &[]);
    // The first run comes as far as the manifest.
    let between = Between::new(&registry, |line, before| match line {
        "PUT /v2/app/manifests/1" if before == 0 => Way::Answer(400),
        _ => Way::Pass,
    });
    let name = format!("{}/app:1", between.address);
    let text = place.fail(&["bundle", "push", "-b", &name, "-f", "in"]);
    assert!(text.contains("answers 400 Bad Request"), "{text}");
    assert_eq!(between.seen("POST").len(), 2);
    place.do_well(&["bundle", "push", "-b", &name, "-f", "in"]);
    assert_eq!(between.seen("POST").len(), 2, "no blob is sent twice");
}

#[test]
fn a_killed_copy_is_gone_on_with() {
    let Some(registry) = Registry::start("killed", None) else {
        return;
    };
    let place = Place::new("killed");
    // Someone who, when told to, lets the program wait for one layer.
    let withheld = Arc::new(Mutex::new(None::<String>));
    let wanted = withheld.clone();
    let between = Between::new(&registry, move |line, _| {
        let mut wanted = wanted.lock().unwrap();
        if wanted.as_ref().is_some_and(|wanted| line.contains(wanted)) {
            *wanted = None;
            return Way::Silence;
        }
        Way::Pass
    });
    let push = |name: &&str| push_plain_image(&registry, &format!("apps/{name}"), &name.repeat(50));
    let images: Vec<String> = ["one", "two", "three"].iter().map(push).collect();
    let images: Vec<String> = images
        .iter()
        .map(|image| image.replace(&registry.address, &between.address))
        .collect();
    place.bundle("in", &images);
    let name = format!("{}/app:1", between.address);
    place.do_well(&["bundle", "push", "-b", &name, "-f", "in"]);
    place.do_well(&["bundle", "copy", "-b", &name, "--to-tar", "whole.tar"]);
    let whole = fs::read(place.0.join("whole.tar")).unwrap();
    let layer_of = |image: &String| {
        let (name, digest) = image.split_once('@').unwrap();
        let name = name.split_once('/').unwrap().1;
        let manifest = get(&registry, &format!("{name}/manifests/{digest}"));
        let manifest: bundle::Manifest = serde_json::from_slice(&manifest).unwrap();
        manifest.layers[0].digest.to_string()
    };
    let mut layers: Vec<String> = images.iter().map(layer_of).collect();
    layers.sort();
    let fetched = |layer: &String| {
        between
            .seen("GET")
            .iter()
            .filter(|line| line.contains(layer))
            .count()
    };

    *withheld.lock().unwrap() = layers.last().cloned();
    let args = ["bundle", "copy", "-b", &name, "--to-tar", "out.tar"];
    let mut child = place.command(&args).stdout(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while withheld.lock().unwrap().is_some() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "the layer is not asked for"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.0.join(".out.tar.part").exists());
    assert!(!place.0.join("out.tar").exists());

    let before: Vec<usize> = layers.iter().map(fetched).collect();
    place.do_well(&args);
    assert_eq!(fs::read(place.0.join("out.tar")).unwrap(), whole);
    let again: Vec<usize> = layers
        .iter()
        .zip(before)
        .map(|(layer, before)| fetched(layer) - before)
        .collect();
    assert_eq!(again, [0, 0, 1], "only the layer that was missing");
    assert_eq!(place.names(), ["in", "out.tar", "whole.tar"]);

    // What an earlier run left is taken only as far as it is right.
    let half = whole.len() / 2;
    let damaged = [&whole[..half], &vec![b'x'; 5000]].concat();
    for left in [damaged, vec![b'x'; 100_000], whole.clone(), Vec::new()] {
        fs::write(place.0.join(".out.tar.part"), left).unwrap();
        place.do_well(&args);
        assert_eq!(fs::read(place.0.join("out.tar")).unwrap(), whole);
    }
}

#[test]
fn what_passes_is_waited_for() {
    let Some(registry) = Registry::start("flaky", None) else {
        return;
    };
    let place = Place::new("flaky");
    place.bundle("in", &[]);
    // Of each kind of request the first is refused, and half of the answer to the second is lost.
    let seen = Mutex::new(BTreeMap::<String, usize>::new());
    let between = Between::new(&registry, move |line, _| {
        let method = line.split(' ').next().unwrap();
        let mut seen = seen.lock().unwrap();
        let count = seen.entry(method.to_string()).or_default();
        *count += 1;
        match (method, *count) {
            (_, 1) => Way::Answer(503),
            ("GET", 2) => Way::Half,
            _ => Way::Pass,
        }
    });
    let name = format!("{}/app:1", between.address);
    let pushed = place.do_well(&["bundle", "push", "-b", &name, "-f", "in"]);
    assert_eq!(
        place.do_well(&["bundle", "pull", "-b", &name, "-o", "out"]),
        pushed
    );
    assert_eq!(place.files("in"), place.files("out"));
}

#[test]
fn what_is_not_what_its_digest_says() {
    let Some(registry) = Registry::start("digest", None) else {
        return;
    };
    let place = Place::new("digest");
    place.bundle("in", &[]);
    let between = Between::new(&registry, |line, _| match line.starts_with("GET") {
        true => Way::Change,
        false => Way::Pass,
    });
    let name = format!("{}/app:1", between.address);
    let pushed = place.do_well(&["bundle", "push", "-b", &name, "-f", "in"]);
    let text = place.fail(&["bundle", "pull", "-b", &pushed, "-o", "out"]);
    assert!(text.contains("xpected digest sha256:"), "{text}");
    let blobs = Between::new(&registry, |line, _| {
        match line.starts_with("GET") && line.contains("/blobs/") {
            true => Way::Change,
            false => Way::Pass,
        }
    });
    let name = format!("{}/app:1", blobs.address);
    for args in [
        ["bundle", "pull", "-b", &name, "-o", "out"],
        ["bundle", "copy", "-b", &name, "--to-tar", "out.tar"],
    ] {
        let text = place.fail(&args);
        assert!(text.contains("xpected digest sha256:"), "{text}");
        assert_eq!(place.names(), ["in"], "nothing is half written");
    }
}

#[test]
fn those_who_are_not_known_are_refused() {
    // The password is "secret".
    let users = "anna:$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n";
    let Some(registry) = Registry::start("users", Some(users)) else {
        return;
    };
    let place = Place::new("users");
    place.bundle("in", &[]);
    let address = registry.address.clone();
    let name = format!("{address}/app:1");
    let push = ["bundle", "push", "-b", &name, "-f", "in"];
    let refused = |text: &str| {
        assert!(text.contains("answers 401 Unauthorized"), "{text}");
        assert!(text.contains(&format!("docker login {address}")), "{text}");
        assert!(!text.contains("secret"), "{text}");
    };
    refused(&place.fail(&push));
    // printf anna:secret | base64, and anna:wrong
    for (auth, known) in [("YW5uYTp3cm9uZw==", false), ("YW5uYTpzZWNyZXQ=", true)] {
        let config = format!("{{\"auths\": {{\"{address}\": {{\"auth\": \"{auth}\"}}}}}}");
        place.write(".docker/config.json", &config);
        match known {
            true => drop(place.do_well(&push)),
            false => refused(&place.fail(&push)),
        }
    }
    place.do_well(&["bundle", "pull", "-b", &name, "-o", "out"]);
    // DOCKER_CONFIG comes first; a configuration that cannot be read is no configuration of nobody.
    place.write("other/config.json", "{");
    let out = place
        .command(&push)
        .env("DOCKER_CONFIG", place.0.join("other"))
        .output()
        .unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(text.contains("Reading Docker's configuration"), "{text}");
    // A helper is asked.
    place.write(
        ".docker/config.json",
        &format!("{{\"credHelpers\": {{\"{address}\": \"test\"}}}}"),
    );
    place.write(
        "bin/docker-credential-test",
        "#!/bin/sh\ncat > /dev/null\necho '{\"Username\": \"anna\", \"Secret\": \"secret\"}'\n",
    );
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(
        place.0.join("bin/docker-credential-test"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let path = format!(
        "{}:{}",
        place.0.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let out = place.command(&push).env("PATH", path).output().unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// No registry with tokens is at hand: one is played, as far as who is let in.
#[test]
fn tokens_are_fetched_and_shown() {
    let place = Place::new("token");
    place.write(".docker/config.json", "");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let config = format!("{{\"auths\": {{\"{address}\": {{\"auth\": \"YW5uYTpzZWNyZXQ=\"}}}}}}");
    place.write(".docker/config.json", &config);
    let (seen, host) = (Arc::new(Mutex::new(Vec::new())), address.clone());
    let log = seen.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Some((head, _)) = message(&mut stream, true) else {
                continue;
            };
            let line = head.lines().next().unwrap().to_string();
            let authorization = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("authorization")
                    .then(|| value.to_string())
            });
            log.lock()
                .unwrap()
                .push((line.clone(), authorization.clone()));
            let answer = if line.contains("/token?") {
                "200 OK\r\n\r\n{\"token\": \"t0ken\"}".to_string()
            } else if authorization.as_deref() == Some("Bearer t0ken") {
                "404 Not Found\r\n\r\n".to_string()
            } else {
                format!(
                    "401 Unauthorized\r\nwww-authenticate: Bearer realm=\"http://{host}/token\",service=\"here\",scope=\"repository:app:pull\"\r\n\r\n"
                )
            };
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
        }
    });
    let text = place.fail(&[
        "bundle",
        "pull",
        "-b",
        &format!("{address}/app:1"),
        "-o",
        "out",
    ]);
    assert!(text.contains("has no such image"), "{text}");
    let seen = seen.lock().unwrap();
    let basic = Some("Basic YW5uYTpzZWNyZXQ=".to_string());
    let want = [
        ("GET /v2/app/manifests/1 HTTP/1.1".to_string(), None),
        (
            "GET /token?service=here&scope=repository%3Aapp%3Apull HTTP/1.1".to_string(),
            basic,
        ),
        (
            "GET /v2/app/manifests/1 HTTP/1.1".to_string(),
            Some("Bearer t0ken".to_string()),
        ),
    ];
    assert_eq!(*seen, want);
}

#[test]
fn clear_words_for_what_is_not_there() {
    let place = Place::new("words");
    place.bundle("in", &[]);
    let nobody = free_address();
    let name = format!("{nobody}/app:1");
    let began = Instant::now();
    let text = place.fail(&["bundle", "push", "-b", &name, "-f", "in"]);
    assert!(
        text.contains(&format!(
            "Registry {nobody} cannot be reached: connection refused"
        )),
        "{text}"
    );
    assert!(
        began.elapsed() > Duration::from_secs(1),
        "it is tried again"
    );
    let Some(registry) = Registry::start("words", None) else {
        return;
    };
    let address = &registry.address;
    let plain = push_plain_image(&registry, "plain", "1");
    let missing = format!("{address}/none@{}", Digest::of(b""));
    place.bundle("dangling", std::slice::from_ref(&missing));
    place.do_well(&[
        "bundle",
        "push",
        "-b",
        &format!("{address}/dangling:1"),
        "-f",
        "dangling",
    ]);
    let (name, dangling) = (format!("{address}/app:1"), format!("{address}/dangling:1"));
    let table: [(&[&str], &str); 12] = [
        (&["pull", "-b", &name, "-o", "out"], "has no such image"),
        (
            &["pull", "-b", &plain, "-o", "out"],
            "Expected bundle image but found plain image",
        ),
        (
            &["pull", "-b", &dangling, "-o", "/"],
            "Expected output directory path to not be one of",
        ),
        (&["pull", "-b", &name], "Expected -o, --output to be given"),
        (
            &["pull", "-o", "out"],
            "Expected exactly one of -b or --lock",
        ),
        (
            &["pull", "-b", "a b", "-o", "out"],
            "'a b' is no name of a repository",
        ),
        (
            &["push", "-b", &plain, "-f", "in"],
            "Expected a name with a tag and no digest",
        ),
        (
            &["push", "-b", &name, "-f", "nothing"],
            "Reading 'nothing':\n  no such file or directory",
        ),
        (
            &["push", "-b", &name, "-f", "in/config"],
            "It is missing .imgpkg/images.yml",
        ),
        (
            &["copy", "-b", &dangling, "--to-tar", "out.tar"],
            "has no such image",
        ),
        (
            &["copy", "-b", &dangling],
            "Expected exactly one of --to-repo or --to-tar",
        ),
        (
            &["copy", "-b", &dangling, "--to-repo", "A"],
            "'A' is no name of a repository",
        ),
    ];
    for (args, want) in table {
        let text = place.fail(&[&["bundle"], args].concat());
        assert!(
            text.contains(want)
                || text
                    .replace("\n  ", " ")
                    .contains(&want.replace("\n  ", " ")),
            "{args:?}: {text}"
        );
    }
    assert_eq!(place.names(), ["dangling", "in"], "nothing is half written");
}

#[test]
fn archives_that_are_not_whole_or_not_right() {
    let place = Place::new("archives");
    place.bundle("in", &[]);
    let made = place.do_well(&[
        "bundle",
        "to-tar",
        "-b",
        "registry.example/app:1",
        "-f",
        "in",
        "-o",
        "whole.tar",
    ]);
    assert!(made.starts_with("registry.example/app@sha256:"));
    let whole = fs::read(place.0.join("whole.tar")).unwrap();
    let fail = |bytes: &[u8]| {
        fs::write(place.0.join("bad.tar"), bytes).unwrap();
        place.fail(&["bundle", "from-tar", "--tar", "bad.tar", "-o", "out"])
    };
    // Up to the padding of the last entry every byte counts.
    let mut entries = tar::Archive::new(whole.as_slice());
    let last = entries.entries().unwrap().last().unwrap().unwrap();
    let content = usize::try_from(last.raw_file_position() + last.size()).unwrap();
    for end in (0..content).step_by(97).chain([content - 1]) {
        let text = fail(&whole[..end]);
        assert!(text.contains("bad.tar"), "{end}: {text}");
    }
    // The layer, its description, a name in it.
    let at = |text: &[u8]| {
        whole
            .windows(text.len())
            .position(|window| window == text)
            .unwrap()
    };
    for (place_of, want) in [
        (at(&[0x1F, 0x8B]) + 20, "xpected digest sha256:"),
        (at(b"diff_ids"), "is not what its digest says"),
        (at(b"schemaVersion"), "is not what its digest says"),
    ] {
        let mut changed = whole.clone();
        changed[place_of] ^= 1;
        let text = fail(&changed);
        assert!(text.contains(want), "{want}: {text}");
    }
    // An archive that names files elsewhere, within a bundle that is right otherwise.
    for (path, kind, want) in [
        (
            "../evil",
            tar::EntryType::Regular,
            "leads out of the bundle",
        ),
        (
            "a/../../evil",
            tar::EntryType::Regular,
            "leads out of the bundle",
        ),
        ("/tmp/evil", tar::EntryType::Regular, "is absolute"),
        ("evil", tar::EntryType::Symlink, "is a link"),
    ] {
        let mut tree = Tree::default();
        tree.add(bundle::IMAGES_LOCK, ImagesLock::default().print(), false)
            .unwrap();
        let mut plain = archive::write(&tree);
        plain.truncate(plain.len() - 1024);
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.as_old_mut().linkname[..4].copy_from_slice(b"/tmp");
        header.set_mode(0o644);
        header.set_size(0);
        header.set_cksum();
        plain.extend_from_slice(header.as_bytes());
        archive::end(&mut plain);
        let packed = pack(&plain);
        let text = fail(&packed);
        assert!(text.contains(want), "{path}: {text}");
    }
    assert_eq!(
        place.names(),
        ["bad.tar", "in", "whole.tar"],
        "nothing is written"
    );
}

/// imgpkg's archive of a bundle whose layer is this.
fn pack(plain: &[u8]) -> Vec<u8> {
    let layer = gzip::compress(plain);
    let diff_id = Digest::of(plain);
    let config = format!(
        "{{\"rootfs\":{{\"type\":\"layers\",\"diff_ids\":[\"{diff_id}\"]}},\"config\":{{\"Labels\":{{\"{}\":\"true\"}}}}}}",
        bundle::BUNDLE_LABEL
    );
    let (digest, size) = (Digest::of(&layer), layer.len());
    let manifest = format!(
        "{{\"schemaVersion\":2,\"config\":{{\"size\":{},\"digest\":\"{}\"}},\"layers\":[{{\"size\":{size},\"digest\":\"{digest}\"}}]}}",
        config.len(),
        Digest::of(config.as_bytes())
    );
    let description = serde_json::json!([{
        "ImageIndex": null,
        "Image": {
            "Refs": [format!("registry.example/app@{}", Digest::of(manifest.as_bytes()))],
            "Layers": [{"MediaType": "", "Digest": digest, "DiffID": diff_id, "Size": size}],
            "Config": {"Digest": Digest::of(config.as_bytes()), "Raw": config},
            "Manifest": {"MediaType": bundle::MANIFEST, "Digest": Digest::of(manifest.as_bytes()), "Raw": manifest},
            "Tag": "1",
            "OrigRef": "",
            "Labels": {"dev.carvel.imgpkg.copy.root-bundle": ""},
        },
    }]);
    let mut out = Vec::new();
    archive::write_entry(
        &mut out,
        "manifest.json",
        0o644,
        Some(description.to_string().as_bytes()),
    );
    archive::write_entry(
        &mut out,
        &format!("{}.tar.gz", digest.name()),
        0o644,
        Some(&layer),
    );
    archive::end(&mut out);
    out
}

#[test]
fn a_full_disk() {
    let place = Place::new("full");
    let small = place.0.join("small");
    fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&small)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: nobody but root can make a small disk");
        return;
    }
    struct Unmount(PathBuf);
    impl Drop for Unmount {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(&self.0).status();
        }
    }
    let _unmount = Unmount(small.clone());
    place.bundle("in", &[]);
    // Noise, which does not shrink.
    let mut noise = vec![0_u8; 200_000];
    let mut state = 1_u32;
    for byte in &mut noise {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (state >> 24) as u8;
    }
    fs::write(place.0.join("in/noise"), noise).unwrap();
    let name = "registry.example/app:1";
    place.do_well(&[
        "bundle",
        "to-tar",
        "-b",
        name,
        "-f",
        "in",
        "-o",
        "whole.tar",
    ]);
    fs::create_dir(small.join("out")).unwrap();
    fs::write(small.join("out/old"), "stays").unwrap();
    for args in [
        [
            "bundle",
            "to-tar",
            "-b",
            name,
            "-f",
            "in",
            "-o",
            "small/out.tar",
        ]
        .as_slice(),
        &[
            "bundle",
            "from-tar",
            "--tar",
            "whole.tar",
            "-o",
            "small/out",
        ],
    ] {
        let text = place.fail(args);
        assert!(
            text.contains("no space left on device") && text.contains("small/out"),
            "{text}"
        );
        let names: Vec<_> = fs::read_dir(&small)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["out"]);
        assert_eq!(fs::read_to_string(small.join("out/old")).unwrap(), "stays");
    }
}

/// An archive that imgpkg itself wrote, where it is at hand.
#[test]
fn what_imgpkg_packed() {
    let recorded =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/reference/packaging/imgpkg/tiny.tar");
    if !recorded.exists() {
        println!(
            "skipped: imgpkg's own archive ({} is not there)",
            recorded.display()
        );
        return;
    }
    let place = Place::new("imgpkg");
    let path = recorded.to_str().unwrap();
    let root = place.do_well(&["bundle", "from-tar", "--tar", path, "-o", "out"]);
    let digest = "sha256:546ced40bba6d9be71556c31ed8f5ea2401ad3c2b2e685ecb78df3544635a584";
    assert_eq!(root, format!("127.0.0.1:5005/pinniped/tiny@{digest}"));
    assert_eq!(place.files("out")["config/é.yml"], "é\n".as_bytes());
    let Some(registry) = Registry::start("imgpkg", None) else {
        return;
    };
    let name = format!("{}/tiny", registry.address);
    let copied = place.do_well(&["bundle", "copy", "--tar", path, "--to-repo", &name]);
    assert_eq!(copied, format!("{name}@{digest}"));
    place.do_well(&[
        "bundle",
        "copy",
        "-b",
        &format!("{name}:0.39.0"),
        "--to-tar",
        "again.tar",
    ]);
    let entries = |bytes: &[u8]| {
        let mut archive = tar::Archive::new(bytes);
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (entry.path().unwrap().into_owned(), bytes)
        });
        entries.skip(1).collect::<Vec<_>>()
    };
    let again = fs::read(place.0.join("again.tar")).unwrap();
    assert_eq!(
        entries(&again),
        entries(&fs::read(recorded).unwrap()),
        "the same layers in the same order"
    );
}

#[test]
fn tags_become_digests() {
    let Some(registry) = Registry::start("lock", None) else {
        return;
    };
    let place = Place::new("lock");
    let address = &registry.address;
    let mut digests = BTreeMap::new();
    for tag in ["0.25.0", "0.26.0", "0.27.0-rc.1", "latest", "not-a-version"] {
        let mut tree = Tree::default();
        tree.add("version", tag, false).unwrap();
        let image = Image::new(&tree, BTreeMap::new());
        put_image(&registry, "apps/server", &image);
        ureq::put(format!("http://{address}/v2/apps/server/manifests/{tag}"))
            .header("content-type", bundle::MANIFEST)
            .send(image.manifest.as_slice())
            .unwrap();
        digests.insert(tag, image.digest().to_string());
    }
    place.write(
        "app.yml",
        &format!("kind: A\nimage: {address}/apps/server:0.25.0\n"),
    );
    let name = format!("{address}/apps/server");
    let at = |tag: &str| format!("{name}@{}", digests[tag]);
    let run = |more: &[&str]| place.run(&[&["lock", "-f", "app.yml"], more].concat());
    let (code, out, err) = run(&["--imgpkg-lock-output", "images.yml"]);
    assert_eq!(
        (code, err),
        (
            0,
            format!("resolve | final: {name}:0.25.0 -> {}\n", at("0.25.0"))
        )
    );
    let origin = format!("- resolved:\n    tag: 0.25.0\n    url: {name}:0.25.0\n");
    assert!(out.contains(&format!("image: {}\n", at("0.25.0"))), "{out}");
    let lock = ImagesLock::parse(&fs::read(place.0.join("images.yml")).unwrap()).unwrap();
    assert_eq!(lock.images.len(), 1);
    assert_eq!(lock.images[0].image, at("0.25.0"));
    assert_eq!(
        lock.images[0].annotations["kbld.carvel.dev/id"],
        format!("{name}:0.25.0")
    );
    assert_eq!(
        lock.images[0].annotations["kbld.carvel.dev/origins"],
        origin
    );

    // A tag by its version, from a list that comes in pages.
    for (selection, want) in [
        ("{semver: {constraints: \">=0.25.0\"}}", "0.26.0"),
        (
            "{semver: {constraints: \"\", prereleases: {}}}",
            "0.27.0-rc.1",
        ),
    ] {
        place.write(
            "kbld.yml",
            &format!(
                "apiVersion: kbld.k14s.io/v1alpha1\nkind: Config\noverrides:\n- imageRepo: {name}\n  newImage: {name}\n  tagSelection: {selection}\n"
            ),
        );
        let (code, out, err) = run(&["-f", "kbld.yml"]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(&at(want)), "{want}: {out}");
    }
    place.write(
        "app.yml",
        &format!("kind: A\nimage: {address}/apps/server:9\n"),
    );
    let (code, out, err) = run(&[]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains(&format!("Resolving image '{name}:9'")) && err.contains("has no such image"),
        "{err}"
    );
}

/// A release brings up what is not there, and what a package refers to can be pulled.
#[test]
fn released_in_one_go() {
    let Some(registry) = Registry::start("release", None) else {
        return;
    };
    let place = Place::new("release");
    let image = format!(
        "ghcr.io/vmware-tanzu/pinniped/pinniped-server@{}",
        Digest::of(b"")
    );
    let host = &registry.address;
    let item = |app: &str, version: &str| {
        format!(
            "- {{refName: {app}.pinniped.dev, version: {version}, source: 'pinniped/{app}@{version}', \
             bundleRepo: '{host}/pinniped/{app}', images: ['{image}']}}\n"
        )
    };
    let config = |items: &[String]| {
        format!(
            "repository: {{folder: repo, bundleRepo: '{host}/pinniped/packages', tag: stable}}\npackages:\n{}",
            items.concat()
        )
    };
    let old = [item("supervisor", "0.25.0"), item("concierge", "0.25.0")];
    place.write("old.yml", &config(&old));
    let (code, foretold, err) = place.run(&["release", "--config", "old.yml", "--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(place.names(), ["old.yml"]);
    let catalog = String::from_utf8(get(&registry, "_catalog")).unwrap();
    assert_eq!(catalog.trim(), r#"{"repositories":[]}"#);
    let (code, resource, err) = place.run(&["release", "--config", "old.yml"]);
    assert_eq!((code, &resource), (0, &foretold), "{err}");

    let new = [item("supervisor", "0.39.0"), item("concierge", "0.39.0")];
    place.write("new.yml", &config(&new));
    let (code, resource, err) = place.run(&["release", "--config", "new.yml"]);
    assert_eq!(code, 0, "{err}");
    let bundle = resource.split("image: ").nth(1).unwrap().trim();
    assert!(tags(&registry, "pinniped/packages").contains(&"stable".to_string()));
    for tag in ["0.25.0", "0.39.0"] {
        assert!(tags(&registry, "pinniped/concierge").contains(&tag.to_string()));
    }
    // The repository holds four versions, and the bundle of each is what its sources are.
    place.do_well(&["bundle", "pull", "-b", bundle, "-o", "pulled"]);
    let pushed = place.files("repo").into_iter();
    let pushed: BTreeMap<_, _> = pushed
        .filter(|(path, _)| !path.starts_with("bundles/"))
        .collect();
    let pulled = place.files("pulled");
    assert_eq!(
        pulled.keys().collect::<Vec<_>>(),
        pushed.keys().collect::<Vec<_>>()
    );
    let list = place.do_well(&["repository", "list", "--repository", "pulled"]);
    assert_eq!(list.lines().count(), 4, "{list}");
    for line in list.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        place.do_well(&["bundle", "pull", "-b", words[2], "-o", "package"]);
        let sources = format!("repo/bundles/{}/{}", words[0], words[1]);
        assert_eq!(place.files("package"), place.files(&sources), "{line}");
    }

    // Once more changes nothing.
    let before = place.files("repo");
    let (code, again, err) = place.run(&["release", "--config", "new.yml"]);
    assert_eq!((code, &again), (0, &resource), "{err}");
    assert!(!err.contains("writing"), "{err}");
    assert_eq!(place.files("repo"), before);
}

/// A registry that is not there: nothing is written.
#[test]
fn released_to_nowhere() {
    let place = Place::new("release-to-nowhere");
    let host = free_address();
    place.write(
        "source/a.yml",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n",
    );
    place.write(
        "haulout.yml",
        &format!(
            "repository: {{folder: repo, bundleRepo: '{host}/ab/all'}}\npackages:\n- {{refName: a.apps.example, version: \
             1.0.0, source: source, bundleRepo: '{host}/ab/one'}}\n"
        ),
    );
    let text = place.fail(&["release", "--config", "haulout.yml"]);
    assert!(text.contains(&host), "{text}");
    assert_eq!(place.names(), ["haulout.yml", "source"]);
}

/// The guide's examples, one after the other in one folder, as a user would run them.
#[test]
fn the_guide_holds() {
    let Some(registry) = Registry::start("guide", None) else {
        return;
    };
    let place = Place::new("guide");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bundles.md");
    let guide = fs::read_to_string(guide).unwrap();
    let blocks = guide
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    let script: String = blocks.collect();
    assert!(script.lines().count() > 10);
    let script = format!(
        "set -e\n{}",
        script.replace("127.0.0.1:5000", &registry.address)
    );
    let folder = Path::new(env!("CARGO_BIN_EXE_haulout")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let out = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&place.0)
        .env("PATH", path)
        .env("HOME", &place.0)
        .output()
        .unwrap();
    let (printed, told) = (
        String::from_utf8(out.stdout).unwrap(),
        String::from_utf8(out.stderr).unwrap(),
    );
    assert!(out.status.success(), "{printed}{told}");
    // The last command refers to the image in the other site's repository.
    let last = printed.rsplit("---\n").next().unwrap();
    assert!(
        last.contains(&format!("image: {}/site/app@sha256:", registry.address)),
        "{printed}"
    );
}
