//! Graphs as Cacti's poller and pages write them.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "cacti-traffic-day",
        words: r"--imgformat=PNG --start=1789913400 --end=1789999500 --title='router - Traffic - Gi0/1'
            --rigid --base=1000 --height=120 --width=500 --alt-autoscale-max --lower-limit='0'
            --vertical-label='bits per second' --slope-mode --font TITLE:12: --font AXIS:8:
            --font LEGEND:10: --font UNIT:8:
            DEF:a=traffic.rrd:traffic_in:AVERAGE DEF:b=traffic.rrd:traffic_out:AVERAGE
            CDEF:cdefa='a,8,*' CDEF:cdeff='b,8,*'
            AREA:cdefa#00CF00FF:'Inbound' GPRINT:cdefa:LAST:' Current\:%8.2lf %s'
            GPRINT:cdefa:AVERAGE:'Average\:%8.2lf %s' GPRINT:cdefa:MAX:'Maximum\:%8.2lf %s\n'
            LINE1:cdeff#002A97FF:'Outbound' GPRINT:cdeff:LAST:'Current\:%8.2lf %s'
            GPRINT:cdeff:AVERAGE:'Average\:%8.2lf %s' GPRINT:cdeff:MAX:'Maximum\:%8.2lf %s\n'",
    },
    Definition {
        name: "cacti-traffic-bandwidth",
        words: r"--imgformat=PNG --start=1789394700 --end=1789999500 --title='router - Traffic'
            --rigid --base=1000 --height=200 --width=700 --alt-autoscale-max --lower-limit='0'
            COMMENT:'From 2026/09/14 14\:05\:00 To 2026/09/21 14\:05\:00\c' COMMENT:'  \n'
            --vertical-label='bits per second' --slope-mode
            DEF:a=traffic.rrd:traffic_in:AVERAGE DEF:b=traffic.rrd:traffic_out:AVERAGE
            CDEF:cdefa='a,8,*' CDEF:cdefe='b,8,*'
            AREA:cdefa#00CF007F:'Inbound' GPRINT:cdefa:LAST:' Current\:%8.2lf%s'
            GPRINT:cdefa:AVERAGE:'Average\:%8.2lf%s' GPRINT:cdefa:MAX:'Maximum\:%8.2lf%s'
            COMMENT:'Total In\:  12.34 GB\n'
            LINE1:cdefe#002A977F:'Outbound' GPRINT:cdefe:LAST:'Current\:%8.2lf%s'
            GPRINT:cdefe:AVERAGE:'Average\:%8.2lf%s' GPRINT:cdefe:MAX:'Maximum\:%8.2lf%s'
            COMMENT:'Total Out\: 5.67 GB\n'",
    },
    Definition {
        name: "cacti-load-average",
        words: r"--imgformat=PNG --start=1789913400 --end=1789999500 --title='Localhost - Load Average'
            --base=1000 --height=120 --width=500 --alt-autoscale --units-exponent=0
            --vertical-label='processes in the run queue' --slope-mode --font TITLE:10: --font AXIS:7:
            DEF:a=load.rrd:load_1min:AVERAGE DEF:b=load.rrd:load_5min:AVERAGE DEF:c=load.rrd:load_15min:AVERAGE
            CDEF:cdefg='TIME,1789990000,GT,a,a,UN,0,a,IF,IF,TIME,1789990000,GT,b,b,UN,0,b,IF,IF,TIME,1789990000,GT,c,c,UN,0,c,IF,IF,+,+'
            AREA:a#EACC00FF:'1 Minute Average' GPRINT:a:LAST:'Current\:%8.2lf\n'
            AREA:b#EA8F00FF:'5 Minute Average':STACK GPRINT:b:LAST:'Current\:%8.2lf\n'
            AREA:c#FF0000FF:'15 Minute Average':STACK GPRINT:c:LAST:'Current\:%8.2lf\n'
            LINE1:cdefg#000000FF:''",
    },
    Definition {
        name: "cacti-memory",
        words: r"--imgformat=PNG --start=1789913400 --end=1789999500 --title='Localhost - Memory Usage'
            --rigid --base=1000 --height=120 --width=500 --alt-autoscale-max --lower-limit='0'
            --vertical-label='kilobytes' --slope-mode
            DEF:a=memory.rrd:mem_free:AVERAGE DEF:b=memory.rrd:mem_swap:AVERAGE
            CDEF:cdefa='a,1024,*' CDEF:cdefe='b,1024,*'
            AREA:cdefa#8F005CFF:'Free' GPRINT:cdefa:LAST:'Current\:%8.2lf %s' GPRINT:cdefa:AVERAGE:'Average\:%8.2lf %s'
            GPRINT:cdefa:MAX:'Maximum\:%8.2lf %s\n' AREA:cdefe#FF5700FF:'Swap':STACK
            GPRINT:cdefe:LAST:'Current\:%8.2lf %s' GPRINT:cdefe:AVERAGE:'Average\:%8.2lf %s' GPRINT:cdefe:MAX:'Maximum\:%8.2lf %s'",
    },
    Definition {
        name: "cacti-ping",
        words: r"--imgformat=PNG --start=1789913400 --end=1789999500 --title='router - Ping Latency'
            --base=1000 --height=120 --width=500 --lower-limit='0' --vertical-label='milliseconds'
            --slope-mode DEF:a=ping.rrd:ping:AVERAGE DEF:b=ping.rrd:ping:MAX
            CDEF:k='a,20,GT,a,UNKN,IF' CDEF:l='a,20,LE,a,UNKN,IF'
            AREA:l#00A348FF:'good' AREA:k#FF0000FF:'slow' LINE1:b#000000FF:'Maximum'
            GPRINT:a:LAST:'Current\:%8.2lf' GPRINT:a:AVERAGE:'Average\:%8.2lf' GPRINT:a:MAX:'Maximum\:%8.2lf\n'
            HRULE:20#0000FFFF:'threshold\n'",
    },
    Definition {
        name: "cacti-thumbnail",
        words: r"--imgformat=PNG --start=1789913400 --end=1789999500 --title='Traffic' --rigid --base=1000
            --height=100 --width=300 --alt-autoscale-max --lower-limit='0' --no-legend --slope-mode
            --font TITLE:8: --font AXIS:6: --font UNIT:7:
            DEF:a=traffic.rrd:traffic_in:AVERAGE DEF:b=traffic.rrd:traffic_out:AVERAGE
            AREA:a#00CF00FF:In LINE1:b#002A97FF:Out",
    },
    Definition {
        name: "cacti-logarithmic",
        words: r"--imgformat=PNG --start=1789913400 --end=1789999500 --title='Errors' --logarithmic --units=si
            --height=150 --width=500 --lower-limit='1' --vertical-label='per second'
            DEF:a=traffic.rrd:traffic_in:AVERAGE DEF:b=traffic.rrd:traffic_out:AVERAGE
            LINE2:a#00CF00FF:In LINE2:b#002A97FF:Out",
    },
    Definition {
        name: "cacti-percentile-rule",
        words: r"--imgformat=PNG --start=1787407800 --end=1789999500 --title='95th percentile' --rigid
            --base=1000 --height=160 --width=600 --lower-limit='0' --vertical-label='bits per second'
            DEF:a=traffic.rrd:traffic_in:AVERAGE CDEF:bits='a,8,*' VDEF:n='bits,95,PERCENTNAN'
            AREA:bits#4668E4FF:In LINE1:n#FF0000FF:'95th percentile' GPRINT:n:'%8.2lf %s\n'
            VRULE:1789000000#FF00FF:'change\n' COMMENT:'(source\: traffic.rrd)\j'",
    },
];
