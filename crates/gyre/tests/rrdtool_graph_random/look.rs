//! Random looks of graphs: sizes, texts, axes, legends, and the elements that stand in them.

use super::graph::Graph;
use super::random::Random;

/// What may be asked of a picture, each by itself.
const OPTIONS: [&str; 54] = [
    "-j",
    "-D -w 500 -h 300",
    "-g",
    "-m 1.5",
    "-m 2",
    "-P",
    "-E",
    "-N",
    "-I",
    "-F",
    "-r",
    "-A",
    "-J",
    "-M",
    "-Y",
    "-o -l 0.5 -r",
    "-o --units=si",
    "-u 12.5",
    "-u 1e7 -l -3e6 -r",
    "-l 0",
    "-l -20",
    "-b 1024",
    "-X 3",
    "-X 0",
    "-L 10",
    "-L 3",
    "-x none",
    "-y none",
    "--right-axis 2:10",
    "--right-axis 0.01:0 --right-axis-label \"on the right\"",
    "--right-axis 1:0 --right-axis-formatter timestamp",
    "--left-axis-formatter duration",
    "--legend-position north",
    "--legend-position west",
    "--legend-position east",
    "--legend-direction bottomup",
    "--dynamic-labels",
    "--border 0",
    "--border 7",
    "-t \"A title\"",
    "-t \"Über München &amp; <b>more</b>\"",
    "-v \"bits per second\"",
    "-W \"a watermark\"",
    "-T 80",
    "-n \"DEFAULT:10:DejaVu Sans\"",
    "-n \"TITLE:15:DejaVu Serif\"",
    "-n \"LEGEND:7:DejaVu Sans Mono\"",
    "-n \"LEGEND:11:DejaVu Sans\"",
    "-n AXIS:9:",
    "-n UNIT:12:",
    "-n WATERMARK:9:",
    "--disable-rrdtool-tag",
    "-R light -G mono",
    "-a SVG",
];

/// Texts of legends, with and without what ends a line.
const LEGENDS: [&str; 13] = [
    "in",
    "in\\l",
    "out\\r",
    "a longer text\\c",
    "justified\\j",
    "half a line\\s",
    "glued\\g",
    "tab\\tand tab",
    "",
    "  blanks  ",
    "Übertragung µs",
    "a\\: colon",
    "no line\\n",
];

const FORMATS: [&str; 9] = [
    "%lf",
    "%6.2lf %s",
    "%.3le",
    "max %8.1lf%S\\l",
    "%5.1lf%%\\r",
    "%lg\\j",
    "a %3.0lf b\\c",
    "%.2lf\\g",
    "%4.2lf%s\\s",
];

/// A graph of any look, after words that name the picture and the window.
pub(crate) fn drawn(command: String, random: &mut Random) -> Graph {
    let mut command = command;
    if random.below(4) > 0 {
        let (width, height) = (20 + random.below(700), 20 + random.below(400));
        command += &format!(" -w {width} -h {height}");
    }
    for _ in 0..random.below(7) {
        command.push(' ');
        command += random.one_of(&OPTIONS);
    }
    let mut graph = Graph::begin(command, false, random);
    for _ in 0..1 + random.below(6) {
        let element = element(&graph, random);
        graph.say(&element);
    }
    graph
}

/// An element as one word of the pipe mode.
fn element(graph: &Graph, random: &mut Random) -> String {
    let series = graph.one(random);
    let color = random.one_of(&["#ff0000", "#00aa0080", "#123456", ""]);
    let legend = random.one_of(&LEGENDS);
    // Without a colour there is no legend.
    let legend = if color.is_empty() { String::new() } else { format!(":{legend}") };
    let text = match random.below(11) {
        0 | 1 => format!("LINE{}:{series}{color}{legend}", random.one_of(&["1", "2", "0.5"])),
        2 => format!("AREA:{series}{color}{legend}"),
        3 => format!("AREA:{series}#3344ff:stacked:STACK"),
        4 => format!("LINE1:{series}#888888:dashed:dashes=3,2"),
        5 => format!("HRULE:{}#00ff00{legend}", random.below(100)),
        6 => format!("COMMENT:{}", random.one_of(&LEGENDS)),
        7 => format!("TEXTALIGN:{}", random.one_of(&["left", "right", "center", "justified"])),
        8 => format!("PRINT:{series}:MAX:{}", random.one_of(&["%lf", "%.3le%s", "%8.2lf"])),
        _ => {
            let function = random.one_of(&["AVERAGE", "MIN", "MAX", "LAST"]);
            format!("GPRINT:{series}:{function}:{}", random.one_of(&FORMATS))
        }
    };
    format!("\"{text}\"")
}
