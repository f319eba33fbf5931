"""Writes a frame for each protocol that the running Python has, as Graphite's manual says:
struct.pack("!L", length) and pickle.dumps(list of (path, (time, value))).

    python3 make.py 3 && python2.7 make.py 2        # Python 3.11.7 and 2.7.18 made these files
"""
import pickle
import struct
import sys

point = (1700000300, 5)
points = [
    ("servers.web1.load", (1700000000, 0.25)),
    ("servers.web1.jobs;rack=a1", (1700000060, 42)),
    ("big", (1700000120.5, 12345678901234)),
    ("neg", (1700000180, -70000)),
    ("nan", (1700000240, float("nan"))),
    ("same.a", point),
    ("same.b", point),
    (u"quote'\\\u00e9\u20ac", (-1, "7.50")),
    ("most", (1700000360, 2**64 - 1)),
]


def write(name, dumps, protocol):
    body = dumps(points, protocol)
    with open(name, "wb") as file:
        file.write(struct.pack("!L", len(body)) + body)


for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    write("python%s-%d.bin" % (sys.argv[1], protocol), pickle.dumps, protocol)
    if sys.argv[1] == "2":
        import cPickle

        write("c-python2-%d.bin" % protocol, cPickle.dumps, protocol)
