# What librrd says of a database with ticks below a second, and of gyre's own words.
use strict;
use warnings;
use RRDs;

sub said {
    my ($what, $call) = @_;
    my @found = $call->();
    my $error = RRDs::error();
    print "$what: ", defined $error ? "failed: $error" : scalar(@found), "\n";
}

my $name = 'store/fine';
my @window = ('-s', 1700000000, '-e', 1700000001);
said('update', sub { RRDs::update($name, '1700000000.1:1', '1700000000.2:3') });
my $info = RRDs::info($name);
print "info: $info->{tick} $info->{step} $info->{'ds[x].last_ds'}\n";
said('fetch', sub { RRDs::fetch($name, 'AVERAGE', @window) });
said('last', sub { RRDs::last($name) });
said('first', sub { RRDs::first($name) });
said('dump', sub { RRDs::dump($name, 'none.xml') });
my $def = "DEF:x=$name:x:AVERAGE";
said('words', sub { RRDs::xport(@window, $def, 'CDEF:y=x,60,TREND.MIN', 'XPORT:y') });
