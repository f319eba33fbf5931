# What RRDs says where a daemon has the files: its address is the argument.
use strict;
use warnings;
use RRDs;

my @daemon = ('--daemon', shift);

sub show {
    my ($what, @values) = @_;
    my $error = RRDs::error;
    my @texts = map { defined $_ ? (ref $_ ? "@{[map { $_ // 'undef' } @$_]}" : $_) : 'undef' } @values;
    print "$what: ", join(' | ', @texts), defined $error ? " ($error)" : '', "\n";
}

RRDs::create('a.rrd', @daemon, '--start', 1000000000, '--step', 60,
    'DS:in:COUNTER:120:0:U', 'DS:out:GAUGE:120:U:U', 'RRA:AVERAGE:0.5:1:20', 'RRA:MAX:0.5:5:10');
show('create');
for my $nth (1 .. 15) {
    my $time = 1000000000 + 60 * $nth;
    RRDs::update('a.rrd', @daemon, "$time:" . 1000 * $nth . ":" . $nth * $nth / 4);
}
show('updates');
RRDs::update('a.rrd', @daemon, '1000000060:1:2');
show('an update of the past');
RRDs::update('none.rrd', @daemon, '1000000060:1:2');
show('an update of no file');
show('last', RRDs::last('a.rrd', @daemon));
my ($start, $step, $names, $rows) =
    RRDs::fetch('a.rrd', 'AVERAGE', '-s', 1000000000, '-e', 1000000900, @daemon);
show('fetch', $start, $step, $names, @$rows);
($start, $step, $names, $rows) = RRDs::fetch('a.rrd', 'LAST', @daemon);
# It follows the clock, which may go on to the next step between two runs.
$start = 'a day ago' if defined $start && abs(time - 86400 - $start) <= 300;
show('fetch of no archive', $start);
RRDs::flushcached(@daemon, 'a.rrd');
show('flushcached');
# Before, Debian's daemon answers from the file alone.
show('first', RRDs::first('a.rrd', @daemon));
# Now the file itself has everything.
my $info = RRDs::info('a.rrd');
show($_, $info->{$_}) for grep { !/cur_row|filename/ } sort keys %$info;
($start, $step, $names, $rows) = RRDs::fetch('a.rrd', 'MAX', '-s', 1000000000, '-e', 1000000900);
show('its own rows', $start, $step, $names, @$rows);
my ($from, $to, $every, $columns, $legend, $values) = RRDs::xport('-s', 1000000000, '-e', 1000000900,
    @daemon, 'DEF:in=a.rrd:in:AVERAGE', 'CDEF:bits=in,8,*', 'XPORT:bits:bits');
show('xport', $from, $to, $every, $columns, $legend, @$values);
my ($texts, $width, $height) = RRDs::graph('/dev/null', '-s', 1000000000, '-e', 1000000900, @daemon,
    'DEF:in=a.rrd:in:AVERAGE', 'LINE1:in#ff0000:in', 'PRINT:in:MAX:%.3lf');
show('graph', $texts, $width, $height);
