//! The formats that are text, to the letter; and that every format tells a full disk.

use std::io;

use tables::{Error, Format, Rows, Table};

fn table(format: Format) -> String {
    let mut table = Table::new(format, Vec::new()).unwrap();
    let values = [1.5, f64::NAN, f64::INFINITY, -1e300];
    let rows = Rows {
        name: "a, \"b\".rrd",
        source: "in=x y",
        function: "AVERAGE",
        row_micros: 300_000_000,
        first_end_micros: 1_704_067_500_000_000,
        values: &values,
    };
    table.put(&rows).unwrap();
    table.put(&Rows { name: "c", row_micros: 100_000, values: &[0.1], ..rows }).unwrap();
    String::from_utf8(table.finish().unwrap()).unwrap()
}

#[test]
fn comma_separated_values() {
    assert_eq!(
        table(Format::Csv),
        "name,source,function,row_seconds,time,value\n\
         \"a, \"\"b\"\".rrd\",in=x y,AVERAGE,300,2024-01-01T00:05:00Z,1.5\n\
         \"a, \"\"b\"\".rrd\",in=x y,AVERAGE,300,2024-01-01T00:10:00Z,\n\
         \"a, \"\"b\"\".rrd\",in=x y,AVERAGE,300,2024-01-01T00:15:00Z,inf\n\
         \"a, \"\"b\"\".rrd\",in=x y,AVERAGE,300,2024-01-01T00:20:00Z,-1e300\n\
         c,in=x y,AVERAGE,0.1,2024-01-01T00:05:00Z,0.1\n"
    );
    assert!(table(Format::Tsv).contains("\nc\tin=x y\tAVERAGE\t0.1\t2024-01-01T00:05:00Z\t0.1\n"));
}

#[test]
fn json_is_one_array_or_a_line_for_each_row() {
    let lines = table(Format::Ndjson);
    assert_eq!(
        lines.lines().next().unwrap(),
        "{\"name\":\"a, \\\"b\\\".rrd\",\"source\":\"in=x y\",\"function\":\"AVERAGE\",\
         \"row_seconds\":300,\"time\":\"2024-01-01T00:05:00Z\",\"value\":1.5}"
    );
    assert!(lines.lines().nth(1).unwrap().ends_with("\"value\":null}"));
    assert!(lines.lines().nth(2).unwrap().ends_with("\"value\":\"inf\"}"));
    let array = table(Format::Json);
    let inner = array.strip_prefix("[\n").unwrap().strip_suffix("\n]\n").unwrap();
    assert_eq!(inner.replace("},\n", "}\n") + "\n", lines);
    let empty = Table::new(Format::Json, Vec::new()).unwrap().finish().unwrap();
    assert_eq!(empty, b"[\n]\n");
}

#[test]
fn line_protocol_has_no_unknown_values() {
    assert_eq!(
        table(Format::Line),
        "gyre,name=a\\,\\ \"b\".rrd,source=in\\=x\\ y,function=AVERAGE,row_seconds=300 value=1.5 \
         1704067500000000000\n\
         gyre,name=a\\,\\ \"b\".rrd,source=in\\=x\\ y,function=AVERAGE,row_seconds=300 \
         value=-1e300 1704068400000000000\n\
         gyre,name=c,source=in\\=x\\ y,function=AVERAGE,row_seconds=0.1 value=0.1 \
         1704067500000000000\n"
    );
}

/// Takes so many bytes.
struct Disk(usize);

impl io::Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 && !bytes.is_empty() {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_by_every_format() {
    for format in Format::ALL {
        let values = vec![1.25; 700_000];
        let written = Table::new(format, Disk(100_000)).and_then(|mut table| {
            table.put(&Rows {
                name: "a",
                source: "b",
                function: "MAX",
                row_micros: 1_000_000,
                first_end_micros: 0,
                values: &values,
            })?;
            table.finish().map(drop)
        });
        let Err(Error::Io(error)) = written else { panic!("{format:?}: {written:?}") };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{format:?}");
    }
}
