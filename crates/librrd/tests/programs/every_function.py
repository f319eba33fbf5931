# Calls every function of rrdtool's module, right and wrong, in the current directory, and prints what comes of it.
# But for fetch and xport that fail, or ask a callback: the module then frees what nobody allocated.
import os
import rrdtool

assert 'graphv' in dir(rrdtool), dir(rrdtool)


def show(name, *arguments, keep=lambda answer: answer):
    """Prints what a function returned, or the error that it raised."""
    try:
        print(name, arguments, '->', repr(keep(getattr(rrdtool, name)(*arguments))), flush=True)
    except rrdtool.OperationalError as error:
        print(name, arguments, 'raised', repr(str(error)), flush=True)
    except rrdtool.ProgrammingError as error:
        print(name, arguments, 'is wrong:', repr(str(error)), flush=True)


def without_chance(facts):
    """The rows that rings begin at are chosen by chance."""
    return {key: value for key, value in facts.items() if 'cur_row' not in key}


def without_pixels(facts):
    """What graphv tells, but for the picture and where its texts stand."""
    return {key: value for key, value in sorted(facts.items()) if key != 'image' and not key.startswith('coords')}


DEFINITION = ['DS:in:COUNTER:600:0:U', 'DS:out:GAUGE:600:-10:10', 'RRA:AVERAGE:0.5:1:20', 'RRA:MIN:0.5:4:20']
STRETCH = ['--start', '1000000000', '--end', '1000002400']

show('lib_version')
show('create', 'a.rrd', '--start', '1000000000', '--step', '300', *DEFINITION)
show('create', 'a.rrd', '--no-overwrite', DEFINITION)
show('create', 'b.rrd', 'DS:x:NONSENSE:1:2:3', 'RRA:AVERAGE:0.5:1:20')
show('create', 'nowhere/b.rrd', DEFINITION)
show('create')

show('update', 'a.rrd', '1000000300:1000:5', '1000000600:4000:7')
show('update', 'a.rrd', '--template', 'out:in', '1000000900:-3:8000')
show('update', 'a.rrd', '1000000900:1:2')
show('update', 'a.rrd', '--skip-past-updates', '1000000900:1:2', '1000001000:9000:1')
show('update', 'a.rrd', '1000001100:1')
show('update', 'missing.rrd', 'N:1:2')
show('update', 'a.rrd')
show('update', 'a.rrd', '--nonsense')
show('updatev', 'a.rrd', '1000001500:10000:2', '1000002400:20000:3')
show('updatev', 'a.rrd', '1000002400:10000:2')
show('updatev', 'a.rrd')

show('last', 'a.rrd')
show('last', 'missing.rrd')
show('last')
show('first', 'a.rrd')
show('first', 'a.rrd', '--rraindex', '1')
show('first', 'a.rrd', '--rraindex', '5')
show('lastupdate', 'a.rrd')
show('lastupdate', 'missing.rrd')

show('fetch', 'a.rrd', 'AVERAGE', *STRETCH)
show('fetch', 'a.rrd', 'MIN', '-s', 'end-1h', '-e', '1000002400', '-r', '1200')
show('fetch', 'a.rrd', 'MAX', *STRETCH)

show('info', 'a.rrd', keep=without_chance)
show('info', 'missing.rrd')
show('info')

show('dump', 'a.rrd', 'a.xml')
print(os.path.getsize('a.xml'))
show('dump', 'missing.rrd', 'b.xml')
show('tune', 'a.rrd', '--heartbeat', 'in:700', '--maximum', 'in:20')
show('tune', 'a.rrd', '--heartbeat', 'missing:700')
show('info', 'a.rrd', keep=lambda facts: [facts['ds[in].minimal_heartbeat'], facts.get('ds[in].max')])
show('resize', 'a.rrd', '0', 'GROW', '5')
show('info', 'resize.rrd', keep=lambda facts: facts['rra[0].rows'])
show('resize', 'a.rrd', '7', 'GROW', '5')
os.mkdir('below')
show('create', 'below/c.rrd', '--start', '1000000000', DEFINITION)
show('list', 'below')
show('list')
show('flushcached', 'a.rrd')

show('xport', *STRETCH, 'DEF:a=a.rrd:in:AVERAGE', 'CDEF:b=a,2,*', 'XPORT:a:in', 'XPORT:b:twice as much')

show('graph', '/dev/null', *STRETCH, 'DEF:a=a.rrd:in:AVERAGE', 'PRINT:a:AVERAGE:%.3lf', 'PRINT:a:MAX:%lf%%')
show('graph', 'b.png', *STRETCH, 'DEF:a=missing.rrd:in:AVERAGE', 'LINE1:a#00ff00')
show('graph', 'a.png', *STRETCH, 'DEF:a=a.rrd:in:AVERAGE', 'LINE1:a#00ff00', keep=lambda answer: answer[2])
print(open('a.png', 'rb').read(4))
show('graphv', '-', *STRETCH, 'DEF:a=a.rrd:in:AVERAGE', 'LINE1:a#00ff00:in', 'PRINT:a:MAX:%lf', 'GPRINT:a:MIN:%.2lf',
     keep=without_pixels)
show('graphv', '-', *STRETCH, 'DEF:a=missing.rrd:in:AVERAGE', 'LINE1:a#00ff00')


show('register_fetch_cb', print, keep=lambda answer: None)
show('clear_fetch_cb')
show('clear_fetch_cb')
