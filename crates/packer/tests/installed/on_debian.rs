//! Packages installed, upgraded, removed and purged beside Debian's own.

use std::time::{Duration, Instant};

use packer::product::NAMES;

use crate::debian::Debian;
use crate::packages::{at_hand, earlier};
use crate::site::{differences, files};

const SETTINGS: &str = "/etc/default/gyre-run";

/// The operator's own: a configuration, a database of Debian's rrdtool, and one in gyre's directory.
const OF_OPERATOR: &str = "\
mkdir -p /etc /var/lib/rrdcached/db /srv/graphs
echo 'WorkDir: /srv/graphs' >/etc/mrtg.cfg
rrdtool create /var/lib/rrdcached/db/a.rrd --start 1000000000 DS:in:GAUGE:600:U:U RRA:LAST:0.5:1:9";

#[test]
#[ignore = "it fetches a Debian: cargo xtask package --try"]
fn a_life_of_the_packages_leaves_everything_as_it_was() {
    let Some(debian) = Debian::new() else { return };
    debian.says(OF_OPERATOR);
    let before = files(debian.root());

    debian.install(&earlier(".deb"));
    assert_eq!(version(&debian), "0.0.9");
    debian.says(&format!("echo OPTIONS=--no-web >>{SETTINGS}"));
    debian.says("install -o gyre -g gyre /etc/mrtg.cfg /var/lib/gyre/operators");

    debian.install(&at_hand(".deb"));
    assert_eq!(version(&debian), env!("CARGO_PKG_VERSION"));
    assert!(debian.says(&format!("cat {SETTINGS}")).ends_with("OPTIONS=--no-web\n"));
    for name in NAMES {
        assert_eq!(program(&debian, name), "/usr/bin/gyre\n", "{name}");
    }
    assert!(debian.says("rrdtool --version").contains("answered by gyre"));
    assert!(debian.says("rrdtool info /var/lib/rrdcached/db/a.rrd").contains("ds[in].type"));

    debian.says("dpkg --remove gyre-compat librrd8-gyre gyre");
    for name in NAMES {
        assert!(program(&debian, name).starts_with("/usr/bin/rrd"), "{name}");
    }
    assert!(debian.says("rrdtool --version").contains("Tobias Oetiker"));
    assert!(debian.says(&format!("cat {SETTINGS}")).ends_with("OPTIONS=--no-web\n"));

    debian.says("dpkg --purge gyre-compat librrd8-gyre gyre");
    assert_eq!(debian.says("dpkg --verify rrdtool rrdcached librrd8"), "");
    assert_eq!(debian.says("dpkg-divert --list | grep gyre || true"), "");
    assert_eq!(debian.says("cat /var/lib/gyre/operators"), "WorkDir: /srv/graphs\n");
    debian.says("rm -r /var/lib/gyre");
    let left = differences(&before, &files(debian.root()));
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
#[ignore = "it fetches a Debian: cargo xtask package --try"]
fn the_operator_chooses_among_gyre_and_debians_programs() {
    let Some(debian) = Debian::new() else { return };
    debian.install(&at_hand(".deb"));
    debian.says("update-alternatives --quiet --set rrdtool /usr/bin/rrdtool.distrib");
    assert!(debian.says("rrdtool --version").contains("Tobias Oetiker"));
    assert_eq!(program(&debian, "rrdinfo"), "/usr/bin/rrdupdate.distrib\n");
    assert_eq!(program(&debian, "rrdcached"), "/usr/bin/gyre\n");
    debian.says("update-alternatives --quiet --auto rrdtool");
    assert!(debian.says("rrdtool --version").contains("answered by gyre"));
}

#[test]
#[ignore = "it fetches a Debian: cargo xtask package --try"]
fn debians_programs_may_come_and_go_while_gyre_has_their_names() {
    let Some(debian) = Debian::new() else { return };
    debian.says("dpkg --remove --force-depends rrdtool");
    debian.install(&at_hand(".deb"));
    assert_eq!(program(&debian, "rrdtool"), "/usr/bin/gyre\n");
    assert!(!debian.says("update-alternatives --list rrdtool").contains("distrib"));
    debian.says("apt-get install --quiet=2 --yes --no-install-recommends rrdtool");
    assert_eq!(program(&debian, "rrdtool"), "/usr/bin/gyre\n");
    assert!(debian.says("update-alternatives --list rrdtool").contains("/usr/bin/rrdtool.distrib"));
    debian.says("dpkg --remove --force-depends rrdtool");
    assert!(!debian.says("update-alternatives --list rrdtool").contains("distrib"));
    debian.says("dpkg --remove gyre-compat");
    assert_eq!(debian.says("command -v rrdtool || true"), "");
}

#[test]
#[ignore = "it fetches a Debian: cargo xtask package --try"]
fn the_library_is_a_choice() {
    let Some(debian) = Debian::new() else { return };
    let library = "ldd /usr/bin/rrdtool | grep librrd";
    let perl = "perl -MRRDs -e 'RRDs::create(\"/tmp/p.rrd\", \"DS:a:GAUGE:600:U:U\", \
                \"RRA:LAST:0.5:1:9\"); print RRDs::error() // \"made\"'";
    assert!(!debian.says(library).contains("/gyre/"));
    debian.install(&at_hand(".deb"));
    let library = library.replace("rrdtool", "rrdtool.distrib");
    assert!(debian.says(&library).contains("/gyre/librrd.so.8"));
    assert_eq!(debian.says(perl), "made");
    let distribution = "/usr/share/librrd8-gyre/distribution.conf";
    debian.says(&format!("update-alternatives --quiet --set librrd8 {distribution} && ldconfig"));
    assert!(!debian.says(&library).contains("/gyre/"));
    debian.says("update-alternatives --quiet --auto librrd8 && ldconfig");
    assert!(debian.says(&library).contains("/gyre/librrd.so.8"));
    debian.says("dpkg --remove librrd8-gyre");
    assert!(!debian.says(&library).contains("/gyre/"));
}

/// From packages to a picture: what the unit starts, over a network that answers.
#[test]
#[ignore = "it fetches a Debian: cargo xtask package --try"]
fn a_configuration_of_mrtg_is_a_picture_within_a_minute() {
    let Some(debian) = Debian::new() else { return };
    let start = Instant::now();
    debian.install(&at_hand(".deb"));
    let unit = debian.says("cat /usr/lib/systemd/system/gyre-run.service");
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    assert_eq!(command, "/usr/bin/gyre run --store ${STORE} --log json $OPTIONS ${CONFIGURATION}");
    let script = format!(
        "gyre network --devices 2 --ports 2 --udp-port 16199 --for 100 \
             --mrtg-config /etc/mrtg.cfg --work-dir /var/lib/gyre >/dev/null &
         until [ -s /etc/mrtg.cfg ]; do sleep 0.1; done
         STORE=/var/lib/gyre/store OPTIONS='--listen 127.0.0.1:18099' CONFIGURATION=/etc/mrtg.cfg \
             setpriv --reuid gyre --regid gyre --clear-groups sh -c 'exec {command}' >/dev/null 2>&1 &
         pages=http://127.0.0.1:18099
         fetch() {{ curl --silent --fail --retry 50 --retry-connrefused --retry-delay 1 \"$@\"; }}
         name=$(fetch $pages/api/targets.json | grep -o '\"name\":\"[^\"]*' | head -n 1 | cut -d'\"' -f4)
         fetch --output /tmp/graph.png \"$pages/graph/$name/span.png?start=-1d&end=now\""
    );
    debian.says(&script);
    let picture = std::fs::read(debian.root().join("tmp/graph.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    let took = start.elapsed();
    eprintln!("from packages to a picture: {:.1} s", took.as_secs_f64());
    assert!(took < Duration::from_secs(60), "{took:?}");
}

fn version(debian: &Debian) -> String {
    let told = debian.says("dpkg-query --show --showformat '${Version}\n' gyre gyre-compat");
    let mut versions: Vec<&str> = told.lines().collect();
    versions.dedup();
    assert_eq!(versions.len(), 1, "{told}");
    versions[0].to_owned()
}

/// The program that a name stands for.
fn program(debian: &Debian, name: &str) -> String {
    debian.says(&format!("readlink -f $(command -v {name})"))
}
