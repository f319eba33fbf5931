//! An image for containers, in the layout of the Open Container Initiative.
//!
//! ```text
//! oci-layout    index.json --> manifest --> configuration: user, program, directory of data
//!                                       \-> layer: the static program alone
//! ```
//!
//! `podman load` and `skopeo copy oci-archive:` read that. `manifest.json` names the same parts as
//! older versions of `docker load` look for them.

use serde_json::{Value, json};

use crate::digest::sha256;
use crate::{Binary, Contents, Machine, Output, PackError, Source, gzip, tar};

/// The user that runs the program: the number that images without a shell use.
const USER: u32 = 65_532;
/// Where the databases are.
const DATA: &str = "var/lib/gyre";
const PROGRAM: &str = "usr/bin/gyre";

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIGURATION: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// An image of a program without needs. Nothing else is in it, its root may be read-only, and it is
/// not run as root.
///
/// # Errors
/// A description cannot be written.
pub fn image(source: &Source, binary: &Binary, machine: Machine) -> Result<Output, PackError> {
    let mut root = Contents::default();
    root.program(PROGRAM, binary.program.clone());
    root.directory_of(DATA, USER);
    let layer = tar(&root, "", source.moment)?;
    let mut blobs = Blobs::default();
    let packed = blobs.add(LAYER, gzip(&layer));
    let configuration = configuration(source, machine, &sha256(&layer));
    let configuration = blobs.add(CONFIGURATION, serde_json::to_vec(&configuration)?);
    let listed = json!([{
        "Config": path(&configuration),
        "RepoTags": [format!("gyre:{}", source.version)],
        "Layers": [path(&packed)],
    }]);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": configuration,
        "layers": [packed],
    });
    let mut manifest = blobs.add(MANIFEST, serde_json::to_vec(&manifest)?);
    manifest["platform"] = json!({ "architecture": machine.debian(), "os": "linux" });
    manifest["annotations"] = json!({
        "org.opencontainers.image.ref.name": format!("gyre:{}", source.version),
    });
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest] });
    blobs.files.file("index.json", serde_json::to_vec(&index)?);
    blobs.files.file("manifest.json", serde_json::to_vec(&listed)?);
    blobs.files.file("oci-layout", &br#"{"imageLayoutVersion":"1.0.0"}"#[..]);
    let name = format!("gyre-{}-{}-image.tar", source.version, machine.kernel());
    Ok(Output { name, bytes: tar(&blobs.files, "", source.moment)? })
}

fn configuration(source: &Source, machine: Machine, layer: &str) -> Value {
    let created = source.moment.as_rfc3339();
    json!({
        "created": created,
        "architecture": machine.debian(),
        "os": "linux",
        "config": {
            "User": format!("{USER}:{USER}"),
            "Entrypoint": [format!("/{PROGRAM}")],
            "Cmd": ["--help"],
            "WorkingDir": format!("/{DATA}"),
            "Volumes": { format!("/{DATA}"): {} },
            "Labels": {
                "org.opencontainers.image.title": "gyre",
                "org.opencontainers.image.version": source.version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        "history": [{ "created": created, "created_by": "cargo xtask package" }],
    })
}

/// Where a part is that is described so.
fn path(described: &Value) -> String {
    let digest = described["digest"].as_str().unwrap_or_default();
    format!("blobs/{}", digest.replace(':', "/"))
}

/// The parts, each under the name of its hash.
#[derive(Default)]
struct Blobs {
    files: Contents,
}

impl Blobs {
    /// Adds a part, and returns how others name it.
    fn add(&mut self, kind: &str, bytes: Vec<u8>) -> Value {
        let (hash, size) = (sha256(&bytes), bytes.len());
        self.files.file(&format!("blobs/sha256/{hash}"), bytes);
        json!({ "mediaType": kind, "digest": format!("sha256:{hash}"), "size": size })
    }
}
