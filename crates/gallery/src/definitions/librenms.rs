//! Graphs as LibreNMS writes them.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "librenms-port-bits",
        words: r"--alt-autoscale-max --rigid -E --start 1789913400 --end 1789999800 --width 1076 --height 300
            -c BACK#EEEEEE00 -c SHADEA#EEEEEE00 -c SHADEB#EEEEEE00 -c FONT#000000 -c CANVAS#FFFFFF
            -c GRID#a5a5a5 -c MGRID#FF9999 -c FRAME#5e5e5e -c ARROW#5e5e5e -R normal
            --font LEGEND:8:DejaVuSansMono --font AXIS:7:DejaVuSansMono --font-render-mode normal
            DEF:outoctets=port.rrd:OUTOCTETS:AVERAGE DEF:inoctets=port.rrd:INOCTETS:AVERAGE
            DEF:outoctets_max=port.rrd:OUTOCTETS:MAX DEF:inoctets_max=port.rrd:INOCTETS:MAX
            CDEF:octets=inoctets,outoctets,+ CDEF:doutoctets=outoctets,-1,* CDEF:outbits=outoctets,8,*
            CDEF:outbits_max=outoctets_max,8,* CDEF:doutoctets_max=outoctets_max,-1,*
            CDEF:doutbits=doutoctets,8,* CDEF:doutbits_max=doutoctets_max,8,* CDEF:inbits=inoctets,8,*
            CDEF:inbits_max=inoctets_max,8,* VDEF:totout=outoctets,TOTAL VDEF:totin=inoctets,TOTAL
            VDEF:tot=octets,TOTAL VDEF:95thin=inbits,95,PERCENT VDEF:95thout=outbits,95,PERCENT
            CDEF:d95thoutn=doutbits,-1,* VDEF:d95thoutn95=d95thoutn,95,PERCENT CDEF:d95thoutn95n=doutbits,doutbits,-,d95thoutn95,-1,*,+
            VDEF:d95thout=d95thoutn95n,FIRST
            COMMENT:'bps      Now       Ave      Max      95th %\n'
            AREA:inbits_max#D7FFC7: AREA:inbits#90B040: LINE:inbits#608720:'In '
            GPRINT:inbits:LAST:%6.2lf%s GPRINT:inbits:AVERAGE:%6.2lf%s GPRINT:inbits_max:MAX:%6.2lf%s
            GPRINT:95thin:%6.2lf%s\n
            AREA:doutbits_max#E0E0FF: AREA:doutbits#8080C0: LINE:doutbits#606090:'Out'
            GPRINT:outbits:LAST:%6.2lf%s GPRINT:outbits:AVERAGE:%6.2lf%s GPRINT:outbits_max:MAX:%6.2lf%s
            GPRINT:95thout:%6.2lf%s\n
            GPRINT:tot:'Total %6.2lf%sB' GPRINT:totin:'(In %6.2lf%sB' GPRINT:totout:'Out %6.2lf%sB)\l'
            LINE1:95thin#aa0000 LINE1:d95thout#aa0000",
    },
    Definition {
        name: "librenms-port-small",
        words: r"--alt-autoscale-max --rigid -E --start 1789913400 --end 1789999800 --width 150 --height 45
            --only-graph -c BACK#FFFFFF00 -c SHADEA#FFFFFF00 -c SHADEB#FFFFFF00 -c CANVAS#FFFFFF00
            DEF:i=port.rrd:INOCTETS:AVERAGE DEF:o=port.rrd:OUTOCTETS:AVERAGE CDEF:d=o,-1,*
            AREA:i#CDEB8B LINE1.25:i#006600 AREA:d#C3D9FF LINE1.25:d#000099 HRULE:0#999999",
    },
    Definition {
        name: "librenms-port-errors",
        words: r"-l 0 -E --start 1789913400 --end 1789999800 --width 700 --height 200 -c BACK#EEEEEE00
            -c GRID#a5a5a5 -c MGRID#FF9999 -c FRAME#5e5e5e -R normal --font LEGEND:8:DejaVuSansMono
            DEF:in=port.rrd:INERRORS:AVERAGE DEF:out=port.rrd:OUTERRORS:AVERAGE CDEF:d=out,-1,*
            COMMENT:'Errors/s     Now      Avg      Max\n'
            AREA:in#FF3300:'In ' GPRINT:in:LAST:%8.2lf%s GPRINT:in:AVERAGE:%6.2lf%s GPRINT:in:MAX:%6.2lf%s\n
            AREA:d#FF6633:'Out' GPRINT:out:LAST:%8.2lf%s GPRINT:out:AVERAGE:%6.2lf%s GPRINT:out:MAX:%6.2lf%s\n",
    },
    Definition {
        name: "librenms-processor",
        words: r"-l 0 -u 100 -r -E --start 1789394800 --end 1789999800 --width 1076 --height 300
            -c BACK#EEEEEE00 -c SHADEA#EEEEEE00 -c SHADEB#EEEEEE00 -c GRID#a5a5a5 -c MGRID#FF9999
            --font LEGEND:8:DejaVuSansMono --font AXIS:7:DejaVuSansMono -R normal
            DEF:u=processor.rrd:usage:AVERAGE DEF:umin=processor.rrd:usage:MIN DEF:umax=processor.rrd:usage:MAX
            COMMENT:'Usage         Now    Min    Max    Avg\l'
            CDEF:d=umax,umin,- LINE1:umin#FFFFFF00 AREA:d#c5c5c5aa::STACK LINE1.5:u#cc0000:'Core 1 '
            GPRINT:u:LAST:%4.0lf%% GPRINT:umin:MIN:%4.0lf%% GPRINT:umax:MAX:%4.0lf%% GPRINT:u:AVERAGE:%4.0lf%%\l",
    },
    Definition {
        name: "librenms-mempool",
        words: r"-l 0 -u 100 -b 1024 -E --start 1789913400 --end 1789999800 --width 700 --height 200
            --font LEGEND:8:DejaVuSansMono --font AXIS:7:DejaVuSansMono -R normal -c BACK#EEEEEE00
            DEF:used=mempool.rrd:used:AVERAGE DEF:free=mempool.rrd:free:AVERAGE
            CDEF:size=used,free,+ CDEF:perc=used,size,/,100,*
            COMMENT:'               Size      Used    Percent\n'
            AREA:perc#F0E68Cdd LINE1.25:perc#008000:'Physical memory' GPRINT:size:LAST:%6.2lf%siB
            GPRINT:used:LAST:%6.2lf%siB GPRINT:perc:LAST:%5.2lf%%\l",
    },
    Definition {
        name: "librenms-sensor-temperature",
        words: r"-E --alt-autoscale --start 1789913400 --end 1789999800 --width 700 --height 200
            --font LEGEND:8:DejaVuSansMono --font AXIS:7:DejaVuSansMono -R normal -X 0
            -c BACK#EEEEEE00 -c GRID#a5a5a5 -c MGRID#FF9999 -c FRAME#5e5e5e
            DEF:s=sensor.rrd:sensor:AVERAGE DEF:smax=sensor.rrd:sensor:MAX DEF:smin=sensor.rrd:sensor:MIN
            COMMENT:'                  Min    Last     Max\l'
            CDEF:warm=s,24,GT,s,UNKN,IF AREA:warm#FF990055 LINE1.5:s#CC0000:'Inlet temperature'
            GPRINT:smin:MIN:%5.1lfC GPRINT:s:LAST:%5.1lfC GPRINT:smax:MAX:%5.1lfC\l HRULE:24#FF0000:'limit':dashes=5,2",
    },
    Definition {
        name: "librenms-multi-stack",
        words: r"-l 0 -E --start 1789394800 --end 1789999800 --width 1076 --height 300 -R normal
            --font LEGEND:7:DejaVuSansMono --font AXIS:6:DejaVuSansMono
            DEF:a=port.rrd:INOCTETS:AVERAGE DEF:b=traffic.rrd:traffic_in:AVERAGE DEF:c=mrtg.rrd:ds0:AVERAGE
            DEF:d=mrtg.rrd:ds1:AVERAGE
            CDEF:a8=a,8,* CDEF:b8=b,8,* CDEF:c8=c,8,* CDEF:d8=d,8,*
            COMMENT:'Interface          Now      Avg      Max\l'
            AREA:a8#CC0000AA:'core1    ' GPRINT:a8:LAST:%6.2lf%s GPRINT:a8:AVERAGE:%6.2lf%s GPRINT:a8:MAX:%6.2lf%s\l
            AREA:b8#008C00AA:'core2    ':STACK GPRINT:b8:LAST:%6.2lf%s GPRINT:b8:AVERAGE:%6.2lf%s GPRINT:b8:MAX:%6.2lf%s\l
            AREA:c8#4096EEAA:'edge1    ':STACK GPRINT:c8:LAST:%6.2lf%s GPRINT:c8:AVERAGE:%6.2lf%s GPRINT:c8:MAX:%6.2lf%s\l
            AREA:d8#73880AAA:'edge2    ':STACK GPRINT:d8:LAST:%6.2lf%s GPRINT:d8:AVERAGE:%6.2lf%s GPRINT:d8:MAX:%6.2lf%s\l",
    },
    Definition {
        name: "librenms-icmp",
        words: r"-E --start 1789913400 --end 1789999800 --width 700 --height 200 -l 0 -R normal
            --font LEGEND:8:DejaVuSansMono --font AXIS:7:DejaVuSansMono
            DEF:p=ping.rrd:ping:AVERAGE DEF:m=ping.rrd:ping:MAX VDEF:a=p,AVERAGE VDEF:sd=p,STDEV
            CDEF:high=p,a,sd,2,*,+,GT,INF,UNKN,IF AREA:high#FFCC0055:'more than two deviations'
            LINE1.25:p#36393D:'rtt' GPRINT:a:'avg %3.2lf ms' GPRINT:sd:'sd %3.2lf ms\l'
            TICK:high#ff00007f:0.05:'outlier\l'",
    },
    Definition {
        name: "librenms-previous-day",
        words: r"-l 0 -E --start 1789913400 --end 1789999800 --width 700 --height 200 -R normal
            DEF:now=port.rrd:INOCTETS:AVERAGE
            DEF:before=port.rrd:INOCTETS:AVERAGE:start=1789827000:end=1789913400 SHIFT:before:86400
            AREA:now#90B040:'today' LINE1.25:before#BB0000:'the day before\l'",
    },
    Definition {
        name: "librenms-trend",
        words: r"-l 0 -E --start 1789394800 --end 1789999800 --width 700 --height 200 -R normal
            DEF:x=storage.rrd:used:AVERAGE VDEF:slope=x,LSLSLOPE VDEF:int=x,LSLINT
            CDEF:line=x,POP,slope,COUNT,*,int,+ AREA:x#AADEFE:'used' LINE2:line#000099:'trend':dashes
            GPRINT:slope:'%.3le per step' VDEF:r=x,LSLCORREL GPRINT:r:'correlation %.3lf\l'",
    },
];
