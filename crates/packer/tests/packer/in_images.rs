//! Images for containers.

use std::collections::BTreeMap;
use std::io::Read as _;

use packer::{Machine, image};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::made_up::{binary, source};

type Files = BTreeMap<String, Vec<u8>>;

fn files(archive: &[u8]) -> Files {
    let mut archive = tar::Archive::new(archive);
    let mut files = Files::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(path, bytes);
    }
    files
}

/// The part that a description names, whose hash and size must be right.
fn part<'a>(files: &'a Files, named: &Value) -> &'a [u8] {
    let digest = named["digest"].as_str().unwrap();
    let hash = digest.strip_prefix("sha256:").unwrap();
    let bytes = &files[&format!("blobs/sha256/{hash}")];
    assert_eq!(named["size"], bytes.len());
    assert_eq!(hex(&Sha256::digest(bytes)), hash);
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

#[test]
fn an_image_holds_the_program_alone_and_is_not_run_as_root() {
    let image = image(&source(), &binary(), Machine::Arm64).unwrap();
    assert_eq!(image.name, "gyre-1.2.3-aarch64-image.tar");
    let files = files(&image.bytes);
    assert_eq!(json(&files["oci-layout"])["imageLayoutVersion"], "1.0.0");
    let named = &json(&files["index.json"])["manifests"][0];
    assert_eq!(named["platform"]["architecture"], "arm64");
    let manifest = json(part(&files, named));
    let configuration = json(part(&files, &manifest["config"]));
    assert_eq!(configuration["config"]["User"], "65532:65532");
    assert_eq!(configuration["config"]["Entrypoint"][0], "/usr/bin/gyre");
    let listed = &json(&files["manifest.json"])[0];
    assert_eq!(listed["RepoTags"][0], "gyre:1.2.3");
    for (path, described) in
        [(&listed["Config"], &manifest["config"]), (&listed["Layers"][0], &manifest["layers"][0])]
    {
        assert_eq!(files[path.as_str().unwrap()], part(&files, described));
    }
    let mut layer = Vec::new();
    let packed = part(&files, &manifest["layers"][0]);
    flate2::read::GzDecoder::new(packed).read_to_end(&mut layer).unwrap();
    let hash = format!("sha256:{}", hex(&Sha256::digest(&layer)));
    assert_eq!(configuration["rootfs"]["diff_ids"][0], hash);
    let inside = self::files(&layer);
    let programs: Vec<&String> =
        inside.iter().filter(|(_, bytes)| !bytes.is_empty()).map(|(path, _)| path).collect();
    assert_eq!(programs, ["usr/bin/gyre"]);
}

#[test]
fn an_image_is_the_same_each_time() {
    let [one, other] = [(); 2].map(|()| image(&source(), &binary(), Machine::Amd64).unwrap());
    assert_eq!(one, other);
}
