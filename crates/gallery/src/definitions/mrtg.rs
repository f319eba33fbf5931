//! MRTG's files as 14all.cgi, mrtg-rrd and routers2 draw them.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "mrtg-14all-day",
        words: r"--start 1789879800 --end 1789999800 --width 400 --height 100 -l 0
            --title '5 minute average' --vertical-label 'Bytes per Second' --base 1000
            DEF:in=mrtg.rrd:ds0:AVERAGE DEF:maxin=mrtg.rrd:ds0:MAX
            DEF:out=mrtg.rrd:ds1:AVERAGE DEF:maxout=mrtg.rrd:ds1:MAX
            CDEF:allin=maxin,UN,in,maxin,IF CDEF:allout=maxout,UN,out,maxout,IF
            AREA:allin#00cc00:In LINE1:allout#0000ff:Out
            PRINT:in:MAX:'%.1lf %s' PRINT:in:AVERAGE:'%.1lf %s' PRINT:out:LAST:'%.1lf %s'",
    },
    Definition {
        name: "mrtg-14all-week-maxima",
        words: r"--start 1789294200 --end 1789999800 --width 400 --height 100 -l 0 -u 12500000 -r
            --title '30 minute average' --vertical-label 'Bits/Sec' --base 1000 --alt-y-mrtg
            DEF:in=mrtg.rrd:ds0:AVERAGE DEF:out=mrtg.rrd:ds1:AVERAGE
            DEF:maxin=mrtg.rrd:ds0:MAX DEF:maxout=mrtg.rrd:ds1:MAX
            AREA:maxin#006600 AREA:in#00cc00:Incoming LINE1:maxout#ff00ff LINE1:out#0000ff:Outgoing
            HRULE:12500000#cc0000",
    },
    Definition {
        name: "mrtg-rrd-month",
        words: r"--start 1787407800 --end 1789999800 -w 500 -h 100 -v 'Bytes per Second' --lazy
            --color BACK#f5f5f5 --color FONT#000000 -X 0
            DEF:ds0=mrtg.rrd:ds0:AVERAGE DEF:ds1=mrtg.rrd:ds1:AVERAGE
            AREA:ds0#00eb0c:'Bytes In  ' GPRINT:ds0:MAX:'Max %5.1lf' GPRINT:ds0:AVERAGE:'Average %5.1lf'
            GPRINT:ds0:LAST:'Current %5.1lf\l'
            LINE1:ds1#1000ff:'Bytes Out ' GPRINT:ds1:MAX:'Max %5.1lf' GPRINT:ds1:AVERAGE:'Average %5.1lf'
            GPRINT:ds1:LAST:'Current %5.1lf\l'",
    },
    Definition {
        name: "mrtg-rrd-year",
        words: r"--start 1758463800 --end 1789999800 -w 500 -h 100 -v 'Bits per Second'
            DEF:ds0=mrtg.rrd:ds0:AVERAGE DEF:ds1=mrtg.rrd:ds1:AVERAGE
            DEF:ds0m=mrtg.rrd:ds0:MAX DEF:ds1m=mrtg.rrd:ds1:MAX
            CDEF:b0=ds0,8,* CDEF:b1=ds1,8,* CDEF:m0=ds0m,8,* CDEF:m1=ds1m,8,*
            AREA:m0#006600:'Peak in' AREA:b0#00eb0c:In LINE1:m1#ff00ff:'Peak out' LINE1:b1#1000ff:Out",
    },
    Definition {
        name: "mrtg-routers2-day",
        words: r"-e 1789999800 -s 1789913400 --imgformat PNG -w 400 -h 100 --base 1024
            --title 'Traffic: router-1 (12.5 MB/s)' -c ARROW#ff0000 --lower-limit 0
            --x-grid HOUR:1:HOUR:6:HOUR:2:0:%k --vertical-label 'Bytes per second'
            DEF:in=mrtg.rrd:ds0:AVERAGE DEF:out=mrtg.rrd:ds1:AVERAGE
            CDEF:inpc=in,12500000,/,100,* CDEF:outpc=out,12500000,/,100,*
            AREA:in#00cc00:'Inbound  ' GPRINT:inpc:LAST:'Cur\: %5.1lf%%' GPRINT:inpc:MAX:'Max\: %5.1lf%%\l'
            LINE1:out#0000ff:'Outbound ' GPRINT:outpc:LAST:'Cur\: %5.1lf%%' GPRINT:outpc:MAX:'Max\: %5.1lf%%\l'
            COMMENT:'Last update 21 Sep 2026\r'",
    },
    Definition {
        name: "mrtg-routers2-mirror",
        words: r"-e 1789999800 -s 1789913400 -w 530 -h 150 --title 'In above, out below'
            DEF:in=mrtg.rrd:ds0:AVERAGE DEF:out=mrtg.rrd:ds1:AVERAGE CDEF:down=out,-1,*
            AREA:in#00cc00:In AREA:down#0000ff:Out HRULE:0#000000",
    },
    Definition {
        name: "mrtg-routers2-stack",
        words: r"-e 1789999800 -s 1789394800 -w 530 -h 150 -l 0 --slope-mode
            DEF:a=mrtg.rrd:ds0:AVERAGE DEF:b=mrtg.rrd:ds1:AVERAGE CDEF:total=a,b,+
            AREA:a#0000c0:'uplink 1' AREA:b#c0c000:'uplink 2':STACK LINE1:total#000000:Total
            VDEF:p95=total,95,PERCENT LINE1:p95#ff0000:'95th percentile':dashes
            GPRINT:p95:'%.2lf %sB/s\l'",
    },
];
