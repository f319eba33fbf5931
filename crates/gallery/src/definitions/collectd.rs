//! Graphs as collectd's pages (collection3, CGP) write them.

use super::Definition;

pub(super) const GRAPHS: &[Definition] = &[
    Definition {
        name: "collectd-load",
        words: r"-a PNG -s 1789913400 -e 1789999800 -w 400 -h 100 -t 'host/load' -v 'System load' -X 0
            DEF:s_avg=load.rrd:load_1min:AVERAGE DEF:s_min=load.rrd:load_1min:MIN DEF:s_max=load.rrd:load_1min:MAX
            DEF:m_avg=load.rrd:load_5min:AVERAGE DEF:l_avg=load.rrd:load_15min:AVERAGE
            AREA:s_max#E8FFE8 AREA:s_min#FFFFFF
            LINE1:s_avg#00FF00:' 1m average' GPRINT:s_min:MIN:'%4.2lf Min,' GPRINT:s_avg:AVERAGE:'%4.2lf Avg,'
            GPRINT:s_max:MAX:'%4.2lf Max,' GPRINT:s_avg:LAST:'%4.2lf Last\n'
            LINE1:m_avg#0000FF:' 5m average' GPRINT:m_avg:LAST:'%4.2lf Last\n'
            LINE1:l_avg#FF0000:'15m average' GPRINT:l_avg:LAST:'%4.2lf Last'",
    },
    Definition {
        name: "collectd-if-octets",
        words: r"-s 1789913400 -e 1789999800 -w 400 -h 100 -t 'host/interface/if_octets-eth0' -v 'Bits/s' --units=si
            DEF:out_min_raw=traffic.rrd:traffic_out:AVERAGE DEF:out_avg_raw=traffic.rrd:traffic_out:AVERAGE
            DEF:inc_avg_raw=traffic.rrd:traffic_in:AVERAGE DEF:inc_max_raw=traffic.rrd:traffic_in:MAX
            CDEF:out_avg=out_avg_raw,8,* CDEF:inc_avg=inc_avg_raw,8,* CDEF:inc_max=inc_max_raw,8,*
            CDEF:overlap=out_avg,inc_avg,GT,inc_avg,out_avg,IF
            CDEF:mytime=out_avg_raw,TIME,TIME,IF CDEF:sample_len_raw=mytime,PREV(mytime),-
            CDEF:sample_len=sample_len_raw,UN,0,sample_len_raw,IF
            CDEF:out_avg_sample=out_avg_raw,UN,0,out_avg_raw,IF,sample_len,*
            CDEF:out_avg_sum=PREV,UN,0,PREV,IF,out_avg_sample,+
            AREA:out_avg#B7EFB7 AREA:inc_avg#B7B7F7 AREA:overlap#89B3C9
            LINE1:out_avg#00E000:'Outgoing' GPRINT:out_avg:AVERAGE:'%5.1lf%s Avg,' GPRINT:out_avg:MAX:'%5.1lf%s Max,'
            GPRINT:out_avg:LAST:'%5.1lf%s Last' GPRINT:out_avg_sum:LAST:'(ca. %5.1lf%sB Total)\l'
            LINE1:inc_avg#0000FF:'Incoming' GPRINT:inc_avg:AVERAGE:'%5.1lf%s Avg,' GPRINT:inc_max:MAX:'%5.1lf%s Max,'
            GPRINT:inc_avg:LAST:'%5.1lf%s Last\l'",
    },
    Definition {
        name: "collectd-cpu-stacked",
        words: r"-s 1789913400 -e 1789999800 -w 800 -h 200 -l 0 -u 100 -r -v Percent -t 'CPU 0'
            DEF:a=cpu-system.rrd:42:AVERAGE DEF:b=cpu-user.rrd:42:AVERAGE
            CDEF:idle=100,a,-,b,- CDEF:area0=a CDEF:area1=a,b,+ CDEF:area2=a,b,+,idle,+
            AREA:area2#f7f7f7 AREA:area1#b7b7ff AREA:area0#ffb7b7
            LINE1:area2#e8e8e8:'Idle  ' GPRINT:idle:AVERAGE:'%5.2lf%% Avg\l'
            LINE1:area1#0000ff:'User  ' GPRINT:b:AVERAGE:'%5.2lf%% Avg\l'
            LINE1:area0#ff0000:'System' GPRINT:a:AVERAGE:'%5.2lf%% Avg\l'",
    },
    Definition {
        name: "collectd-df",
        words: r"-s 1789394800 -e 1789999800 -w 400 -h 100 -b 1024 -l 0 -v Bytes -t 'df-root'
            DEF:used=storage.rrd:used:AVERAGE DEF:free=storage.rrd:free:AVERAGE CDEF:both=used,free,+
            AREA:both#B7EFB7 AREA:used#F7B7B7 LINE1:both#00B000:'free' GPRINT:free:LAST:'%5.1lf%sB Last\l'
            LINE1:used#FF0000:'used' GPRINT:used:LAST:'%5.1lf%sB Last\l'",
    },
    Definition {
        name: "collectd-ping-month",
        words: r"-s 1787407800 -e 1789999800 -w 400 -h 100 -v ms -t 'ping'
            DEF:avg=ping.rrd:ping:AVERAGE DEF:min=ping.rrd:ping:MIN DEF:max=ping.rrd:ping:MAX
            AREA:max#b7b7f7 AREA:min#ffffff LINE1:avg#0000ff:'Ping' GPRINT:min:MIN:'%4.1lf ms Min,'
            GPRINT:avg:AVERAGE:'%4.1lf ms Avg,' GPRINT:max:MAX:'%4.1lf ms Max,' GPRINT:avg:LAST:'%4.1lf ms Last\l'",
    },
    Definition {
        name: "collectd-temperature-narrow",
        words: r"-s 1789978200 -e 1789999800 -w 220 -h 80 -v Celsius -A -Y -t 'sensor'
            DEF:t=sensor.rrd:sensor:AVERAGE LINE2:t#f0a000:'Temperature' GPRINT:t:LAST:'%4.1lf\l'",
    },
    Definition {
        name: "collectd-cgp-wide",
        words: r"-s 1789913400 -e 1789999800 -w 1000 -h 350 -l 0 --slope-mode --pango-markup
            -t 'Memory' -v Bytes -b 1024 -c BACK#EEEEEEFF -c CANVAS#FFFFFF00
            DEF:a=mem-apps.rrd:42:AVERAGE DEF:b=mem-cache.rrd:42:AVERAGE
            AREA:a#FF000080:'<b>apps</b> ' GPRINT:a:AVERAGE:'%5.1lf%s Avg\l'
            AREA:b#0000FF80:'<i>cache</i>':STACK GPRINT:b:AVERAGE:'%5.1lf%s Avg\l'",
    },
    Definition {
        name: "collectd-users-integer",
        words: r"-s 1789913400 -e 1789999800 -w 400 -h 100 -l 0 -v Users -y 1:5 -t 'users'
            DEF:u=ping.rrd:ping:AVERAGE CDEF:n=u,10,/,FLOOR AREA:n#B7B7F7 LINE1:n#0000FF:'Users'
            GPRINT:n:MAX:'%4.1lf Max\l'",
    },
];
