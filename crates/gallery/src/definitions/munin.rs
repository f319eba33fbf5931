//! Graphs as munin-graph writes them: one file a source, each named 42.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "munin-cpu-day",
        words: r"--title 'CPU usage - by day' --start 1789879800 --end 1789999800 --base 1000 -r --lower-limit 0
            --upper-limit 100 --vertical-label % --slope-mode --height 175 --width 400 --imgformat PNG
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans,DejaVu LGC Sans,Bitstream Vera Sans'
            --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono,DejaVu LGC Sans Mono,Bitstream Vera Sans Mono,monospace'
            --color BACK#F0F0F0 --color FRAME#F0F0F0 --color CANVAS#FFFFFF --color FONT#666666
            --color AXIS#CFD6F8 --color ARROW#CFD6F8 --border 0 -W 'Munin 2.0.73'
            DEF:asystem=cpu-system.rrd:42:MAX DEF:isystem=cpu-system.rrd:42:MIN DEF:gsystem=cpu-system.rrd:42:AVERAGE
            DEF:auser=cpu-user.rrd:42:MAX DEF:iuser=cpu-user.rrd:42:MIN DEF:guser=cpu-user.rrd:42:AVERAGE
            COMMENT:'       ' COMMENT:'Cur\:' COMMENT:'Min\:' COMMENT:'Avg\:' COMMENT:'Max\:  \j'
            CDEF:csystem=gsystem CDEF:cuser=guser
            AREA:gsystem#00CC00:'system' COMMENT:'' GPRINT:csystem:LAST:%6.2lf%s GPRINT:isystem:MIN:%6.2lf%s
            GPRINT:gsystem:AVERAGE:%6.2lf%s GPRINT:asystem:MAX:%6.2lf%s\j
            STACK:guser#0066B3:'user  ' COMMENT:'' GPRINT:cuser:LAST:%6.2lf%s GPRINT:iuser:MIN:%6.2lf%s
            GPRINT:guser:AVERAGE:%6.2lf%s GPRINT:auser:MAX:%6.2lf%s\j
            COMMENT:'Last update\: Mon Sep 21 14\:10\:00 2026\r'",
    },
    Definition {
        name: "munin-load-week",
        words: r"--title 'Load average - by week' --start 1789393800 --end 1789999800 --base 1000 -l 0
            --vertical-label load --slope-mode --height 175 --width 400
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans' --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono'
            --color BACK#F0F0F0 --color FRAME#F0F0F0 --color CANVAS#FFFFFF --color FONT#666666
            --color AXIS#CFD6F8 --color ARROW#CFD6F8 --border 0 -W 'Munin 2.0.73'
            DEF:a=load.rrd:load_5min:AVERAGE DEF:amax=load.rrd:load_5min:MAX DEF:amin=load.rrd:load_5min:MIN
            CDEF:range=amax,amin,- LINE1:amin#ffffff00 AREA:range#22ff2244::STACK LINE1:a#22ff22:'load'
            GPRINT:a:LAST:'Cur\:%8.2lf' GPRINT:amin:MIN:'Min\:%8.2lf' GPRINT:a:AVERAGE:'Avg\:%8.2lf'
            GPRINT:amax:MAX:'Max\:%8.2lf\j'",
    },
    Definition {
        name: "munin-interface-day",
        words: r"--title 'eth0 traffic - by day' --start 1789879800 --end 1789999800 --base 1000
            --vertical-label 'bits in (-) / out (+) per second' --slope-mode --height 175 --width 400
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans' --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono'
            --color BACK#F0F0F0 --color FRAME#F0F0F0 --border 0 -W 'Munin 2.0.73'
            DEF:down=if-down.rrd:42:AVERAGE DEF:up=if-up.rrd:42:AVERAGE
            CDEF:cdown=down,8,* CDEF:cup=up,8,* CDEF:neg=cdown,-1,*
            COMMENT:'              ' COMMENT:'Cur (-/+)' COMMENT:'Avg (-/+)' COMMENT:'Max (-/+) \j'
            LINE1:neg#00CC00:'bps' LINE1:cup#00CC00 HRULE:0#000000
            GPRINT:cdown:LAST:%6.2lf%s/\g GPRINT:cup:LAST:%6.2lf%s
            GPRINT:cdown:AVERAGE:%6.2lf%s/\g GPRINT:cup:AVERAGE:%6.2lf%s
            GPRINT:cdown:MAX:%6.2lf%s/\g GPRINT:cup:MAX:%6.2lf%s\j",
    },
    Definition {
        name: "munin-memory-month",
        words: r"--title 'Memory usage - by month' --start 1787407800 --end 1789999800 --base 1024 -l 0
            --upper-limit 8589934592 --vertical-label Bytes --slope-mode --height 175 --width 400
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans' --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono'
            --color BACK#F0F0F0 --color FRAME#F0F0F0 --border 0 -W 'Munin 2.0.73'
            DEF:apps=mem-apps.rrd:42:AVERAGE DEF:cache=mem-cache.rrd:42:AVERAGE
            AREA:apps#00CC00:'apps    ' GPRINT:apps:LAST:'Cur\:%6.2lf%s' GPRINT:apps:MAX:'Max\:%6.2lf%s\j'
            STACK:cache#0066B3:'cache   ' GPRINT:cache:LAST:'Cur\:%6.2lf%s' GPRINT:cache:MAX:'Max\:%6.2lf%s\j'
            HRULE:6442450944#ff0000:'limit\j'",
    },
    Definition {
        name: "munin-year",
        words: r"--title 'Interrupts - by year' --start 1756303800 --end 1789999800 --base 1000 --logarithmic
            --vertical-label 'interrupts / second' --slope-mode --height 175 --width 400
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans' --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono'
            DEF:i=mrtg.rrd:ds0:AVERAGE DEF:c=mrtg.rrd:ds1:AVERAGE
            LINE1:i#00CC00:'interrupts      ' GPRINT:i:LAST:'Cur\:%6.2lf%s\j'
            LINE1:c#0066B3:'context switches' GPRINT:c:LAST:'Cur\:%6.2lf%s\j'",
    },
    Definition {
        name: "munin-sum-of-sources",
        words: r"--title 'Sum - by day' --start 1789879800 --end 1789999800 --base 1000 -l 0 --slope-mode
            --vertical-label '${graph_period}' --height 175 --width 400 --border 0 -W 'Munin 2.0.73'
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans' --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono'
            DEF:a=cpu-system.rrd:42:AVERAGE DEF:b=cpu-user.rrd:42:AVERAGE DEF:c=if-up.rrd:42:AVERAGE
            CDEF:sum=a,UN,0,a,IF,b,UN,0,b,IF,+ CDEF:re_zero=a,a,*,0,* AREA:re_zero
            STACK:a#00CC00:'system' GPRINT:a:LAST:%6.2lf%s\j STACK:b#FF8000:'user' GPRINT:b:LAST:%6.2lf%s\j
            LINE1:sum#000000:'total' GPRINT:sum:LAST:%6.2lf%s\j",
    },
    Definition {
        name: "munin-uptime",
        words: r"--title 'Uptime - by week' --start 1789393800 --end 1789999800 --base 1000 -l 0
            --vertical-label 'uptime in days' --height 175 --width 400 --border 0
            --font 'DEFAULT:0:DejaVuSans,DejaVu Sans' --font 'LEGEND:7:DejaVuSansMono,DejaVu Sans Mono'
            DEF:u=uptime.rrd:42:AVERAGE AREA:u#00CC00:'uptime' GPRINT:u:LAST:'Cur\:%6.2lf'
            GPRINT:u:MIN:'Min\:%6.2lf' GPRINT:u:AVERAGE:'Avg\:%6.2lf' GPRINT:u:MAX:'Max\:%6.2lf\j'",
    },
    Definition {
        name: "munin-dashed-warning",
        words: r"--title 'Disk usage - by week' --start 1789393800 --end 1789999800 --base 1000 -l 0 -u 100 -r
            --vertical-label % --slope-mode --height 175 --width 400 --border 0
            DEF:d=storage.rrd:used:AVERAGE CDEF:p=d,1e10,/ LINE2:p#00CC00:'/var':dashes=4,2
            GPRINT:p:LAST:'Cur\:%6.2lf\j' HRULE:92#0066B3:'warning':dashes HRULE:98#FF0000:'critical\j'",
    },
];
