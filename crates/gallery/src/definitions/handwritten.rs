//! Graphs as people write them by hand, one feature or two at a time.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "hand-plain",
        words: r"-s 1789913400 -e 1789999800 DEF:a=mrtg.rrd:ds0:AVERAGE LINE:a#ff0000",
    },
    Definition {
        name: "hand-short-window",
        words: r"-s 1789999200 -e 1789999800 -w 600 -h 120 DEF:a=mrtg.rrd:ds0:AVERAGE AREA:a#4060c0:traffic",
    },
    Definition {
        name: "hand-two-hours",
        words: r"-s 1789992600 -e 1789999800 -w 800 -h 120 -E DEF:a=load.rrd:load_1min:AVERAGE LINE2:a#aa3300:'load\l'",
    },
    Definition {
        name: "hand-three-days-wide",
        words: r"-s 1789740600 -e 1789999800 -w 1400 -h 300 DEF:a=load.rrd:load_1min:AVERAGE AREA:a#3355aa:load",
    },
    Definition {
        name: "hand-gradient",
        words: r"-s 1789913400 -e 1789999800 -w 500 -h 150 -l 0 DEF:a=load.rrd:load_1min:AVERAGE
            AREA:a#ff0000#ffff00:'load':gradheight=0 LINE1:a#800000",
    },
    Definition {
        name: "hand-right-axis",
        words: r"-s 1789913400 -e 1789999800 -w 500 -h 150 --right-axis 0.001:0 --right-axis-label 'thousands'
            --right-axis-format %1.1lf DEF:a=mrtg.rrd:ds0:AVERAGE LINE1:a#0000ff:'bytes'",
    },
    Definition {
        name: "hand-ticks-and-rules",
        words: r"-s 1789913400 -e 1789999800 -w 500 -h 150 DEF:a=ping.rrd:ping:AVERAGE CDEF:t=a,25,GT,1,0,IF
            LINE1:a#000000:'ping' TICK:t#ff0000:0.1:'slow' TICK:t#0000ff40:-0.2 VRULE:1789950000#00aa00:'deployed'
            HRULE:15#aa00aa:'goal\l':dashes=8,2,2,2",
    },
    Definition {
        name: "hand-unknown-stretch",
        words: r"-s 1789913400 -e 1789999800 -w 500 -h 150 -l 0 DEF:a=mrtg.rrd:ds0:AVERAGE
            CDEF:gap=a,UN,INF,UNKN,IF AREA:gap#ffcccc:'unknown' LINE2:a#006600:'bytes\l'",
    },
    Definition {
        name: "hand-negative-and-zero",
        words: r"-s 1789913400 -e 1789999800 -w 500 -h 150 DEF:a=sensor.rrd:sensor:AVERAGE CDEF:c=a,22,-
            AREA:c#8888ff:'difference' LINE1:c#000088 HRULE:0#000000",
    },
    Definition {
        name: "hand-text-aligned",
        words: r"-s 1789913400 -e 1789999800 -w 400 -h 100 -t 'Legends' DEF:a=load.rrd:load_1min:AVERAGE
            TEXTALIGN:center LINE1:a#ff0000:one LINE1:a#00ff00:two COMMENT:'left\l' COMMENT:'right\r'
            COMMENT:'centre\c' COMMENT:'justified and spread\j' COMMENT:'space\s' COMMENT:'glued\g' COMMENT:'on\l'",
    },
    Definition {
        name: "hand-colours-and-grid",
        words: r"-s 1789913400 -e 1789999800 -w 400 -h 100 -c CANVAS#000000 -c BACK#101010 -c FONT#c0c0c0
            -c GRID#404040 -c MGRID#808080 -c AXIS#808080 -c FRAME#000000 --grid-dash 1:3
            DEF:a=load.rrd:load_1min:AVERAGE AREA:a#30f030:load",
    },
    Definition {
        name: "hand-no-grid-full-size",
        words: r"-s 1789913400 -e 1789999800 -w 400 -h 150 -D -x none -y none DEF:a=load.rrd:load_1min:AVERAGE
            AREA:a#3030f0:load",
    },
    Definition {
        name: "hand-svg-units",
        words: r"-s 1789913400 -e 1789999800 -w 400 -h 100 -b 1024 -X 6 -L 8 DEF:a=mrtg.rrd:ds0:AVERAGE
            LINE1:a#3030f0:megabytes GPRINT:a:AVERAGE:'%6.3lf %S' GPRINT:a:MAX:'%6.3lf %S\l'",
    },
];
