"""Reads a table, and prints for each row where its value belongs and the bits of the value."""

import glob
import json
import struct
import sys


def show(name, source, function, row_seconds, seconds, value):
    bits = "null" if value is None else "%016x" % struct.unpack("<Q", struct.pack("<d", value))[0]
    time = ("%.6f" % seconds).rstrip("0").rstrip(".")
    print(name, source, function, "%g" % row_seconds, time, bits, sep="\t")


def duckdb_rows(form, files):
    import duckdb

    readers = {
        "csv": "read_csv('%s')",
        "tsv": "read_csv('%s', delim='\t')",
        "json": "read_json('%s', format='array')",
        "ndjson": "read_json('%s', format='newline_delimited')",
        "parquet": "read_parquet('%s')",
    }
    if form == "arrow":
        import pyarrow

        tables = [pyarrow.ipc.open_file(path).read_all() for path in sorted(glob.glob(files))]
        all_rows = pyarrow.concat_tables(tables)  # DuckDB reads Arrow in memory
        source = "all_rows"
    else:
        source = readers[form] % files
    connection = duckdb.connect()
    connection.execute("set timezone='UTC'")
    # What JSON has as a number may be read as a whole one.
    query = (
        "select name, source, function, row_seconds::double, epoch(time::timestamptz), "
        "value::double from " + source
    )
    return connection.execute(query).fetchall()


def pyarrow_rows(form, files):
    import pyarrow
    from pyarrow import csv, ipc, parquet

    types = {"value": pyarrow.float64(), "row_seconds": pyarrow.float64()}
    types["time"] = pyarrow.timestamp("us", "UTC")
    rows = []
    for path in sorted(glob.glob(files)):
        if form in ("csv", "tsv"):
            parse = csv.ParseOptions(delimiter="," if form == "csv" else "\t")
            convert = csv.ConvertOptions(column_types=types)
            table = csv.read_csv(path, parse_options=parse, convert_options=convert)
        elif form == "json":
            with open(path) as file:
                table = pyarrow.Table.from_pylist(json.load(file))
        elif form == "ndjson":
            from pyarrow import json as arrow_json

            table = arrow_json.read_json(path)
        elif form == "arrow":
            table = ipc.open_file(path).read_all()
        else:
            table = parquet.read_table(path)
        for row in table.to_pylist():
            time = row["time"]
            if isinstance(time, str):
                import datetime

                time = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
            value = row["value"]
            value = None if value is None else float(value)
            columns = [row[name] for name in ("name", "source", "function", "row_seconds")]
            if time.tzinfo is None:
                import datetime

                time = time.replace(tzinfo=datetime.timezone.utc)
            rows.append((*columns, time.timestamp(), value))
    return rows


def metrics_rows(port, files):
    import urllib.request

    at = "http://127.0.0.1:%s" % port
    for path in sorted(glob.glob(files)):
        with open(path, "rb") as file:
            urllib.request.urlopen(at + "/write", data=file.read()).close()
    urllib.request.urlopen(at + "/internal/force_flush").close()
    rows = []
    with urllib.request.urlopen(at + "/api/v1/export?match[]=gyre_value") as answer:
        for line in answer:
            series = json.loads(line)
            metric = series["metric"]
            columns = (metric["name"], metric["source"], metric["function"])
            for value, time in zip(series["values"], series["timestamps"]):
                rows.append((*columns, float(metric["row_seconds"]), time / 1000, float(value)))
    return rows


reader, form, files = sys.argv[1:]
readers = {"duckdb": duckdb_rows, "pyarrow": pyarrow_rows, "metrics": metrics_rows}
for row in readers[reader](form, files):
    show(*row)
