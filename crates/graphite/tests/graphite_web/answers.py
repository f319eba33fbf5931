"""Answers requests with Debian's graphite-web, without a server.

The first line of standard input has the series, each further line a request; each answer is a line.
The series are in memory: a finder of our own hands them to graphite-web as its reader of .rrd files
would, the step first in which the request begins.
With a second argument, the port of a carbon-cache, they are those that it keeps below the first.
If that is `rrd`, they are those of the .rrd files in the directory `rrd` below the first.
"""

import json
import logging
import sys
import types

sys.path.insert(0, "/usr/lib/python3/dist-packages")
sys.dont_write_bytecode = True

state = sys.argv[1]
local = types.SimpleNamespace()
local.SECRET_KEY = "of a test"
local.TIME_ZONE = "UTC"
local.ALLOWED_HOSTS = ["*"]
local.STORAGE_DIR = state
local.LOG_DIR = state
local.INDEX_FILE = state + "/index"
local.DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
local.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
local.DEFAULT_CACHE_DURATION = 0
local.USE_WORKER_POOL = False
local.STORAGE_FINDERS = []
local.TAGDB = "graphite.tags.localdatabase.LocalDatabaseTagDB"
carbon = sys.argv[2] if len(sys.argv) > 2 else None
if carbon == "rrd":
    local.RRD_DIR = state + "/rrd"
    local.STANDARD_DIRS = [local.RRD_DIR]
    local.STORAGE_FINDERS = ["graphite.finders.standard.StandardFinder"]
elif carbon:
    local.WHISPER_DIR = state + "/whisper"
    local.STANDARD_DIRS = [local.WHISPER_DIR]
    local.CARBONLINK_HOSTS = ["127.0.0.1:" + carbon]
    local.STORAGE_FINDERS = ["graphite.finders.standard.StandardFinder"]
sys.modules["local_settings_of_test"] = local

import os

os.environ["GRAPHITE_SETTINGS_MODULE"] = "local_settings_of_test"
os.environ["DJANGO_SETTINGS_MODULE"] = "graphite.settings"

import django

django.setup()
logging.disable(logging.CRITICAL)

from django.core.management import call_command
from django.test import Client
from graphite.finders import match_entries
from graphite.finders.utils import BaseFinder
from graphite.intervals import Interval, IntervalSet
from graphite.node import BranchNode, LeafNode

SERIES = {}


class Reader(object):
    def __init__(self, series):
        self.series = series

    def get_intervals(self):
        return IntervalSet([Interval(0, 1 << 40)])

    def fetch(self, start, end, now=None, context=None):
        first, step, values = self.series["start"], self.series["step"], self.series["values"]
        start = start - start % step
        end = end - end % step
        rows = []
        for time in range(start, end, step):
            nth = (time - first) // step
            rows.append(values[nth] if 0 <= nth < len(values) else None)
        return (start, end, step), rows


class Finder(BaseFinder):
    def find_nodes(self, query):
        if query.pattern == "**":
            for path, series in SERIES.items():
                yield LeafNode(path, Reader(series))
            return
        if query.pattern in SERIES:
            yield LeafNode(query.pattern, Reader(SERIES[query.pattern]))
            return
        parts = query.pattern.split(".")
        found = [""]
        paths = [path for path in SERIES if ";" not in path]
        for part in parts:
            below = []
            for base in found:
                names = {path[len(base):].split(".")[0] for path in paths if path.startswith(base)}
                below += [base + name + "." for name in match_entries(sorted(names), part)]
            found = below
        for base in found:
            path = base[:-1]
            if path in SERIES:
                yield LeafNode(path, Reader(SERIES[path]))
            if any(other.startswith(base) for other in paths):
                yield BranchNode(path)


def main():
    call_command("migrate", run_syncdb=True, verbosity=0)
    from graphite.storage import STORE

    if not carbon:
        STORE.finders = [Finder()]

    for series in json.loads(sys.stdin.readline()):
        SERIES[series["path"]] = series
        if ";" in series["path"]:
            STORE.tagdb.tag_series(series["path"])
    client = Client(raise_request_exception=False)
    for line in sys.stdin:
        request = json.loads(line)
        fields = {}
        for name, value in request["parameters"]:
            fields.setdefault(name, []).append(value)
        answer = client.get(request["path"], fields, HTTP_ACCEPT="application/json")
        body = answer.content.decode("utf-8", "replace")
        print(json.dumps({"status": answer.status_code, "body": body}), flush=True)


main()
