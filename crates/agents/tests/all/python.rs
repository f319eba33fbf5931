//! Pickles that Python makes.

use std::process::{Command, Stdio};

use intake::Protocol;

use crate::world::{BOTH, World, now_seconds};

/// As the example of Graphite's manual, "The Pickle Protocol" in "Feeding In Your Data".
const SENDER: &str = r#"
import pickle, socket, struct, sys
host, port, time = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with socket.create_connection((host, port)) as carbon:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        points = [("py.%d.%d" % (protocol, nth), (time, nth / 4.0)) for nth in range(100)]
        payload = pickle.dumps(points, protocol=protocol)
        carbon.sendall(struct.pack("!L", len(payload)) + payload)
    payload = pickle.dumps({"no": "list"}, protocol=2)
    carbon.sendall(struct.pack("!L", len(payload)) + payload)
"#;

#[test]
fn pickles_of_python_are_taken() {
    let Some(python) = oracle::program("python3", "pickles as carbon's clients send them") else {
        return;
    };
    for kept in BOTH {
        let world = World::new(kept);
        let address = world.address(Protocol::Pickle);
        let time = now_seconds();
        let sent = Command::new(&python)
            .args(["-c", SENDER, &address.ip().to_string(), &address.port().to_string()])
            .arg(time.to_string())
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(sent.success());
        world.wait_taken(Protocol::Pickle, 6 * 100);
        world.wait_wrong(Protocol::Pickle, 1);
        assert_eq!(world.last("py/0/3.rrd"), (time, vec!["0.75".into()]));
        assert_eq!(world.last("py/5/99.rrd"), (time, vec!["24.75".into()]));
        assert_eq!(world.names().len(), 6 * 100);
    }
}
