use super::*;

fn parsed(arguments: &[&str]) -> Result<Arguments, Misuse> {
    let parsed = parse(arguments.iter().map(OsString::from));
    Ok(parsed?.expect("no help was asked for"))
}

/// What is said of arguments that are wrong.
fn refused(arguments: &[&str]) -> String {
    parsed(arguments).unwrap_err().to_string()
}

#[test]
fn options_stand_anywhere_and_in_both_forms() {
    let words = ["--store", "/d", "mrtg.cfg", "--cycles=3", "--listen=[::1]:0", "--allow-host=a"];
    let arguments = parsed(&words).unwrap();
    assert_eq!(arguments.configuration, PathBuf::from("mrtg.cfg"));
    assert_eq!(arguments.keeping.directory, Some("/d".into()));
    assert_eq!(arguments.cycles, Some(3));
    assert_eq!(arguments.listen, "[::1]:0".parse().ok());
    assert_eq!(arguments.allowed_hosts, ["a"]);
}

#[test]
fn a_ring_store_is_told_how_to_keep() {
    let keeping = |words: &[&str]| parsed(&[&["mrtg.cfg"], words].concat()).unwrap().keeping;
    assert_eq!(keeping(&[]).sync, SyncWhen::Always);
    assert_eq!(keeping(&["--sync=off"]).sync, SyncWhen::Off);
    let minute = Duration::from_secs(60);
    assert_eq!(keeping(&["--sync", "60"]).sync, SyncWhen::Every(minute));
    let told = keeping(&["--flush-cycles=36", "--tile-rows", "6", "--rrd-files"]);
    assert_eq!((told.flush_cycles, told.tile_rows), (Some(36), Some(6)));
    assert!(told.rrd_files && !keeping(&[]).rrd_files);
    assert!(keeping(&["--sparse"]).sparse && !told.sparse);
    let group = keeping(&["--store-group=adm"]).store_group;
    assert_eq!((group.as_deref(), told.store_group), (Some("adm"), None));
    assert_eq!(keeping(&["--memory", "64"]).memory_bytes, Some(64 << 20));
    for wrong in ["--sync=often", "--sync=0", "--flush-cycles=0", "--tile-rows=4001", "--memory=0"]
    {
        assert!(parsed(&["a", wrong]).is_err(), "{wrong}");
    }
}

#[test]
fn sockets_are_as_the_options_before_them_say() {
    let line = ["-P", "FETCH", "--rrdcached=/a", "-m", "660", "--rrdcached", ":7", "mrtg.cfg"];
    let arguments = parsed(&line).unwrap();
    let mut sockets = Sockets::default();
    sockets.permit("FETCH").unwrap();
    sockets.listen("unix:/a").unwrap();
    sockets.set_mode("660").unwrap();
    sockets.listen(":7").unwrap();
    assert_eq!(arguments.rrdcached(), sockets.named);
    for (line, words) in [
        (&["-m", "9", "--rrdcached=/a"][..], "--socket-mode: Invalid file mode \"9\"."),
        (&["--rrdcached", "[::1"], "--rrdcached: Malformed address: [::1"),
        (&["--rrdcached"], "--rrdcached: expected ADDRESS"),
        (&["--rrdcached="], "--rrdcached: expected an address, found nothing"),
        (
            &["--rrdcached=/a", "-P", "PING"],
            "--permit holds for each --rrdcached that follows, and none follows",
        ),
        (
            &["-P", "PING,NIX", "--rrdcached=/a"],
            "--permit: Adding permission \"NIX\" to socket failed: no such command.",
        ),
    ] {
        assert_eq!(refused(line), words);
    }
}

#[test]
fn mistakes_are_named() {
    for (line, words) in [
        (&[][..], "expected one configuration file, found 0"),
        (&["a", "b"], "expected one configuration file, found 2"),
        (&["--fork", "a"], "unknown option --fork"),
        (&["-x", "a"], "unknown option -x"),
        (&["a", "--cycles", "some"], "--cycles: expected a number above zero, found some"),
        (
            &["a", "--allow-host", "http://a.example"],
            "--allow-host: expected a host's name, found http://a.example",
        ),
        (&["a", "--allow-host", "a b"], "--allow-host: expected a host's name, found a b"),
        (
            &["a", "--no-web", "--tokens=/t"],
            "--tokens is for web pages and --rrdcached, and there is neither",
        ),
        (&["a", "--allow-host", ""], "--allow-host: expected a host's name, found nothing"),
    ] {
        assert_eq!(refused(line), words);
    }
    assert!(parsed(&["a", "--cycles", "0"]).is_err());
    assert!(parsed(&["a", "--store"]).is_err());
}

#[test]
fn what_helps_to_operate_is_checked() {
    let words = ["--part=2/3", "--secrets", "/s", "--secrets=env", "--log=json", "mrtg.cfg"];
    let arguments = parsed(&words).unwrap();
    assert_eq!(arguments.keeping.part, "2/3".parse().ok());
    assert_eq!(arguments.secrets, [Place::Path("/s".into()), Place::Environment]);
    assert_eq!(arguments.log, LogFormat::Json);
    let wrong = |word: &str| refused(&["mrtg.cfg", word]);
    assert!(wrong("--part=0/3").starts_with("--part: expected N/M"));
    assert_eq!(wrong("--log=xml"), "--log: expected text or json, found xml");
    assert!(wrong("--secrets=").starts_with("--secrets: expected a path, env or credentials"));
}
