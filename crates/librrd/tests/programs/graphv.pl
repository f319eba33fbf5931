# What RRDs::graphv tells of graphs, in the current directory.
use strict;
use warnings;
use RRDs;

sub show {
    my ($what, $facts) = @_;
    print "$what: ", $facts ? 'facts' : 'none', " '", RRDs::error() // '', "'\n";
    return unless $facts;
    # Where a text stands, and where the axis ends, is a matter of drawing.
    for my $key (sort keys %$facts) {
        my $value = $facts->{$key};
        $value = substr($value, 1, 3) if $key eq 'image';
        $value = scalar(split /,/, $value) if $key =~ /^coords/;
        print "  $key: $value\n";
    }
}

RRDs::create('a.rrd', '--start', 1000000000, '--step', 300, 'DS:x:GAUGE:600:U:U', 'RRA:AVERAGE:0.5:1:20');
RRDs::update('a.rrd', '1000000300:1', '1000000600:4', '1000000900:2');
my @stretch = ('--start', 1000000000, '--end', 1000000900);
my @def = 'DEF:a=a.rrd:x:AVERAGE';
show('a file', RRDs::graphv('a.png', @stretch, '-l0', '-u5', '-r', @def, 'LINE1:a#00ff00:in', 'PRINT:a:LAST:%lf'));
print -s 'a.png' > 500 ? "drawn\n" : "not drawn\n";
show('no file', RRDs::graphv('-', @stretch, '-l0', '-u5', '-r', '-w300', '-h100', @def, 'AREA:a#00ff00'));
show('prints', RRDs::graphv('-', @stretch, @def, 'PRINT:a:MAX:%.2lf', 'PRINT:a:MIN:%.1lf%%'));
show('a missing file', RRDs::graphv('-', @stretch, 'DEF:a=missing.rrd:x:AVERAGE', 'LINE1:a#00ff00'));
show('nothing', RRDs::graphv('-', @stretch));
