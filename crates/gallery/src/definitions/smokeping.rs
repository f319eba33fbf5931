//! Graphs as SmokePing writes them: smoke as stacked areas, the median in the colour of its loss.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "smokeping-detail-3-hours",
        words: r"--title 'Last 3 Hours' --height 200 --width 600 --start 1789989000 --end 1789999800 --rigid
            --upper-limit 0.06 --lower-limit 0 --imgformat PNG --vertical-label Seconds
            --color SHADEA#ffffff --color SHADEB#ffffff --color BACK#ffffff --color CANVAS#ffffff
            DEF:loss=smoke.rrd:loss:AVERAGE DEF:median=smoke.rrd:median:AVERAGE
            DEF:ping1=smoke.rrd:ping1:AVERAGE DEF:ping2=smoke.rrd:ping2:AVERAGE DEF:ping3=smoke.rrd:ping3:AVERAGE
            DEF:ping4=smoke.rrd:ping4:AVERAGE
            CDEF:cp1=ping1,0.06,LT,ping1,INF,IF CDEF:cp2=ping2,0.06,LT,ping2,INF,IF
            CDEF:cp3=ping3,0.06,LT,ping3,INF,IF CDEF:cp4=ping4,0.06,LT,ping4,INF,IF
            CDEF:smoke1=cp1,UN,UNKN,cp4,cp1,-,IF AREA:cp1 STACK:smoke1#dddddd
            CDEF:smoke2=cp2,UN,UNKN,cp3,cp2,-,IF AREA:cp2 STACK:smoke2#aaaaaa
            LINE1:median#202020
            CDEF:me0=loss,-1,GT,loss,0,LE,*,1,UNKN,IF,median,* CDEF:meL0=me0,0.0003,- CDEF:meH0=me0,0,*,0.0006,+
            AREA:meL0 STACK:meH0#26ff00
            CDEF:me1=loss,0,GT,loss,1,LE,*,1,UNKN,IF,median,* CDEF:meL1=me1,0.0003,- CDEF:meH1=me1,0,*,0.0006,+
            AREA:meL1 STACK:meH1#00b8ff
            CDEF:me2=loss,1,GT,loss,20,LE,*,1,UNKN,IF,median,* CDEF:meL2=me2,0.0003,- CDEF:meH2=me2,0,*,0.0006,+
            AREA:meL2 STACK:meH2#ff0000
            VDEF:avmed=median,AVERAGE VDEF:avls=loss,AVERAGE
            COMMENT:'median rtt\:   ' GPRINT:avmed:'%.1lf %ss av md' GPRINT:median:MAX:'%.1lf %ss max md'
            GPRINT:median:LAST:'%.1lf %ss now\l' COMMENT:'packet loss\:  ' GPRINT:avls:'%.2lf %% av\l'
            COMMENT:'loss color\:   ' LINE1:me0#26ff00:'0' LINE1:me1#00b8ff:'1/20' LINE1:me2#ff0000:'more\l'
            COMMENT:'probe\:  20 ICMP Echo Pings (56 Bytes) every 300s     2026-09-21 14\:10\r'",
    },
    Definition {
        name: "smokeping-overview",
        words: r"--title 'Last 30 Hours' --height 95 --width 600 --start 1789891800 --end 1789999800 --rigid
            --lower-limit 0 --imgformat PNG --vertical-label Seconds --alt-autoscale-max
            --color SHADEA#ffffff --color SHADEB#ffffff --color BACK#ffffff --color CANVAS#ffffff
            DEF:median=smoke.rrd:median:AVERAGE DEF:loss=smoke.rrd:loss:AVERAGE
            CDEF:dm=median,0,0.1,LIMIT CDEF:dm2=median,1.5,*,0,0.1,LIMIT LINE1:dm2
            CDEF:dev0=loss,0,LE,dm,UNKN,IF LINE2:dm#26ff00:'median RTT'
            GPRINT:median:AVERAGE:'avg RTT\: %.1lf %ss' GPRINT:loss:AVERAGE:'avg pkt loss\: %.2lf %%\l'
            COMMENT:'\s' COMMENT:'end of graph\r'",
    },
    Definition {
        name: "smokeping-navigator",
        words: r"--title 'Navigator Graph' --height 200 --width 600 --start 1789740600 --end 1789999800 --rigid
            --upper-limit 0.05 --lower-limit 0 --vertical-label Seconds --imgformat PNG
            DEF:maxping=smoke.rrd:median:MAX DEF:loss=smoke.rrd:loss:AVERAGE DEF:median=smoke.rrd:median:AVERAGE
            CDEF:m=median,0.05,LT,median,INF,IF AREA:m#eeeeff LINE1:median#202020:'median'
            LINE1:maxping#a0a0a0:'worst\l' TICK:loss#ff000033:1.0:'loss\l'",
    },
    Definition {
        name: "smokeping-logarithmic",
        words: r"--title 'Logarithmic' --height 200 --width 600 --start 1789913400 --end 1789999800
            --logarithmic --upper-limit 0.1 --lower-limit 0.001 --rigid --vertical-label Seconds
            DEF:median=smoke.rrd:median:AVERAGE DEF:a=smoke.rrd:ping1:AVERAGE DEF:b=smoke.rrd:ping4:AVERAGE
            LINE1:a#a0a0a0 LINE1:b#a0a0a0 LINE2:median#26ff00:'median\l'",
    },
    Definition {
        name: "smokeping-10-days-deviation",
        words: r"--title 'Last 10 Days' --height 200 --width 600 --start 1789135800 --end 1789999800 --rigid
            --upper-limit 0.05 --lower-limit 0 --vertical-label Seconds --units-exponent -3
            DEF:median=smoke.rrd:median:AVERAGE
            DEF:p1=smoke.rrd:ping1:AVERAGE DEF:p2=smoke.rrd:ping2:AVERAGE DEF:p3=smoke.rrd:ping3:AVERAGE
            DEF:p4=smoke.rrd:ping4:AVERAGE CDEF:m=p1,p2,p3,p4,+,+,+,4,/
            CDEF:sdev=p1,m,-,DUP,*,p2,m,-,DUP,*,p3,m,-,DUP,*,p4,m,-,DUP,*,+,+,+,4,/,SQRT
            AREA:median#c0ffc0:'median' LINE1:sdev#ff0000:'deviation'
            GPRINT:sdev:AVERAGE:'%.1lf %ss av sd\l'",
    },
    Definition {
        name: "smokeping-multi-host",
        words: r"--title 'Several hosts' --height 150 --width 600 --start 1789913400 --end 1789999800 --rigid
            --lower-limit 0 --imgformat PNG --vertical-label Seconds --alt-autoscale-max
            DEF:a=smoke.rrd:ping1:AVERAGE DEF:b=smoke.rrd:ping2:AVERAGE DEF:c=smoke.rrd:ping3:AVERAGE
            LINE1:a#0000ff:'amsterdam ' GPRINT:a:AVERAGE:'median RTT\: %5.1lf %ss avg' GPRINT:a:MAX:'%5.1lf %ss max\l'
            LINE1:b#ff0000:'bern      ' GPRINT:b:AVERAGE:'median RTT\: %5.1lf %ss avg' GPRINT:b:MAX:'%5.1lf %ss max\l'
            LINE1:c#00ff00:'cologne   ' GPRINT:c:AVERAGE:'median RTT\: %5.1lf %ss avg' GPRINT:c:MAX:'%5.1lf %ss max\l'",
    },
];
