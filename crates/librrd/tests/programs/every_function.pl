# Calls every function of RRDs, right and wrong, in the current directory, and prints what comes of it.
use strict;
use warnings;
use Data::Dumper;
use RRDs;

$Data::Dumper::Sortkeys = 1;
$Data::Dumper::Indent = 1;
$Data::Dumper::Terse = 1;
$| = 1;

# Prints what a function returned and the error that it left.
sub show {
    my ($what, @answer) = @_;
    my $error = RRDs::error;
    print "$what: ", Dumper(\@answer), "  error: ", defined $error ? "'$error'" : "none", "\n";
}

my @definition = ('DS:in:COUNTER:600:0:U', 'DS:out:GAUGE:600:-10:10', 'RRA:AVERAGE:0.5:1:20', 'RRA:MIN:0.5:4:20');
show('create', RRDs::create('a.rrd', '--start', 1000000000, '--step', 300, @definition));
show('create', RRDs::create('a.rrd', '--no-overwrite', @definition));
show('create', RRDs::create('b.rrd', '--start', 1000000000, 'DS:x:NONSENSE:1:2:3', 'RRA:AVERAGE:0.5:1:20'));
show('create', RRDs::create('nowhere/b.rrd', @definition));
show('create', RRDs::create());

show('update', RRDs::update('a.rrd', '1000000300:1000:5', '1000000600:4000:7'));
show('update', RRDs::update('a.rrd', '--template', 'out:in', '1000000900:-3:8000'));
show('update', RRDs::update('a.rrd', '1000000900:1:2'));
show('update', RRDs::update('a.rrd', '--skip-past-updates', '1000000900:1:2', '1000001000:9000:1'));
show('update', RRDs::update('a.rrd', '1000001100:1'));
show('update', RRDs::update('missing.rrd', 'N:1:2'));
show('update', RRDs::update('a.rrd'));
show('update', RRDs::update('a.rrd', '--nonsense'));

sub by_row { my $list = shift; return $list ? join("\n", map {"$_ = " . ($list->{$_} // 'undef')} sort keys %$list) : 'undef' }
show('updatev', by_row(RRDs::updatev('a.rrd', '1000001500:10000:2', '1000002400:20000:3')));
show('updatev', by_row(RRDs::updatev('a.rrd', '1000002400:10000:2')));
show('updatev', by_row(RRDs::updatev('a.rrd')));

show('last', RRDs::last('a.rrd'));
show('last', RRDs::last('missing.rrd'));
show('last', RRDs::last());
show('first', RRDs::first('a.rrd'));
show('first', RRDs::first('a.rrd', '--rraindex', 1));
show('first', RRDs::first('a.rrd', '--rraindex', 5));

show('fetch', RRDs::fetch('a.rrd', 'AVERAGE', '--start', 1000000000, '--end', 1000002400));
show('fetch', RRDs::fetch('a.rrd', 'MIN', '-s', 'end-1h', '-e', 1000002400, '-r', 1200));
show('fetch', RRDs::fetch('a.rrd', 'MAX', '-s', 1000000000, '-e', 1000002400));
show('fetch', RRDs::fetch('a.rrd', 'NONSENSE'));
show('fetch', RRDs::fetch('a.rrd', 'AVERAGE', '-s', 'gibberish'));
show('fetch', RRDs::fetch('missing.rrd', 'AVERAGE', '-s', 1000000000, '-e', 1000002400));

my $info = RRDs::info('a.rrd');
delete $info->{$_} for grep {/cur_row/} keys %$info;
show('info', $info);
show('info', RRDs::info('missing.rrd'));
show('info', RRDs::info());

show('times', RRDs::times('end-1d', 1000000000));
show('times', RRDs::times('12:00 01.02.2020', 'start+1week'));
show('times', RRDs::times('end-1d', 'start+1d'));
show('times', RRDs::times('gibberish', 'now'));
show('times', RRDs::times('now', 'gibberish'));

# A zone that changes within a program, as MRTG has it for some targets.
for my $zone ('America/New_York', 'Europe/Zurich', 'UTC') {
    local $ENV{TZ} = $zone;
    show("times in $zone", RRDs::times('12:00 01.02.2020', '12:00 01.07.2020'));
    show("fetch in $zone", (RRDs::fetch('a.rrd', 'AVERAGE', '-s', '20010909', '-e', '06:00 20010909'))[0]);
}

show('dump', RRDs::dump('a.rrd', 'a.xml'));
show('dump', RRDs::dump('missing.rrd', 'b.xml'));
show('restore', RRDs::restore('a.xml', 'restored.rrd'));
show('restore', RRDs::restore('a.xml', 'restored.rrd'));
show('restore', RRDs::restore('missing.xml', 'b.rrd'));
show('last', RRDs::last('restored.rrd'));

show('tune', RRDs::tune('a.rrd', '--heartbeat', 'in:700', '--maximum', 'out:20', '--data-source-rename', 'out:outward'));
show('tune', RRDs::tune('a.rrd', '--heartbeat', 'missing:700'));
show('tune', RRDs::tune('missing.rrd', '--heartbeat', 'in:700'));
$info = RRDs::info('a.rrd');
show('info', map {$info->{$_}} grep {/heartbeat|max|index/} sort keys %$info);

mkdir 'below';
show('create', RRDs::create('below/c.rrd', '--start', 1000000000, @definition));
show('list', RRDs::list('below'));
show('list', RRDs::list());
show('flushcached', RRDs::flushcached('a.rrd'));

my @stretch = ('--start', 1000000000, '--end', 1000002400);
show('xport', RRDs::xport(@stretch, 'DEF:a=a.rrd:in:AVERAGE', 'CDEF:b=a,2,*', 'XPORT:a:in', 'XPORT:b:twice as much'));
show('xport', RRDs::xport(@stretch, 'DEF:a=missing.rrd:in:AVERAGE', 'XPORT:a:in'));
show('xport', RRDs::xport(@stretch));

my @printed = RRDs::graph('-', @stretch, 'DEF:a=a.rrd:in:AVERAGE', 'PRINT:a:AVERAGE:%.3lf', 'PRINT:a:MAX:%lf%%');
show('graph', @printed);
my @drawn = RRDs::graph('a.png', @stretch, 'DEF:a=a.rrd:in:AVERAGE', 'LINE1:a#00ff00:in', 'PRINT:a:LAST:%lf');
show('graph', $drawn[0], $drawn[1] > 0, $drawn[2] > 0, -s 'a.png' > 500);
show('graph', RRDs::graph('b.png', @stretch, 'DEF:a=missing.rrd:in:AVERAGE', 'LINE1:a#00ff00'));
show('graph', RRDs::graph('b.png', @stretch, 'LINE1:nothing#00ff00'));
my @def = ('DEF:a=a.rrd:in:AVERAGE', 'LINE1:a#00ff00', 'PRINT:a:LAST:%lf');
show('graph', (RRDs::graph('c.png', @stretch, '--imginfo', '<%s|%lu|%lu>', @def))[0]);
show('graph', (RRDs::graph('c.png', @stretch, '--imginfo', '', @def))[0]);

show('fetch without a callback', RRDs::fetch('cb//x', 'AVERAGE', @stretch));
RRDs::fetch_cb_register(sub {
    my $asked = shift;
    print Dumper({map {$_ => $asked->{$_}} grep {$_ ne 'filename'} keys %$asked});
    return undef if $asked->{filename} =~ /nothing/;
    my $start = $asked->{start} - $asked->{start} % 600;
    my $rows = int(($asked->{end} - $start) / 600) + 1;
    return {step => 600, start => $start, 
        data => {one => [1 .. $rows], two => [map {$_ / 2} 1 .. $rows]}};
});
my @rows = RRDs::fetch('cb//something', 'AVERAGE', @stretch);
show('fetch from a callback', @rows[0, 1], [sort @{$rows[2]}], scalar @{$rows[3]});
show('xport from a callback', RRDs::xport(@stretch, 'DEF:a=cb//something:two:MAX', 'XPORT:a:in'));
@printed = RRDs::graph('d.png', @stretch, 'DEF:a=cb//something:one:AVERAGE', 'CDEF:b=a,2,*',
    'PRINT:a:MAX:%.3lf', 'PRINT:b:AVERAGE:%.3lf', 'LINE1:b#00ff00:twice');
show('graph from a callback', @printed, -s 'd.png' > 500);
show('graph of nothing from a callback', RRDs::graph('c.png', @stretch, 'DEF:a=cb//nothing:one:AVERAGE', 'LINE1:a#00ff00'));
my $facts = RRDs::graphv('-', @stretch, 'DEF:a=cb//something:two:MAX', 'PRINT:a:MIN:%.3lf', 'AREA:a#00ff00:in');
show('graphv from a callback', map {"$_=$facts->{$_}"} grep { !/^(image|coords.*)$/ } sort keys %$facts);
